//! The page of a patient held against a norm.

use super::assess::{Assessment, MAP, MAP_TABLE};
use crate::report::colour::{ColourMap, ColourScale};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{Colour, Image, View, render};
use crate::study::face::StudyError;

/// Colours end here: beyond three standard deviations it is plain that a place is unusual.
const ENDS: f64 = 3.0;

/// All that was found: for the data holder.
pub(super) fn page(found: &Assessment, at: &[String]) -> Result<Page, StudyError> {
    let mut page = Page::new("A face held against a norm").band("INTERNAL: DO NOT PUBLISH");
    page.lead(&found.notes[..2].join(" "));
    let of_hundred = match (found.percentile, found.percentile_interval) {
        (Some(percentile), Some((lower, upper))) => {
            format!("{} ({} to {})", in_hundred(percentile), in_hundred(lower), in_hundred(upper))
        }
        _ => "cannot be told: no mode is clear of the noise".to_owned(),
    };
    let mut facts = vec![
        (
            "percentile: of 100 people of the norm, this many are less unusual along the clear modes",
            of_hundred,
        ),
        (
            "modes that are clear of the noise",
            format!("{} of {}", found.modes_of_percentile, found.parts.len()),
        ),
        ("distance along them, in standard deviations (Mahalanobis)", format!("{:.2}", found.distance)),
        (
            "beyond all modes: mean square over what is expected (95 % interval); a ratio, not a percentile",
            beyond(found),
        ),
        ("deviation on a face of 20 cm, root mean square", format!("{:.2} mm", found.deviation_mm)),
        ("stated error of the expected face", format!("{:.2} mm", found.expected_face_error_mm)),
        ("z-values along the normal, root mean square (1 is usual)", format!("{:.2}", found.z_rms)),
    ];
    if !at.is_empty() {
        facts.insert(0, ("expected at", at.join(", ")));
    }
    page.facts(&facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>());
    page.heading("Where");
    page.figures(&[picture(found)?]);
    page.paragraph(&format!("The numbers are in {MAP} and {MAP_TABLE}. Of 100 places on a usual face about five have a z-value beyond 2."));
    page.heading("Which modes decide");
    let row = |part: &super::assess::Part| {
        vec![part.mode.to_string(), format!("{:+.2}", part.z), format!("{:.2}", part.mm)]
    };
    page.table(&["mode", "z", "mm"], &found.parts.iter().map(row).collect::<Vec<_>>());
    page.heading("What is to be known");
    page.list(&found.notes);
    Ok(page)
}

fn in_hundred(percentile: f64) -> String {
    if percentile > 99.9 { "more than 99.9".into() } else { format!("{percentile:.1}") }
}

fn beyond(found: &Assessment) -> String {
    let number = |x: Option<f64>| x.map_or_else(|| "cannot be told".to_owned(), |x| format!("{x:.2}"));
    let (lower, upper) = found.beyond.interval;
    format!("{} ({} to {})", number(found.beyond.ratio), number(lower), number(upper))
}

/// The expected face coloured by z, from the front and the side.
fn picture(found: &Assessment) -> Result<Figure, StudyError> {
    let scale = ColourScale {
        name: "z along the normal".into(),
        unit: "sd".into(),
        low: -ENDS,
        high: ENDS,
        map: ColourMap::Diverging,
    };
    let colours: Vec<[f64; 3]> = found.map[0].iter().map(|z| scale.colour(*z)).collect();
    let views = [View::FRONT, View::THREE_QUARTER, View::PROFILE];
    let images: Vec<Image> =
        views.map(|view| render(&found.expected, view, Colour::PerVertex(&colours))).into();
    let caption = "The expected face; where the patient's surface lies outwards or inwards of it, in standard deviations of people.";
    Ok(Figure::image_with_bar(&Image::beside(&images), &scale, caption)?)
}
