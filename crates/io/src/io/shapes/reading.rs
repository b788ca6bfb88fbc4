//! How a file of shapes is to be read: all that its readers may know beside its header.

use super::size::ShapeSize;
use crate::io::columns::RecordSize;
use crate::io::error::Fault;

/// What is known of a file of shapes before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeReading {
    /// How large a shape is.
    pub size: ShapeSize,
    /// Coordinates of a landmark, 2 or 3, where neither a heading nor an array's shape tells: in flat arrays and tables without a heading.
    pub flat: Option<usize>,
    /// What the columns of a table with a row for each landmark are.
    pub columns: ShapeColumns,
    /// Which order the landmarks are wanted in.
    pub order: LandmarkOrder,
    /// What a negative coordinate means in TPS; where nothing is said, it means a missing landmark in specimens with `IMAGE=` (in a picture
    /// no coordinate is negative), and is a coordinate in others.
    pub negative: Option<Negative>,
    /// Whether the file is known to hold one shape, so that a column of different names can only name its landmarks.
    pub is_one: bool,
}

/// The names of columns, whatever their capitals; [`NO_COLUMN`] says that no column has that role.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShapeColumns {
    /// The column that names the records.
    pub record: Option<String>,
    /// The column that names the landmarks.
    pub landmark: Option<String>,
}

/// In place of a column's name: none has that role.
pub const NO_COLUMN: &str = "none";

/// Which order the landmarks are wanted in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LandmarkOrder {
    /// That of the file itself.
    #[default]
    Own,
    /// That of a public shape whose landmarks have these names.
    Named(Vec<String>),
    /// That of a public shape whose landmarks have no names: the file has to have it.
    Unnamed,
}

impl LandmarkOrder {
    /// That of a public shape whose landmarks have these names, or none.
    pub fn of(names: &[String]) -> Self {
        if names.is_empty() { Self::Unnamed } else { Self::Named(names.to_vec()) }
    }
}

/// What a negative coordinate means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negative {
    /// A coordinate like any other.
    Valid,
    /// The landmark is missing.
    Missing,
}

impl ShapeReading {
    /// The same with columns of these roles.
    #[must_use]
    pub fn with_columns(self, columns: &ShapeColumns) -> Self {
        Self { columns: columns.clone(), ..self }
    }

    /// Coordinates of a landmark in rows of so many numbers without a heading: 2 or 3.
    ///
    /// # Errors
    /// Where both are possible.
    pub(super) fn dimension_of_flat(&self, numbers: usize) -> Result<usize, Fault> {
        let fits = |d: &usize| match self.size.known() {
            Some(landmarks) => landmarks.checked_mul(*d) == Some(numbers),
            None => numbers > 0 && numbers.is_multiple_of(*d),
        };
        match (self.size.dimension.or(self.flat), &[2, 3].into_iter().filter(fits).collect::<Vec<_>>()[..]) {
            (Some(dimension), _) => Ok(dimension),
            (None, [only]) => Ok(*only),
            (None, [_, _]) => Err(Fault::Unclear {
                what: format!(
                    "has {numbers} numbers for each shape: {} landmarks in the plane, or {} in space; give --dimensions 2 or --dimensions 3",
                    numbers / 2,
                    numbers / 3
                ),
            }),
            _ => Ok(2),
        }
    }

    /// Refuses names of columns for a file that has no columns.
    pub(super) fn refuse_columns(&self) -> Result<(), Fault> {
        let ShapeColumns { record, landmark } = &self.columns;
        let given =
            record.as_ref().map(|_| "--record-column").or(landmark.as_ref().map(|_| "--landmark-column"));
        given.map_or(Ok(()), |option| {
            let what = format!("is not a table with named columns; leave out {option}");
            Err(Fault::Unclear { what })
        })
    }
}

impl From<ShapeSize> for ShapeReading {
    fn from(size: ShapeSize) -> Self {
        Self {
            size,
            flat: None,
            columns: ShapeColumns::default(),
            order: LandmarkOrder::Own,
            negative: None,
            is_one: false,
        }
    }
}

impl From<RecordSize> for ShapeReading {
    fn from(landmarks: RecordSize) -> Self {
        ShapeSize::from(landmarks).into()
    }
}
