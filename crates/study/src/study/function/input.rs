//! The functions of a study: their files, their domain, what is known of them beforehand.

use crate::function::{Domain, Positions};
use crate::io::{Content, Opened, RecordSize, Rows, npy, open_as, rows_of};
use crate::job::average;
use crate::privacy::PublicInput;
use crate::study::points::{PointStudyError, Read, Record, usable};
use crate::study::{Counting, People, Place, Unusable, public_input};
use std::path::{Path, PathBuf};

/// What functions are functions of: declared, never guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum DomainKind {
    /// A closed curve: (n, m) samples at equal steps once around, or (n, m, channels)
    Circle,
    /// An interval: (n, m) samples at equal steps, or (n, m, channels)
    Interval,
    /// A disk: (n, J, m) samples on J circles of radius 1/J, 2/J, …, 1, or (n, J, m, channels)
    Disk,
}

/// Most samples along an interval, and most circles of a disk: beyond it finding their basis takes long.
const MOST_ACROSS: usize = 1000;
/// Most numbers in one record.
const MOST_NUMBERS: usize = 1 << 20;

/// Who is in a study of functions, where it works, and what is known of functions beforehand; all of it public.
#[derive(Debug, Clone)]
pub struct FunctionInputs {
    /// An array, or for functions with one value a table with a row for each.
    pub file: PathBuf,
    /// Domain of the functions.
    pub domain: DomainKind,
    /// One public function, sampled like the records; without one it is zero.
    pub centre: Option<PathBuf>,
    /// Where the samples are, on an interval or (in radians) on a circle; without them at equal steps.
    pub positions: Option<PathBuf>,
    /// What is done with records that cannot be used: not finite numbers throughout.
    pub unusable: Unusable,
    /// What counts as a person.
    pub counting: Counting,
    /// Folder, ledger, seed.
    pub place: Place,
}

impl FunctionInputs {
    /// Functions of this file about zero, in this place.
    pub fn new(file: impl Into<PathBuf>, domain: DomainKind, place: Place) -> Self {
        Self {
            file: file.into(),
            domain,
            centre: None,
            positions: None,
            unusable: Unusable::default(),
            counting: Counting::default(),
            place,
        }
    }
}

/// Where numbers are taken from.
#[derive(Debug)]
enum Source {
    Array(Opened),
    Table(Rows),
}

impl Source {
    /// The array or table in a file, and its axes: the first one counts records.
    fn open(file: &Path, width: RecordSize) -> Result<(Self, Vec<usize>), PointStudyError> {
        let opened = open_as(file, Content::Rows)?;
        if opened.path().extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
            let shape = npy::shape_of(&opened)?;
            return Ok((Self::Array(opened), shape));
        }
        let rows = rows_of(opened, width)?.of_coordinates()?;
        let shape = vec![rows.count(), rows.width()];
        Ok((Self::Table(rows), shape))
    }

    fn file(&self) -> &Opened {
        match self {
            Self::Array(opened) => opened,
            Self::Table(rows) => rows.file(),
        }
    }

    /// The numbers of each record, or what is wrong with it.
    fn records(&self, length: usize) -> Result<Vec<Result<Vec<f64>, String>>, PointStudyError> {
        match self {
            Self::Array(opened) => {
                let numbers = npy::of(opened)?.data;
                Ok(numbers.chunks_exact(length.max(1)).map(|record| finite(record.to_vec())).collect())
            }
            Self::Table(rows) => Ok(rows.iter().map(|row| row.map_err(|e| e.to_string())).collect()),
        }
    }
}

fn finite(record: Vec<f64>) -> Result<Vec<f64>, String> {
    match record.iter().position(|x| !x.is_finite()) {
        None => Ok(record),
        Some(at) => Err(format!("number {} is not finite; fill it in or leave the record out", at + 1)),
    }
}

/// The files of a study whose public parts have been read, and no value of a record.
#[derive(Debug)]
pub(in crate::study) struct Functions<'a> {
    pub inputs: &'a FunctionInputs,
    pub domain: Domain,
    pub channels: usize,
    /// Axes of one record, as released means have them.
    pub shape: Vec<usize>,
    /// Samples of the public centre on the grid.
    pub centre: Vec<f64>,
    pub positions: Option<Positions>,
    pub public_inputs: Vec<PublicInput>,
    pub people: People,
    /// How many records there are.
    pub records: usize,
    source: Source,
}

