//! Elimination order and symbolic factor of the matrices that live on the edges of a mesh: on a disk interior vertices
//! first, boundary last, so that the end of the Cholesky factor is that of the Schur complement on the boundary.

use super::ConformalError;
use crate::mesh::{DiskMesh, EdgeTable, TriMesh};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{simplicial, supernodal};
use nalgebra_sparse::pattern::SparsityPattern;

/// Everything about Laplacian-like matrices of one mesh that does not depend on their values.
#[derive(Debug)]
pub(crate) struct Elimination {
    n_interior: usize,
    position: Vec<usize>,
    pattern: SparsityPattern,
    symbolic: supernodal::SymbolicSupernodalCholesky<usize>,
    slots: Vec<TriangleSlots>,
}

/// Where the entries of one triangle lie in the lower triangle, in elimination order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TriangleSlots {
    /// Diagonal entries of the three corners.
    pub(crate) diagonal: [usize; 3],
    /// Entry of side k, from corner k to corner k + 1.
    pub(crate) side: [usize; 3],
    /// Whether corner k is the row of side k (it comes later in the elimination).
    pub(crate) start_is_row: [bool; 3],
}

fn failed(error: impl std::fmt::Debug) -> ConformalError {
    ConformalError::Factorization(format!("{error:?}"))
}

impl Elimination {
    /// Orders the vertices: interior by approximate minimum degree, then the boundary along its loop.
    pub(crate) fn new(disk: &DiskMesh) -> Result<Self, ConformalError> {
        Self::of(disk.mesh(), disk.boundary())
    }

    /// The vertices of any mesh by approximate minimum degree, those of `last` after them, in their order.
    pub(crate) fn of(mesh: &TriMesh, last: &[usize]) -> Result<Self, ConformalError> {
        let (triangles, n) = (mesh.triangles(), mesh.vertices().len());
        let table = EdgeTable::new(triangles, n);
        let position = elimination_order(&table, n, last)?;
        let edges: Vec<[usize; 2]> = table.edges().iter().map(|e| e.ends.map(|v| position[v])).collect();
        let (pattern, slot_of_edge) = lower_pattern(&edges, n)?;
        let symbolic = symbolic_factor(&pattern)?;
        let mut slots = vec![TriangleSlots::default(); triangles.len()];
        for (edge, &slot) in table.edges().iter().zip(&slot_of_edge) {
            for &side in table.sides(edge) {
                slots[side / 3].side[side % 3] = slot;
            }
        }
        for (slots, triangle) in slots.iter_mut().zip(triangles) {
            for k in 0..3 {
                let (from, to) = (position[triangle[k]], position[triangle[(k + 1) % 3]]);
                slots.diagonal[k] = pattern.major_offsets()[from];
                slots.start_is_row[k] = from > to;
            }
        }
        Ok(Self { n_interior: n - last.len(), position, pattern, symbolic, slots })
    }

    /// Number of vertices.
    pub(crate) fn n(&self) -> usize {
        self.position.len()
    }

    /// Number of interior vertices; they come first.
    pub(crate) fn n_interior(&self) -> usize {
        self.n_interior
    }

    /// Place of every vertex in the elimination order. The boundary loop takes the last places, in order.
    pub(crate) fn position(&self) -> &[usize] {
        &self.position
    }

    /// Lower triangle in elimination order, compressed by columns, rows rising, diagonal first.
    pub(crate) fn pattern(&self) -> &SparsityPattern {
        &self.pattern
    }

    /// Entries of the triangles.
    pub(crate) fn slots(&self) -> &[TriangleSlots] {
        &self.slots
    }

    pub(crate) fn symbolic(&self) -> &supernodal::SymbolicSupernodalCholesky<usize> {
        &self.symbolic
    }
}

