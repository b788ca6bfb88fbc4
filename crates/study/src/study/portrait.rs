//! A surface in three views with a scale bar: the first figure of a paper.

use super::face::FACE_MM;
use super::subject::{LengthUnit, Subject};
use crate::report::chart::escape;
use crate::report::extract::Picture;
use crate::report::render::{CLAY, Extent, Image, View, render_within};

/// Side of a view in pixels: 300 a centimetre-wide column's inch, three beside one another.
const SIDE: usize = 800;
/// Units of the drawing that a view is wide.
const WIDE: f64 = 160.0;
/// What the bar stands for, millimetres.
const BAR_MM: f64 = 20.0;

/// Front, three-quarter view and profile, side by side in one scale.
///
/// # Errors
/// Whatever the PNG encoder reports.
pub fn portrait(subject: &Subject) -> Result<Picture, png::EncodingError> {
    let extent = Extent::around(&subject.mesh);
    let views = [View::FRONT, View::THREE_QUARTER, View::PROFILE];
    let drawn = views.map(|view| render_within(&subject.mesh, View { size: SIDE, ..view }, CLAY, &extent));
    let views = Image::beside(&drawn).to_data_url()?;
    let (width, mut height) = (3.0 * WIDE, WIDE);
    let mut svg = format!("<image width=\"{width}\" height=\"{WIDE}\" href=\"{views}\"/>");
    let bar = match subject.unit {
        LengthUnit::Millimetres => Some((BAR_MM, String::new())),
        LengthUnit::RootArea => Some((BAR_MM / FACE_MM, format!(" on a face of {:.0} cm", FACE_MM / 10.0))),
        LengthUnit::CentroidSize | LengthUnit::Unknown => None,
    };
    if let Some((length, of)) = bar {
        // As the views are drawn: the radius takes .48 of a side.
        let long = 0.48 * WIDE * length / extent.radius;
        height += 16.0;
        svg.push_str(&format!(
            "<rect x=\"6\" y=\"{:.1}\" width=\"{long:.2}\" height=\"1.6\" fill=\"#1d2129\"/>\
             <text x=\"{:.2}\" y=\"{:.1}\" fill=\"#1d2129\">{BAR_MM:.0} mm{of}</text>",
            height - 8.0,
            long + 11.0,
            height - 4.0,
        ));
    }
    let title = "three views".to_owned();
    let caption = "The mean: front, three-quarter view, profile, in one scale.".to_owned();
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" \
         font-family=\"sans-serif\" font-size=\"11\">{svg}</svg>",
        escape(&caption)
    );
    Ok(Picture { svg, size: [width, height], title, caption })
}
