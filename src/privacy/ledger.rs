//! The ledger: every release is charged before its noise is drawn.

/// Proof that a ledger has recorded one release; only the ledger can make one, so unpaid sampling does not compile.
#[derive(Debug)]
pub struct Charge(());

impl Charge {
    /// For tests of mechanisms on made-up data inside this crate.
    #[cfg(test)]
    #[allow(dead_code)]
    pub(crate) fn for_tests() -> Self {
        Self(())
    }
}
