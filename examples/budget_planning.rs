//! Budget planning: what several releases cost together, and what a ceiling refuses.
//!
//! `cargo run --release --example budget_planning`

use std::error::Error;
use visard::privacy::{Delta, Ledger, Mu, PrivacyLoss};

fn main() -> Result<(), Box<dyn Error>> {
    let ceiling = PrivacyLoss::Gaussian(Mu::new(2.0)?);
    let mut ledger = Ledger::in_memory(Some(ceiling));
    for (what, mu) in [("pilot face", 0.5), ("final face", 1.5), ("landmark mean", 1.0)] {
        let charge = ledger.charge(what, PrivacyLoss::Gaussian(Mu::new(mu)?))?;
        let total = ledger.spent().total()?;
        println!("{what}: {}, together {total}", charge.loss());
    }
    let epsilon = ledger.spent().epsilon_at(Delta::new(1e-6)?)?.epsilon;
    println!("all three are ({epsilon}, delta = 1e-6)-differentially private");
    // √(0.5² + 1.5² + 1²) = 1.87: another μ = 1 would make 2.12.
    let refused = ledger.charge("one more", PrivacyLoss::Gaussian(Mu::new(1.0)?));
    match refused {
        Err(e) => println!("refused: {e}"),
        Ok(_) => return Err("the ceiling did not hold".into()),
    }
    Ok(())
}
