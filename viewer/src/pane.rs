//! One pane: the lists of triangles and lines that a subject comes to, as it is to be shown. Knows nothing of graphics cards, so that all
//! ways of drawing show the same.

use crate::display_settings::DisplaySettings;
use crate::drawing::{Drawing, Stroke};
use crate::error::ViewerError;
use crate::fields::{FieldName, disk_coordinates, surface_colouring};
use crate::geometry::{Frame, MOST_TRIANGLES, discs, thinned};
use crate::looking::Lengths;
use crate::looking::measure::measure;
use crate::looking::slice;
use crate::modes;
use crate::palette::crossings;
use crate::shell::shell;
use crate::subject::{Shape, Subject};
use crate::template::fitted_template;
use visard::mesh::{Point, TriMesh, Vector};
use visard::report::colour::ColourMap;
use visard::study::layout::BAND;

const CURVE_INK: [f64; 3] = [0.05, 0.20, 0.42];

/// Works out what is drawn.
///
/// # Errors
/// [`ViewerError`]: why this subject cannot be shown so.
pub fn draw(subject: &Subject, display: &DisplaySettings) -> Result<Drawing, ViewerError> {
    let mut drawing = match &subject.shape {
        Shape::Surface(mesh) => surface(subject, mesh, display)?,
        Shape::Cloud(points) => cloud(points),
        Shape::Curves(curves) => Drawing {
            strokes: curve_strokes(curves, &Frame::around(&curves.concat()), true),
            ..Drawing::empty(Frame::around(&curves.concat()))
        },
        Shape::Landmarks { outlines: 0, .. } => Drawing { flat: true, ..cloud(&subject.shape.points()) },
        Shape::Landmarks { records, outlines } => outline_drawing(subject, records, *outlines),
    };
    if !matches!(subject.shape, Shape::Surface(_)) {
        drawing.notices.extend(subject.notices.iter().cloned());
    }
    if drawing.flat {
        return Ok(drawing);
    }
    drawing.measurements = measure(subject, &drawing, &display.instruments, display.units)?;
    match &display.instruments.slice {
        Some(plane) => Ok(slice::cut(drawing, plane)),
        None => Ok(drawing),
    }
}

fn surface(subject: &Subject, mesh: &TriMesh, display: &DisplaySettings) -> Result<Drawing, ViewerError> {
    // Said once, not for the disk map beside it again.
    let mut notices = if display.disk { Vec::new() } else { subject.notices.clone() };
    let thin;
    let (mesh, field) = if mesh.triangles().len() > MOST_TRIANGLES {
        thin = thinned(mesh, MOST_TRIANGLES).0;
        notices.push(format!(
            "{} triangles are more than are drawn at once; shown with {}, without fields",
            mesh.triangles().len(),
            thin.triangles().len()
        ));
        (&thin, FieldName::None)
    } else {
        (mesh, display.field)
    };
    let lengths = Lengths::of(subject, display.units);
    let colours = surface_colouring(field, subject, mesh, lengths, &display.palette)?;
    let morphed = morphed(subject, mesh, display)?;
    let shown = morphed.as_ref().unwrap_or(mesh);
    // The flattened surface is seen from its front everywhere: what looks away is lit as if it looked sideways.
    let lit = |v: &Vector| if display.disk { Vector::new(v.x, v.y, v.z.max(0.0)) } else { *v };
    let to_array = |v: Vector| [v.x as f32, v.y as f32, v.z as f32];
    let normals: Vec<[f32; 3]> = shown.vertex_normals().iter().map(|v| to_array(lit(v))).collect();
    let sky = subject.light(mesh);
    let flattened = if display.disk {
        let z = disk_coordinates(mesh)?;
        Some(z.iter().map(|z| Point::new(z.re, z.im, 0.0)).collect::<Vec<_>>())
    } else {
        None
    };
    let frame = match &flattened {
        Some(_) => Frame { centre: Point::origin(), scale: 0.74 },
        // The subject's own frame whatever the morph, so that it does not jump.
        None => Frame::around(mesh.vertices()),
    };
    let places = flattened.as_deref().unwrap_or(shown.vertices());
    let mut strokes = if display.curves && flattened.is_none() && morphed.is_none() {
        curve_strokes(&subject.curves, &frame, false)
    } else {
        Vec::new()
    };
    if display.palette.isolines && colours.scale.is_some() {
        strokes.extend(isolines(places, mesh, &colours.uvs, &frame));
    }
    if modes::bends(&display.modes) && !display.disk {
        notices.push(format!(
            "{}: the mean bent by its modes, a synthetic face of no person",
            modes::option(&display.modes)
        ));
    }
    let shell = match &subject.band {
        Some(band) if display.band && !display.disk => {
            notices.push(band.describe(&subject.name, mesh));
            shell(band, shown, &frame)
        }
        None if display.band && !display.disk => {
            notices.push(format!("{}: no {BAND} beside it; mean --band makes one", subject.name));
            Vec::new()
        }
        _ => Vec::new(),
    };
    let growth = subject.growth.as_ref().filter(|_| !display.disk);
    if let Some(growth) = growth.filter(|_| !display.at.is_empty()) {
        notices.push(growth.describe(&display.at, &subject.name));
    }
    if let Some(start) = subject.start.as_ref().filter(|_| display.morph < 1.0 && !display.disk) {
        notices.push(start.describe(display.morph, &subject.name));
    }
    if display.curves && subject.curves.is_empty() {
        notices.push(format!("{}: no curves beside it", subject.name));
    }
    Ok(Drawing {
        positions: places.iter().map(|p| frame.place(p)).collect(),
        normals,
        sky,
        uvs: colours.uvs,
        triangles: mesh.triangles().iter().map(|t| t.map(|i| i as u32)).collect(),
        paint: colours.paint,
        shell,
        caption: growth.map(|growth| growth.caption(&display.at)),
        wireframe: display.wireframe,
        points: display.points,
        strokes,
        isolines: display.palette.isolines && colours.scale.is_some(),
        scale: colours.scale,
        flat: flattened.is_some(),
        // Seen from the front alone, wherever the surface faces.
        two_sided: flattened.is_some(),
        notices,
        ..Drawing::empty(frame)
    })
}

