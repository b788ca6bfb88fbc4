//! The list of repairs.

use serde::Serialize;

/// One kind of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RepairKind {
    /// Vertices at exactly the same place as an earlier one were replaced by it.
    WeldedVertices,
    /// Border vertices of different pieces that lay close together were made one.
    StitchedSeams,
    /// Triangles naming a vertex twice were dropped.
    DroppedCollapsedTriangles,
    /// Triangles with the corners of an earlier one were dropped.
    DroppedDuplicateTriangles,
    /// Triangles were dropped that stood out from edges with three or more sides, or could not be oriented.
    DroppedTangledTriangles,
    /// Triangles were turned over to agree with their neighbours.
    TurnedTriangles,
    /// Pieces not connected with the face were dropped.
    DroppedPieces,
    /// The inner side of a shell or the back of a cap was dropped.
    DroppedBack,
    /// What lies farther from the nose tip than the crop radius was cut off.
    Cropped,
    /// Vertices thrown out of the surface were taken away with their triangles.
    RemovedSpikes,
    /// Triangles were taken away along short cuts across handles.
    OpenedHandles,
    /// Holes were filled.
    FilledHoles,
    /// Vertices where the border touched itself were doubled.
    SplitVertices,
    /// Triangles of (nearly) no area were exchanged by flipping edges.
    FlippedSlivers,
    /// The whole surface was turned over to face the side towards which it bulges.
    TurnedOver,
    /// Vertices in no triangle were dropped.
    DroppedUnusedVertices,
}

/// A repair and what it touched, in the numbering of the input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repair {
    /// What was done.
    pub kind: RepairKind,
    /// Input vertices concerned: dropped, welded, doubled, on the rim of filled holes or of the cut.
    pub vertices: Vec<usize>,
    /// Input triangles concerned: dropped, turned or cut.
    pub triangles: Vec<usize>,
    /// How many triangles are new.
    pub new_triangles: usize,
}

/// The repairs in the order they were done; empty when the mesh was a disk already.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RepairLog {
    /// One entry for each kind of repair and round.
    pub repairs: Vec<Repair>,
}

impl std::fmt::Display for RepairLog {
    /// One line: `welded vertices (12 vertices), filled holes (3 new triangles)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.repairs.is_empty() {
            return f.write_str("nothing to repair");
        }
        for (i, repair) in self.repairs.iter().enumerate() {
            let words: String = format!("{:?}", repair.kind)
                .chars()
                .flat_map(|c| if c.is_uppercase() { vec![' ', c.to_ascii_lowercase()] } else { vec![c] })
                .collect();
            let counts = [
                (repair.vertices.len(), "vertices"),
                (repair.triangles.len(), "triangles"),
                (repair.new_triangles, "new triangles"),
            ];
            let counts: Vec<String> =
                counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{} ({})", words.trim(), counts.join(", "))?;
        }
        Ok(())
    }
}
