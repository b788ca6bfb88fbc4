//! The sum of one part.

use super::file::{Origin, SumFile};
use super::records::{PartRecords, print_of, shown};
use super::round::{RoundFile, standing_for};
use super::statistic::PartStatistic;
use super::{Part, PartForm, fault};
use crate::estimate::Design;
use crate::io::Records;
use crate::job::covariates::Covariates;
use crate::mechanism::functional::Want;
use crate::mechanism::functional::passes::{Pass, SomeRecords};
use crate::privacy::Mu;
use crate::study::face::{Registration, StudyError, TemplateSource, check_form_of, load_template};
use crate::study::{Counting, Groups, Identical, People, Unusable};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::Arc;

/// What a part is told; all of it public but the records.
#[derive(Debug, Clone)]
pub struct SumSettings {
    /// The records: (n, J, m, 3), unit-area faces in the template's frame, of any size. The same file for all parts.
    pub records: PathBuf,
    /// Which part of how many.
    pub part: Part,
    /// What the release before has drawn, from the second pass on.
    pub about: Option<PathBuf>,
    /// Where the sum is written.
    pub out: PathBuf,
    /// Whether a sum that is there is replaced.
    pub replace: bool,
    /// What is to be released.
    pub statistic: SumOf,
    /// Its budget: the lattice that is added up on depends on it.
    pub mu: Mu,
    /// The template.
    pub template: TemplateSource,
    /// Curves of a face, J.
    pub curves: usize,
    /// Samples of a curve, m.
    pub samples: usize,
    /// How faces were registered, for the certificate.
    pub registration: Registration,
    /// What counts as a person.
    pub counting: Counting,
    /// What is done about records that cannot be used.
    pub unusable: Unusable,
}

/// What a part is added up for.
#[derive(Debug, Clone)]
pub enum SumOf {
    /// A statistic that needs no table.
    People(PartStatistic),
    /// A comparison of the groups of a table `record,group`.
    Groups(PathBuf, Want),
    /// A regression on the covariates of a table `record,NAME…`, of which this is known; with the modes of what they leave, where these are wanted.
    Regression(PathBuf, Design, bool),
}

/// What tables say of the records: secret.
#[derive(Default)]
struct Tables {
    groups: Option<Groups>,
    covariates: Option<Covariates>,
}

impl SumOf {
    /// What is released, and what its table says of these people.
    fn read(&self, people: &People, count: usize) -> Result<(PartStatistic, Tables), StudyError> {
        let names = |i: usize| vec![i.to_string()];
        Ok(match self {
            Self::People(statistic) => (statistic.clone(), Tables::default()),
            Self::Groups(table, want) => {
                let groups = Groups::read(table, people, count, &names)?;
                let statistic = PartStatistic::of_groups(&groups, *want);
                (statistic, Tables { groups: Some(groups), ..Tables::default() })
            }
            Self::Regression(table, design, residuals) => {
                let covariates = Covariates::read(table, design, count, &names)?;
                let statistic = PartStatistic::Regression { design: design.clone(), residuals: *residuals };
                (statistic, Tables { covariates: Some(covariates), ..Tables::default() })
            }
        })
    }

    /// The rows of the design of these persons, and what should be known of all covariates; none for another statistic.
    fn rows(&self, covariates: Option<&Covariates>, members: &[Vec<usize>]) -> (Vec<Vec<f64>>, Vec<String>) {
        let (Self::Regression(_, design, _), Some(covariates)) = (self, covariates) else {
            return (Vec::new(), Vec::new());
        };
        let mut remarks = covariates.remarks(design);
        remarks.extend(covariates.outside_remark());
        (covariates.rows(design, members), remarks)
    }
}

/// What was added up; for the data holder only.
#[derive(Debug, Clone)]
pub struct Summed {
    /// Which pass over the records, from 1, of how many.
    pub pass: (usize, usize),
    /// Persons of the part, and of all.
    pub people: (usize, usize),
    /// Records of the part.
    pub records: usize,
    /// How many of them cannot be used.
    pub failed: usize,
    /// One of these, and why.
    pub unusable: Option<String>,
    /// What should be looked at.
    pub notes: Vec<String>,
}

/// Goes through one part and writes its sum. Nothing is charged.
///
/// # Errors
/// [`StudyError`], for the data holder.
pub fn sum(settings: &SumSettings) -> Result<Summed, StudyError> {
    if settings.out.exists() && !settings.replace {
        return Err(fault(&settings.out, "there is a file already; --force replaces it"));
    }
    let loaded = Arc::new(load_template(&settings.template)?);
    let rows = Records::open(&settings.records)?;
    let name = settings.records.display().to_string();
    let count = check_form_of(&name, &rows, settings.curves, settings.samples)?;
    let people = settings.counting.people(count, &|i| vec![i.to_string()])?;
    let (statistic, Tables { groups, covariates }) = settings.statistic.read(&people, count)?;
    let form = PartForm {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        statistic,
        mu: settings.mu,
        template: loaded.input.clone(),
        curves: settings.curves,
        samples: settings.samples,
        registration: settings.registration,
        identical: settings.counting.identical,
        unusable: settings.unusable,
        persons: settings.counting.counts_persons(),
        records: count,
        people: people.count(),
    };
    let own = form.own(&loaded)?;
    let statistic = form.statistic.in_passes((&loaded, &own), form.of_people(), groups.as_ref())?;
    let passes = statistic.passes()?;
    let passed = match &settings.about {
        None => Vec::new(),
        Some(path) => {
            let round = RoundFile::read(path)?;
            match form.difference(&round.form) {
                Some(what) => {
                    return Err(fault(path, format!("{what} of this round differ from those given")));
                }
                None => round.passed,
            }
        }
    };
    let (pass, persons) = (Pass::after(&*statistic, &passed), form.persons_of(settings.part)?);
    let (first, persons_here) = (persons.start, persons.len());
    let (records, looked) = PartRecords::look((&rows, &own), &people, persons)?;
    records.refuse_unusable(settings.unusable, &looked, settings.part)?;
    let is_first = passed.is_empty();
    // What the first pass has found is not looked for again.
    let mut notes =
        if is_first { records.refuse_copies(&settings.counting, &looked.sums)? } else { Vec::new() };
    let (rows_of, remarks) = settings.statistic.rows(covariates.as_ref(), records.members());
    notes.extend(remarks.into_iter().filter(|_| is_first));
    let told = is_first && settings.counting.identical == Identical::Refuse;
    let unusable = looked.first.map(|(row, problem)| format!("{} {problem}", shown(row)));
    let hashes = if told { looked.sums } else { Vec::new() };
    let table = people.table().unwrap_or_default();
    let covariates = covariates.map_or([0; 32], |covariates| covariates.table);
    let source = Sha256::new().chain_update(print_of(&rows)?).chain_update(table).chain_update(covariates);
    let sum = pass.sum(SomeRecords { samples: &records, rows: &rows_of, first })?;
    let failed = records.failed();
    let origin = Origin {
        part: settings.part,
        pass: passed.len() + 1,
        about: standing_for(&passed),
        source: hex::encode(source.finalize()),
        records: looked.digest,
        failed,
        nonprivate: looked.nonprivate,
        form,
    };
    let summed = Summed {
        pass: (passed.len() + 1, passes),
        people: (persons_here, people.count()),
        records: records.count_records(),
        failed,
        unusable,
        notes,
    };
    SumFile::new(origin, &hashes, sum).write(&settings.out)?;
    Ok(summed)
}