/// Lines of equal value, a piece in every triangle they cross.
fn isolines(places: &[Point], mesh: &TriMesh, uvs: &[[f32; 2]], frame: &Frame) -> Vec<Stroke> {
    let mut strokes = Vec::new();
    for t in mesh.triangles() {
        for line in crossings(t.map(|i| uvs[i][0])) {
            let at = |(a, b, along): (usize, usize, f32)| {
                let (p, q) = (&places[t[a]], &places[t[b]]);
                frame.place(&(p + (q - p) * f64::from(along)))
            };
            let normal = (places[t[1]] - places[t[0]]).cross(&(places[t[2]] - places[t[0]]));
            let facing = Some([normal.x as f32, normal.y as f32, normal.z as f32]);
            strokes.push(Stroke { points: line.map(at).to_vec(), colour: CURVE_INK, width: 1.0, facing });
        }
    }
    strokes
}

/// The surface at other values of its covariates, bent by its modes, and on its way from the fitted template or another group's mean; `None` where the subject itself is shown.
pub(crate) fn morphed(
    subject: &Subject,
    mesh: &TriMesh,
    display: &DisplaySettings,
) -> Result<Option<TriMesh>, ViewerError> {
    let none = || ViewerError::NoCovariates { subject: subject.name.clone() };
    let grown = match &display.at[..] {
        [] => None,
        at => Some(subject.growth.as_ref().ok_or_else(none)?.face(mesh, at, &subject.name)?),
    };
    let mesh = grown.as_ref().unwrap_or(mesh);
    let bent = match modes::bends(&display.modes) {
        true => Some(subject.modes.bend(mesh, &display.modes, &subject.name)?),
        false => grown.clone(),
    };
    let t = display.morph;
    if t >= 1.0 {
        return Ok(bent);
    }
    let mesh = bent.as_ref().unwrap_or(mesh);
    let start = match &subject.start {
        Some(start) => start.vertices.clone(),
        None => fitted_template(mesh).ok_or(ViewerError::CannotMorph)?,
    };
    let between = start.iter().zip(mesh.vertices()).map(|(a, b)| a + (b - a) * t).collect();
    mesh.with_vertices(between).map(Some).map_err(ViewerError::Morph)
}

fn cloud(points: &[Point]) -> Drawing {
    let frame = Frame::around(points);
    let (places, normals, triangles) = discs(points);
    let mut drawing = Drawing::empty(frame);
    let shown = triangles.len() / 4;
    if shown < points.len() {
        drawing.notices.push(format!("{} points, of which {shown} are drawn", points.len()));
    }
    drawing.positions = places.iter().map(|p| frame.place(p)).collect();
    drawing.normals = normals.iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect();
    drawing.sky = vec![1.0; normals.len()];
    drawing.uvs = vec![[0.0; 2]; normals.len()];
    drawing.triangles = triangles;
    drawing.two_sided = true;
    drawing
}

fn curve_strokes(curves: &[Vec<Point>], frame: &Frame, coloured: bool) -> Vec<Stroke> {
    curves
        .iter()
        .enumerate()
        .filter(|(_, c)| !c.is_empty())
        .map(|(j, curve)| {
            let points = curve.iter().chain(curve.first()).map(|p| frame.place(p)).collect();
            let t = 0.85 * j as f64 / curves.len().max(2) as f64;
            let colour = if coloured { ColourMap::Sequential.at(t) } else { CURVE_INK };
            Stroke { points, colour, width: if coloured { 2.0 } else { 1.4 }, facing: None }
        })
        .collect()
}

