//! Tables of numbers in text, as spreadsheets, scanners and scripts write them: told apart by their content.

use super::error::{Fault, Parsed};
use super::separator::Separator;
use super::text::{COORDINATES, Lines, is_remark};

/// How to read a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    separator: Separator,
    columns: Columns,
    width: usize,
    /// How many rows a line before them announces, as in PTS files.
    pub announced: Option<usize>,
}

/// Where the columns are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    axes: [usize; 3],
    name: Option<usize>,
    /// Whether the names of the columns told, and not their order.
    is_told: bool,
    /// Whether the names may be numbers of the rows.
    may_number: bool,
}

impl Columns {
    const FIRST_THREE: Self = Self { axes: [0, 1, 2], name: None, is_told: false, may_number: false };
}

/// A line that may name columns.
struct Heading {
    columns: Option<Columns>,
    width: usize,
}

impl Heading {
    fn of(line: &[u8]) -> Self {
        let names: Vec<String> = Separator::of(line)
            .fields(line)
            .map(|field| String::from_utf8_lossy(field).trim().to_ascii_lowercase())
            .collect();
        let axis = |k: usize| names.iter().position(|name| is_axis(name, k));
        let axes = axis(0).zip(axis(1)).zip(axis(2)).map(|((x, y), z)| [x, y, z]);
        let named = |wanted: &str| names.iter().position(|name| name == wanted);
        let name = named("name").or_else(|| named("label"));
        let columns = axes.map(|axes| Columns {
            axes,
            name: name.or_else(|| named("landmark")),
            is_told: true,
            may_number: name.is_none(),
        });
        Heading { columns, width: names.len() }
    }
}

/// Whether a (lower-case) name of a column is that of axis `k`: `x`, `x_mm`, `x (mm)`, `pos_x`, `points:0`.
fn is_axis(name: &str, k: usize) -> bool {
    let axis = ["x", "y", "z"][k];
    let (base, unit) = name.split_at(name.find(['_', ' ', '(', '[']).unwrap_or(name.len()));
    let unit = unit.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let (before, last) = name.split_at(name.rfind(['_', ' ', '.', ':']).map_or(0, |at| at + 1));
    let before = before.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    base == axis && matches!(unit, "" | "mm" | "cm" | "m" | "um")
        || last == axis && matches!(before, "" | "pos" | "position" | "coord" | "point" | "points" | "vertex")
        || before == "points" && last == ["0", "1", "2"][k]
}

/// The coordinates and the name in a row.
pub(super) type Row<'a> = ([f64; 3], Option<&'a [u8]>);

/// The columns a remark names, and whether it says that this is what it does (as 3D Slicer's do).
fn heading_in_remark(line: &[u8]) -> Option<(Heading, bool)> {
    let words = without_leading(line, b"#%/\" \t");
    let (names, is_sure) = match strip_word(words, b"columns") {
        Some(list) => (without_leading(list, b" =:"), true),
        None => (words, false),
    };
    let heading = Heading::of(names);
    heading.columns.is_some().then_some((heading, is_sure))
}

/// The columns of a table without a heading, told by its first row.
fn columns_by_content(row: &[Option<f64>], names_allowed: bool) -> Columns {
    match row {
        [None, Some(_), Some(_), Some(_), ..] if names_allowed => {
            Columns { axes: [1, 2, 3], name: Some(0), is_told: true, may_number: false }
        }
        [Some(_), Some(_), Some(_), None, ..] if names_allowed => {
            Columns { name: Some(3), ..Columns::FIRST_THREE }
        }
        _ => Columns::FIRST_THREE,
    }
}

impl Layout {
    /// Reads what comes before the first row and looks at that row, which stays among the lines.
    ///
    /// `names_allowed`: whether the first or the fourth column may be a name though no heading says so.
    pub fn find(lines: &mut Lines<'_>, names_allowed: bool) -> Parsed<Option<Self>> {
        let (mut heading, mut remark, mut announced) = (None, None, None);
        loop {
            let before = lines.clone();
            let Some((number, line)) = lines.next() else { return Ok(None) };
            if is_remark(line) {
                remark = heading_in_remark(line).or(remark);
                continue;
            }
            let separator = Separator::of(line);
            let row: Vec<_> = separator.fields(line).map(|field| separator.number(field)).collect();
            if heading.is_none() && row.iter().all(Option::is_none) {
                heading = Some((Heading::of(line), number));
                continue;
            }
            if let ([Some(count)], None) = (&row[..], announced)
                && count.fract() == 0.0
                && (0.0..1e15).contains(count)
            {
                announced = Some(*count as usize);
                continue;
            }
            *lines = before;
            let remark = remark.filter(|(heading, is_sure)| *is_sure || heading.width == row.len());
            let told = match (&heading, remark) {
                (Some((heading, _)), _) => heading.columns,
                (None, Some((heading, _))) => heading.columns,
                (None, None) => None,
            };
            let columns = match (told, heading) {
                (Some(columns), _) => columns,
                // A heading that names no axes may be a title, if there is but one way to read the rows.
                (None, Some((_, number))) if row.len() > 3 => {
                    let text =
                        "is a heading without columns x, y and z; name them, since there are more than three";
                    return Err(Fault::Malformed(text).at_line(number));
                }
                _ => columns_by_content(&row, names_allowed),
            };
            return Ok(Some(Layout { separator, columns, width: row.len(), announced }));
        }
    }

