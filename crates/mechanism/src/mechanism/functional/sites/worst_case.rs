//! People far out on one side at all sites, the first there too or opposite; as many sites silent as may be.

use super::rounds::Centre;
use super::{Sharing, Sites, SitesMean, SitesRounds, TITLE};
use crate::function::{Basis, Domain};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{FunctionalMean, NoisedFunction, Norm};
use crate::privacy::audit::{AuditError, Auditable, PairAudit, WorstCase, whole};
use crate::privacy::noise::NoiseSource;
use crate::privacy::{ClipRadius, ClipSource, Entry, Ledger, Mu, Released, ScaleCheck, release};

/// As the registry knows it.
pub const ENTRY: Entry =
    Entry { name: "sites", title: TITLE, proof: include_str!("proof.md"), scale, worst_cases: WORST_CASES };

const WORST_CASES: &[WorstCase] = &[
    WorstCase { name: "sites", make: audit, loss: whole, runs: 20_000 },
    WorstCase { name: "sites-aggregators", make: audit_aggregators, loss: whole, runs: 20_000 },
];

const CURVES: usize = 2;
const SAMPLES: usize = 8;
const LENGTH: usize = 3 * CURVES * SAMPLES;
const CENTRE: f64 = 0.25;

fn basis() -> Basis {
    Basis::new(Domain::Disk { curves: CURVES, samples: SAMPLES }, 3)
}

/// Only as many shares of noise are drawn as must be honest: what one sees who knows the others.
fn mechanism(sharing: Sharing, sizes: Vec<u64>, mu: Mu) -> Result<SitesMean, MechanismError> {
    let sites = Sites { sizes, sharing };
    let SitesMean { rounds } = SitesMean::new(basis(), vec![CENTRE; LENGTH], mu, sites)?;
    let drawing = if sharing == Sharing::Each { rounds.drawing } else { sharing.honest() as usize };
    Ok(SitesMean { rounds: SitesRounds { drawing, ..rounds } })
}

fn audit(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    worst(name, parameter, Sharing::Sites { honest: 2 })
}

fn audit_aggregators(name: &'static str, parameter: f64) -> Result<Box<dyn Auditable>, AuditError> {
    worst(name, parameter, Sharing::Aggregators)
}

fn worst(name: &'static str, parameter: f64, sharing: Sharing) -> Result<Box<dyn Auditable>, AuditError> {
    let unknown = |_| AuditError::NoClaim(name.to_owned());
    let (sizes, mu) = (vec![2, 1, 1], Mu::new(parameter)?);
    let mechanism = mechanism(sharing, sizes, mu).map_err(unknown)?;
    let far = |sign: f64| Some(vec![CENTRE + sign * 1e6; LENGTH]);
    let first = vec![far(1.0); 4];
    let mut second = first.clone();
    second[0] = far(-1.0);
    let radius = ClipRadius::new(1.0, ClipSource::Public)?;
    let unit =
        FunctionalMean::in_norm(Norm::White, basis(), vec![0.0; LENGTH], radius, mu, 4).map_err(unknown)?;
    // Constant deviations stand in one coefficient of each channel, of weight one in every norm.
    let direction = unit.coordinates(&vec![1.0; LENGTH]);
    let look = move |released: &Released<NoisedFunction>| {
        let value = &released.value;
        let along: f64 = value.coordinates.iter().zip(&direction).map(|(x, d)| x * d).sum();
        vec![along, value.samples.iter().sum()]
    };
    PairAudit::boxed(name, mechanism, [first, second], |records| records, Box::new(look))
}

/// The second round's σ = (2τ/n)/μ₂ in every coordinate with K′ shares in, and no more, for records that are the template.
fn scale(seed: u64) -> Result<ScaleCheck, Box<dyn std::error::Error>> {
    let (mu, draws) = (0.7, 170);
    let mechanism = mechanism(Sharing::Sites { honest: 3 }, vec![1; 4], Mu::new(mu)?)?;
    let records = vec![Some(vec![CENTRE; LENGTH]); 4];
    let own = &mechanism.rounds;
    let (tau, mu_second) = (own.rounds.uncounted(own.public)?, own.rounds.second);
    let sigma = 2.0 * tau.get() / 4.0 / mu_second.get();
    let (mut noise, mut squares) = (NoiseSource::seeded(seed), Vec::new());
    for _ in 0..draws {
        let released = release(&mechanism, &records, &mut Ledger::in_memory(None), &mut noise)?;
        let centre = Centre {
            values: released.value.centre.clone(),
            error: 1.0,
            rest: Default::default(),
            unseen: Default::default(),
        };
        let exact = as_counted(&[CENTRE; LENGTH], own, &centre, tau)?;
        squares.extend(released.value.coordinates.iter().zip(&exact).map(|(x, e)| (x - e).powi(2)));
    }
    Ok(ScaleCheck::of_squares(&squares, sigma * sigma))
}

/// A function as the last round counts it: as seen from the private centre, and no longer than the radius.
pub(super) fn as_counted(
    samples: &[f64],
    rounds: &SitesRounds,
    centre: &Centre,
    radius: ClipRadius,
) -> Result<Vec<f64>, MechanismError> {
    let mut seen = rounds.about(centre, radius)?.vector(samples);
    let length = seen.iter().map(|x| x * x).sum::<f64>().sqrt();
    let factor = if length > radius.get() { radius.get() / length } else { 1.0 };
    seen.iter_mut().for_each(|x| *x *= factor);
    Ok(seen)
}
