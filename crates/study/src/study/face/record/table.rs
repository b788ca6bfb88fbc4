//! The table of scans: `internal/scans.csv` and the internal report's table have the same columns, written once here.

use super::row::{OneToOne, ScanRow, ScanStage};
use crate::surface::registration::{Measure, Registration};

/// One column.
struct Column {
    /// Its name in the file.
    name: &'static str,
    /// Its heading in the report; columns without are in the file only.
    heading: Option<String>,
    /// Text is quoted in the file.
    text: bool,
    cell: Cell,
}

/// A row's value; empty where it has none.
enum Cell {
    Of(fn(&ScanRow) -> String),
    Measure(&'static Measure),
}

impl Column {
    fn text(name: &'static str, heading: &str, cell: fn(&ScanRow) -> String) -> Self {
        Self { text: true, ..Self::number(name, Some(heading), cell) }
    }

    fn number(name: &'static str, heading: Option<&str>, cell: fn(&ScanRow) -> String) -> Self {
        Self { name, heading: heading.map(str::to_owned), text: false, cell: Cell::Of(cell) }
    }

    fn measure(measure: &'static Measure) -> Self {
        let heading = measure.shown.then(|| measure.heading());
        Self { name: measure.column, heading, text: false, cell: Cell::Measure(measure) }
    }

    fn value(&self, row: &ScanRow) -> String {
        match self.cell {
            Cell::Of(value) => value(row),
            Cell::Measure(measure) => known(row.measure(measure), measure.digits),
        }
    }
}

/// What every scan has, and between it what the methods of registration tell.
fn columns() -> Vec<Column> {
    let mut columns = vec![
        Column::text("scan", "scan", |r| r.scan.clone()),
        Column::number("status", None, |r| if r.is_ok() { "ok" } else { "failed" }.to_owned()),
        Column::text("problem", "problem", |r| r.problem.clone()),
        Column::number("points", Some("points"), |r| r.points.to_string()),
        Column::number("was_mesh", None, |r| r.was_mesh.to_string()),
        Column::text("repairs", "repairs", |r| r.repairs.clone()),
        Column::number("pose_misfit", Some("pose misfit"), |r| known(r.pose_misfit, 4)),
        Column::number("steps", None, |r| if r.is_ok() { r.steps.to_string() } else { String::new() }),
    ];
    columns.extend(Registration::ALL.iter().flat_map(|method| method.measures().all).map(Column::measure));
    columns.extend([
        Column::number("on_scan", Some("share on scan"), |r| of_record(r, r.on_scan)),
        Column::number("distance_to_scan", Some("distance to scan"), |r| of_record(r, r.distance_to_scan)),
        Column::number("min_jacobian", Some("least Jacobian"), |r| of_record(r, r.min_jacobian)),
        Column::number("covered_triangles", None, |r| checked(r, |c| c.covered)),
        Column::number("turned_triangles", Some("turned triangles"), |r| checked(r, |c| c.turned)),
        Column::number("deviation", Some("deviation"), |r| known(r.deviation, 5)),
        Column::number("size", Some("√area"), |r| known(r.size, 4)),
        Column::text("nose", "nose tip", |r| r.nose.clone()),
        Column::number("seconds", Some("seconds"), |r| format!("{:.3}", r.seconds.iter().sum::<f64>())),
    ]);
    columns
}

fn known(value: Option<f64>, digits: usize) -> String {
    value.map(|v| format!("{v:.digits$}")).unwrap_or_default()
}

/// What only scans that gave a record have.
fn of_record(row: &ScanRow, value: f64) -> String {
    known(row.is_ok().then_some(value), 4)
}

/// Of the check that a registration is one to one.
fn checked(row: &ScanRow, of: fn(&OneToOne) -> usize) -> String {
    row.one_to_one.as_ref().map(|found| of(found).to_string()).unwrap_or_default()
}

/// The file: one line per scan. What a scan or a method of registration does not have is left empty.
pub fn csv<'a>(rows: impl IntoIterator<Item = &'a ScanRow>) -> String {
    let columns = columns();
    let names = columns.iter().map(|c| c.name.to_owned());
    let stages = ScanStage::NAMES.map(|s| format!("seconds_{s}"));
    let mut lines = vec![names.chain(stages).collect::<Vec<_>>().join(",")];
    for row in rows {
        let cells = columns.iter().map(|c| if c.text { quoted(&c.value(row)) } else { c.value(row) });
        lines.push(cells.chain(row.seconds.map(|s| format!("{s:.4}"))).collect::<Vec<_>>().join(","));
    }
    lines.join("\n") + "\n"
}

/// Headings and rows for a page, without columns in which no scan has anything.
pub fn page_table(rows: &[ScanRow]) -> (Vec<String>, Vec<Vec<String>>) {
    let used = |c: &Column| c.heading.is_some() && rows.iter().any(|r| !c.value(r).is_empty());
    let columns: Vec<Column> = columns().into_iter().filter(used).collect();
    let cells = rows.iter().map(|r| columns.iter().map(|c| c.value(r)).collect()).collect();
    (columns.into_iter().filter_map(|c| c.heading).collect(), cells)
}

/// A field of a table of any kind: quoted where it would otherwise be read as more than one.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { quoted(text) } else { text.to_owned() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> [ScanRow; 2] {
        let done = ScanRow {
            scan: "a, \"b\".ply".into(),
            measured: [("misfit_end_mm".to_owned(), 0.25)].into_iter().collect(),
            on_scan: 0.5,
            one_to_one: Some(OneToOne { covered: 90, turned: 3, least_on_surface: 0.2, least_in_disk: -0.1 }),
            steps: 7,
            ..ScanRow::default()
        };
        [done, ScanRow { scan: "c.ply".into(), problem: "read: empty".into(), ..ScanRow::default() }]
    }

    #[test]
    fn what_does_not_exist_is_empty_not_zero() {
        let text = csv(&rows());
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
        let column = |name: &str| lines[0].iter().position(|n| *n == name).unwrap();
        assert_eq!(lines[0].len(), lines[2].len());
        assert!(text.contains("\"a, \"\"b\"\".ply\",ok,") && lines[2][column("status")] == "failed");
        // The comma inside the first name moves that row by one.
        assert_eq!(lines[1][column("misfit_end_mm") + 1], "0.2500");
        assert_eq!(lines[1][column("angle_distortion_deg") + 1], "");
        assert_eq!(lines[1][column("covered_triangles") + 1], "90");
        assert_eq!(lines[1][column("turned_triangles") + 1], "3");
        for name in [
            "steps",
            "misfit_end_mm",
            "on_scan",
            "min_jacobian",
            "turned_triangles",
            "flipped_triangles",
            "energy_end",
        ] {
            assert_eq!(lines[2][column(name)], "", "{name}");
        }
    }

    #[test]
    fn the_page_has_only_columns_that_say_something() {
        let (headings, cells) = page_table(&rows());
        assert!(
            headings.iter().any(|h| h == "misfit, mm") && !headings.iter().any(|h| h.contains("flipped"))
        );
        assert!(cells.len() == 2 && cells.iter().all(|r| r.len() == headings.len()));
    }
}