impl<'a> Functions<'a> {
    /// Opens the files.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub fn open(inputs: &'a FunctionInputs) -> Result<Self, PointStudyError> {
        let (source, axes) = Source::open(&inputs.file, RecordSize::Heading)?;
        let about = |problem: String| PointStudyError::Input(format!("{}: {problem}", inputs.file.display()));
        let (domain, channels) = inputs.domain.of(&axes).map_err(about)?;
        let mut functions = Self {
            inputs,
            domain,
            channels,
            shape: axes[1..].to_vec(),
            centre: vec![0.0; domain.points() * channels],
            positions: None,
            public_inputs: Vec::new(),
            people: inputs.counting.people(axes[0], &|i| vec![i.to_string()])?,
            records: axes[0],
            source,
        };
        if let Some(file) = &inputs.positions {
            functions.read_positions(file)?;
        }
        if let Some(file) = &inputs.centre {
            functions.read_centre(file)?;
        }
        Ok(functions)
    }

    /// n.
    pub fn n(&self) -> u64 {
        self.people.count() as u64
    }

    /// What was passed over, for the data holder.
    pub fn notes(&self) -> Vec<String> {
        match &self.source {
            Source::Array(_) => Vec::new(),
            Source::Table(rows) => rows.notes(),
        }
    }

    /// SHA-256 of what was read: the records, and who gave them.
    pub fn sums(&self) -> impl Iterator<Item = [u8; 32]> + '_ {
        std::iter::once(self.source.file().sha256()).chain(self.people.table())
    }

    fn read_positions(&mut self, file: &Path) -> Result<(), PointStudyError> {
        let about = |problem: String| PointStudyError::Input(format!("{}: {problem}", file.display()));
        let (source, _) = Source::open(file, RecordSize::Content)?;
        self.public_inputs.push(public_input(source.file())?);
        let numbers = source.all()?;
        let made = match self.domain {
            Domain::Interval { .. } => Positions::on_interval(&numbers),
            Domain::Circle { .. } => Positions::on_circle(&numbers),
            Domain::Disk { .. } => {
                return Err(about("positions are for circles and intervals; a disk has its circles".into()));
            }
        };
        let positions = made.map_err(|e| about(e.to_string()))?;
        let (found, points) = (positions.grid().len(), self.domain.points());
        if found != points {
            return Err(about(format!("{found} positions for {points} samples; give each sample its own")));
        }
        self.positions = Some(positions);
        Ok(())
    }

    fn read_centre(&mut self, file: &Path) -> Result<(), PointStudyError> {
        let about = |problem: String| PointStudyError::Input(format!("{}: {problem}", file.display()));
        let (source, axes) = Source::open(file, RecordSize::Content)?;
        self.public_inputs.push(public_input(source.file())?);
        let one: Vec<usize> = std::iter::once(1).chain(self.shape.iter().copied()).collect();
        if axes != self.shape && axes != one {
            let (found, wanted) = (tuple(&axes), tuple(&self.shape));
            return Err(about(format!(
                "the public centre is one function of shape {wanted}, this one is {found}"
            )));
        }
        self.centre = self.on_grid(finite(source.all()?).map_err(about)?);
        Ok(())
    }

    fn on_grid(&self, samples: Vec<f64>) -> Vec<f64> {
        match &self.positions {
            Some(positions) => positions.resampled(samples, self.channels),
            None => samples,
        }
    }

    /// The records on the grid, one for each person: secret. `None` for those that cannot be used.
    ///
    /// # Errors
    /// [`PointStudyError`]: the first record that cannot be used, where the study stops at them.
    pub fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError> {
        let FunctionInputs { unusable, counting, .. } = self.inputs;
        let record = |read: Result<Vec<f64>, String>| match read {
            Ok(numbers) => {
                let sampled = self.on_grid(numbers.clone());
                Record::new(&numbers, Ok(sampled))
            }
            Err(problem) => Record::unread(problem),
        };
        let read = self.source.records(self.centre.len())?;
        let Read { points, problems, notes } =
            usable(*unusable, counting, &self.people, read.into_iter().map(record))?;
        let points = self.people.one_each(points, |_, own| Ok::<_, PointStudyError>(average(&own)))?;
        Ok(Read { points, problems, notes })
    }
}

