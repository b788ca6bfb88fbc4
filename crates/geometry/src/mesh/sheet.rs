//! A surface patch put together triangle by triangle, oriented and edge-manifold at every moment.

/// Triangles that never share a directed side and never close a fan round a vertex that has other triangles:
/// every vertex has either one closed fan or open ones only.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    triangles: Vec<[u32; 3]>,
    /// For every vertex the opposite sides (b, c) of its triangles (v, b, c).
    links: Vec<Vec<[u32; 2]>>,
}

impl Sheet {
    /// No triangles yet on `n` vertices.
    pub fn new(n: usize) -> Self {
        Self { triangles: Vec::with_capacity(2 * n), links: vec![Vec::with_capacity(8); n] }
    }

    /// Adds a triangle if the sheet stays sound; says whether it did.
    pub fn try_add(&mut self, corners: [u32; 3]) -> bool {
        let turned = |k: usize| [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
        if !(0..3).all(|k| self.link_stays_sound(turned(k))) {
            return false;
        }
        for k in 0..3 {
            let [v, b, c] = turned(k);
            self.links[v as usize].push([b, c]);
        }
        self.triangles.push(corners);
        true
    }

    fn link_stays_sound(&self, [v, b, c]: [u32; 3]) -> bool {
        let link = &self.links[v as usize];
        if link.iter().any(|&[from, to]| from == b || to == c) {
            return false;
        }
        // Follow the link from c: coming to b means that the fan closes, and then it must be the only one.
        let (mut at, mut steps) = (c, 0);
        while let Some(&[_, to]) = link.iter().find(|&&[from, _]| from == at) {
            at = to;
            steps += 1;
            if at == c {
                return false;
            }
        }
        if at == b { steps == link.len() } else { !self.is_closed(v) }
    }

    /// True when the triangles go all the way round `v`.
    pub fn is_closed(&self, v: u32) -> bool {
        let link = &self.links[v as usize];
        link.first().is_some_and(|&[first, _]| {
            link.iter().any(|&[_, to]| to == first) && {
                let (mut at, mut steps) = (first, 0);
                while let Some(&[_, to]) = link.iter().find(|&&[from, _]| from == at) {
                    at = to;
                    steps += 1;
                    if at == first {
                        break;
                    }
                }
                at == first && steps == link.len()
            }
        })
    }

    /// The triangles so far.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}
