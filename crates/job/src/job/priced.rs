//! A price that was checked, before anything is charged.

use crate::privacy::{Part, Price};

/// A price that the ledger has room for, and what will be published for it.
#[derive(Debug)]
pub struct Priced<P> {
    pub(super) price: Price,
    /// What the ledger is charged: the price, for the neighbours that the study protects, and marked where its noise is seeded.
    pub(super) charged: Part,
    pub(super) publication: P,
}

impl<P> Priced<P> {
    /// What it costs.
    pub fn price(&self) -> &Price {
        &self.price
    }

    /// What will be published: made of public things only.
    pub fn publication(&self) -> &P {
        &self.publication
    }
}
