//! Pictures of surfaces: three views, displacements along the normal, outlines where a band excludes 0.

use crate::mesh::{TriMesh, Vector};
use crate::report::colour::ColourScale;
use crate::report::figure::Figure;
use crate::report::render::{CLAY, Colour, Extent, Image, View, render, render_within};
use crate::report::surface_view::SurfaceView;
use crate::study::points::PointStudyError;
use crate::study::tangent::{Differing, Displaced};
use rayon::prelude::*;

/// Along z, from aside, along x of the template's frame.
const VIEWS: [(View, &str); 3] =
    [(View::FRONT, "along z"), (View::THREE_QUARTER, "from aside"), (View::PROFILE, "along x")];
/// A surface in a row of pictures.
const SMALL: View = View { size: 220, ..View::THREE_QUARTER };
/// What colours are in.
const UNIT: &str = "units of the template, outwards";

fn drawn<E: std::error::Error + Send + Sync + 'static>(error: E) -> PointStudyError {
    PointStudyError::OfKind(Box::new(error))
}

/// A surface in three views.
pub(super) fn portraits(mesh: &TriMesh, what: &str) -> Result<Vec<Figure>, PointStudyError> {
    let one = |&(view, from): &(View, &str)| {
        Figure::image(&render(mesh, view, CLAY), format!("{what}, {from}")).map_err(drawn)
    };
    VIEWS.par_iter().map(one).collect()
}

/// A surface coloured by its error, in three views.
pub(super) fn error_views(mesh: &TriMesh, errors: &[f64]) -> Result<Figure, PointStudyError> {
    let scale = ColourScale::magnitude("expected error", "units of the template", errors);
    let colours: Vec<[f64; 3]> = errors.iter().map(|e| scale.colour(*e)).collect();
    let draw =
        |(view, _): (View, &str)| render(mesh, View { size: 320, ..view }, Colour::PerVertex(&colours));
    let caption = "How far the mean is expected to lie from the mean without noise, vertex by vertex (root mean square).";
    Figure::image_with_bar(&Image::beside(&VIEWS.map(draw)), &scale, caption).map_err(drawn)
}

/// One surface a picture, seen alike.
pub(super) fn row(meshes: &[(&str, TriMesh)]) -> Result<Vec<Figure>, PointStudyError> {
    let extent = meshes.first().map(|(_, mesh)| Extent::around(mesh));
    let one = |(name, mesh): &(&str, TriMesh)| {
        let extent = extent.as_ref().ok_or_else(|| PointStudyError::Input("no surface".into()))?;
        let image = render_within(mesh, View::THREE_QUARTER, CLAY, extent);
        Figure::image(&image, format!("mean of {name}, private")).map_err(drawn)
    };
    meshes.iter().map(one).collect()
}

/// How far a field moves a surface outwards, vertex by vertex.
pub(super) fn outwards(mesh: &TriMesh, field: &[Vector]) -> Vec<f64> {
    mesh.vertex_normals().iter().zip(field).map(|(n, d)| n.dot(d)).collect()
}

/// The colours of such values.
pub(super) fn scale(name: &str, values: &[f64]) -> ColourScale {
    ColourScale::signed(name, UNIT, values)
}

/// A surface at both ends and half way, and coloured by the way to the second.
pub(super) fn displaced(
    mesh: &TriMesh,
    to: [&[Vector]; 2],
    Displaced { ends, caption, .. }: &Displaced<'_>,
) -> Result<Figure, PointStudyError> {
    let extent = Extent::around(mesh);
    let at = |(end, w): (usize, f64)| {
        let vertices = mesh.vertices().iter().zip(to[end]).map(|(p, d)| p + d * w).collect();
        // Displaced vertices are as many as the mesh has.
        mesh.with_vertices(vertices).unwrap_or_else(|_| mesh.clone())
    };
    let ways = [(0, 1.0), (0, 0.5), (1, 0.5), (1, 1.0)].par_iter();
    let mut images: Vec<Image> = ways.map(|w| render_within(&at(*w), SMALL, CLAY, &extent)).collect();
    let along = outwards(mesh, to[1]);
    let scale = scale("displacement", &along);
    let colours: Vec<[f64; 3]> = along.iter().map(|d| scale.colour(*d)).collect();
    images.push(render_within(mesh, SMALL, Colour::PerVertex(&colours), &extent));
    let caption = format!(
        "{caption}. {}, half way to the mean, half way from it, {}; right: where the last moves the surface outwards and inwards.",
        ends[0], ends[1]
    );
    Figure::image_with_bar(&Image::beside(&images), &scale, caption).map_err(drawn)
}

/// A difference on a surface: still, and to turn.
pub(super) fn difference(
    mesh: &TriMesh,
    field: &[Vector],
    differing: &Differing<'_>,
) -> Result<Vec<Vec<Figure>>, PointStudyError> {
    let along = outwards(mesh, field);
    let scale = scale("difference along the normal", &along);
    let colours: Vec<[f64; 3]> = along.iter().map(|d| scale.colour(*d)).collect();
    let draw = |(view, _): (View, &str)| {
        let colour = Colour::Outlined(&colours, differing.standing);
        render(mesh, View { size: 400, ..view }, colour)
    };
    let caption = differing.caption;
    let stills = Figure::image_with_bar(&Image::beside(&VIEWS.map(draw)), &scale, caption).map_err(drawn)?;
    let turned = Figure::surface(
        &SurfaceView::new(caption, mesh.clone()).with_field(scale, &along),
        "Drag to turn, wheel or pinch to zoom. Colours show how far the second surface lies out of the first, along the normal, as the shrunk \
         difference has it. In the pictures above a line stands around the places where the 95 % band, which is about the unshrunk difference, \
         excludes 0 at all vertices and coordinates at once; elsewhere what they show may be chance.",
    );
    Ok(vec![vec![stills], vec![turned]])
}
