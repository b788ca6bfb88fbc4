//! The tangent space of surfaces at the public template, or at the mean of public surfaces: a surface is the coefficients of its displacement by the
//! template's harmonics.

use super::inputs::SurfaceInputs;
use super::picture;
use super::prior::SurfacePrior;
use super::template::PublicTemplate;
use crate::estimate::Band;
use crate::estimate::prior::spectrum;
use crate::function::shrink::SpectralPlace;
use crate::function::{Basis, Harmonics};
use crate::io::{write_npy, write_ply, write_ply_with_scalar};
use crate::job::ReleaseFolder;
use crate::job::layout::{ERROR, MEAN_NPY, MEAN_PLY};
use crate::mechanism::functional::{DifferenceMap, FunctionGroups};
use crate::mesh::{Point, TriMesh, Vector};
use crate::report::figure::Figure;
use crate::report::page::Page;
use crate::report::slider::Slider;
use crate::report::surface_view::SurfaceView;
use crate::study::face::Correspondence;
use crate::study::points::{PointStudyError, Words};
use crate::study::tangent::{Dial, Differing, Displaced, FieldTerms, Known, REACH, TangentSpace, Terms};
use crate::surface::any::{Pull, Slip};
use nalgebra::DMatrix;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};

/// More controls than this are not put into a page.
const SLIDERS: usize = 24;

/// What `fields.npy` holds.
const LAYOUT: &str = "the surface at the reference values, then one displacement a column, vertex by vertex: the surface at other values is the \
                      first plus, for every column, (its value there - its value at the reference) times its displacement. A number is mapped \
                      linearly from its bounds to [-1, 1], so its displacement is that from the middle to the upper bound; two levels are -1 and 1, \
                      more as level_columns says; \
                      bends of a spline are functions of that number, made of the bounds alone. Fields are shrunk: what the noise hides is zero.";

/// Surfaces about the template, or about the mean of public ones.
#[derive(Debug)]
pub(super) struct SurfaceSpace {
    mesh: TriMesh,
    /// What surfaces are displaced from: the vertices of the template, (V, 3), or the mean of public surfaces.
    origin: Vec<f64>,
    harmonics: Harmonics,
    basis: Basis,
    zero: Vec<f64>,
    radius: f64,
    axes: [usize; 2],
    /// From coefficients to the numbers of an array: large, and needed for bands only.
    entries: OnceLock<DMatrix<f64>>,
    details: Map<String, Value>,
    /// The template that scans are registered to, if records are scans; and how that errs.
    registered: Option<Arc<PublicTemplate>>,
    pull: OnceLock<Option<Pull>>,
    /// What is known of public surfaces, where their mean is the origin.
    known: Option<Arc<Known>>,
}

impl SurfaceSpace {
    /// The same, of records that are scans.
    pub fn of_scans(self, template: Arc<PublicTemplate>) -> Self {
        Self { registered: Some(template), ..self }
    }

    /// About the mean of public surfaces in place of the template.
    pub fn about(mut self, prior: &SurfacePrior) -> Self {
        let differences =
            prior.people.differences.iter().map(|field| self.harmonics.analyse(field)).collect();
        let from_mean: Vec<f64> = self.origin.iter().zip(&prior.mean).map(|(t, m)| t - m).collect();
        self.known = Some(Arc::new(Known { differences, elsewhere: self.harmonics.analyse(&from_mean) }));
        self.origin = prior.mean.clone();
        let used_for =
            "the prior's mean, in place of the template, and how its surfaces differ, for shrinkage";
        let stated = json!({"used_for": used_for, "differences": prior.people.differences.len()});
        self.details.insert("prior".into(), stated);
        self
    }

    /// How surfaces differ where nothing is said (root mean square): made-up organs by .19 to .26 of the radius.
    pub fn usual_spread(&self) -> f64 {
        0.25 * self.radius
    }

