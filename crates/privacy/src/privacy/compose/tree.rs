//! The tree of a composition, and the JSON form of its entries.

use super::super::group::Group;
use super::super::{BudgetError, Neighbours, PrivacyLoss, RenyiCurve, SampledGaussian};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A tree of releases under sequential (adaptive) composition.
///
/// ```
/// use visard_privacy::privacy::{Composition, Mu, PrivacyLoss};
/// let mut face = Composition::new();
/// for axis in ["x", "y", "z"] {
///     face.add(axis, PrivacyLoss::Gaussian(Mu::new(0.5)?));
/// }
/// assert!((face.mu()?.map_or(0.0, Mu::get) - 0.75f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), visard_privacy::privacy::BudgetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(extend("minItems" = 1)))]
pub struct Composition {
    parts: Vec<Part>,
}

impl From<Part> for Composition {
    /// Of one entry.
    fn from(part: Part) -> Self {
        Self { parts: vec![part] }
    }
}

impl Composition {
    /// No releases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one release.
    pub fn add(&mut self, mechanism: impl Into<String>, loss: PrivacyLoss) -> &mut Self {
        self.push(mechanism, 1, Cost::Loss(loss))
    }

    /// Adds one release known by its Rényi curve.
    pub fn add_renyi(&mut self, mechanism: impl Into<String>, curve: RenyiCurve) -> &mut Self {
        self.push(mechanism, 1, Cost::Renyi(curve))
    }

    /// Adds a named group.
    pub fn add_group(&mut self, name: impl Into<String>, group: Composition) -> &mut Self {
        self.push(name, 1, Cost::Parts(group))
    }

    /// Adds an entry repeated `times`.
    pub fn push(&mut self, mechanism: impl Into<String>, times: u32, cost: Cost) -> &mut Self {
        self.parts.push(Part { mechanism: mechanism.into(), times, cost });
        self
    }

    /// What the members of a group bear: what everyone does, and what is charged to this group alone.
    pub(in super::super) fn borne_by(&self, group: &Group) -> Self {
        let of_part = |part: &Part| {
            let cost = match &part.cost {
                Cost::Group(of) if of.group() == group => of.cost().clone(),
                Cost::Group(_) => return None,
                Cost::Parts(parts) => Cost::Parts(parts.borne_by(group)),
                Cost::Terms(terms) => {
                    let inside = Self::from(Part { cost: terms.cost().clone(), ..part.clone() });
                    let borne = inside.borne_by(group).parts.pop()?;
                    Cost::Terms(Terms { cost: Box::new(borne.cost), ..terms.clone() })
                }
                cost => cost.clone(),
            };
            Some(Part { mechanism: part.mechanism.clone(), times: part.times, cost })
        };
        Self { parts: self.parts.iter().filter_map(of_part).collect() }
    }

    /// What these releases lose for pairs of `neighbours`. A release whose loss is stated for other pairs only, or whose noise was seeded, has
    /// no bound for them.
    pub fn for_neighbours(&self, neighbours: &Neighbours) -> Cow<'_, Self> {
        // Thousands of charges are asked about one by one: the usual ones are not copied.
        if self.parts.iter().all(|part| part.bounds(neighbours) && !matches!(part.cost, Cost::Terms(_))) {
            return Cow::Borrowed(self);
        }
        let of_part = |part: &Part| {
            let cost = if part.bounds(neighbours) {
                part.bare_cost().clone()
            } else {
                Cost::Loss(PrivacyLoss::NonPrivate)
            };
            Part { mechanism: part.mechanism.clone(), times: part.times, cost }
        };
        Cow::Owned(Self { parts: self.parts.iter().map(of_part).collect() })
    }

    /// The largest relation that every release has its loss stated for.
    pub fn common_neighbours(&self) -> Neighbours {
        let all = self.parts.iter().map(Part::neighbours);
        all.reduce(|a, b| a.common(&b)).unwrap_or_default()
    }

    /// The entries.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether anything was released.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// One entry of a composition: a release, or a named set of releases, repeated `times`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawPart", into = "RawPart")]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Part {
    /// The mechanism's name in the literature, or the set's.
    pub mechanism: String,
    /// How often it was run.
    pub times: u32,
    /// What one run costs.
    pub cost: Cost,
}

