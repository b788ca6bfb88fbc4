//! The worst of every class, side by side.

use super::populations::Population;
use super::reliability::Reliability;
use std::error::Error;
use std::path::Path;
use visard::mesh::{Point, TriMesh};
use visard::report::colour::{ColourMap, ColourScale};
use visard::report::figure::Figure;
use visard::report::page::Page;
use visard::report::render::{CLAY, Colour, Extent, Image, View, render_within};
use visard::synth::Oddity;

/// How many of a class are shown.
const WORST: usize = 5;
const VIEW: View = View { yaw: 25.0, pitch: 4.0, size: 220 };

/// A registered scan: x to the left, y up, z forward, in millimetres.
pub struct Exhibit {
    /// Whose it is: population and number.
    pub name: String,
    /// Mean error of skin that was seen.
    pub mean: f64,
    /// The scan as it was repaired and cropped.
    pub scan: TriMesh,
    /// The template's vertices on it, and how far the person's are from their true places.
    pub face: Vec<Point>,
    pub off: Vec<f64>,
}

/// Writes `odd_faces.html`, and the pictures and the chart on it as files of their own.
pub fn write_page(
    folder: &Path,
    populations: &[Population],
    classes: Vec<(Oddity, Vec<Exhibit>)>,
    reliability: &Reliability,
) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let scale = ColourScale {
        name: "distance to the true place".to_owned(),
        unit: "mm".to_owned(),
        low: 0.0,
        high: 6.0,
        map: ColourMap::Sequential,
    };
    let mut page = Page::new("Odd scans");
    page.lead("Scans of every class whose mean error is largest: the scan above, the registered face below.");
    let (mut figures, mut rows) = (Vec::new(), Vec::new());
    for (oddity, mut exhibits) in classes {
        exhibits.sort_by(|a, b| b.mean.total_cmp(&a.mean));
        exhibits.truncate(WORST);
        if exhibits.is_empty() {
            continue;
        }
        let pairs: Vec<[Image; 2]> =
            exhibits.iter().map(|one| drawn(one, populations, &scale)).collect::<Result<_, _>>()?;
        let row = |k: usize| Image::beside(&pairs.iter().map(|pair| pair[k].clone()).collect::<Vec<_>>());
        let picture = above(&row(0), &row(1));
        let who: Vec<_> = exhibits.iter().map(|one| format!("{} ({:.1} mm)", one.name, one.mean)).collect();
        let caption = format!("{}: {}", oddity.name(), who.join(", "));
        println!("{caption}");
        let small = picture.clone().reduced(2);
        rows.push(above(&heading(oddity.name(), small.width), &small));
        figures.push(Figure::image_with_bar(&picture, &scale, caption)?);
    }
    let chart = reliability.chart();
    std::fs::write(folder.join("reliability.svg"), &chart)?;
    std::fs::write(folder.join("odd_faces.png"), in_columns(&rows).to_png()?)?;
    figures
        .push(Figure::chart(chart, "Errors found against errors expected; dashed where they are the same"));
    page.figures(&figures);
    std::fs::write(folder.join("odd_faces.html"), page.to_html())?;
    Ok(())
}

/// The scan, and the registered face in the colours of its error; grey where the person ends.
fn drawn(
    one: &Exhibit,
    populations: &[Population],
    scale: &ColourScale,
) -> Result<[Image; 2], Box<dyn Error>> {
    let own = populations.iter().find(|p| one.name.starts_with(p.name)).ok_or("of no population")?;
    let face = TriMesh::new(one.face.clone(), own.template.mesh().triangles().to_vec())?;
    let heat: Vec<[f64; 3]> =
        (0..one.face.len()).map(|i| one.off.get(i).map_or([0.8; 3], |off| scale.colour(*off))).collect();
    let extent = Extent::around(&face);
    Ok([
        render_within(&one.scan, VIEW, CLAY, &extent),
        render_within(&face, VIEW, Colour::PerVertex(&heat), &extent),
    ])
}

/// The name of a class, on a strip.
fn heading(name: &str, width: usize) -> Image {
    let mut strip = Image::filled(width, 26, [225, 228, 232]);
    strip.write(&name.to_uppercase(), [8.0, 7.0], 12.0, [29, 33, 41]);
    strip
}

/// One below another, in two columns.
fn in_columns(rows: &[Image]) -> Image {
    let column = |rows: &[Image]| rows.iter().cloned().reduce(|top, low| above(&top, &low));
    let (left, right) = rows.split_at(rows.len().div_ceil(2));
    Image::beside(&[left, right].into_iter().filter_map(column).collect::<Vec<_>>())
}

fn above(top: &Image, low: &Image) -> Image {
    let mut both = Image::filled(top.width.max(low.width), top.height + low.height, [255; 3]);
    both.paste(top, 0, 0);
    both.paste(low, 0, top.height);
    both
}
