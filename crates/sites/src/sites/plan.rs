//! What all sites agree on before anyone reads a record: `plan.json`, public.

use super::error::{SitesError, of};
use super::groups::PlannedGroups;
use super::regression::PlannedRegression;
use super::seal::{has_signing_half, public_key};
use super::statistic::{SitesStatistic, Wanted};
use crate::function::FaceCurves;
use crate::io::{Limit, open, write_text};
use crate::mechanism::functional::{Sharing, Sites};
use crate::privacy::{Mu, PrivacyLoss, PublicInput};
use crate::study::face::modes::MOST_MODES;
use crate::study::face::{LoadedTemplate, TemplateLoadError};
use crate::surface::registration::Registration;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// The plan's file in the public folder.
pub const PLAN: &str = "plan.json";
/// The version of plans and messages.
pub const FORMAT: u32 = 2;

/// One who takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Site {
    /// Its name: letters, digits, hyphens.
    pub name: String,
    /// Its people.
    pub n: u64,
    /// How many of them are in each of the plan's groups; empty where none are compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u64>,
    /// Its public key, in hexadecimal, where messages are sealed or signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// One of the two who add up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Aggregator {
    /// Its name.
    pub name: String,
    /// Its public key, in hexadecimal.
    pub key: String,
}

/// Everything that all sites must do alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct SitePlan {
    /// The version of the format, [`FORMAT`].
    #[cfg_attr(feature = "cli", schemars(extend("const" = FORMAT)))]
    pub visard_sites: u32,
    /// The budget of the whole release, for every person of every site.
    #[cfg_attr(feature = "cli", schemars(extend("exclusiveMinimum" = 0)))]
    pub mu: f64,
    /// Who adds the noise.
    pub noise: Sharing,
    /// The sites.
    pub sites: Vec<Site>,
    /// The two who add up; none where sites' own sums are put together. The first begins.
    pub aggregators: Vec<Aggregator>,
    /// The public template.
    pub template: PublicInput,
    /// Face radial curves of a record.
    #[cfg_attr(feature = "cli", schemars(range(min = 2)))]
    pub curves: usize,
    /// Samples on each.
    #[cfg_attr(feature = "cli", schemars(range(min = 8)))]
    pub samples: usize,
    /// How scans are registered.
    pub registration: Registration,
    /// At most so many modes of variation with the mean; the mean alone where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = MOST_MODES)))]
    pub modes: Option<usize>,
    /// Groups that are compared, in place of one mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<PlannedGroups>,
    /// Covariates whose fields are released, in place of one mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<PlannedRegression>,
}

/// A plan with the hash of its file: what messages are bound to.
#[derive(Debug, Clone)]
pub struct KnownPlan {
    /// What it says.
    pub plan: SitePlan,
    /// SHA-256 of `plan.json`, in hexadecimal.
    pub id: String,
}

impl SitePlan {
    /// Checks and writes it into the public folder; a plan that is there is kept.
    ///
    /// # Errors
    /// [`SitesError`]: a plan that cannot be carried out, or one that is there already.
    pub fn write(&self, public: &Path) -> Result<KnownPlan, SitesError> {
        let path = public.join(PLAN);
        self.check().map_err(SitesError::Asked)?;
        if let Some(name) = self.unsigned() {
            return Err(SitesError::Asked(format!(
                "the public key of {name} is of an earlier version, and cannot check signatures: make a new one with `visard site keys`"
            )));
        }
        if path.exists() {
            return Err(of(
                &path,
                "there is already a plan here; another plan is another release and needs another folder",
            ));
        }
        std::fs::create_dir_all(public).map_err(|e| of(public, e.to_string()))?;
        let text = serde_json::to_string_pretty(self).map_err(|e| of(&path, e.to_string()))? + "\n";
        write_text(&path, &text)?;
        KnownPlan::read(public)
    }

    fn check(&self) -> Result<(), String> {
        if self.visard_sites != FORMAT {
            return Err(format!("this is a plan of format {}; this program has {FORMAT}", self.visard_sites));
        }
        let mut names: Vec<&str> = self.sites.iter().map(|site| site.name.as_str()).collect();
        names.extend(self.aggregators.iter().map(|one| one.name.as_str()));
        for (i, name) in names.iter().enumerate() {
            let proper = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if name.is_empty() || name.len() > 40 || !name.chars().all(proper) {
                return Err(format!(
                    "{name:?} is not a valid name: use letters, digits and hyphens, at most 40"
                ));
            }
            if names[..i].contains(name) {
                return Err(format!("two take part under the name {name}"));
            }
        }
        let keyed = self.sites.iter().all(|site| site.key.is_some());
        match (self.noise, self.aggregators.len()) {
            (Sharing::Each, 0) => {}
            (Sharing::Each, _) => {
                return Err("where every site adds the whole noise there are no aggregators".into());
            }
            (_, 2) if keyed => {}
            (_, 2) => return Err("every site needs a public key: `visard site keys`".into()),
            _ => return Err("secure aggregation needs exactly two aggregators, who do not collude".into()),
        }
        for (_, key) in self.keys() {
            public_key(key)?;
        }
        if self.curves < 2 || self.samples < 8 || self.curves.saturating_mul(self.samples) > 1_000_000 {
            return Err("a face needs at least 2 curves of 8 samples (and at most a million samples)".into());
        }
        if self.modes.is_some_and(|most| !(1..=MOST_MODES).contains(&most)) {
            return Err(format!("at least one mode and at most {MOST_MODES} may be asked for"));
        }
        let mu = Mu::new(self.mu).map_err(|e| e.to_string())?;
        let people =
            self.sites.iter().try_fold(0u64, |sum, site| sum.checked_add(site.n)).ok_or("too many people")?;
        // The sum of the groups is each site's, so that it does not overflow either.
        self.wanted()?;
        match PrivacyLoss::Gaussian(mu).vacuous(people) {
            Some(why) => Err(why.to_string()),
            None => Ok(()),
        }
    }