    /// Whether the names may be but numbers of the rows.
    pub fn names_may_number(&self) -> bool {
        self.columns.may_number
    }

    /// The coordinates and the name in a row; `None` for a remark.
    pub fn row<'a>(&self, line: &'a [u8], number: usize) -> Parsed<Option<Row<'a>>> {
        if is_remark(line) {
            return Ok(None);
        }
        let Columns { axes, name: name_column, .. } = self.columns;
        let (mut position, mut name) = ([None; 3], None);
        let last = axes.into_iter().chain(name_column).max().unwrap_or(0);
        let fields = self.separator.fields(line).take(last + 1).enumerate();
        for (column, field) in fields.filter(|(_, field)| !field.is_empty()) {
            if let Some(axis) = axes.iter().position(|&a| a == column) {
                let value = self.separator.number(field);
                let what = COORDINATES[axis];
                position[axis] = Some(value.ok_or_else(|| Fault::NotANumber { what }.at_line(number))?);
            }
            if name_column == Some(column) {
                name = Some(field);
            }
        }
        match position {
            [Some(x), Some(y), Some(z)] => Ok(Some(([x, y, z], name))),
            _ => {
                let missing = position.iter().position(Option::is_none).unwrap_or(0);
                Err(Fault::MissingValue { what: COORDINATES[missing] }.at_line(number))
            }
        }
    }

    /// Refuses a table whose first column only counts the rows, unless names of columns told what to read: the
    /// count would be taken for a coordinate.
    pub fn check_first_column(&self, first: impl ExactSizeIterator<Item = f64> + Clone) -> Parsed<()> {
        let counts_from = |start: usize| first.clone().enumerate().all(|(k, x)| x == (start + k) as f64);
        if !self.columns.is_told && self.width > 3 && first.len() >= 3 && (counts_from(0) || counts_from(1)) {
            return Err(Fault::Malformed(
                "has a first column that only counts the rows; name the columns x, y, z in a heading",
            )
            .into());
        }
        Ok(())
    }
}

/// The rest of a line after a word.
fn strip_word<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    line.strip_prefix(word).filter(|rest| rest.first().is_some_and(|b| !b.is_ascii_alphanumeric()))
}

/// The line without bytes of a set at its beginning.
fn without_leading<'a>(line: &'a [u8], set: &[u8]) -> &'a [u8] {
    &line[line.iter().take_while(|b| set.contains(b)).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_go_by_many_names() {
        for name in ["x", "x_mm", "x (mm)", "x[cm]", "pos_x", "points:0", "position.x", "coord x"] {
            assert!(is_axis(name, 0) && !is_axis(name, 1), "{name}");
        }
        for name in ["", "nx", "x_normal", "index", "points:1", "max", "xyz", "normal_x", "0", "tex_x"] {
            assert!(!is_axis(name, 0), "{name}");
        }
    }

    fn layout(text: &str) -> Layout {
        Layout::find(&mut Lines::new(text.as_bytes()), true).unwrap().unwrap()
    }

    #[test]
    fn columns_are_found_by_heading_remark_or_content() {
        let columns = |text| (layout(text).columns.axes, layout(text).columns.name);
        assert_eq!(columns("label;z;y;x\na;1;2;3"), ([3, 2, 1], Some(0)));
        assert_eq!(columns("# id x y z\n7 1 2 3"), ([1, 2, 3], None));
        // Not the row's width: a remark about something else.
        assert_eq!(columns("# move along x y z\n7 1 2 3"), ([0, 1, 2], None));
        assert_eq!(columns("# columns = id,x,y,z,ow,label\n1,2,3,4,5,a"), ([1, 2, 3], Some(5)));
        assert_eq!(columns("//X Y Z R\n7 1 2 3"), ([0, 1, 2], None));
        assert_eq!(columns("my scan of today\n1 2 3"), ([0, 1, 2], None));
        assert_eq!(columns("tip,1,2,3"), ([1, 2, 3], Some(0)));
        assert_eq!(columns("1 2 3 tip"), ([0, 1, 2], Some(3)));
        assert_eq!(layout("2\n1 2 3\n").announced, Some(2));
        let error = Layout::find(&mut Lines::new(b"a,b,c,d\n1,2,3,4"), true).unwrap_err();
        assert_eq!(error.place, super::super::error::Place::Line(1));
    }
}
