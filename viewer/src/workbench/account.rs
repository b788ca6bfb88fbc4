//! What a budget means, and what the ledger has left: in words.

use std::path::Path;
use visard::privacy::{Ceiling, Delta, Ledger, Mu, Neighbours, PrivacyLoss, rounded_up};
use visard::study::ledger_of;

/// The δ at which budgets are also stated as ε.
pub const DELTA: f64 = 1e-6;

/// What the study's ledger holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    /// Number of charges.
    pub charges: usize,
    /// All of them together for one record replaced by any other, which is what a mean protects; `None` where they have no common μ.
    pub spent: Option<Mu>,
    /// The ceilings, all of which hold.
    pub ceilings: Vec<Ceiling>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl Account {
    /// Of the study in this folder; nothing is opened for writing.
    pub fn of(study: &Path) -> Self {
        let read = || -> Result<Self, String> {
            let file = ledger_of(study).map_err(|e| e.to_string())?;
            let Some(file) = file.filter(|file| file.exists()) else { return Ok(Self::default()) };
            let history = Ledger::history(&file).map_err(|e| e.to_string())?;
            let spent = history.spent().for_neighbours(&Neighbours::default()).mu().ok().flatten();
            Ok(Self { charges: history.charges.len(), spent, ceilings: history.ceilings, problem: None })
        };
        read().unwrap_or_else(|problem| Self { problem: Some(problem), ..Self::default() })
    }

    /// What it holds.
    pub fn sentence_now(&self) -> String {
        match (&self.problem, self.spent) {
            (Some(problem), _) => problem.clone(),
            (None, Some(mu)) => format!("The ledger holds {} of {mu} together.", charges(self.charges)),
            (None, None) => format!("The ledger holds {}.", charges(self.charges)),
        }
    }

    /// What it holds, what it would hold after another charge, and what is left below its lowest ceiling.
    pub fn sentence(&self, next: Mu) -> String {
        if let Some(problem) = &self.problem {
            return problem.clone();
        }
        let spent = self.spent.map_or(0.0, Mu::get);
        let after = spent.hypot(next.get());
        let held = match (self.charges, self.spent) {
            (0, _) => "The ledger is empty".to_owned(),
            (many, Some(mu)) => format!("The ledger holds {}, together {mu}", charges(many)),
            (many, None) => return format!("The ledger holds {} without a common mu.", charges(many)),
        };
        let lowest = self.ceilings.iter().filter_map(|ceiling| match ceiling.loss {
            PrivacyLoss::Gaussian(mu) if ceiling.neighbours == Neighbours::default() => Some(mu.get()),
            _ => None,
        });
        let left = match lowest.reduce(f64::min) {
            None if self.ceilings.is_empty() => "it has no ceiling".to_owned(),
            None => "its ceilings are in other terms, and are asked before the charge".to_owned(),
            Some(ceiling) if after > ceiling => format!("its ceiling mu = {ceiling:.3} has no room for this"),
            Some(ceiling) => {
                format!(
                    "{:.3} is left below its ceiling mu = {ceiling:.3}",
                    (ceiling * ceiling - after * after).sqrt()
                )
            }
        };
        format!("{held}; with this charge mu = {after:.3}; {left}.")
    }
}

fn charges(many: usize) -> String {
    format!("{many} {}", if many == 1 { "charge" } else { "charges" })
}

/// What a budget means for one person.
pub fn meaning(mu: Mu) -> String {
    format!(
        "An attacker who knows everything except which of two people's faces was used guesses right at most {:.1} % of the time; a coin is right 50 %.",
        guesses(mu)
    )
}

/// Right guesses per cent, rounded up: fewer would claim more than is proven.
pub fn guesses(mu: Mu) -> f64 {
    rounded_up(100.0 * mu.guess_probability(), 1).min(100.0)
}

/// The same as ε, rounded up.
pub fn as_epsilon(mu: Mu) -> String {
    let epsilon = Delta::new(DELTA).and_then(|delta| mu.epsilon_at(delta));
    epsilon.map_or_else(
        |e| e.to_string(),
        |e| format!("epsilon = {:.2} at delta = {DELTA:.0e}", rounded_up(e.get(), 2)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mu(value: f64) -> Mu {
        Mu::new(value).unwrap()
    }

    #[test]
    fn what_is_left_is_the_other_leg_of_the_triangle() {
        let account = Account {
            charges: 1,
            spent: Some(mu(3.0)),
            ceilings: vec![Ceiling {
                loss: PrivacyLoss::Gaussian(mu(13.0)),
                neighbours: Neighbours::default(),
                after: 0,
            }],
            problem: None,
        };
        // 3² + 4² = 5², 13² − 5² = 12².
        let said = account.sentence(mu(4.0));
        assert!(said.contains("mu = 5.000") && said.contains("12.000 is left"), "{said}");
        assert!(account.sentence(mu(13.0)).contains("no room"));
        assert!(Account::default().sentence(mu(1.0)).contains("empty"));
    }

    #[test]
    fn odds_are_those_of_the_normal_law() {
        // Φ(1/2) = 0.6915; μ = 1 is ε = 4.89 at δ = 10⁻⁶ (bisection of the trade-off function's closed form).
        assert!(meaning(mu(1.0)).contains("at most 69.2 %"));
        let said = as_epsilon(mu(1.0));
        let number: f64 = said.split(' ').nth(2).unwrap().parse().unwrap();
        let delta = |e: f64| cdf(0.5 - e) - e.exp() * cdf(-0.5 - e);
        assert!((delta(number) / 1e-6).ln().abs() < 0.1, "{said}");
    }

    /// Φ by its continued series: Abramowitz & Stegun 26.2.17's error is too large here, so by Simpson's rule.
    fn cdf(x: f64) -> f64 {
        let (n, low) = (20_000, -12.0);
        let h = (x - low) / f64::from(n);
        let f = |t: f64| (-0.5 * t * t).exp() / std::f64::consts::TAU.sqrt();
        let inner: f64 = (1..n).map(|k| if k % 2 == 1 { 4.0 } else { 2.0 } * f(low + h * f64::from(k))).sum();
        h / 3.0 * (f(low) + inner + f(x))
    }
}
