//! The page of somebody held against a norm.

use super::assess::Assessment;
use super::face_parts::FacePart;
use super::law::{Along, BeyondModes, Compared};
use super::map::{MAP, MAP_TABLE};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::View;
use crate::study::face::{FACE_MM, StudyError};

/// What a page of somebody held against a norm says, beside what all kinds have in common.
pub(super) struct Told<'a> {
    pub title: &'static str,
    pub notes: &'a [String],
    pub compared: &'a Compared,
    /// Facts before and after those of the comparison.
    pub before: Vec<(&'static str, String)>,
    pub after: Vec<(&'static str, String)>,
    pub figures: Vec<Figure>,
    /// What the figures' numbers are.
    pub places: String,
    /// Distances, angles and regions, where there are any.
    pub measures: &'a [FacePart],
    /// What the lengths in the table of modes are in.
    pub unit: &'static str,
    /// A length in it.
    pub length: &'a dyn Fn(f64) -> String,
}

/// All that was found: for the data holder.
pub(super) fn page(told: Told<'_>) -> Page {
    let Told { title, notes, compared, before, after, figures, places, measures, unit, length } = told;
    let mut page = Page::new(title).band("INTERNAL: DO NOT PUBLISH");
    page.lead(&notes[..2.min(notes.len())].join(" "));
    let of_hundred = match (compared.percentile, compared.percentile_interval) {
        (Some(percentile), Some((lower, upper))) => {
            format!("{} ({} to {})", in_hundred(percentile), in_hundred(lower), in_hundred(upper))
        }
        _ => "cannot be told: no mode is clear of the noise".to_owned(),
    };
    let clear = format!("{} of {}", compared.modes_of_percentile, compared.parts.len());
    let of_law = [
        ("percentile: of 100 of the norm, this many are less unusual along the clear modes", of_hundred),
        ("modes that are clear of the noise", clear),
        ("distance along them, in standard deviations (Mahalanobis)", format!("{:.2}", compared.distance)),
        (
            "beyond all modes: square over what is expected (95 % interval); a ratio, not a percentile",
            beyond(&compared.beyond),
        ),
    ];
    let facts = before.into_iter().chain(of_law).chain(after);
    page.facts(&facts.map(|(name, value)| (value, name.to_owned())).collect::<Vec<_>>());
    page.heading("Where");
    page.figures(&figures);
    page.paragraph(&places);
    if !measures.is_empty() {
        page.heading("Distances, angles and regions");
        let row = |part: &FacePart| {
            let number = |x: f64| format!("{x:.1}");
            let numbers =
                [number(part.patient), number(part.expected), number(part.sd), format!("{:+.2}", part.z)];
            [vec![format!("{} ({})", part.name, part.measured), part.unit.to_owned()], numbers.to_vec()]
                .concat()
        };
        let heading = ["part of the face", "in", "patient", "expected", "one sd", "z"];
        page.table(&heading, &measures.iter().map(row).collect::<Vec<_>>());
    }
    page.heading("Which modes decide");
    let row = |part: &Along| vec![part.mode.to_string(), format!("{:+.2}", part.z), length(part.length)];
    page.table(&["mode", "z", unit], &compared.parts.iter().map(row).collect::<Vec<_>>());
    page.heading("What is to be known");
    page.list(notes);
    page
}

/// A face.
pub(super) fn face_page(found: &Assessment, at: &[String]) -> Result<Page, StudyError> {
    let before = if at.is_empty() { Vec::new() } else { vec![("expected at", at.join(", "))] };
    Ok(page(Told {
        title: "A face held against a norm",
        notes: &found.notes,
        compared: &found.compared,
        before,
        after: vec![
            ("deviation on a face of 20 cm, root mean square", format!("{:.2} mm", found.deviation_mm)),
            ("stated error of the expected face", format!("{:.2} mm", found.expected_face_error_mm)),
            ("z-values along the normal, root mean square (1 is usual)", format!("{:.2}", found.z_rms)),
        ],
        figures: vec![picture(found)?],
        places: format!(
            "The numbers are in {MAP} and {MAP_TABLE}. Of 100 places on a usual face about five have a z-value beyond 2."
        ),
        measures: &found.measures,
        unit: "mm",
        length: &|length| format!("{:.2}", FACE_MM * length),
    }))
}

fn in_hundred(percentile: f64) -> String {
    if percentile > 99.9 { "more than 99.9".into() } else { format!("{percentile:.1}") }
}

fn beyond(beyond: &BeyondModes) -> String {
    match (beyond.ratio, beyond.interval) {
        (Some(ratio), (Some(lower), Some(upper))) => format!("{ratio:.2} ({lower:.2} to {upper:.2})"),
        (Some(ratio), (Some(lower), None)) => format!("{ratio:.2} ({lower:.2} or more)"),
        _ => "cannot be told".to_owned(),
    }
}

/// The expected face coloured by z, from the front and the side.
fn picture(found: &Assessment) -> Result<Figure, StudyError> {
    let (image, bar) = found.map.picture(&found.expected, [View::FRONT, View::THREE_QUARTER, View::PROFILE]);
    let caption = "The expected face; where the patient's surface lies outwards or inwards of it, in standard deviations of people.";
    Ok(Figure::image_with_bar(&image, &bar, caption)?)
}
