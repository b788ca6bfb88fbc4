//! What became of a scan, for the data holder.

use crate::surface::any::RegisteredSurface;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// What became of a scan: secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SurfaceRow {
    /// Its file.
    pub scan: String,
    /// Why it cannot be used; empty where it can.
    pub problem: String,
    /// √area of the registered surface over the template's, in the scan's units per the template's.
    pub size: f64,
    /// Mean distance of the scan from the registered surface, in the scan's units.
    pub fit_mean: f64,
    /// 95 of 100 points of the scan are no farther.
    pub fit_p95: f64,
    /// The share of the surface's area where there was no scan, which continues what was there. Kept records without it are made again.
    pub filled: f64,
    /// Residual of the pose over that of the next best: 0 where there is no other, 1 where both fit alike.
    pub doubt: f64,
    /// Whether the scan was mirrored to fit.
    pub mirrored: bool,
    /// Triangles of small pieces, and without area, that were left out.
    pub dropped: usize,
    /// Holes: borders but the one that a disk has.
    pub holes: usize,
    /// Whether its sides pointed inwards and were turned over.
    pub turned_over: bool,
    /// Points whose coordinates are no numbers, left out.
    pub not_finite: usize,
}

impl SurfaceRow {
    /// Of a scan that was registered.
    pub(super) fn of(found: &RegisteredSurface, not_finite: usize) -> Self {
        Self {
            size: found.size,
            fit_mean: found.fit.mean,
            fit_p95: found.fit.p95,
            filled: found.filled,
            doubt: found.doubt,
            mirrored: found.mirrored,
            dropped: found.notes.dropped,
            holes: found.notes.holes,
            turned_over: found.notes.turned_over,
            not_finite,
            ..Self::default()
        }
    }

    /// Of one that was not.
    pub(super) fn failed(problem: impl ToString) -> Self {
        Self { problem: problem.to_string(), ..Self::default() }
    }
}

/// Below this share of the area on the scan it counts as filled in, as with faces.
const COUNTED_ON_SCAN: f64 = 0.75;

impl SurfaceRow {
    /// Which share of a surface that can be used was filled in, where that is more than rims and small holes.
    pub(super) fn counted(&self) -> Option<f64> {
        let is_counted = 1.0 - self.filled < COUNTED_ON_SCAN;
        self.problem.is_empty().then_some(if is_counted { self.filled } else { 0.0 })
    }
}

/// The table of all scans.
pub(super) fn table(rows: &[SurfaceRow]) -> String {
    let mut text =
        "scan,status,problem,size,fit_mean,fit_p95,filled,doubt,mirrored,dropped,holes,turned_over,not_finite\n"
            .to_owned();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "));
    for row in rows {
        let (scan, problem) = (quoted(&row.scan), quoted(&row.problem));
        let status = if row.problem.is_empty() { "ok" } else { "failed" };
        let SurfaceRow {
            size,
            fit_mean,
            fit_p95,
            filled,
            doubt,
            mirrored,
            dropped,
            holes,
            turned_over,
            not_finite,
            ..
        } = row;
        let _ = writeln!(
            text,
            "{scan},{status},{problem},{size},{fit_mean},{fit_p95},{filled},{doubt},{mirrored},{dropped},{holes},{turned_over},{not_finite}"
        );
    }
    text
}

/// What was guessed or passed over in scans that count, in a sentence each.
pub fn notes(rows: &[SurfaceRow]) -> Vec<String> {
    let told = |is: &dyn Fn(&SurfaceRow) -> bool, what: &str| {
        let which: Vec<&str> =
            rows.iter().filter(|row| row.problem.is_empty() && is(row)).map(|row| &*row.scan).collect();
        let first = which.first()?;
        Some(format!("{} of {} scans {what}, first {first}", which.len(), rows.len()))
    };
    let all = [
        told(&|row| row.turned_over, "had their sides inwards and were turned over"),
        told(&|row| row.mirrored, "were taken as mirrored"),
        told(
            &|row| row.counted().is_some_and(|filled| filled > 0.0),
            "show less than 75 % of the surface; the rest was filled in, which stated errors count by a noised share",
        ),
        told(&|row| row.holes > 0, "have holes, which were continued smoothly"),
        told(&|row| row.dropped > 0, "have small pieces or triangles without area, which were left out"),
        told(&|row| row.not_finite > 0, "have points whose coordinates are no numbers, which were left out"),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_passed_over_is_told() {
        let good = SurfaceRow {
            scan: "a \"b\".ply".into(),
            holes: 2,
            size: 1.5,
            filled: 0.2,
            ..SurfaceRow::default()
        };
        let half = SurfaceRow { filled: 0.5, ..good.clone() };
        assert_eq!((good.counted(), half.counted()), (Some(0.0), Some(0.5)));
        assert!(notes(&[half])[0].starts_with("1 of 1 scans show less than 75 % of the surface"));
        let bad = SurfaceRow { scan: "c.ply".into(), holes: 1, ..SurfaceRow::failed("no\nfit") };
        let rows = [good, bad];
        assert_eq!(
            notes(&rows),
            ["1 of 2 scans have holes, which were continued smoothly, first a \"b\".ply"]
        );
        let text = table(&rows);
        assert!(
            text.contains("\"a \"\"b\"\".ply\",ok,\"\",1.5,")
                && text.contains("\"c.ply\",failed,\"no fit\",0,"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 3);
    }
}
