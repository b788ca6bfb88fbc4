//! Differences along the normal of a face, in colours, outlined where their band excludes 0.

use super::error::StudyError;
use super::normals::normals;
use super::yardstick::FACE_MM;
use crate::function::FaceCurves;
use crate::mesh::TriMesh;
use crate::report::colour::ColourScale;
use crate::report::figure::Figure;
use crate::report::render::{Colour, Image, View, render};
use crate::report::surface_view::SurfaceView;
use crate::study::tangent::Differing;
use crate::surface::Template;

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
