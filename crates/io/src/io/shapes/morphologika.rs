//! Morphologika's text format (O'Higgins & Jones): sections under words in brackets.

use super::record::{ShapeIter, ShapeRecord, WHAT};
use super::size::ShapeSize;
use crate::io::error::{Fault, Located, Parsed, Place, RecordError};
use crate::io::text::{COORDINATES, Lines, is_missing, lossy, number, plain};

/// A file of Morphologika, of which all but the records has been read: its heading tells how many there are, of how many landmarks and
/// coordinates.
#[derive(Debug, Clone)]
pub(super) struct Morphologika {
    individuals: usize,
    pub landmarks: usize,
    pub dimension: usize,
    /// Where names and points begin: the byte, and how many lines come before.
    names: Option<(usize, usize)>,
    points: (usize, usize),
    /// Whether a line that begins with `'` stands before each record.
    is_marked: bool,
}

/// The section a line begins, in small letters.
fn section(line: &[u8]) -> Option<String> {
    let inside = line.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?;
    Some(lossy(inside).to_lowercase())
}

fn is_mark(line: &[u8]) -> bool {
    line.trim_ascii().first() == Some(&b'\'')
}

impl Morphologika {
    /// `None` for a text that does not begin with a section.
    pub fn find(bytes: &[u8], size: ShapeSize) -> Parsed<Option<Self>> {
        let text = plain(bytes)?;
        let offset = bytes.len() - text.len();
        let mut lines = Lines::new(text);
        if lines
            .clone()
            .find(|(_, line)| !line.trim_ascii().is_empty())
            .is_none_or(|(_, line)| section(line).is_none())
        {
            return Ok(None);
        }
        let (mut individuals, mut landmarks, mut dimension) = (None, None, None);
        let (mut names, mut points) = (None, None);
        while let Some((_, line)) = lines.next() {
            let here = (offset + text.len() - lines.rest().len(), lines.number());
            match section(line).as_deref() {
                Some("individuals") => individuals = Some(count(&mut lines)?),
                Some("landmarks") => landmarks = Some(count(&mut lines)?),
                Some("dimensions") => dimension = Some(count(&mut lines)?),
                Some("names") => names = Some(here),
                Some("rawpoints") => {
                    points = Some(here);
                    break;
                }
                // Labels, wireframe, polygons say nothing of the shapes; what is in a section is passed over with it.
                _ => {}
            }
        }
        let missing = "lacks one of the sections [individuals], [landmarks], [dimensions], [rawpoints], in this order; export it again";
        let (Some(individuals), Some(landmarks), Some(dimension), Some(points)) =
            (individuals, landmarks, dimension, points)
        else {
            return Err(Fault::Malformed(missing).into());
        };
        if !matches!(dimension, 2 | 3) || landmarks == 0 {
            return Err(Fault::Malformed(
                "has no landmarks, or neither two nor three dimensions; export it again",
            )
            .into());
        }
        size.check(landmarks, dimension, WHAT)?;
        let is_marked =
            lines.find(|(_, line)| !line.trim_ascii().is_empty()).is_some_and(|(_, line)| is_mark(line));
        let found = Self { individuals, landmarks, dimension, names, points, is_marked };
        found.check_count(bytes)?;
        Ok(Some(found))
    }