impl Part {
    /// The loss of one run, where that is what is known.
    pub fn loss(&self) -> Option<PrivacyLoss> {
        match self.cost {
            Cost::Loss(loss) => Some(loss),
            Cost::Terms(ref terms) => match *terms.cost {
                Cost::Loss(loss) => Some(loss),
                _ => None,
            },
            Cost::Sampled(_) | Cost::Renyi(_) | Cost::Parts(_) | Cost::Group(_) => None,
        }
    }

    /// The same release, with its loss stated for pairs of `neighbours` and, where `seeded`, with noise from a fixed seed.
    pub fn with_terms(self, neighbours: Neighbours, seeded: bool) -> Self {
        let cost = match self.cost {
            Cost::Terms(terms) => *terms.cost,
            cost => cost,
        };
        let plain = neighbours == Neighbours::default() && !seeded;
        let cost = if plain { cost } else { Cost::Terms(Terms { neighbours, seeded, cost: Box::new(cost) }) };
        Self { cost, ..self }
    }

    /// The neighbours that its loss is stated for.
    pub fn neighbours(&self) -> Neighbours {
        match &self.cost {
            Cost::Terms(terms) => terms.neighbours.clone(),
            _ => Neighbours::default(),
        }
    }

    /// Whether its noise came from a fixed seed, so that it protects nobody who learns the seed.
    pub fn is_seeded(&self) -> bool {
        matches!(&self.cost, Cost::Terms(terms) if terms.seeded)
    }

    /// Its cost, whatever the terms.
    pub fn bare_cost(&self) -> &Cost {
        match &self.cost {
            Cost::Terms(terms) => &terms.cost,
            cost => cost,
        }
    }

    /// Whether its loss is a bound for pairs of `neighbours`.
    pub fn bounds(&self, neighbours: &Neighbours) -> bool {
        !self.is_seeded() && self.neighbours().covers(neighbours)
    }
}

/// The cost of one entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cost {
    /// A loss in the unit of its theorem.
    Loss(PrivacyLoss),
    /// A step on a random batch.
    Sampled(SampledGaussian),
    /// A Rényi curve.
    Renyi(RenyiCurve),
    /// Several releases.
    Parts(Composition),
    /// A cost that only the members of one group bear ([`super::super::Partition`]).
    Group(GroupCost),
    /// A cost under terms of its own ([`Part::with_terms`]).
    Terms(Terms),
}

/// The terms of a release that are not the usual ones: whom its loss protects, and whether its noise was seeded. They stand at the top of an
/// entry and cover all of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    neighbours: Neighbours,
    seeded: bool,
    cost: Box<Cost>,
}

impl Terms {
    /// Whether the noise came from a fixed seed.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// What it costs under these terms.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }
}

/// What the members of one group lose, and nobody else. It holds no groups in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupCost {
    group: Group,
    cost: Box<Cost>,
}

impl GroupCost {
    /// # Errors
    /// [`BudgetError::NoSuchBound`] for a group within a group: who would bear it?
    pub(in super::super) fn new(group: Group, cost: Cost) -> Result<Self, BudgetError> {
        if cost.names_groups() {
            return Err(BudgetError::NoSuchBound("a composition has a group within a group"));
        }
        Ok(Self { group, cost: Box::new(cost) })
    }

    /// Who bears it.
    pub fn group(&self) -> &Group {
        &self.group
    }

    /// What it is for them.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }
}

