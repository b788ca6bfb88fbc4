//! Disjoint sets (union–find).

/// A partition of 0..n, n < 2³², at first into singletons.
#[derive(Debug, Clone)]
pub(crate) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// `n` singletons.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect() }
    }

    /// The representative of the set of `i`: its smallest member.
    pub fn find(&mut self, mut i: usize) -> usize {
        loop {
            let above = self.parent[i] as usize;
            if above == i {
                return i;
            }
            self.parent[i] = self.parent[above];
            i = self.parent[i] as usize;
        }
    }

    /// Joins the sets of `i` and `j`; true when they were different. The smaller representative stays, so
    /// that labels do not depend on the order of the calls.
    pub fn unite(&mut self, i: usize, j: usize) -> bool {
        let (i, j) = (self.find(i), self.find(j));
        self.parent[i.max(j)] = i.min(j) as u32;
        i != j
    }

    /// The representative of every element.
    pub fn into_labels(mut self) -> Vec<usize> {
        (0..self.parent.len()).map(|i| self.find(i)).collect()
    }
}
