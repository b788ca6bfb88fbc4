//! Where an unfinished surface is open, pinched or has handles.

use super::Point;
use super::edges::{EdgeTable, corner_fans};
use super::topology::{BoundaryLoop, boundary_loops, component_labels};
use std::collections::HashMap;

/// The state of a surface of one component.
pub(crate) struct Survey {
    pub table: EdgeTable,
    /// The fan of each corner.
    pub fans: Vec<usize>,
    /// Longest first.
    pub loops: Vec<BoundaryLoop>,
    /// Handles of the surface once cut apart at its pinched vertices.
    pub handles: usize,
}

impl Survey {
    pub fn of(points: &[Point], triangles: &[[usize; 3]]) -> Self {
        let table = EdgeTable::new(triangles, points.len());
        let fans = corner_fans(triangles, &table);
        let loops = boundary_loops(points, triangles, &table);
        let n_fans = fans.iter().enumerate().filter(|&(corner, &fan)| corner == fan).count();
        let characteristic = (n_fans + triangles.len()) as i64 - table.edges().len() as i64;
        let handles = usize::try_from((2 - characteristic - loops.len() as i64) / 2).unwrap_or(0);
        Self { table, fans, loops, handles }
    }

    /// Triangles to take away where a loop passes a vertex twice: all at that vertex but its largest fan.
    pub fn lesser_fans(&self, triangles: &[[usize; 3]]) -> Vec<usize> {
        let mut repeated = vec![];
        for l in &self.loops {
            let mut sorted = l.vertices.clone();
            sorted.sort_unstable();
            repeated.extend(sorted.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0]));
        }
        if repeated.is_empty() {
            return Vec::new();
        }
        repeated.sort_unstable();
        let mut fans_of: HashMap<usize, HashMap<usize, Vec<usize>>> = HashMap::new();
        for (corner, &fan) in self.fans.iter().enumerate() {
            let v = triangles[corner / 3][corner % 3];
            if repeated.binary_search(&v).is_ok() {
                fans_of.entry(v).or_default().entry(fan).or_default().push(corner / 3);
            }
        }
        let mut out = Vec::new();
        for fans in fans_of.values() {
            let largest = fans.iter().map(|(fan, list)| (list.len(), std::cmp::Reverse(*fan))).max();
            out.extend(
                fans.iter().filter(|(fan, _)| largest.is_some_and(|l| l.1.0 != **fan)).flat_map(|(_, l)| l),
            );
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// Keeps the component with the most triangles, given the table of them all; returns how many triangles went.
pub(crate) fn keep_largest_component(triangles: &mut Vec<[usize; 3]>, table: &EdgeTable) -> usize {
    let labels = component_labels(triangles, table);
    let mut sizes = vec![0usize; triangles.len()];
    labels.iter().for_each(|&l| sizes[l] += 1);
    let Some(largest) = (0..sizes.len()).max_by_key(|&l| (sizes[l], std::cmp::Reverse(l))) else { return 0 };
    let before = triangles.len();
    if sizes[largest] < before {
        let mut t = 0;
        triangles.retain(|_| {
            t += 1;
            labels[t - 1] == largest
        });
    }
    before - triangles.len()
}

/// How many triangles each component has.
pub(crate) fn component_sizes(triangles: &[[usize; 3]], table: &EdgeTable) -> Vec<usize> {
    let mut sizes = vec![0usize; triangles.len()];
    component_labels(triangles, table).into_iter().for_each(|l| sizes[l] += 1);
    sizes.retain(|&size| size > 0);
    sizes
}