    /// All who have a public key, with it.
    fn keys(&self) -> impl Iterator<Item = (&str, &str)> {
        let sites = self.sites.iter().filter_map(|site| Some((site.name.as_str(), site.key.as_deref()?)));
        sites.chain(self.aggregators.iter().map(|one| (one.name.as_str(), one.key.as_str())))
    }

    /// Somebody whose public key cannot check signatures: it was made by an earlier version.
    pub(super) fn unsigned(&self) -> Option<&str> {
        self.keys().find(|(_, key)| !has_signing_half(key)).map(|(name, _)| name)
    }

    /// Who takes part, as the mechanism has it.
    fn taking_part(&self) -> Sites {
        Sites { sizes: self.sites.iter().map(|site| site.n).collect(), sharing: self.noise }
    }

    fn wanted(&self) -> Result<Wanted, String> {
        if self.groups.is_none() && self.sites.iter().any(|site| !site.groups.is_empty()) {
            return Err("there are sizes of groups, but the plan names no groups".into());
        }
        match (&self.groups, self.modes, &self.regression) {
            (Some(groups), None, None) => {
                let sites = self.sites.iter().map(|site| (site.name.as_str(), site.n, &site.groups[..]));
                Ok(Wanted::Groups(groups.aim, groups.names.clone(), groups.sizes(sites)?))
            }
            (None, Some(most), None) => Ok(Wanted::Modes(most)),
            (None, None, Some(regression)) => Ok(Wanted::Regression(regression.clone())),
            (None, None, None) => Ok(Wanted::Mean),
            _ => Err("modes, groups and a regression need a plan each".into()),
        }
    }

    /// What is released.
    ///
    /// # Errors
    /// [`SitesError`], about public numbers.
    pub(super) fn statistic(&self, own: &FaceCurves) -> Result<SitesStatistic, SitesError> {
        let wanted = self.wanted().map_err(SitesError::Asked)?;
        Ok(SitesStatistic::new(wanted, own, Mu::new(self.mu)?, self.taking_part())?)
    }

    /// Refuses, before any site answers, what cannot be released about this template: too few people for the covariates, say.
    ///
    /// # Errors
    /// [`SitesError`], about public numbers.
    pub fn check_release(&self, loaded: &LoadedTemplate) -> Result<(), SitesError> {
        self.check().map_err(SitesError::Asked)?;
        let own = loaded.template.own_curves(self.curves, self.samples).map_err(TemplateLoadError::from)?;
        self.statistic(&own).map(|_| ())
    }

    /// A site's place in the plan.
    ///
    /// # Errors
    /// [`SitesError::Asked`].
    pub(super) fn site(&self, name: &str) -> Result<usize, SitesError> {
        self.sites.iter().position(|site| site.name == name).ok_or_else(|| {
            let all: Vec<_> = self.sites.iter().map(|site| site.name.as_str()).collect();
            SitesError::Asked(format!("{name} is not one of the plan's sites: {}", all.join(", ")))
        })
    }

    /// An aggregator's place in the plan: 0 begins, 1 answers.
    ///
    /// # Errors
    /// [`SitesError::Asked`].
    pub(super) fn aggregator(&self, name: &str) -> Result<usize, SitesError> {
        self.aggregators.iter().position(|one| one.name == name).ok_or_else(|| {
            let all: Vec<_> = self.aggregators.iter().map(|one| one.name.as_str()).collect();
            SitesError::Asked(format!("{name} is not one of the plan's aggregators: {}", all.join(", ")))
        })
    }

    /// Whether a template is the plan's.
    ///
    /// # Errors
    /// [`SitesError::Asked`].
    pub(super) fn check_template(&self, loaded: &LoadedTemplate) -> Result<(), SitesError> {
        if loaded.input.sha256 == self.template.sha256 {
            return Ok(());
        }
        Err(SitesError::Asked(format!(
            "this is not the plan's template ({}, SHA-256 {}); give that one with --template",
            self.template.name, self.template.sha256
        )))
    }
}

impl KnownPlan {
    /// Reads the plan of a public folder.
    ///
    /// # Errors
    /// [`SitesError`].
    pub fn read(public: &Path) -> Result<Self, SitesError> {
        let path = public.join(PLAN);
        let file = open(&path, Limit::CERTIFICATE)?;
        let plan: SitePlan = serde_json::from_slice(file.bytes())
            .map_err(|e| of(&path, format!("not a plan for several sites: {e}")))?;
        plan.check().map_err(|what| of(&path, what))?;
        Ok(Self { plan, id: hex::encode(Sha256::digest(file.bytes())) })
    }
}