impl Cost {
    /// Whether any of it is borne by one group only.
    pub(in super::super) fn names_groups(&self) -> bool {
        match self {
            Self::Group(_) => true,
            Self::Parts(parts) => parts.parts().iter().any(|part| part.cost.names_groups()),
            Self::Terms(terms) => terms.cost.names_groups(),
            Self::Loss(_) | Self::Sampled(_) | Self::Renyi(_) => false,
        }
    }
}

/// The JSON form: `mechanism`, `times` unless 1, `group` where only one group bears it, `neighbours` and `seeded` where they are not the
/// usual, and one of `loss`, `sampled`, `renyi`, `parts`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Part", extend("oneOf" = [{"required": ["loss"]}, {"required": ["sampled"]}, {"required": ["renyi"]}, {"required": ["parts"]}])))]
struct RawPart {
    #[cfg_attr(feature = "cli", schemars(length(min = 1)))]
    mechanism: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    times: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    group: Option<Group>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    neighbours: Option<Neighbours>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(feature = "cli", schemars(extend("const" = true)))]
    seeded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default, deserialize_with = "present")]
    loss: Option<PrivacyLoss>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    sampled: Option<SampledGaussian>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    renyi: Option<RenyiCurve>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    parts: Option<Composition>,
}

/// A loss that is there, be it `null`.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<PrivacyLoss>, D::Error> {
    PrivacyLoss::deserialize(deserializer).map(Some)
}

impl From<Part> for RawPart {
    fn from(part: Part) -> Self {
        let times = (part.times != 1).then_some(part.times);
        let (neighbours, seeded, cost) = match part.cost {
            Cost::Terms(Terms { neighbours, seeded, cost }) => {
                let neighbours = Some(neighbours).filter(|relation| *relation != Neighbours::default());
                (neighbours, Some(seeded).filter(|seeded| *seeded), *cost)
            }
            cost => (None, None, cost),
        };
        let (group, cost) = match cost {
            Cost::Group(of) => (Some(of.group), *of.cost),
            cost => (None, cost),
        };
        let mechanism = part.mechanism;
        let mut raw = Self {
            mechanism,
            times,
            group,
            neighbours,
            seeded,
            loss: None,
            sampled: None,
            renyi: None,
            parts: None,
        };
        match cost {
            Cost::Sampled(step) => raw.sampled = Some(step),
            Cost::Loss(loss) => raw.loss = Some(loss),
            Cost::Renyi(curve) => raw.renyi = Some(curve),
            Cost::Parts(parts) => raw.parts = Some(parts),
            // Not within a group (`GroupCost::new`), nor under terms of its own twice (`Part::with_terms`).
            Cost::Group(_) | Cost::Terms(_) => {}
        }
        raw
    }
}

impl TryFrom<RawPart> for Part {
    type Error = BudgetError;
    fn try_from(raw: RawPart) -> Result<Self, BudgetError> {
        let cost = match (raw.loss, raw.sampled, raw.renyi, raw.parts) {
            (Some(loss), None, None, None) => Cost::Loss(loss),
            (None, Some(step), None, None) => Cost::Sampled(step),
            (None, None, Some(curve), None) => Cost::Renyi(curve),
            (None, None, None, Some(parts)) => Cost::Parts(parts),
            _ => {
                return Err(BudgetError::NoSuchBound(
                    "an entry of a composition has exactly one of loss, sampled, renyi and parts",
                ));
            }
        };
        let cost = match raw.group {
            Some(group) => Cost::Group(GroupCost::new(group, cost)?),
            None => cost,
        };
        if let Cost::Parts(parts) = &cost
            && parts.parts().iter().any(|part| matches!(part.cost, Cost::Terms(_)))
        {
            return Err(BudgetError::NoSuchBound("neighbours are stated for an entry as a whole"));
        }
        let part = Self { mechanism: raw.mechanism, times: raw.times.unwrap_or(1), cost };
        Ok(part.with_terms(raw.neighbours.unwrap_or_default(), raw.seeded.unwrap_or(false)))
    }
}
