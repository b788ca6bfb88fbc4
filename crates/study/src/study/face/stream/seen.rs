//! Whose records count in a step, by who was in the steps before: secret.

use super::super::error::StudyError;
use super::super::gather::FaceStudy;
use crate::mechanism::functional::{FunctionRecords, StreamMean};
use crate::study::{Identical, People};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use visard_base::parallel;

/// What later steps need of the records of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seen {
    /// SHA-256 of what those are called whose records counted, where people are matched.
    pub(super) who: Option<Vec<String>>,
    /// SHA-256 of what was added up of each of them; none for a record that could not be used.
    pub(super) records: Vec<Option<String>>,
    /// What they add up to.
    pub(super) sum: Vec<i128>,
}

/// Whose records count.
#[derive(Debug)]
pub(super) struct Counted {
    /// Their places among the people of this step.
    pub(super) chosen: Vec<usize>,
    /// As [`Seen::who`].
    pub(super) who: Option<Vec<String>>,
    /// How many people there are, how many of them were in steps before, and how many of those count no more.
    here: usize,
    returned: usize,
    left_out: usize,
}

impl Counted {
    /// Those who counted in fewer than `visits` of the steps before.
    ///
    /// # Errors
    /// [`StudyError::Stream`] where people were matched in some steps only.
    pub(super) fn among(people: &People, before: &[&Seen], visits: usize) -> Result<Self, StudyError> {
        let labels = people.labels();
        if before.iter().any(|seen| seen.who.is_some() != labels.is_some()) {
            let what = "people are matched by --people in all steps of a stream or in none";
            return Err(StudyError::Stream(what.into()));
        }
        let Some(labels) = labels else {
            let here = people.count();
            return Ok(Self { chosen: (0..here).collect(), who: None, here, returned: 0, left_out: 0 });
        };
        let mut counted: HashMap<&str, usize> = HashMap::new();
        before.iter().filter_map(|seen| seen.who.as_ref()).flatten().for_each(|who| {
            *counted.entry(who).or_default() += 1;
        });
        let names: Vec<String> = labels.iter().map(|label| hex::encode(Sha256::digest(label))).collect();
        let is_new = |name: &str| counted.get(name).is_none_or(|times| *times < visits);
        let chosen: Vec<usize> = (0..names.len()).filter(|i| is_new(&names[*i])).collect();
        let who = chosen.iter().map(|i| names[*i].clone()).collect();
        let returned = names.iter().filter(|name| counted.contains_key(name.as_str())).count();
        let left_out = names.len() - chosen.len();
        Ok(Self { chosen, who: Some(who), here: names.len(), returned, left_out })
    }

    /// What the data holder is told of those who came before: in a `later` step that nobody did is worth a look at their names.
    pub(super) fn told(&self, later: bool) -> Option<String> {
        (later && self.who.is_some()).then(|| {
            format!(
                "{} of {} people were in steps before, by their names in the table; the records of {} of them are left out of this step, since they \
                 counted as often as the plan allows",
                self.returned, self.here, self.left_out
            )
        })
    }

    /// Refuses records that counted before as somebody else's: they would weigh twice against one budget.
    ///
    /// # Errors
    /// [`StudyError::Stream`], for the data holder: nothing is drawn.
    pub(super) fn refuse_seen(
        &self,
        prints: &[Option<String>],
        before: &[&Seen],
        study: &FaceStudy<'_>,
    ) -> Result<(), StudyError> {
        if study.counting.identical == Identical::Allow {
            return Ok(());
        }
        let who = |of: &Option<Vec<String>>, i: usize| of.as_ref().and_then(|who| who.get(i).cloned());
        for (step, seen) in before.iter().enumerate() {
            let known: HashMap<&String, usize> =
                seen.records.iter().enumerate().filter_map(|(i, print)| Some((print.as_ref()?, i))).collect();
            let again = |i: usize| {
                let j = *known.get(prints[i].as_ref()?)?;
                let own = who(&self.who, i);
                (own.is_none() || own != who(&seen.who, j)).then_some(i)
            };
            let Some(first) = (0..prints.len()).find_map(again) else { continue };
            let members = study.people.members();
            let record = members[self.chosen[first]].first().copied().unwrap_or_default();
            let name = study.names(record).into_iter().next().unwrap_or_default();
            return Err(StudyError::Stream(format!(
                "record {name} is one that counted in step {} already. To have that step again, say --step {}; if a person came twice, match people by \
                 --people; --allow-identical takes them as two people's",
                step + 1,
                step + 1
            )));
        }
        Ok(())
    }
}

/// By what records are known again.
pub(super) fn prints(mean: &StreamMean, records: &dyn FunctionRecords) -> Vec<Option<String>> {
    let print = |i: usize| {
        let clipped = mean.clipped(&records.samples(i)?)?;
        let mut hash = Sha256::new();
        clipped.iter().for_each(|k| hash.update(k.to_le_bytes()));
        Some(hex::encode(hash.finalize()))
    };
    parallel::map(records.count(), print)
}