    /// About a template of this kind, within this radius.
    pub fn new(mesh: TriMesh, harmonics: Harmonics, radius: f64, of: (&str, &SurfaceInputs)) -> Self {
        let origin: Vec<f64> = mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).collect();
        let basis = Basis::of_harmonics(harmonics.frequencies());
        let zero = vec![0.0; basis.len()];
        let axes = [mesh.vertices().len(), 3];
        let details = details(&mesh, &harmonics, of);
        Self {
            mesh,
            origin,
            harmonics,
            basis,
            zero,
            radius,
            axes,
            entries: OnceLock::new(),
            details,
            registered: None,
            pull: OnceLock::new(),
            known: None,
        }
    }

    /// How many harmonics are looked at.
    pub fn count(&self) -> usize {
        self.harmonics.count()
    }

    /// The samples of a record with these vertices, (V, 3): made of that record and public things only.
    pub fn coefficients(&self, vertices: &[f64]) -> Vec<f64> {
        self.harmonics.analyse(&self.displaced(vertices))
    }

    fn surface_of(&self, vertices: &[f64]) -> Result<TriMesh, PointStudyError> {
        let places = vertices.chunks_exact(3).map(|p| Point::new(p[0], p[1], p[2])).collect();
        self.mesh.with_vertices(places).map_err(|e| PointStudyError::OfKind(Box::new(e)))
    }

    /// The expected error of every vertex, of coefficients with these squared errors whose mean lies so far from the origin.
    fn errors(&self, of_coefficients: &[f64], moved: f64) -> Vec<f64> {
        let unseen = self.unseen() * moved * moved;
        let variances = self.harmonics.variances(of_coefficients);
        variances.into_iter().map(|v| (v.max(0.0) + unseen).sqrt()).collect()
    }

    fn moved(&self, mean: &[f64]) -> f64 {
        self.harmonics.root_mean_square(&self.displaced(mean))
    }

    fn displaced(&self, vertices: &[f64]) -> Vec<f64> {
        vertices.iter().zip(&self.origin).map(|(x, o)| x - o).collect()
    }
}

fn details(
    mesh: &TriMesh,
    harmonics: &Harmonics,
    (kind, inputs): (&str, &SurfaceInputs),
) -> Map<String, Value> {
    let scale = match (&inputs.prepared, inputs.registration.remove_scale) {
        (Some(_), _) => "that of the records as they were given",
        (None, true) => {
            "taken out record by record, so that the registered surface is nearest to the template; sizes stay with the data holder"
        }
        (None, false) => "kept, in the scans' units",
    };
    let details = json!({
        "surface": {"kind": kind, "vertices": mesh.vertices().len(), "area": mesh.area()},
        "harmonics": harmonics.count(),
        "beyond_harmonics": unseen(harmonics.count()),
        "radius_source": if inputs.radius.is_some() { "given" } else { "public default: a tenth of the square root of the template's area" },
        "scale": scale,
        "mirrored_scans": if inputs.registration.allow_mirrored { "mirrored" } else { "cannot be used" },
        "units": "those of the template; vertices in its order",
    });
    if let Value::Object(details) = details { details } else { Map::new() }
}

/// The share of the mean square of a displacement beyond so many harmonics, by the public spectrum (1 + ν²/4)^(−1.9) and Weyl's law, by which
/// ν²/4 harmonics are below ν: (1 + count)^(−.9).
fn unseen(count: usize) -> f64 {
    (1.0 + count as f64).powf(-0.9)
}

/// Variances of coefficients, up to a constant: the public spectrum but for the position, which registration takes out.
pub(super) fn usual_spectrum(place: &SpectralPlace) -> f64 {
    if place.frequency > 0.0 { spectrum(place) } else { 0.0 }
}

fn vectors(field: &[f64]) -> Vec<Vector> {
    field.chunks_exact(3).map(|d| Vector::new(d[0], d[1], d[2])).collect()
}

impl TangentSpace for SurfaceSpace {
    fn words(&self) -> Words {
        Words {
            command: "surface",
            record: "surface",
            records: "surfaces",
            distance: "root mean square over the template's area, in its units",
            space: "surfaces registered to the public template",
        }
    }

    fn terms(&self) -> Terms {
        Terms {
            squared: "squared units of the template (mean over its area, three coordinates summed)",
            displacements: "displacements of the vertices",
            numbers: "vertices and coordinates",
            places: "vertices",
            reach: REACH,
            fields: FieldTerms { at_ends: "the surface at the ends of what was declared", layout: LAYOUT },
        }
    }

    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn centre(&self) -> &[f64] {
        &self.zero
    }

    fn known(&self) -> Option<Arc<Known>> {
        self.known.clone()
    }

    fn unseen(&self) -> f64 {
        unseen(self.harmonics.count())
    }