    /// The lines with points, and the marks between records.
    fn lines<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = (usize, &'a [u8])> + Clone + use<'a> {
        let (start, before) = self.points;
        Lines::after(bytes.get(start..).unwrap_or_default(), before)
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .take_while(|(_, line)| section(line).is_none())
    }

    fn check_count(&self, bytes: &[u8]) -> Parsed<()> {
        // Where all records together are shorter than one should be, whoever believed the number would make room for it.
        let lines = self.lines(bytes).filter(|(_, line)| !is_mark(line)).count();
        if self.is_marked && lines < self.landmarks {
            return Err(Fault::Truncated { what: "landmarks", promised: self.landmarks, found: lines }.into());
        }
        let wanted = |(_, line): &(usize, &[u8])| !self.is_marked || is_mark(line);
        let found = self.lines(bytes).filter(wanted).count();
        let found = if self.is_marked { found } else { found.div_ceil(self.landmarks) };
        match self.individuals {
            promised if promised > found => {
                Err(Fault::Truncated { what: "individuals", promised, found }.into())
            }
            promised if promised < found => {
                Err(Fault::Surplus { what: "individuals", surplus: found - promised }.into())
            }
            _ => Ok(()),
        }
    }

    pub fn shapes<'a>(&'a self, bytes: &'a [u8]) -> ShapeIter<'a> {
        let mut names = self.names.map(|(start, before)| {
            let lines = Lines::after(bytes.get(start..).unwrap_or_default(), before);
            lines
                .filter(|(_, line)| !line.trim_ascii().is_empty())
                .take_while(|(_, line)| section(line).is_none())
        });
        let mut lines = self.lines(bytes).peekable();
        Box::new((0..self.individuals).map(move |_| {
            let name = names.as_mut().and_then(Iterator::next).map(|(_, line)| lossy(line));
            let marked = if self.is_marked { lines.next().map(|(at, _)| at) } else { None };
            let at = marked.or_else(|| lines.peek().map(|(at, _)| *at)).unwrap_or(self.points.1);
            let mut coordinates =
                Vec::with_capacity(self.landmarks.saturating_mul(self.dimension).min(bytes.len()));
            let (mut found, mut fault) = (0, None);
            while let Some((at, line)) = lines.next_if(|(_, line)| match self.is_marked {
                true => !is_mark(line),
                false => found < self.landmarks,
            }) {
                found += 1;
                if fault.is_none() && found <= self.landmarks {
                    fault = self.point(line, at, &mut coordinates).err();
                }
            }
            let promised = self.landmarks;
            let wrong: Option<Located> = fault.or_else(|| match found {
                _ if found < promised => {
                    Some(Fault::Truncated { what: "points", promised, found }.at_line(at))
                }
                _ if found > promised => {
                    Some(Fault::Surplus { what: "points", surplus: found - promised }.at_line(at))
                }
                _ => None,
            });
            match wrong {
                None => Ok((Place::Line(at), ShapeRecord::flat(name, self.dimension, coordinates))),
                Some(Located { place, fault }) => Err(RecordError { place, name, fault }),
            }
        }))
    }

    fn point(&self, line: &[u8], at: usize, coordinates: &mut Vec<f64>) -> Parsed<()> {
        let between = |b: &u8| b.is_ascii_whitespace() || *b == b',' || *b == b';';
        let mut words = line.split(between).filter(|word| !word.is_empty());
        for what in &COORDINATES[..self.dimension] {
            let word = words.next().ok_or_else(|| Fault::MissingValue { what }.at_line(at))?;
            let value =
                if is_missing(word) { Some(f64::NAN) } else { number(word).filter(|x| !x.is_infinite()) };
            coordinates.push(value.ok_or_else(|| Fault::NotANumber { what }.at_line(at))?);
        }
        match words.next() {
            None => Ok(()),
            Some(_) => {
                Err(Fault::Malformed("holds more coordinates than [dimensions] says; correct the line")
                    .at_line(at))
            }
        }
    }
}

/// The number on the next line that holds anything.
fn count(lines: &mut Lines<'_>) -> Parsed<usize> {
    let line = lines.find(|(_, line)| !line.trim_ascii().is_empty());
    let (at, line) = line.ok_or(Fault::MissingValue { what: "a number after a section's name" })?;
    lossy(line)
        .parse()
        .map_err(|_| Fault::NotANumber { what: "the number after a section's name" }.at_line(at))
}

#[cfg(test)]
mod tests {
    use crate::io::{RecordSize, read_shapes};

    fn of(text: &str) -> Result<Vec<Result<crate::io::shapes::ShapeRecord, String>>, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, text).unwrap();
        let shapes = read_shapes(&path, RecordSize::Heading).map_err(|e| e.problem())?;
        Ok(shapes.iter().map(|shape| shape.map(|(_, shape)| shape).map_err(|e| e.to_string())).collect())
    }

    const HEAD: &str = "[individuals]\r\n2\r\n[landmarks]\r\n2\r\n[Dimensions]\r\n3\r\n[names]\r\na b\r\nc\r\n[labels]\nsex\n[labelvalues]\nf\nm\n";

    #[test]
    fn with_marks_and_without() {
        for points in [
            "[rawpoints]\n'#1\n1 2 3\n4\t5\t6\n\n'#2\n7 8 9\nNA NA NA\n[wireframe]\n1 2\n",
            "[rawpoints]\n1 2 3\n4,5,6\n7 8 9\nNA NA NA\n",
        ] {
            let found = of(&format!("{HEAD}{points}")).unwrap();
            let found: Vec<_> = found.into_iter().map(Result::unwrap).collect();
            assert_eq!((found.len(), found[0].coordinates()), (2, &[1., 2., 3., 4., 5., 6.][..]));
            assert_eq!((found[0].id.as_deref(), found[1].missing()), (Some("a b"), 1));
        }
    }

    #[test]
    fn the_fault_of_one_record_is_its_own() {
        let found = of(&format!("{HEAD}[rawpoints]\n'1\n1 2 3\n'2\n7 8 9\n1 2 3\n")).unwrap();
        assert!(found[0].as_ref().unwrap_err().contains("end early") && found[1].is_ok());
        let found = of(&format!("{HEAD}[rawpoints]\n1 2 3\n4 x 6\n7 8 9\n1 2 3\n")).unwrap();
        assert!(found[0].as_ref().unwrap_err().contains("\"a b\": the y coordinate") && found[1].is_ok());
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said() {
        for (text, word) in [
            ("[individuals]\n2\n".to_owned(), "lacks one of the sections"),
            (format!("{HEAD}[rawpoints]\n1 2 3\n4 5 6\n"), "individuals end early"),
            (format!("{HEAD}[rawpoints]\n{}", "1 2 3\n".repeat(6)), "more individuals"),
            (HEAD.replace("]\r\n3", "]\r\n4") + "[rawpoints]\n1 2 3\n", "neither two nor three"),
            (HEAD.replace("]\r\n3", "]\r\nthree"), "not a number"),
            (
                HEAD.replace("[landmarks]\r\n2", "[landmarks]\r\n99999999999999") + "[rawpoints]\n1 2 3\n",
                "individuals end early",
            ),
            (
                HEAD.replace("[landmarks]\r\n2", "[landmarks]\r\n18446744073709551615")
                    + "[rawpoints]\n'#1\n1 2 3\n'#2\n4 5 6\n",
                "landmarks end early",
            ),
        ] {
            let problem = of(&text).unwrap_err();
            assert!(problem.contains(word), "{problem}");
        }
    }
}
