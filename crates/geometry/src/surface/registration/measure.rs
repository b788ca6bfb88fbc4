//! What methods tell of a registration: numbers with their columns, headings and charts.

/// A number that a method tells of every scan it registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// Its column in tables of scans; no other method's has the same name.
    pub column: &'static str,
    /// What it is called in reports.
    pub quantity: &'static str,
    /// Its unit there; empty where it has none.
    pub unit: &'static str,
    /// Digits after the point.
    pub digits: usize,
    /// Whether reports show it; otherwise it is in the table's file only.
    pub shown: bool,
    /// What a reader should know of it; empty where the name says all.
    pub note: &'static str,
    /// How its values over all scans are drawn, where that is worth a chart.
    pub chart: Option<MeasureChart>,
}

/// The histogram of a measure over all scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasureChart {
    /// Its title.
    pub title: &'static str,
    /// What the axis says.
    pub axis: &'static str,
    /// What to look for.
    pub caption: &'static str,
}

/// All that a method tells of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measures {
    /// In the order of a table's columns.
    pub all: &'static [Measure],
    /// What the registration could not remove, one of them: large values are worth a look.
    pub left_over: &'static Measure,
}

impl Measure {
    /// A measure for tables and their files, without a note or a chart.
    pub const fn new(
        column: &'static str,
        quantity: &'static str,
        unit: &'static str,
        digits: usize,
    ) -> Self {
        Self { column, quantity, unit, digits, shown: true, note: "", chart: None }
    }

    /// Its heading in reports: quantity and unit.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() {
            self.quantity.to_owned()
        } else {
            format!("{}, {}", self.quantity, self.unit)
        }
    }
}
