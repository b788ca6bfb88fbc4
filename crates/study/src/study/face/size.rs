//! What is measured of scans beside faces: sizes, whose mean is one more coordinate of the mean face, so that it can be shown in millimetres.

use super::average::number_of;
use super::error::StudyError;
use super::faces::Faces;
use super::gather::{FaceStudy, Gathered};
use super::template::LoadedTemplate;
use super::units::{Units, odd};
use crate::function::FaceCurves;
use crate::mechanism::functional::{FunctionRecords, NoisedSize};
use crate::surface::Template;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// Mean sizes lie within 1/1.5 and 1.5 times the template's: all adults, and children from about two years on.
const BOUND: f64 = 1.5;

/// What sizes are measured in: all of it public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SizeScale {
    units: Units,
    /// √area of the template, in millimetres.
    reference: f64,
}

impl SizeScale {
    /// In units of the template, which is measured as the scans are; the built-in one is in millimetres.
    pub(super) fn new(units: Units, template: &LoadedTemplate, builtin: bool) -> Self {
        let own = if builtin { Units::Mm } else { units };
        Self { units, reference: own.millimetres() * root_area(&template.template) }
    }

    /// The bound of |ln(size/reference)|.
    pub(super) fn bound() -> f64 {
        BOUND.ln()
    }

    /// ln of a size in units of the reference, from √area in the scans' units.
    fn log(&self, root_area: f64) -> f64 {
        (root_area * self.units.millimetres() / self.reference).ln()
    }

    /// √area of the released mean size, in millimetres.
    pub(super) fn millimetres(&self, size: &NoisedSize) -> f64 {
        self.reference * size.log.exp()
    }

    /// Root-mean-square error in millimetres of a face of these curves whose shape has the error `rms` (unit area).
    pub(super) fn error(&self, size: &NoisedSize, curves: &FaceCurves, rms: f64) -> f64 {
        let points = curves.data().len() as f64 / 3.0;
        let reach = curves.data().iter().map(|x| x * x).sum::<f64>() / points;
        self.millimetres(size) * (rms * rms + reach * size.error).sqrt()
    }

    /// For the certificate.
    pub(super) fn details(&self, size: &NoisedSize) -> Value {
        json!({
            "statistic": "mean logarithm of the square root of the registered surface's area, a missing one counting as the template's",
            "root_area_mm": self.millimetres(size),
            "relative_error": size.error.sqrt(),
            "bounds_mm": [self.reference / BOUND, self.reference * BOUND],
            "scans_in": self.units,
        })
    }
}

fn root_area(template: &Template) -> f64 {
    template.mesh().area().sqrt()
}

/// People's faces with what was measured of their scans: secret.
pub(super) struct MeasuredFaces {
    faces: Arc<Faces>,
    log_sizes: Vec<Option<f64>>,
}

impl MeasuredFaces {
    /// Faces of gathered people, with their sizes.
    ///
    /// # Errors
    /// [`StudyError::Units`] when most sizes lie outside the public bounds, [`StudyError::MixedUnits`] when some scans are in other units: to the data
    /// holder, before anything is charged.
    pub(super) fn new(
        study: &FaceStudy<'_>,
        gathered: &Gathered,
        faces: Arc<Faces>,
        scale: SizeScale,
    ) -> Result<Self, StudyError> {
        let logs: Vec<Option<f64>> =
            gathered.rows.iter().map(|row| row.size.map(|size| scale.log(size))).collect();
        let known = logs.iter().flatten().count();
        let outside =
            logs.iter().flatten().filter(|log| log.is_nan() || log.abs() > SizeScale::bound()).count();
        if 2 * outside > known {
            let mut sizes: Vec<f64> = gathered.rows.iter().filter_map(|row| row.size).collect();
            sizes.sort_by(f64::total_cmp);
            let middle = sizes.get(sizes.len() / 2).copied().unwrap_or_default();
            return Err(StudyError::Units {
                outside,
                known,
                middle,
                units: scale.units,
                template: scale.reference,
            });
        }
        let sizes: Vec<Option<f64>> = gathered.rows.iter().map(|row| row.size).collect();
        let odd = odd(&sizes).0;
        if let Some(&first) = odd.first() {
            let first = gathered.rows[first].scan.clone();
            return Err(StudyError::MixedUnits { odd: odd.len(), known, first });
        }
        Ok(Self { faces, log_sizes: study.people.one_each(logs, number_of)? })
    }
}

impl FunctionRecords for MeasuredFaces {
    fn count(&self) -> usize {
        self.faces.count()
    }
    fn samples(&self, i: usize) -> Option<Cow<'_, [f64]>> {
        self.faces.samples(i)
    }
    fn log_size(&self, i: usize) -> Option<f64> {
        *self.log_sizes.get(i)?
    }
    fn filled(&self, i: usize) -> f64 {
        self.faces.filled(i)
    }
}