fn elimination_order(table: &EdgeTable, n: usize, boundary: &[usize]) -> Result<Vec<usize>, ConformalError> {
    const BOUNDARY: usize = usize::MAX;
    let mut interior_index = vec![0; n];
    boundary.iter().for_each(|&v| interior_index[v] = BOUNDARY);
    let mut n_interior = 0;
    for index in interior_index.iter_mut().filter(|i| **i != BOUNDARY) {
        *index = n_interior;
        n_interior += 1;
    }
    let interior_edges: Vec<[usize; 2]> = table
        .edges()
        .iter()
        .map(|e| e.ends.map(|v| interior_index[v]))
        .filter(|ends| !ends.contains(&BOUNDARY))
        .collect();
    let rank = minimum_degree(&interior_edges, n_interior)?;
    let mut position: Vec<usize> =
        interior_index.iter().map(|&i| if i == BOUNDARY { 0 } else { rank[i] }).collect();
    boundary.iter().enumerate().for_each(|(k, &v)| position[v] = n_interior + k);
    Ok(position)
}

/// Rank of each of `n` nodes in an approximate minimum degree ordering.
fn minimum_degree(edges: &[[usize; 2]], n: usize) -> Result<Vec<usize>, ConformalError> {
    if n == 0 {
        return Ok(Vec::new());
    }
    let (pattern, _) = lower_pattern(edges, n)?;
    let matrix = as_faer(&pattern);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<usize>(n, pattern.nnz())).map_err(failed)?;
    let (mut order, mut rank) = (vec![0; n], vec![0; n]);
    amd::order(&mut order, &mut rank, matrix, amd::Control::default(), MemStack::new(&mut memory))
        .map_err(failed)?;
    Ok(rank)
}

/// Lower triangle (with diagonal) of the symmetric pattern of these edges, and the slot of each edge.
fn lower_pattern(edges: &[[usize; 2]], n: usize) -> Result<(SparsityPattern, Vec<usize>), ConformalError> {
    let mut offsets = vec![0usize; n + 1];
    edges.iter().for_each(|&[a, b]| offsets[a.min(b) + 1] += 1);
    (0..n).for_each(|j| offsets[j + 1] += offsets[j] + 1);
    let mut rows = vec![(0usize, usize::MAX); offsets[n]];
    let mut fill = offsets.clone();
    for j in 0..n {
        rows[fill[j]].0 = j;
        fill[j] += 1;
    }
    for (e, &[a, b]) in edges.iter().enumerate() {
        let (column, row) = (a.min(b), a.max(b));
        rows[fill[column]] = (row, e);
        fill[column] += 1;
    }
    let mut slot_of_edge = vec![0; edges.len()];
    for j in 0..n {
        rows[offsets[j] + 1..offsets[j + 1]].sort_unstable();
        for slot in offsets[j] + 1..offsets[j + 1] {
            slot_of_edge[rows[slot].1] = slot;
        }
    }
    let rows = rows.into_iter().map(|(row, _)| row).collect();
    let pattern = SparsityPattern::try_from_offsets_and_indices(n, n, offsets, rows).map_err(failed)?;
    Ok((pattern, slot_of_edge))
}

/// A compressed-column pattern as faer sees it.
pub(crate) fn as_faer(pattern: &SparsityPattern) -> SymbolicSparseColMatRef<'_, usize> {
    let (n, m) = (pattern.minor_dim(), pattern.major_dim());
    SymbolicSparseColMatRef::new_checked(n, m, pattern.major_offsets(), None, pattern.minor_indices())
}

fn symbolic_factor(
    lower: &SparsityPattern,
) -> Result<supernodal::SymbolicSupernodalCholesky<usize>, ConformalError> {
    let n = lower.major_dim();
    let upper = lower.transpose();
    let upper = as_faer(&upper);
    let scratch = StackReq::any_of(&[
        simplicial::prefactorize_symbolic_cholesky_scratch::<usize>(n, lower.nnz()),
        supernodal::factorize_supernodal_symbolic_cholesky_scratch::<usize>(n),
    ]);
    let mut memory = MemBuffer::try_new(scratch).map_err(failed)?;
    let stack = MemStack::new(&mut memory);
    let (mut tree, mut counts) = (vec![0isize; n], vec![0usize; n]);
    let tree = simplicial::prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper, stack);
    supernodal::factorize_supernodal_symbolic_cholesky(upper, tree, &counts, stack, Default::default())
        .map_err(failed)
}
