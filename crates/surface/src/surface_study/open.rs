//! Surfaces as records of the statistics that every kind has.

use super::inputs::SurfaceInputs;
use super::records::SurfaceRecords;
use crate::study::Place;
use crate::study::points::PointStudyError;
use crate::study::tangent::{OtherRecords, TangentInputs, TangentRecords};
use std::sync::Arc;

impl OtherRecords for SurfaceInputs {
    fn open(&self) -> Result<Box<dyn TangentRecords + '_>, PointStudyError> {
        Ok(Box::new(SurfaceRecords::open(self)?))
    }

    fn place(&self) -> &Place {
        &self.place
    }
}

impl From<SurfaceInputs> for TangentInputs {
    fn from(inputs: SurfaceInputs) -> Self {
        Self::Other(Arc::new(inputs))
    }
}