impl Source {
    /// All numbers of a public file.
    fn all(&self) -> Result<Vec<f64>, PointStudyError> {
        match self {
            Self::Array(opened) => Ok(npy::of(opened)?.data),
            Self::Table(rows) => {
                let about =
                    |e: String| PointStudyError::Input(format!("{}: {e}", rows.file().path().display()));
                rows.iter().try_fold(Vec::new(), |mut all, row| {
                    all.extend(row.map_err(|e| about(e.to_string()))?);
                    Ok(all)
                })
            }
        }
    }
}

impl DomainKind {
    /// Domain and channels of an array with these axes.
    fn of(self, axes: &[usize]) -> Result<(Domain, usize), String> {
        let wanted = match self {
            Self::Circle | Self::Interval => "(n, m) or (n, m, channels)",
            Self::Disk => "(n, J, m) or (n, J, m, channels): J circles of m samples each",
        };
        let (domain, channels) = match (self, axes) {
            (Self::Circle, [_, samples, rest @ ..]) if rest.len() < 2 => {
                (Domain::Circle { samples: *samples }, rest.first())
            }
            (Self::Interval, [_, samples, rest @ ..]) if rest.len() < 2 => {
                (Domain::Interval { samples: *samples }, rest.first())
            }
            (Self::Disk, [_, curves, samples, rest @ ..]) if rest.len() < 2 => {
                (Domain::Disk { curves: *curves, samples: *samples }, rest.first())
            }
            _ => return Err(format!("functions on this domain are {wanted}, this array is {}", tuple(axes))),
        };
        let channels = channels.copied().unwrap_or(1);
        if axes.contains(&0) {
            return Err(format!("there is nothing in an array of shape {}", tuple(axes)));
        }
        let (across, along) = match domain {
            Domain::Circle { samples } => (1, samples),
            Domain::Interval { samples } => (samples, usize::MAX),
            Domain::Disk { curves, samples } => (curves, samples),
        };
        if along < 3 || (self != Self::Circle && across < 2) {
            return Err("functions have two samples or more, three around a circle".into());
        }
        let numbers = axes[1..].iter().try_fold(1usize, |n, k| n.checked_mul(*k)).unwrap_or(usize::MAX);
        if across > MOST_ACROSS || numbers > MOST_NUMBERS {
            return Err(format!(
                "functions of more than {MOST_ACROSS} samples along an interval or across a disk, or of more than {MOST_NUMBERS} numbers, are not \
                 taken; means hold no such detail: give every second or tenth sample"
            ));
        }
        Ok((domain, channels))
    }
}

fn tuple(axes: &[usize]) -> String {
    match axes {
        [n] => format!("({n},)"),
        _ => format!("({})", axes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_those_of_the_declared_domain() {
        use DomainKind::{Circle, Disk, Interval};
        assert_eq!(Circle.of(&[9, 20]), Ok((Domain::Circle { samples: 20 }, 1)));
        assert_eq!(Interval.of(&[9, 20, 3]), Ok((Domain::Interval { samples: 20 }, 3)));
        assert_eq!(Disk.of(&[9, 5, 8]), Ok((Domain::Disk { curves: 5, samples: 8 }, 1)));
        assert_eq!(Disk.of(&[9, 5, 8, 2]), Ok((Domain::Disk { curves: 5, samples: 8 }, 2)));
        for (kind, axes, words) in [
            (Circle, &[9][..], "(n, m) or"),
            (Circle, &[9, 5, 8, 2], "this array is (9, 5, 8, 2)"),
            (Disk, &[9, 5], "J circles"),
            (Circle, &[0, 5], "nothing in"),
            (Circle, &[9, 2], "three around"),
            (Interval, &[9, 1], "two samples"),
            (Disk, &[9, 1, 8], "two samples"),
            (Interval, &[9, 4000], "every second"),
            (Circle, &[1, usize::MAX, 3], "every second"),
        ] {
            let problem = kind.of(axes).unwrap_err();
            assert!(problem.contains(words), "{axes:?}: {problem}");
        }
    }
}
