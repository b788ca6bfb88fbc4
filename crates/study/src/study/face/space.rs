//! The tangent space of faces at the public template: a face is the samples of its curves.

use super::accuracy::{Accuracy, usual};
use super::error::StudyError;
use super::error_map::error_map;
use super::mean::basis;
use super::normals::normals;
use super::picture::{Fields, along_normals, outwards, row_of_faces};
use super::release_report::{curve_drawings, portraits};
use super::template::LoadedTemplate;
use super::yardstick::FACE_MM;
use crate::estimate::{Band, Spread};
use crate::function::{Basis, FaceCurves};
use crate::io::{write_npy, write_ply, write_ply_with_scalar};
use crate::job::ReleaseFolder;
use crate::job::copies::Kind;
use crate::job::layout::{CURVES, ERROR, MEAN_PLY};
use crate::job::unusable::ZERO_DEVIATION;
use crate::mechanism::functional::{DifferenceMap, Estimate, FunctionGroups, Norm, Reach};
use crate::mesh::{TriMesh, Vector};
use crate::privacy::{Price, Statement};
use crate::report::colour::short;
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::render::{CLAY, View, render};
use crate::report::slider::Slider;
use crate::report::surface_view::SurfaceView;
use crate::study::points::{PointAccuracy, PointStudyError, Words};
use crate::study::tangent::{
    Circumstances, Dial, Differing, Displaced, FieldTerms, Looked, TangentSpace, Terms,
};
use crate::surface::registration::Registration;
use nalgebra::DMatrix;
use serde_json::{Value, json};
use std::sync::Arc;

/// Faces about the template.
#[derive(Debug)]
pub struct FaceSpace {
    template: Arc<LoadedTemplate>,
    /// The template's own curves.
    own: FaceCurves,
    basis: Basis,
    registration: Registration,
    axes: [usize; 3],
}

impl FaceSpace {
    /// About the template whose `own` curves these are.
    pub fn new(template: Arc<LoadedTemplate>, own: FaceCurves, registration: Registration) -> Self {
        let axes = [own.curves(), own.samples(), 3];
        Self { basis: basis(&own), template, own, registration, axes }
    }

    fn curves(&self, samples: &[f64]) -> Result<FaceCurves, StudyError> {
        Ok(FaceCurves::new(self.own.curves(), self.own.samples(), samples.to_vec())?)
    }

    fn mesh(&self, samples: &[f64]) -> Result<TriMesh, StudyError> {
        Ok(self.template.template.face_through(&self.curves(samples)?)?)
    }

    /// What a displacement does to every vertex.
    fn field(&self, samples: &[f64]) -> Result<Vec<Vector>, StudyError> {
        Ok(self.template.template.field_through(&self.curves(samples)?))
    }
}

/// More controls than this are not put into a page: some 80 kB each.
const SLIDERS: usize = 24;

/// What `fields.npy` holds.
const LAYOUT: &str = "the face at the reference values, then one displacement a column: the face at other values is the first plus, for every \
                      column, (its value there - its value at the reference) times its displacement. A number is mapped linearly from its \
                      bounds to [-1, 1], so its displacement is that from the middle to the upper bound; two levels are -1 and 1, more as \
                      level_columns says; bends of a \
                      spline are functions of that number, made of the bounds alone (natural cubic splines, orthogonal to straight lines). \
                      Fields are shrunk: what the noise hides is zero. visard face predict makes the face at other values.";

impl TangentSpace for FaceSpace {
    fn words(&self) -> Words {
        Words {
            command: "face",
            record: "scan",
            records: "faces",
            distance: "root mean square, on a face of 20 cm",
            space: "face radial curves, each record centred, of unit area, registered to the public template",
        }
    }

    fn terms(&self) -> Terms {
        Terms {
            squared: "squared units of unit-area faces (mean over points, three coordinates summed)",
            displacements: "samples of the curves",
            numbers: "points and coordinates of the curves",
            places: "points of the curves, along the normal",
            reach: (3.0, "three"),
            fields: FieldTerms { at_ends: "the face at the ends of what was declared", layout: LAYOUT },
        }
    }

    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn centre(&self) -> &[f64] {
        self.own.data()
    }

    fn radius(&self) -> f64 {
        Norm::White.face_radius()
    }

    fn reach(&self) -> Reach {
        Reach::Faces(1.0)
    }

    fn axes(&self) -> &[usize] {
        &self.axes
    }

    fn point(&self, samples: &[f64]) -> Vec<f64> {
        samples.to_vec()
    }

    fn entries(&self) -> Option<&DMatrix<f64>> {
        None
    }

    fn length(&self, size: f64) -> String {
        format!("{} mm", short(FACE_MM * size))
    }

    fn accuracy(
        &self,
        estimate: &Estimate,
        _: Looked,
        price: &Price,
        spread: Option<Spread>,
    ) -> PointAccuracy {
        let error = estimate.errors.iter().sum::<f64>() / (self.own.data().len() as f64 / 3.0);
        Accuracy::of_samples(&estimate.samples, error, &self.own, None, price.n, spread.map(usual))
            .without_expressions(&self.template.template)
            .into()
    }

