//! Faces with their expression taken out, each by itself, from public inputs alone.
//!
//! A registered face is the template, moved by who it is and by its expression: d = B θ + E c + noise, where B are ways in which people differ and E
//! public expressions, with independent normal θ and c. The expected c given d is linear in d; what it moves is taken out. This is the fit of a
//! linear model of identity and expression (Blanz and Vetter 1999; Cao et al. 2014), of which only the expression is used: what makes the person stays
//! as it was measured.

use crate::mesh::{MeshError, Point, TriMesh, Vector};
use nalgebra::{Cholesky, DMatrix, DVector};

/// What takes expressions out of faces that are registered to a template.
#[derive(Debug)]
pub struct Neutral {
    /// 3V × K: what each expression moves, on a face of unit area.
    expressions: DMatrix<f64>,
    /// The same of what registration sees of it.
    registered: DMatrix<f64>,
    /// K × 3V: the strengths of the expressions, of a face's way from the template.
    strengths: DMatrix<f64>,
    expected_rms: f64,
}

/// Millimetres in the unit of faces, √area.
const MM: f64 = 200.0;
/// What neither people's differences nor expressions explain, one standard deviation of a coordinate: what registration moves, and folds.
const REST_MM: f64 = 1.0;
/// How many places of a face of unit area have a rest of their own: one a square centimetre.
const PLACES: f64 = 400.0;
/// People differ by as much more than the made-up ones. Real populations are wider, and what is taken for expression would be lost.
const WIDER: f64 = 1.5;
/// Standard deviation of an expression's strength; 1 is the given one in full.
const STRENGTH: f64 = 1.0;
/// The same of how the frames of a face and the template may differ (turns, shifts, size).
const FRAME: f64 = 0.1;

impl Neutral {
    /// Of expressions at full strength, of what registration sees of each, and of people's differences at one standard deviation: displacements of the
    /// template's vertices in its own units.
    ///
    /// # Errors
    /// [`MeshError`]: there is no expression, a field has another number of vertices, or is not finite.
    pub fn new(
        template: &TriMesh,
        expressions: &[Vec<Vector>],
        registered: &[Vec<Vector>],
        people: &[Vec<Vector>],
    ) -> Result<Self, MeshError> {
        let areas = template.areas();
        let unit = areas.total.sqrt();
        let vertices: Vec<Point> =
            template.vertices().iter().map(|p| Point::from((p - areas.centroid) / unit)).collect();
        let matches =
            |field: &Vec<Vector>| field.len() == vertices.len() && field.iter().all(|v| v.norm().is_finite());
        if expressions.is_empty() || !expressions.iter().chain(registered).chain(people).all(matches) {
            let what = format!("an expression is not one of the template's {} vertices", vertices.len());
            return Err(MeshError::Degenerate(what));
        }
        let column = |fields: &[Vec<Vector>], scale: f64| {
            let columns: Vec<DVector<f64>> = fields
                .iter()
                .map(|field| {
                    DVector::from_iterator(3 * field.len(), field.iter().flatten().map(|x| x * scale))
                })
                .collect();
            DMatrix::from_columns(&columns)
        };
        let prior = column(registered, STRENGTH / unit);
        let known = [column(people, WIDER / unit), column(&frames(&vertices), FRAME)];
        let k = expressions.len();
        let model = DMatrix::from_columns(
            &[&prior, &known[0], &known[1]]
                .map(|m| m.column_iter())
                .into_iter()
                .flatten()
                .collect::<Vec<_>>(),
        );
        // Weights of the vertices: their share of the places, over the variance of the rest.
        let precision = PLACES * (MM / REST_MM).powi(2);
        let weights: Vec<f64> = areas.vertices.iter().map(|a| precision * a / areas.total).collect();
        let mut weighted = model.clone();
        for mut column in weighted.column_iter_mut() {
            column.iter_mut().enumerate().for_each(|(i, x)| *x *= weights[i / 3]);
        }
        let gram = model.transpose() * &weighted + DMatrix::identity(model.ncols(), model.ncols());
        let solved = Cholesky::new(gram)
            .ok_or_else(|| MeshError::Degenerate("the expressions are not numbers".to_owned()))?;
        // The rows of the posterior's covariance that belong to the expressions.
        let covariance = solved.solve(&DMatrix::identity(model.ncols(), k));
        let strengths = STRENGTH * covariance.transpose() * weighted.transpose();
        let spread = covariance.rows(0, k).into_owned();
        let whole = column(expressions, STRENGTH / unit);
        let moved = &whole * spread;
        let share = |i: usize| areas.vertices[i / 3] / areas.total;
        let square: f64 = (0..whole.nrows()).map(|i| share(i) * whole.row(i).dot(&moved.row(i))).sum();
        Ok(Self {
            expressions: column(expressions, 1.0 / unit),
            registered: column(registered, 1.0 / unit),
            strengths,
            expected_rms: square.max(0.0).sqrt(),
        })
    }

    /// How many expressions it knows.
    pub fn count(&self) -> usize {
        self.expressions.ncols()
    }

