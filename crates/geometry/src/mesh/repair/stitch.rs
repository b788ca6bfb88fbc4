//! Seams: the charts of a textured photograph share no vertices, and may lie a little apart.

use super::super::Point;
use super::super::edges::EdgeTable;
use super::super::nearest::NearestPoint;
use super::super::unite::Sets;
use super::log::RepairKind;
use super::work::Work;
use std::collections::HashMap;

/// Border vertices of different pieces are one where they are nearer than this fraction of the mean length of the border's edges: two neighbours of one
/// border are joined, by a third between them, only if they are nearer than twice that, and exporters round by far less.
const NEAR: f64 = 0.3;

/// Makes one vertex of border vertices of different pieces that lie close together; `true` if there were any.
pub(crate) fn stitch(work: &mut Work, table: &EdgeTable, labels: &[usize]) -> bool {
    if labels.iter().all(|&l| l == labels[0]) {
        return false;
    }
    // A border vertex, and the pieces it is on the border of.
    let mut pieces: HashMap<usize, Vec<usize>> = HashMap::new();
    let (mut length, mut edges) = (0.0, 0.0);
    for edge in table.edges() {
        let &[side] = table.sides(edge) else { continue };
        let [a, b] = edge.ends;
        (length, edges) = (length + (work.places[a] - work.places[b]).norm(), edges + 1.0);
        for v in edge.ends {
            pieces.entry(v).or_default().push(labels[side / 3]);
        }
    }
    let mut border: Vec<usize> = pieces.keys().copied().collect();
    border.sort_unstable();
    let places: Vec<Point> = border.iter().map(|&v| work.places[v]).collect();
    let Ok(near) = NearestPoint::new(places.iter()) else { return false };
    let mut one = Sets::new(work.places.len());
    let reach = NEAR * length / edges;
    for (i, &v) in border.iter().enumerate() {
        let apart = |&j: &usize| pieces[&border[j]].iter().all(|piece| !pieces[&v].contains(piece));
        let distance = |j: usize| (places[j] - places[i]).norm_squared();
        let others = near.within(&places[i], reach).into_iter().filter(apart);
        if let Some(j) = others.min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b))) {
            one.unite(v, border[j]);
        }
    }
    let labels = one.into_labels();
    let stitched = work.sources((0..labels.len()).filter(|&v| labels[v] != v));
    if stitched.is_empty() {
        return false;
    }
    work.triangles.iter_mut().flatten().for_each(|v| *v = labels[*v]);
    work.note(RepairKind::StitchedSeams, stitched, vec![], 0);
    true
}
