//! The page and the picture of a comparison of two surfaces.

use super::distances::{BROUGHT, Distances, Statistics};
use super::subject::{Standing, Subject};
use crate::mesh::Point;
use crate::report::chart::{Axis, Line};
use crate::report::colour::{ColourScale, short};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{Colour, Extent, Image, View, render_within};
use crate::report::surface_view::SurfaceView;

/// Steps of the histogram.
const BINS: usize = 60;
/// What the distances are called.
const NAME: &str = "signed distance along the normal";

/// Colours of the signed distances: symmetric about 0.
fn scale(found: &Distances) -> ColourScale {
    ColourScale::signed(NAME, found.unit.name(), &found.along_normal)
}

/// The first surface from three sides in the colours of its distance from the second, with a colour bar; a band over it where one of the
/// two must not be published.
pub fn distance_picture(found: &Distances, a: &Subject, b: &Subject) -> Image {
    let (stills, scale) = (stills(found, a), scale(found));
    let mut image =
        Image::filled(stills.width, stills.height + Image::colour_bar_rows(stills.height), [247; 3]);
    image.paste(&stills, 0, 0);
    image.draw_colour_bar(&scale);
    match a.standing.max(b.standing).band() {
        Some(band) => image.with_band(band),
        None => image,
    }
}

fn stills(found: &Distances, a: &Subject) -> Image {
    let scale = scale(found);
    let colours: Vec<[f64; 3]> = found.along_normal.iter().map(|d| scale.colour(*d)).collect();
    let views = [View { yaw: -40.0, ..View::THREE_QUARTER }, View::FRONT, View::THREE_QUARTER];
    let extent = Extent::around(&a.mesh);
    Image::beside(
        &views.map(|view| {
            render_within(&a.mesh, View { size: 420, ..view }, Colour::PerVertex(&colours), &extent)
        }),
    )
}

/// The page: result first, two linked surfaces, picture, histogram, table. `brought`: whether the surfaces were brought to one unit.
///
/// # Errors
/// Whatever the PNG encoder reports.
pub fn distance_report(
    found: &Distances,
    a: &Subject,
    b: &Subject,
    brought: bool,
) -> Result<String, png::EncodingError> {
    let mut page = Page::new(format!("{} and {}", a.name, b.name));
    let standing = a.standing.max(b.standing);
    if let Some(band) = standing.band() {
        page = page.band(band);
    }
    page.lead(&sentence(found, a, b));
    page.linked_figures(&surfaces(found, a, b));
    let caption = format!(
        "{}: red where {} lies further out, blue where it lies further in; grey where the normal does not meet it",
        a.name, b.name
    );
    page.wide_figures(&[Figure::image_with_bar(&stills(found, a), &scale(found), caption)?]);
    page.heading("Numbers");
    let unit = found.unit.name();
    let header = ["distance", "mean", "root mean square", "95th percentile", "largest", "share of the area"];
    let [there, back] = found.closest();
    let rows = vec![
        row("signed, along the normal", &found.signed()),
        row(&format!("closest point, {} to {}", a.name, b.name), &there),
        row(&format!("closest point, {} to {}", b.name, a.name), &back),
    ];
    page.table(&header, &rows);
    page.paragraph(&format!(
        "In {unit}, weighted by area; percentiles are of magnitudes. The Hausdorff distance over the vertices of both is {}. {}.",
        short(found.hausdorff()),
        if brought {
            format!("Note: {BROUGHT}")
        } else {
            "Nothing was moved: the surfaces are compared where they lie".to_owned()
        }
    ));
    let lines = [Line::new("", found.histogram(BINS))];
    page.gallery(&[Figure::lines(
        "Histogram of the signed distance",
        &Axis::linear(unit),
        &Axis::linear("share of the area"),
        &lines,
        "How the distance is spread over the first surface.",
    )]);
    if standing == Standing::Released {
        page.paragraph("Made of releases and public surfaces alone: it costs no privacy.");
    }
    page.paragraph("Every value stands in distance.csv.");
    Ok(page.to_html())
}

fn sentence(found: &Distances, a: &Subject, b: &Subject) -> String {
    let (signed, unit) = (found.signed(), found.unit.name());
    format!(
        "{} lies {} {unit} from {} along the normal (root mean square; {} on average, 95 % of the area within {}).",
        b.name,
        short(signed.rms),
        a.name,
        short(signed.mean),
        short(signed.p95)
    )
}

fn row(name: &str, s: &Statistics) -> Vec<String> {
    let percent = format!("{:.0} %", 100.0 * s.share);
    vec![name.to_owned(), short(s.mean), short(s.rms), short(s.p95), short(s.largest), percent]
}

/// Both at one scale, in one frame.
fn surfaces(found: &Distances, a: &Subject, b: &Subject) -> [Figure; 2] {
    let frame: Vec<Point> = a.mesh.vertices().iter().chain(b.mesh.vertices()).copied().collect();
    let first = SurfaceView::new(a.name.clone(), a.mesh.clone())
        .with_field(scale(found), &found.along_normal)
        .with_frame(&frame)
        .coloured();
    let second = SurfaceView::new(b.name.clone(), b.mesh.clone())
        .with_field(
            ColourScale::magnitude("closest point", found.unit.name(), &found.to_first),
            &found.to_first,
        )
        .with_frame(&frame)
        .coloured();
    [
        Figure::surface(&first, format!("{}: the two turn together.", a.name)),
        Figure::surface(&second, format!("{}, with its distance to the closest point of the other.", b.name)),
    ]
}