    fn sentence(&self, accuracy: &PointAccuracy) -> String {
        let registration = accuracy.registration.map(|part| format!("; {}", part.sentence(FACE_MM)));
        format!(
            "The mean lies some {} from the mean without noise ({}; details that were not looked at included); the template published unread \
             lies {} from it{}.",
            self.length(accuracy.rms),
            self.words().distance,
            self.length(accuracy.template_rms),
            registration.unwrap_or_default()
        )
    }

    /// Along the template's normals, in standard errors, so that interpolation is between like numbers.
    fn standing_out(&self, inner: &FunctionGroups, map: &DifferenceMap, _: &Band) -> Vec<f64> {
        let Some(along) = inner.along(map, &normals(&self.own)) else { return Vec::new() };
        let excess = along.excess();
        excess.iter().zip(&along.errors).map(|(x, e)| if *e > 0.0 { x / e } else { -1.0 }).collect()
    }

    fn state(&self, circumstances: &Circumstances, statistic: &str, statement: &mut Statement) {
        let Circumstances { counting, unusable, .. } = circumstances;
        let details = json!({
            "record_kind": counting.kind("scan"),
            "coordinates": statistic,
            "curves": self.own.curves(),
            "samples": self.own.samples(),
            "registration": self.registration,
            "units": "arrays and meshes: faces of surface area 1, centroid at the origin",
            "unusable_records": unusable.describe(ZERO_DEVIATION),
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(self.template.detail());
        statement.details.extend(counting.details(Kind::Faces));
    }

    fn mean_figures(&self, mean: &[f64], _: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let curves = self.curves(mean)?;
        let mesh = self.template.template.face_through(&curves).map_err(StudyError::from)?;
        Ok(vec![portraits(&mesh, "private mean")?, curve_drawings(&curves)])
    }

    fn surface(&self, mean: &[f64], dials: &[Dial<'_>]) -> Result<Option<Figure>, PointStudyError> {
        let mesh = self.mesh(mean)?;
        let mut view = SurfaceView::new("private mean face, and what moves it", mesh.clone());
        let mut sliders = Vec::new();
        for Dial { slider, moved } in dials.iter().take(SLIDERS) {
            let mut fields = Vec::new();
            for (name, by) in moved {
                let field = self.field(by)?;
                let along = along_normals(&mesh, &field);
                view = view.with_field(outwards(name, &along), &along);
                fields.push(field);
            }
            sliders.push(Slider { fields, ..slider.clone() });
        }
        Ok(Some(Figure::surface(
            &view.with_sliders(sliders),
            "The private mean, and what moves it: several sliders at once add up. Drag to turn, wheel or pinch to zoom; arrow keys, + and − do the \
             same. Buttons show where each moves the surface outwards (red) and inwards (blue).",
        )))
    }

    fn show(&self, page: &mut Page, pictures: &[Figure]) {
        page.wide_figures(pictures);
    }

    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError> {
        let [less, more] = displaced.to.map(|by| self.field(by));
        Ok(vec![row_of_faces(&self.mesh(displaced.mean)?, [&less?, &more?], displaced)?])
    }

    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let portrait = |(name, mean): &(&str, Vec<f64>)| {
            let image = render(&self.mesh(mean)?, View::THREE_QUARTER, CLAY);
            Ok(Figure::image(&image, format!("mean of {name}, private"))?)
        };
        Ok(vec![means.iter().map(portrait).collect::<Result<_, StudyError>>()?])
    }

    fn difference_figures(&self, differing: &Differing<'_>) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let mesh = self.mesh(differing.mean)?;
        let fields = Fields::of(differing, &self.template.template, &self.own)?;
        let caption = differing.caption;
        let turned = Figure::surface(
            &fields.surface(&mesh, caption),
            "Drag to turn, wheel or pinch to zoom. Colours show how far the second face lies out of the first, along the normal of the surface: red \
             further out, blue further in, as the shrunk difference has it. Full colour and a line around it stand where the 95 % band for the \
             part along the normal, which is about the unshrunk difference, excludes 0 at all those points at once; elsewhere colours are faded, \
             and what they show may be chance.",
        );
        Ok(vec![vec![fields.stills(&mesh, caption.to_owned())?], vec![turned]])
    }

    fn parameters(&self) -> Vec<Vec<String>> {
        let form = format!("{} × {}", self.own.curves(), self.own.samples());
        vec![vec!["curves × samples".into(), form]]
    }

    fn write_group(
        &self,
        folder: &mut ReleaseFolder,
        name: &str,
        mean: &[f64],
    ) -> Result<(), PointStudyError> {
        let mesh = self.mesh(mean)?;
        Ok(folder.write_with(&format!("mean_{name}.ply"), |path| write_ply(path, &mesh))?)
    }

    fn write_mean(
        &self,
        folder: &mut ReleaseFolder,
        mean: &[f64],
        errors: Option<&[f64]>,
    ) -> Result<(), PointStudyError> {
        let (curves, mesh) = (self.curves(mean)?, self.mesh(mean)?);
        match errors {
            None => folder.write_with(MEAN_PLY, |path| write_ply(path, &mesh))?,
            Some(errors) => {
                let errors = error_map(&self.template.template, &curves, errors)?;
                folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &mesh, "error", &errors))?;
                folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], &errors))?;
            }
        }
        Ok(folder.write_with(CURVES, |path| write_npy(path, &self.axes, mean))?)
    }
}
