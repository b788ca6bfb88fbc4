//! The table of scans: `internal/scans.csv` and the internal report's table have the same columns, written once here.

use super::record::{ScanRow, Stage};

/// One column.
struct Column {
    /// Its name in the file.
    name: &'static str,
    /// Its heading in the report; columns without are in the file only.
    heading: Option<&'static str>,
    /// Text is quoted in the file.
    text: bool,
    /// A row's value; empty where it has none.
    cell: fn(&ScanRow) -> String,
}

const fn text(name: &'static str, heading: Option<&'static str>, cell: fn(&ScanRow) -> String) -> Column {
    Column { name, heading, text: true, cell }
}

const fn number(name: &'static str, heading: Option<&'static str>, cell: fn(&ScanRow) -> String) -> Column {
    Column { name, heading, text: false, cell }
}

const COLUMNS: &[Column] = &[
    text("scan", Some("scan"), |r| r.scan.clone()),
    number("status", None, |r| if r.is_ok() { "ok" } else { "failed" }.to_owned()),
    text("problem", Some("problem"), |r| r.problem.clone()),
    number("points", Some("points"), |r| r.points.to_string()),
    number("was_mesh", None, |r| r.was_mesh.to_string()),
    text("repairs", Some("repairs"), |r| r.repairs.clone()),
    number("pose_misfit", Some("pose misfit"), |r| known(r.pose_misfit, 4)),
    number("steps", None, |r| if r.is_ok() { r.steps.to_string() } else { String::new() }),
    number("misfit_start_mm", None, |r| known(r.misfit_start, 4)),
    number("misfit_end_mm", Some("misfit, mm"), |r| known(r.misfit_end, 4)),
    number("on_scan", Some("share on scan"), |r| of_record(r, r.on_scan, 4)),
    number("distance_to_scan", Some("distance to scan"), |r| of_record(r, r.distance_to_scan, 4)),
    number("min_jacobian", Some("least Jacobian"), |r| of_record(r, r.min_jacobian, 4)),
    number("angle_distortion_deg", Some("angle distortion, \u{b0}"), |r| known(r.angle_distortion_deg, 3)),
    number("flipped_triangles", Some("flipped triangles"), |r| {
        r.flipped_triangles.map(|n| n.to_string()).unwrap_or_default()
    }),
    number("energy_start", None, |r| known(r.energy_start, 6)),
    number("energy_end", Some("energy"), |r| known(r.energy_end, 6)),
    number("deviation", Some("deviation"), |r| known(r.deviation, 5)),
    number("seconds", Some("seconds"), |r| format!("{:.3}", r.seconds.iter().sum::<f64>())),
];

fn known(value: Option<f64>, digits: usize) -> String {
    value.map(|v| format!("{v:.digits$}")).unwrap_or_default()
}

/// What only scans that gave a record have.
fn of_record(row: &ScanRow, value: f64, digits: usize) -> String {
    known(row.is_ok().then_some(value), digits)
}

/// The file: one line per scan. What a scan or a route of registration does not have is left empty.
pub fn csv<'a>(rows: impl IntoIterator<Item = &'a ScanRow>) -> String {
    let names = COLUMNS.iter().map(|c| c.name.to_owned());
    let mut lines =
        vec![names.chain(Stage::NAMES.map(|s| format!("seconds_{s}"))).collect::<Vec<_>>().join(",")];
    for row in rows {
        let cells = COLUMNS.iter().map(|c| if c.text { quoted(&(c.cell)(row)) } else { (c.cell)(row) });
        lines.push(cells.chain(row.seconds.map(|s| format!("{s:.4}"))).collect::<Vec<_>>().join(","));
    }
    lines.join("\n") + "\n"
}

/// Headings and rows for a page, without columns in which no scan has anything.
pub fn page_table(rows: &[ScanRow]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let used = |c: &&Column| rows.iter().any(|r| !(c.cell)(r).is_empty());
    let columns: Vec<&Column> = COLUMNS.iter().filter(|c| c.heading.is_some()).filter(used).collect();
    let headings = columns.iter().filter_map(|c| c.heading).collect();
    (headings, rows.iter().map(|r| columns.iter().map(|c| (c.cell)(r)).collect()).collect())
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
            misfit_end: Some(0.25),
            on_scan: 0.5,
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
        for name in ["steps", "misfit_end_mm", "on_scan", "min_jacobian", "flipped_triangles", "energy_end"] {
            assert_eq!(lines[2][column(name)], "", "{name}");
        }
    }

    #[test]
    fn the_page_has_only_columns_that_say_something() {
        let (headings, cells) = page_table(&rows());
        assert!(headings.contains(&"misfit, mm") && !headings.iter().any(|h| h.contains("flipped")));
        assert!(cells.len() == 2 && cells.iter().all(|r| r.len() == headings.len()));
    }
}
