//! What the instruments know of a drawing.

use super::{Lengths, NamedPlace, Ruled, Ruler, landmarks};
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::pane::Show;
use crate::subject::{Shape, Subject};
use visard::mesh::Point;

/// Lengths, landmarks and what the rulers read.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// How lengths are said.
    pub lengths: Lengths,
    /// The landmarks that have a name.
    pub landmarks: Vec<NamedPlace>,
    /// The rulers' ends and what they read.
    pub ruled: Vec<Ruled>,
}

/// What they know of a drawing, before the cut, which makes vertices of its own.
///
/// # Errors
/// [`ViewerError::NoSuchEnd`]: a ruler from or to what is not there.
pub fn of(subject: &Subject, drawing: &Drawing, show: &Show) -> Result<Known, ViewerError> {
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
    let instruments = &show.instruments;
    let wanted = instruments.landmarks || !instruments.rulers.is_empty();
    let landmarks =
        if wanted { landmarks::of(subject).into_iter().filter_map(named).collect() } else { Vec::new() };
    let mut known = Known { lengths: Lengths::of(subject, show.units), landmarks, ruled: Vec::new() };
    let read = |ruler: &Ruler| ruler.read(&known, &drawing.frame, vertices, &subject.name);
    known.ruled = instruments.rulers.iter().map(read).collect::<Result<_, _>>()?;
    Ok(known)
}