    fn registration(&self, from_centre: f64) -> Option<Correspondence> {
        let pull = self.pull.get_or_init(|| {
            let template = &self.registered.as_ref()?.template;
            let of = |frequency| usual_spectrum(&SpectralPlace::from((0, frequency)));
            // It is nearly a share of the way: of a template to which so different ones cannot be registered, that of nearer ones.
            [1.0, 0.5, 0.25]
                .iter()
                .find_map(|part| template.pull(&self.harmonics, of, part * self.usual_spread()))
        });
        let part = |of: fn(&Slip) -> f64| {
            pull.as_ref().map(|Pull { share, least, .. }| of(least).hypot(of(share) * from_centre))
        };
        Some(Correspondence {
            normal_rms: part(|slip| slip.normal)?,
            skin_rms: part(|slip| slip.along)?,
            expression_rms: None,
        })
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn axes(&self) -> &[usize] {
        &self.axes
    }

    fn point(&self, samples: &[f64]) -> Vec<f64> {
        let moved = self.harmonics.synthesize(samples);
        moved.iter().zip(&self.origin).map(|(d, o)| d + o).collect()
    }

    fn entries(&self) -> Option<&DMatrix<f64>> {
        let made = || {
            let mut entries = DMatrix::zeros(self.origin.len(), self.zero.len());
            for k in 0..self.harmonics.count() {
                for (v, phi) in self.harmonics.function(k).iter().enumerate() {
                    (0..3).for_each(|c| entries[(3 * v + c, 3 * k + c)] = *phi);
                }
            }
            entries
        };
        Some(self.entries.get_or_init(made))
    }

    fn displacement(&self, samples: &[f64]) -> Vec<f64> {
        self.harmonics.synthesize(samples)
    }

    fn border(&self, border: &[f64]) -> Vec<f64> {
        border.iter().zip(&self.origin).map(|(d, o)| d + o).collect()
    }

    fn banded(&self) -> &'static str {
        match self.known {
            None => "vertex by vertex; detail beyond the harmonics is the template's",
            Some(_) => "vertex by vertex; detail beyond the harmonics is that of the prior's mean",
        }
    }

    /// A vertex stands out where one of its coordinates does.
    fn standing_out(&self, _: &FunctionGroups, _: &DifferenceMap, band: &Band) -> Vec<f64> {
        let most = |vertex: &[f64]| vertex.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        band.excess().chunks(3).map(most).collect()
    }

    fn details(&self) -> Map<String, Value> {
        self.details.clone()
    }

    fn mean_figures(&self, mean: &[f64], errors: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let mesh = self.surface_of(mean)?;
        let mut rows = vec![picture::portraits(&mesh, "private mean")?];
        if !errors.is_empty() {
            rows.push(vec![picture::error_views(&mesh, &self.errors(errors, self.moved(mean)))?]);
        }
        Ok(rows)
    }

    fn surface(&self, mean: &[f64], dials: &[Dial<'_>]) -> Result<Option<Figure>, PointStudyError> {
        let mesh = self.surface_of(mean)?;
        let mut view = SurfaceView::new("private mean surface, and what moves it", mesh.clone());
        let mut sliders = Vec::new();
        for Dial { slider, moved } in dials.iter().take(SLIDERS) {
            let mut fields = Vec::new();
            for (name, by) in moved {
                let field = vectors(by);
                let along = picture::outwards(&mesh, &field);
                view = view.with_field(picture::scale(name, &along), &along);
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
        let [less, more] = displaced.to.map(vectors);
        Ok(vec![picture::displaced(&self.surface_of(displaced.mean)?, [&less, &more], displaced)?])
    }

    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let one = |(name, mean): &(&'_ str, Vec<f64>)| Ok((name.to_string(), self.surface_of(mean)?));
        let meshes: Vec<(String, TriMesh)> = means.iter().map(one).collect::<Result<_, PointStudyError>>()?;
        let meshes: Vec<(&str, TriMesh)> =
            meshes.iter().map(|(name, mesh)| (&**name, mesh.clone())).collect();
        Ok(vec![picture::row(&meshes)?])
    }

    fn difference_figures(&self, differing: &Differing<'_>) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        picture::difference(&self.surface_of(differing.mean)?, &vectors(differing.by), differing)
    }

    fn parameters(&self) -> Vec<Vec<String>> {
        vec![
            vec!["vertices of the template".into(), self.axes[0].to_string()],
            vec!["harmonics of the template".into(), self.harmonics.count().to_string()],
        ]
    }

    fn write_group(
        &self,
        folder: &mut ReleaseFolder,
        name: &str,
        mean: &[f64],
    ) -> Result<(), PointStudyError> {
        let mesh = self.surface_of(mean)?;
        folder.write_with(&format!("mean_{name}.npy"), |path| write_npy(path, &self.axes, mean))?;
        Ok(folder.write_with(&format!("mean_{name}.ply"), |path| write_ply(path, &mesh))?)
    }

    fn write_mean(
        &self,
        folder: &mut ReleaseFolder,
        mean: &[f64],
        errors: Option<&[f64]>,
    ) -> Result<(), PointStudyError> {
        let mesh = self.surface_of(mean)?;
        match errors {
            None => folder.write_with(MEAN_PLY, |path| write_ply(path, &mesh))?,
            Some(errors) => {
                let errors = self.errors(errors, self.moved(mean));
                folder.write_with(MEAN_PLY, |path| write_ply_with_scalar(path, &mesh, "error", &errors))?;
                folder.write_with(ERROR, |path| write_npy(path, &[errors.len()], &errors))?;
            }
        }
        Ok(folder.write_with(MEAN_NPY, |path| write_npy(path, &self.axes, mean))?)
    }
}
