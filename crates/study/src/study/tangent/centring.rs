//! How a statistic of samples is put about a centre that is public, or found and paid for.

use super::space::{Known, TangentSpace};
use crate::function::Basis;
use crate::mechanism::functional::{AboutPublic, OfSamples, Reach, SampledRecords};
use crate::mechanism::{Mechanism, MechanismError};
use crate::privacy::Mu;
use crate::study::points::{PointStudyError, Words};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use std::sync::Arc;

/// A mechanism on samples about a centre, whose draws can be kept.
pub trait Inner: OfSamples<Value: Serialize + DeserializeOwned> + Debug + Send + Sync + 'static {}

impl<M: OfSamples<Value: Serialize + DeserializeOwned> + Debug + Send + Sync + 'static> Inner for M {}

/// Makes a mechanism for what is expected about a centre. Its price must not depend on the centre's samples.
pub trait Make<M>: Fn(Expected) -> Result<M, MechanismError> + Send + Sync + 'static {}

impl<M, F: Fn(Expected) -> Result<M, MechanismError> + Send + Sync + 'static> Make<M> for F {}

/// What is known of samples beforehand: public, but for the centre, which may be noised and paid for.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Displacements, and what is expected of them.
    pub basis: Basis,
    /// The samples of the centre.
    pub centre: Vec<f64>,
    /// How far records may lie from it.
    pub reach: Reach,
    /// How far a private centre is expected to lie from the mean by its noise; `None` for a public one.
    pub centre_error: Option<f64>,
    /// What is known of public people whose mean the centre is.
    pub known: Option<Arc<Known>>,
    /// What is left for the statistic.
    pub mu: Mu,
    /// Number of people.
    pub n: u64,
}

/// The value of a statistic about a centre.
pub type Value<C, M> = <<C as Centring>::About<M> as Mechanism>::Value;

/// The centre that records of a kind are seen from: public things only, or how a private one is found and paid for.
pub trait Centring: Debug {
    /// n people as mechanisms take them: secret.
    type Records;
    /// A statistic of samples about this centre: the statistic itself, or one with a first step before it, inside the same charge.
    type About<M: Inner>: Mechanism<Records = Self::Records, Value: Serialize + DeserializeOwned, Error = MechanismError>
        + Debug;

    /// What records are called.
    fn words(&self) -> Words;

    /// Puts a statistic about it, which is made for what is expected there.
    ///
    /// # Errors
    /// [`MechanismError`], about public numbers.
    fn about<M: Inner>(&self, make: impl Make<M>) -> Result<Self::About<M>, MechanismError>;

    /// What a released value tells.
    ///
    /// # Errors
    /// [`PointStudyError`] for a value of other records.
    fn told<'a, M: Inner>(
        &self,
        about: &Self::About<M>,
        value: &'a Value<Self, M>,
    ) -> Result<Told<'a, M>, PointStudyError>;

    /// What makes a run this run.
    fn settings(&self) -> String;
}

/// The tangent space at the centre of a release, the mechanism there and what it drew.
pub struct Told<'a, M: OfSamples> {
    /// Where.
    pub space: Arc<dyn TangentSpace>,
    /// The mechanism there.
    pub inner: Arc<M>,
    /// What it drew.
    pub value: &'a M::Value,
}

/// A public centre, with n people and their budget.
#[derive(Debug)]
pub struct PublicCentre {
    /// Where.
    pub space: Arc<dyn TangentSpace>,
    /// What is paid.
    pub mu: Mu,
    /// Number of people.
    pub n: u64,
}

impl Centring for PublicCentre {
    type Records = SampledRecords;
    type About<M: Inner> = AboutPublic<M>;

    fn words(&self) -> Words {
        self.space.words()
    }

    fn about<M: Inner>(&self, make: impl Make<M>) -> Result<AboutPublic<M>, MechanismError> {
        let Self { space, mu, n } = self;
        let expected = Expected {
            basis: space.basis().clone(),
            centre: space.centre().to_vec(),
            reach: space.reach(),
            centre_error: None,
            known: space.known(),
            mu: *mu,
            n: *n,
        };
        Ok(AboutPublic(Arc::new(make(expected)?)))
    }

    fn told<'a, M: Inner>(
        &self,
        about: &AboutPublic<M>,
        value: &'a M::Value,
    ) -> Result<Told<'a, M>, PointStudyError> {
        Ok(Told { space: self.space.clone(), inner: about.0.clone(), value })
    }

    fn settings(&self) -> String {
        let space = &self.space;
        format!("{:?}", (space.radius(), space.axes(), space.point(space.centre()), space.details()))
    }
}
