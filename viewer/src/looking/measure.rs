//! Works out what the instruments say of a drawing.

use super::measurements::{Measurements, NamedPlace};
use super::{Instruments, Lengths, Ruler, landmarks};
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::subject::{Shape, Subject};
use visard::mesh::Point;
use visard::study::face::Units;

/// What the instruments say of a drawing before the cut, which makes vertices of its own; `units` are those that were named for its subject.
///
/// # Errors
/// [`ViewerError::NoSuchEnd`]: a ruler from or to what is not there.
pub fn measure(
    subject: &Subject,
    drawing: &Drawing,
    instruments: &Instruments,
    units: Option<Units>,
) -> Result<Measurements, ViewerError> {
    let own: Vec<[f32; 3]>;
    // A thinned mesh and the discs of a cloud have other vertices than their subject.
    let as_drawn =
        matches!(&subject.shape, Shape::Surface(m) if m.vertices().len() == drawing.positions.len());
    let vertices = if as_drawn {
        &drawing.positions
    } else {
        own = subject.shape.points().iter().map(|p| drawing.frame.place(p)).collect();
        &own
    };
    let normal = |k: usize| if as_drawn { drawing.normals.get(k).copied() } else { None };
    let named = |(name, place): (String, Result<usize, Point>)| match place {
        Ok(k) => Some(NamedPlace { name, at: *vertices.get(k)?, normal: normal(k) }),
        Err(p) => Some(NamedPlace { name, at: drawing.frame.place(&p), normal: None }),
    };
    let wanted = instruments.landmarks || !instruments.rulers.is_empty();
    let landmarks =
        if wanted { landmarks::of(subject).into_iter().filter_map(named).collect() } else { Vec::new() };
    let mut measurements =
        Measurements { lengths: Lengths::of(subject, units), landmarks, readings: Vec::new() };
    let read = |ruler: &Ruler| ruler.read(&measurements, &drawing.frame, vertices, &subject.name);
    measurements.readings = instruments.rulers.iter().map(read).collect::<Result<_, _>>()?;
    Ok(measurements)
}
