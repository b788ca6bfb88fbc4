//! Functions as records of statistics in a tangent space: flat, so that a function is its own samples.

use super::records::{Opened, TangentRecords};
use super::space::{Circumstances, Displaced, TangentSpace};
use super::terms::Terms;
use crate::estimate::Smoothness;
use crate::function::Basis;
use crate::io::write_npy;
use crate::job::ReleaseFolder;
use crate::job::layout::POSITIONS;
use crate::report::figure::Figure;
use crate::study::People;
use crate::study::function::{FunctionInputs, Functions, Shown, check_expectations};
use crate::study::points::{PointStudyError, Read, Words};
use nalgebra::DMatrix;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Functions, and what is known of them in advance; all of it public but the functions.
#[derive(Debug, Clone)]
pub struct TangentFunctions {
    /// Their files.
    pub inputs: FunctionInputs,
    /// How far records may lie from the centre, root mean square over the samples (channels summed), in their own units.
    pub bound: f64,
    /// How smooth they are expected to be.
    pub smoothness: Smoothness,
}

impl TangentFunctions {
    /// Opens the files: what is public, and how many records there are.
    ///
    /// # Errors
    /// [`PointStudyError`]; nothing is charged.
    pub(super) fn open(&self) -> Result<Box<dyn TangentRecords + '_>, PointStudyError> {
        check_expectations(self.bound, self.smoothness)?;
        let functions = Functions::open(&self.inputs)?;
        let space = FunctionSpace {
            shown: Shown::of(&functions),
            basis: self.smoothness.of(Basis::new(functions.domain, functions.channels)),
            centre: functions.centre.clone(),
            bound: self.bound,
            smoothness: self.smoothness,
        };
        Ok(Box::new(FunctionRecords { functions, space: Arc::new(space) }))
    }
}

struct FunctionRecords<'a> {
    functions: Functions<'a>,
    space: Arc<FunctionSpace>,
}

impl Opened for FunctionRecords<'_> {
    fn people(&self) -> &People {
        &self.functions.people
    }

    fn count(&self) -> usize {
        self.functions.records
    }

    fn circumstances(&self) -> Circumstances {
        Circumstances {
            public_inputs: self.functions.public_inputs.clone(),
            counting: self.functions.inputs.counting.clone(),
            unusable: self.functions.inputs.unusable,
        }
    }

    fn sums(&self) -> Vec<[u8; 32]> {
        self.functions.sums().collect()
    }
}

impl TangentRecords for FunctionRecords<'_> {
    fn space(&self) -> Arc<dyn TangentSpace> {
        self.space.clone()
    }

    fn read(&self) -> Result<Read<Vec<f64>>, PointStudyError> {
        self.functions.read()
    }
}

/// Functions about a public one: samples on the grid.
#[derive(Debug)]
struct FunctionSpace {
    shown: Shown,
    basis: Basis,
    centre: Vec<f64>,
    bound: f64,
    smoothness: Smoothness,
}

impl TangentSpace for FunctionSpace {
    fn words(&self) -> Words {
        Words {
            command: "function",
            record: "function",
            records: "functions",
            distance: "root mean square over the samples, channels summed",
            space: "functions by their samples",
        }
    }

    fn terms(&self) -> Terms {
        Terms::FUNCTIONS
    }

    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn centre(&self) -> &[f64] {
        &self.centre
    }

    fn radius(&self) -> f64 {
        self.bound
    }

    fn axes(&self) -> &[usize] {
        &self.shown.shape
    }

    fn point(&self, samples: &[f64]) -> Vec<f64> {
        samples.to_vec()
    }

    fn entries(&self) -> Option<&DMatrix<f64>> {
        None
    }

    fn details(&self) -> Map<String, Value> {
        let details = json!({
            "domain": self.shown.domain,
            "channels": self.shown.channels,
            "public_centre": if self.shown.centre.is_some() { "a public function" } else { "zero" },
            "bound": self.bound,
            "radius_of": "functions about the public centre (root mean square over the samples, channels summed); they are shortened in the norm \
                          of the coordinates, in which a function as smooth as expected has the clip radius when it has this one",
            "expected_smoothness": self.smoothness,
            "positions": if self.shown.positions.is_some() {
                "declared; each record was taken to equal steps by linear interpolation"
            } else {
                "equal steps"
            },
            "units": "those of the records",
        });
        if let Value::Object(details) = details { details } else { Map::new() }
    }

    fn mean_figures(&self, mean: &[f64], _: &[f64]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let mut shown = vec![("private mean", mean)];
        shown.extend(self.shown.centre.as_deref().map(|centre| ("public centre", centre)));
        Ok(vec![self.shown.drawn("mean", &shown, "The released mean.")?])
    }

    fn displaced_figures(&self, displaced: &Displaced<'_>) -> Result<Vec<Figure>, PointStudyError> {
        let Displaced { mean, to, ends, caption } = *displaced;
        let [minus, plus] = to.map(|by| mean.iter().zip(by).map(|(m, d)| m + d).collect::<Vec<f64>>());
        let title = caption.split(':').next().unwrap_or(caption);
        let shown = [("private mean", mean), (ends[0], &minus[..]), (ends[1], &plus[..])];
        self.shown.drawn(title, &shown, &format!("{caption}."))
    }

    fn means_figures(&self, means: &[(&str, Vec<f64>)]) -> Result<Vec<Vec<Figure>>, PointStudyError> {
        let shown: Vec<(&str, &[f64])> = means.iter().map(|(name, mean)| (*name, &mean[..])).collect();
        Ok(vec![self.shown.drawn("means", &shown, "The means of the groups over one another.")?])
    }

    fn write_beside(&self, folder: &mut ReleaseFolder) -> Result<(), PointStudyError> {
        if let Some(grid) = &self.shown.positions {
            folder.write_with(POSITIONS, |path| write_npy(path, &[grid.len()], grid))?;
        }
        Ok(())
    }
}