    /// Expected root-mean-square distance, on a face of unit area, of a face without its expression from the same face at rest, where people and
    /// expressions are as assumed: what of an expression stays, and what of the person goes with it.
    pub fn expected_rms(&self) -> f64 {
        self.expected_rms
    }

    /// The strengths of the expressions of a face of unit area in the template's frame, given how far the template's vertices are `away` from their places,
    /// where expressions of the strengths `before` (none at first) were taken out before.
    pub fn strengths(&self, away: &[Vector], before: &DVector<f64>) -> DVector<f64> {
        let away = DVector::from_iterator(3 * away.len(), away.iter().flatten().copied());
        &self.strengths * (away + &self.registered * before)
    }

    /// How expressions of these strengths move the template's vertices on a face of unit area.
    pub fn moved(&self, strengths: &DVector<f64>) -> Vec<Vector> {
        fields_of(&(&self.expressions * strengths))
    }

    /// What registration sees of that.
    pub fn seen(&self, strengths: &DVector<f64>) -> Vec<Vector> {
        fields_of(&(&self.registered * strengths))
    }
}

fn fields_of(column: &DVector<f64>) -> Vec<Vector> {
    column.as_slice().chunks_exact(3).map(Vector::from_row_slice).collect()
}

/// Small turns about three axes, shifts along them, and size.
fn frames(vertices: &[Point]) -> Vec<Vec<Vector>> {
    let of = |moved: &dyn Fn(&Point) -> Vector| vertices.iter().map(moved).collect();
    let axes = [Vector::x(), Vector::y(), Vector::z()];
    let turns = axes.iter().map(|a| of(&|p| a.cross(&p.coords)));
    turns.chain(axes.iter().map(|a| of(&|_| *a))).chain([of(&|p| p.coords)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::DiskMesh;
    use crate::surface::Template;
    use crate::synth::{FaceMarks, FaceParameters, builtin_template, expressions, face_differences};
    use nalgebra::Rotation3;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn template() -> (Template, Vec<Vec<Vector>>, Vec<Vec<Vector>>) {
        let mesh = builtin_template();
        let marks = FaceMarks::builtin();
        let disk = DiskMesh::try_new(mesh.clone()).unwrap();
        let template = Template::new(disk, marks.nose_tip, Vector::z(), Vector::y()).unwrap();
        let fields = expressions(mesh, marks.mouth).into_iter().map(|(_, field)| field).collect();
        (template, fields, face_differences(mesh.vertices()))
    }

    /// Where correspondence is known, strengths come back, whatever the frame, and the person stays.
    #[test]
    fn expressions_of_other_people_in_other_frames_are_found_and_taken_out() {
        let (template, fields, people) = template();
        let neutral = Neutral::new(template.mesh(), &fields, &fields, &people).unwrap();
        assert_eq!(neutral.count(), fields.len());
        let (mm, mut rng) = (template.mesh().area().sqrt(), ChaCha8Rng::seed_from_u64(5));
        let turn = Rotation3::from_euler_angles(0.4, -0.7, 1.0);
        let (mut kept, mut left) = (0.0, 0.0);
        for (smile, jaw) in [(1.0, 0.0), (0.0, 1.0), (0.7, 0.5)] {
            let rest = FaceParameters::sample(&mut rng).vertices();
            let moved = |i: usize| fields[2][i] * smile + fields[3][i] * smile + fields[1][i] * jaw;
            let face: Vec<Point> = (0..rest.len())
                .map(|i| turn * (rest[i] + moved(i)) * 3.0 + Vector::new(9.0, 1.0, -4.0))
                .collect();
            let none = DVector::zeros(fields.len());
            let with = template.unit_positions(&face).unwrap();
            let away: Vec<Vector> = with.iter().zip(template.unit_vertices()).map(|(p, t)| p - t).collect();
            let found = neutral.strengths(&away, &none);
            assert!((found[2] - smile).abs() < 0.35 && (found[3] - smile).abs() < 0.35, "{found}");
            // Two strengths of one jaw.
            assert!((found[1] + 0.5 * found[0] - jaw).abs() < 0.15, "{found}");
            let calm: Vec<Point> = with.iter().zip(neutral.seen(&found)).map(|(p, v)| p - v).collect();
            let calm = template.unit_positions(&calm).unwrap();
            let own = template.unit_positions(&rest).unwrap();
            let apart = |a: &[Point], b: &[Point]| {
                let square: f64 = a.iter().zip(b).map(|(p, q)| (p - q).norm_squared()).sum();
                mm * (square / a.len() as f64).sqrt()
            };
            (kept, left) = (kept + apart(&with, &own), left + apart(&calm, &own));
        }
        assert!(left < 0.35 * kept && left / 3.0 < mm * neutral.expected_rms(), "{left} of {kept}");
    }

    #[test]
    fn expressions_of_another_mesh_are_refused() {
        let (template, fields, people) = template();
        let short = vec![fields[0][1..].to_vec()];
        let mut infinite = fields.clone();
        infinite[0][0].x = f64::INFINITY;
        for wrong in [&short, &infinite, &Vec::new()] {
            assert!(Neutral::new(template.mesh(), wrong, wrong, &people).is_err());
        }
    }
}