/// The outlines of the first record coloured along the curves; those of the others pale under them.
fn outline_drawing(subject: &Subject, records: &[Vec<[f64; 2]>], outlines: usize) -> Drawing {
    let whole = Frame::around(&subject.shape.points());
    // Outlines may be as wide as their diagonal: they get a margin.
    let frame = Frame { scale: 0.76 * whole.scale, ..whole };
    let mut drawing = Drawing::empty(frame);
    let place = |p: &[f64; 2]| frame.place(&Point::new(p[0], p[1], 0.0));
    let each = |record: &[[f64; 2]]| record.len().div_ceil(outlines).max(1);
    for outline in records.iter().skip(1).take(500).flat_map(|record| record.chunks(each(record))) {
        let points = outline.iter().chain(outline.first()).map(place).collect();
        drawing.strokes.push(Stroke { points, colour: [0.72, 0.74, 0.77], width: 1.0, facing: None });
    }
    for outline in records.first().into_iter().flat_map(|first| first.chunks(each(first))) {
        for k in 0..outline.len() {
            let colour = ColourMap::Sequential.at(0.86 * k as f64 / outline.len() as f64);
            let points = vec![place(&outline[k]), place(&outline[(k + 1) % outline.len()])];
            drawing.strokes.push(Stroke { points, colour, width: 4.0, facing: None });
        }
    }
    drawing.flat = true;
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Pick;
    use crate::look::Look;
    use visard::study::standing::Standing;
    use visard::synth::builtin_template;

    fn subject(shape: Shape) -> Subject {
        Subject::new("s", "s", Standing::Public, shape)
    }

    #[test]
    fn every_way_of_showing_a_face_is_whole() {
        let face = subject(Shape::Surface(builtin_template().clone()));
        for disk in [false, true] {
            for (field, _) in
                FieldName::ALL.into_iter().filter(|f| !matches!(f.0, FieldName::Error | FieldName::Values))
            {
                let d =
                    draw(&face, &DisplaySettings { field, disk, morph: 0.5, ..DisplaySettings::default() })
                        .unwrap();
                let n = d.positions.len();
                assert!(d.normals.len() == n && d.sky.len() == n && d.uvs.len() == n && d.flat == disk);
                assert!(d.positions.iter().flatten().all(|c| c.abs() <= 1.01));
                assert!(d.triangles.iter().flatten().all(|&i| (i as usize) < n));
            }
        }
        assert!(
            draw(&face, &DisplaySettings { field: FieldName::Error, ..DisplaySettings::default() }).is_err()
        );
    }

    #[test]
    fn the_centre_is_one_place_on_the_surface_and_on_its_disk_map() {
        let face = subject(Shape::Surface(builtin_template().clone()));
        let centre = Pick { triangle: 100, weights: [0.2, 0.3, 0.5] };
        let look = Look { yaw: 30.0, pivot: [9.0; 3], zoom: 2.0, ..Look::default() };
        let surface = draw(&face, &DisplaySettings::default()).unwrap();
        assert_eq!(surface.seen(&look, Some(centre)), look);
        let disk = draw(&face, &DisplaySettings { disk: true, ..DisplaySettings::default() }).unwrap();
        let seen = disk.seen(&look, Some(centre));
        let there = centre.point(&disk).unwrap();
        assert_eq!((seen.pivot, seen.yaw, seen.zoom), (there.map(f64::from), 0.0, 2.0));
        assert_eq!(disk.seen(&look, None).pivot, [0.0; 3]);
    }

    #[test]
    fn clouds_curves_and_outlines_are_drawn_and_nothing_is_drawn_of_nothing() {
        let p = vec![Point::origin(), Point::new(1.0, 2.0, 3.0)];
        assert_eq!(
            draw(&subject(Shape::Cloud(p.clone())), &DisplaySettings::default()).unwrap().triangles.len(),
            8
        );
        let curves = draw(&subject(Shape::Curves(vec![p.clone(), p])), &DisplaySettings::default()).unwrap();
        assert_eq!((curves.strokes.len(), curves.strokes[0].points.len()), (2, 3));
        let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let outlines = |outlines| {
            let records = vec![square.clone(), square.clone()];
            draw(&subject(Shape::Landmarks { records, outlines }), &DisplaySettings::default()).unwrap()
        };
        let drawn = outlines(1);
        assert!(drawn.flat && drawn.strokes.len() == 5);
        // Two of two landmarks each: the line from the second to the third is none.
        let drawn = outlines(2);
        assert!(drawn.strokes.len() == 6 && drawn.strokes.iter().all(|s| s.points[0][1] == s.points[1][1]));
        let drawn = outlines(0);
        assert!(drawn.flat && drawn.strokes.is_empty() && !drawn.triangles.is_empty());
        for shape in [Shape::Surface(TriMesh::default()), Shape::Cloud(vec![]), Shape::outline(vec![])] {
            assert!(draw(&subject(shape), &DisplaySettings::default()).is_ok());
        }
        // Morphing knows only the template's triangles.
        let mesh = TriMesh::new(vec![Point::origin(); 3], vec![[0, 1, 2]]).unwrap();
        assert!(
            draw(
                &subject(Shape::Surface(mesh)),
                &DisplaySettings { morph: 0.5, ..DisplaySettings::default() }
            )
            .is_err()
        );
    }
}
