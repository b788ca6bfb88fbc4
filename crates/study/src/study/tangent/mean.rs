//! The mean in two rounds, of whatever has a tangent space.

use super::centring::{Expected, Told};
use super::run::write_arrays;
use super::space::{Looked, TangentSpace};
use super::statistic::Statistic;
use crate::estimate::{Band, band::LEVEL};
use crate::job::ReleaseFolder;
use crate::job::layout::BAND;
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, Estimate, TwoRoundMean};
use crate::privacy::{Mu, Price, Statement};
use crate::report::page::Page;
use crate::study::points::{PointAccuracy, PointStudyError};
use serde_json::{Value, json};
use visard_base::parallel;

/// The mean in two rounds.
#[derive(Debug, Clone)]
pub struct MeanStatistic {
    /// The budget.
    pub budget: Mu,
    /// With a 95 % band about the unshrunk mean.
    pub band: bool,
    /// Refuse where n and the budget are too small for a private radius, in place of a public one.
    pub private_radius: bool,
}

/// A mean.
#[derive(Debug, Clone)]
pub struct FoundMean {
    /// How exact it is, from the release alone.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    /// Its samples, and the expected squared error of each.
    pub(super) estimate: Estimate,
    band: Option<Band>,
    details: Vec<(String, Value)>,
}

impl FoundMean {
    /// Half the band's width, averaged over points and coordinates, where there is one.
    pub fn band_half_width(&self) -> Option<f64> {
        self.band.as_ref().map(Band::mean_half_width)
    }
}

impl Statistic for MeanStatistic {
    type Inner = TwoRoundMean;
    type Found = FoundMean;

    const NAME: &'static str = "mean";
    const OF: &'static str = "mean";

    fn budget(&self) -> Mu {
        self.budget
    }

    fn inner(&self, expected: Expected) -> Result<TwoRoundMean, MechanismError> {
        let Expected { basis, centre, reach, centre_error, known, mu, n } = expected;
        let aim = match centre_error {
            _ if self.band => Aim::Band,
            Some(_) => Aim::Found,
            None => Aim::Mean,
        };
        if self.private_radius {
            TwoRoundMean::check_private_radius(aim, n, mu)?;
        }
        let mean = TwoRoundMean::aiming(aim, basis.clone(), centre, reach, mu, n)?;
        let mean = match &known {
            None => mean,
            Some(known) => {
                let people = parallel::map_slice(&known.differences, |person| basis.analyse(person));
                mean.knowing(&people, known.elsewhere.clone())
            }
        };
        Ok(match centre_error {
            Some(error) => mean.expecting_centre_within(error),
            None => mean,
        })
    }

    fn settings(&self) -> String {
        format!("{:?} {}", self.budget, self.band)
    }

    fn find(&self, told: Told<'_, TwoRoundMean>, price: &Price) -> Result<FoundMean, PointStudyError> {
        let Told { space, inner, value } = told;
        if value.samples.len() != space.basis().len() || value.errors.len() != value.samples.len() {
            return Err(MechanismError::Shape("the stored draw is that of other records").into());
        }
        let estimate = Estimate { samples: value.samples.clone(), errors: value.errors.clone() };
        let looked = Looked::All { radius: inner.reach() };
        let mut accuracy = space.accuracy(&estimate, looked, price, inner.record_spread(value));
        if inner.is_at_the_edge(value) && !accuracy.upper_bound {
            accuracy = accuracy.at_the_edge(inner.reach());
        }
        let (sentence, band) = (space.sentence(&accuracy), inner.band_of(value, space.entries()));
        Ok(FoundMean { sentence, accuracy, estimate, band, details: value.details() })
    }

    fn mean(found: &FoundMean) -> Option<&[f64]> {
        Some(&found.estimate.samples)
    }

    fn errors(found: &FoundMean) -> &[f64] {
        // Where little was seen, an upper bound is all that is known.
        if found.accuracy.upper_bound { &[] } else { &found.estimate.errors }
    }

    fn state(&self, _: &dyn TangentSpace, _: &mut Statement) {}

    fn describe(&self, space: &dyn TangentSpace, found: &FoundMean, statement: &mut Statement) {
        statement.details.insert("accuracy".into(), json!(found.accuracy));
        statement.details.extend(found.details.clone());
        if let Some(band) = &found.band {
            let details = json!({
                "file": BAND,
                "level": LEVEL,
                "simultaneous_over": format!("all {}", space.terms().numbers),
                "estimand": format!(
                    "the mean of the population's clipped {}, {}",
                    space.words().records,
                    space.banded()
                ),
                "reach_in_standard_errors": band.reach,
            });
            statement.details.insert("band".into(), details);
        }
    }

    fn title(&self, space: &dyn TangentSpace) -> [String; 2] {
        let record = space.words().record;
        [format!("Private mean {record}"), format!("mean {record}")]
    }

    fn write(
        &self,
        space: &dyn TangentSpace,
        found: &FoundMean,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        space.write_mean(folder, &space.point(&found.estimate.samples), Some(&found.estimate.errors))?;
        if let Some(band) = &found.band {
            let borders = band.borders();
            let (low, high) = borders.split_at(borders.len() / 2);
            write_arrays(folder, BAND, &[2], space, &[space.border(low), space.border(high)])?;
        }
        Ok(())
    }

    fn section(
        &self,
        _: &dyn TangentSpace,
        found: &FoundMean,
        page: &mut Page,
    ) -> Result<(), PointStudyError> {
        page.heading("How exact it is");
        page.paragraph(&found.sentence);
        Ok(())
    }
}
