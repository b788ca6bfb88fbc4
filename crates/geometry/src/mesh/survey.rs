//! Where an unfinished surface is open, pinched or has handles.

use super::Point;
use super::edges::{EdgeTable, corner_fans};
use super::topology::{BoundaryLoop, border, component_labels};
use std::collections::HashMap;

/// The state of a surface of one component.
pub(crate) struct Survey {
    pub table: EdgeTable,
    /// The fan of each corner.
    pub fans: Vec<usize>,
    /// Longest first.
    pub loops: Vec<BoundaryLoop>,
    /// For every vertex of theirs a corner in the fan that the loop passes.
    pub corners: Vec<Vec<usize>>,
    /// Handles of the surface once cut apart at its pinched vertices.
    pub handles: usize,
}

impl Survey {
    pub fn of(points: &[Point], triangles: &[[usize; 3]]) -> Self {
        Self::with(EdgeTable::new(triangles, points.len()), points, triangles)
    }

    /// The same with the table of these triangles.
    pub fn with(table: EdgeTable, points: &[Point], triangles: &[[usize; 3]]) -> Self {
        let fans = corner_fans(triangles, &table);
        let (loops, corners): (Vec<_>, Vec<_>) = border(points, triangles, &table).into_iter().unzip();
        let n_fans = fans.iter().enumerate().filter(|&(corner, &fan)| corner == fan).count();
        let characteristic = (n_fans + triangles.len()) as i64 - table.edges().len() as i64;
        let handles = usize::try_from((2 - characteristic - loops.len() as i64) / 2).unwrap_or(0);
        Self { table, fans, loops, corners, handles }
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
        let mut is_repeated = vec![false; repeated.iter().max().map_or(0, |last| last + 1)];
        repeated.into_iter().for_each(|v| is_repeated[v] = true);
        let mut fans_of: HashMap<usize, HashMap<usize, Vec<usize>>> = HashMap::new();
        for (corner, &fan) in self.fans.iter().enumerate() {
            let v = triangles[corner / 3][corner % 3];
            if is_repeated.get(v).is_some_and(|&is| is) {
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

/// The triangles that are not in the component with the most, given the table of them all.
pub(crate) fn beside_largest_component(triangles: &[[usize; 3]], table: &EdgeTable) -> Vec<usize> {
    let labels = component_labels(triangles, table);
    let mut sizes = vec![0usize; triangles.len()];
    labels.iter().for_each(|&l| sizes[l] += 1);
    let Some(largest) = (0..sizes.len()).max_by_key(|&l| (sizes[l], std::cmp::Reverse(l))) else {
        return Vec::new();
    };
    (0..labels.len()).filter(|&t| labels[t] != largest).collect()
}

/// How many triangles each component has.
pub(crate) fn component_sizes(triangles: &[[usize; 3]], table: &EdgeTable) -> Vec<usize> {
    let mut sizes = vec![0usize; triangles.len()];
    component_labels(triangles, table).into_iter().for_each(|l| sizes[l] += 1);
    sizes.retain(|&size| size > 0);
    sizes
}
