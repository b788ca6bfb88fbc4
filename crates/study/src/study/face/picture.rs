//! Displacements of a face in pictures: along the normal in colours, outlined where a band excludes 0; and what becomes of the face.

use super::error::StudyError;
use super::normals::normals;
use super::yardstick::FACE_MM;
use crate::function::FaceCurves;
use crate::mesh::{TriMesh, Vector};
use crate::report::colour::ColourScale;
use crate::report::figure::Figure;
use crate::report::render::{CLAY, Colour, Extent, Image, View, render, render_within};
use crate::report::surface_view::SurfaceView;
use crate::study::tangent::{Differing, Displaced};
use crate::surface::Template;
use rayon::prelude::*;

/// A face in a row of pictures.
const SMALL: View = View { size: 220, ..View::FRONT };

/// Values at the vertices of the template's surface.
pub(super) struct Fields {
    /// The shrunk difference along the normal, in millimetres on a face of 20 cm.
    along: Vec<f64>,
    /// Above 0 where the band excludes 0.
    excess: Vec<f64>,
}

impl Fields {
    /// Of a map, about the template's own curves.
    pub(super) fn of(
        differing: &Differing<'_>,
        template: &Template,
        own: &FaceCurves,
    ) -> Result<Self, StudyError> {
        let along = differing.by.chunks_exact(3).zip(normals(own));
        let along = along.map(|(d, n)| d.iter().zip(n).map(|(d, n)| FACE_MM * d * n).sum::<f64>());
        let at_vertices = |values: &mut dyn Iterator<Item = f64>| -> Result<Vec<f64>, StudyError> {
            let triples = values.flat_map(|value| [value, 0.0, 0.0]).collect();
            let field = FaceCurves::new(own.curves(), own.samples(), triples)?;
            Ok(template.field_through(&field).iter().map(|v| v.x).collect())
        };
        Ok(Self {
            along: at_vertices(&mut along.collect::<Vec<_>>().into_iter())?,
            excess: at_vertices(&mut differing.standing.iter().copied())?,
        })
    }

    fn scale(&self, name: &str) -> ColourScale {
        ColourScale::signed(name, "mm on a face of 20 cm", &self.along)
    }

    /// Still pictures of the difference on a face, with outlines.
    pub(super) fn stills(&self, mesh: &TriMesh, caption: String) -> Result<Figure, StudyError> {
        let scale = self.scale("difference along the normal");
        let colours: Vec<[f64; 3]> = self.along.iter().map(|d| scale.colour(*d)).collect();
        let views = [View { yaw: -40.0, ..View::THREE_QUARTER }, View::FRONT, View::THREE_QUARTER];
        let draw =
            |view: View| render(mesh, View { size: 400, ..view }, Colour::Outlined(&colours, &self.excess));
        Ok(Figure::image_with_bar(&Image::beside(&views.map(draw)), &scale, caption)?)
    }

    /// The same to turn: all of the difference, and the part that stands out.
    pub(super) fn surface(&self, mesh: &TriMesh, label: &str) -> SurfaceView {
        let out = |(d, e): (&f64, &f64)| if *e > 0.0 { *d } else { 0.0 };
        let standing: Vec<f64> = self.along.iter().zip(&self.excess).map(out).collect();
        let scale = self.scale("difference along the normal");
        let same = ColourScale { name: "only where the band excludes 0".into(), ..scale.clone() };
        SurfaceView::new(label, mesh.clone()).with_field(same, &standing).with_field(scale, &self.along)
    }
}

/// Millimetres outwards on a face of 20 cm, vertex by vertex.
pub(super) fn along_normals(mesh: &TriMesh, field: &[Vector]) -> Vec<f64> {
    mesh.vertex_normals().iter().zip(field).map(|(n, d)| FACE_MM * n.dot(d)).collect()
}

/// The colours of such values.
pub(super) fn outwards(name: &str, values: &[f64]) -> ColourScale {
    ColourScale::signed(name, "mm outwards on a face of 20 cm", values)
}

/// Faces on the way from one end to the other, and the mean coloured by the way to the second.
pub(super) fn row_of_faces(
    mesh: &TriMesh,
    to: [&[Vector]; 2],
    Displaced { ends, caption, .. }: &Displaced<'_>,
) -> Result<Figure, StudyError> {
    let extent = Extent::around(mesh);
    let at = |(end, w): (usize, f64)| {
        let vertices = mesh.vertices().iter().zip(to[end]).map(|(p, d)| p + d * w).collect();
        // Displaced vertices are as many as the mesh has.
        mesh.with_vertices(vertices).unwrap_or_else(|_| mesh.clone())
    };
    let ways = [(0, 1.0), (0, 0.5), (1, 0.5), (1, 1.0)].par_iter();
    let mut images: Vec<Image> = ways.map(|w| render_within(&at(*w), SMALL, CLAY, &extent)).collect();
    let along = along_normals(mesh, to[1]);
    let scale = outwards("displacement", &along);
    let colours: Vec<[f64; 3]> = along.iter().map(|d| scale.colour(*d)).collect();
    images.push(render_within(mesh, SMALL, Colour::PerVertex(&colours), &extent));
    let caption = format!(
        "{caption}. {}, half way to the mean, half way from it, {}; right: where the last moves the surface outwards and inwards.",
        ends[0], ends[1]
    );
    Ok(Figure::image_with_bar(&Image::beside(&images), &scale, caption)?)
}
