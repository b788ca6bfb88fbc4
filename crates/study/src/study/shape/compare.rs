//! Groups of shapes compared: a private mean of each, where they differ, and whether they do.

use super::input::{ShapeInputs, Specimens};
use super::page;
use super::run::{Drawn, Gathered, release, write_fields, write_internal, write_shape};
use super::subject::Subject;
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, REPORT, TEST};
use crate::job::{self, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{DifferenceMap, FunctionGroups, NoisedComparison, Want};
use crate::mechanism::landmarks::{Expected, ReleasedShapes, ShapeMechanism, ShapeSetting, Tangent};
use crate::mechanism::vector::GroupLabels;
use crate::privacy::{Certificate, Mechanism, Mu, Released, Statement};
use crate::study::differences::{self, GroupDifference};
use crate::study::face::compare::TestStatement;
use crate::study::points::PointStudyError;
use crate::study::{Groups, StudyFolder};
use nalgebra::DMatrix;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything a comparison of groups of shapes needs to know; all of it public but the landmarks.
#[derive(Debug, Clone)]
pub struct ShapeCompareSettings {
    /// The specimens, and what is known of them in advance.
    pub inputs: ShapeInputs,
    /// The table `record,group`.
    pub groups: PathBuf,
    /// A map of differences, a test of any, or both.
    pub want: Want,
    /// The budget of all of it.
    pub budget: Mu,
}

/// How a comparison ended.
#[derive(Debug, Clone)]
pub struct ShapeCompareOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// How many records could not be used and contribute zero; for the data holder only.
    pub failed: usize,
    /// Labels of the groups, sorted, with their sizes.
    pub groups: Vec<(String, u64)>,
    /// The test, where one was wanted.
    pub test: Option<TestStatement>,
    /// Every group's difference from the first, where a map was wanted.
    pub map: Vec<GroupDifference>,
    /// Whether n and budget are so small that little can be told: public.
    pub small: bool,
    /// What it guarantees.
    pub certificate: Certificate,
    /// What the data holder should know of the records.
    pub remarks: Vec<String>,
}

/// The mechanism for groups of shapes.
///
/// # Errors
/// [`MechanismError`], about public numbers.
pub fn groups_mechanism(
    setting: &ShapeSetting,
    want: Want,
    labels: GroupLabels,
) -> Result<ShapeMechanism<FunctionGroups>, MechanismError> {
    let make = move |basis, centre: Vec<f64>, Expected { scale, .. }, mu| {
        FunctionGroups::new(want, &basis, &centre, labels.clone(), scale, mu)
    };
    ShapeMechanism::new(setting, Arc::new(make))
}

/// Compares groups of shapes.
///
/// # Errors
/// [`PointStudyError`]; what is wrong with the table of groups is told before anything is charged.
pub fn run_compare(settings: &ShapeCompareSettings) -> Result<ShapeCompareOutcome, PointStudyError> {
    let request = settings.inputs.request();
    let specimens = Specimens::open(&settings.inputs, &request)?;
    let groups = Groups::read(&settings.groups, &specimens.people, specimens.count(), |i| specimens.name(i))?;
    let setting = specimens.setting(settings.budget);
    let mechanism = groups_mechanism(&setting, settings.want, groups.labels().clone())?;
    let subject = Subject::new(mechanism, &specimens);
    let publication = ComparePublication { subject, groups, want: settings.want };
    job::run(&settings.inputs.place, |job| run_job(settings, &specimens, job, publication))
}

fn run_job(
    settings: &ShapeCompareSettings,
    specimens: &Specimens<'_>,
    job: &mut Job<'_>,
    publication: ComparePublication,
) -> Result<ShapeCompareOutcome, PointStudyError> {
    let price = publication.subject.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let gathered = Gathered::read(specimens)?;
    let publication = priced.publication();
    let public = ("compare", settings.want, settings.budget, publication.groups.sha256());
    let mechanism = &publication.subject.mechanism;
    let (published, certificate) = release(job, &priced, mechanism, specimens, &gathered, &public)?;
    let found = publication.found(&published)?;
    write_internal(job, specimens, &gathered, None)?;
    job.finish()?;
    Ok(ShapeCompareOutcome {
        folder: job.folder().clone(),
        people: specimens.people.count(),
        failed: gathered.failed(),
        groups: differences::sizes(&publication.groups),
        small: differences::is_small(&publication.groups, &found.mechanism),
        test: found.test,
        map: found.statements,
        certificate,
        remarks: job.notes(),
    })
}

/// What a comparison is published as.
#[derive(Debug, Clone)]
struct ComparePublication {
    subject: Subject<FunctionGroups>,
    groups: Groups,
    want: Want,
}

/// What noised groups tell: free.
struct FoundGroups {
    tangent: Tangent,
    mechanism: FunctionGroups,
    means: Vec<DMatrix<f64>>,
    maps: Vec<DifferenceMap>,
    statements: Vec<GroupDifference>,
    test: Option<TestStatement>,
}

impl ComparePublication {
    fn found(&self, released: &Drawn<NoisedComparison>) -> Result<FoundGroups, PointStudyError> {
        let (tangent, mechanism) = self.subject.about(&released.value)?;
        let value = &released.value.value;
        let names = self.groups.names();
        let means = mechanism.means(value).unwrap_or_default();
        let maps: Vec<DifferenceMap> =
            (1..names.len()).filter_map(|second| mechanism.difference(value, 0, second)).collect();
        let statement = |(place, map): (usize, &DifferenceMap)| difference(&tangent, names, place + 1, map);
        let test = differences::test(&self.groups, &mechanism, value);
        Ok(FoundGroups {
            means: means.iter().map(|mean| tangent.shape(mean)).collect(),
            statements: maps.iter().enumerate().map(statement).collect(),
            test,
            maps,
            tangent,
            mechanism,
        })
    }

    /// The shape of an array of shapes, one for each comparison.
    fn shape(&self, before: &[usize], one: &DMatrix<f64>) -> Vec<usize> {
        let several = (self.groups.names().len() > 2).then(|| self.groups.names().len() - 1);
        before.iter().copied().chain(several).chain([one.nrows(), one.ncols()]).collect()
    }

    fn write_maps(&self, found: &FoundGroups, folder: &mut ReleaseFolder) -> Result<(), PointStudyError> {
        let tangent = &found.tangent;
        let one = tangent.centre();
        let shrunk: Vec<DMatrix<f64>> = found.maps.iter().map(|map| tangent.vector(&map.shrunk)).collect();
        write_fields(folder, DIFFERENCE, &self.shape(&[], one), &shrunk)?;
        let rows = |samples: &[f64]| tangent.rows(samples);
        let unshrunk: Vec<DMatrix<f64>> = found.maps.iter().map(|map| rows(&map.band.centre)).collect();
        write_fields(folder, DIFFERENCE_UNSHRUNK, &self.shape(&[], one), &unshrunk)?;
        let border = |upper: bool| {
            let of = move |map: &DifferenceMap| {
                let borders = map.band.borders();
                let (low, high) = borders.split_at(borders.len() / 2);
                rows(if upper { high } else { low })
            };
            found.maps.iter().map(of).collect::<Vec<_>>()
        };
        let both: Vec<DMatrix<f64>> = border(false).into_iter().chain(border(true)).collect();
        write_fields(folder, BAND, &self.shape(&[2], one), &both)
    }

    fn page(&self, found: &FoundGroups, certificate: &Certificate) -> String {
        let centre = found.tangent.centre();
        let mean = found.means.first().unwrap_or(centre);
        let shown = (&found.tangent, mean);
        let mut page = page::begin("Private comparison", "groups", &self.subject, shown, certificate);
        differences::test_section(&mut page, found.test.as_ref());
        if found.means.len() > 1 {
            page.heading("Where they differ");
            let mut named = self.groups.names().iter().zip(&found.means);
            if let Some((first, below)) = named.next() {
                for (name, shape) in named {
                    let drawing = page::over(&self.subject, (name, shape), (first, below));
                    page.figures(&page::both(&drawing, &format!("{name} over {first}")));
                }
            }
            differences::differences_table(&mut page, &found.statements, "landmarks");
        }
        page::end(page, certificate)
    }
}

fn difference(tangent: &Tangent, names: &[String], second: usize, map: &DifferenceMap) -> GroupDifference {
    let borders = map.band.borders();
    let (low, high) = borders.split_at(borders.len() / 2);
    let (low, high) = (tangent.rows(low), tangent.rows(high));
    let outside =
        |i: &usize| low.row(*i).iter().zip(high.row(*i).iter()).any(|(low, high)| *low > 0.0 || *high < 0.0);
    let points = low.nrows() as f64;
    GroupDifference {
        first: names[0].clone(),
        second: names[second].clone(),
        size: tangent.vector(&map.shrunk).norm(),
        error: map.error.sqrt(),
        reach_in_standard_errors: map.band.reach,
        mean_half_width: 0.5 * (&high - &low).mean(),
        share_outside: (0..low.nrows()).filter(outside).count() as f64 / points,
    }
}

impl Publication for ComparePublication {
    type Value = ReleasedShapes<NoisedComparison>;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.subject.counts_persons()
    }

    fn describe(&self, released: &Released<Self::Value>, statement: &mut Statement) {
        self.subject.state(released, statement);
        differences::groups_details(&self.groups, self.want, statement);
        let Ok(found) = self.found(released) else { return };
        let of = ("tangent vectors at the centre", "landmarks and coordinates");
        let compared = (&self.groups, &found.mechanism);
        differences::found_details(compared, &found.statements, found.test.as_ref(), of, statement);
    }

    fn statistic(&self) -> String {
        "shape compare".into()
    }

    fn write(
        &self,
        released: &Released<Self::Value>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let found = self.found(released)?;
        for (name, mean) in self.groups.names().iter().zip(&found.means) {
            folder.write_with(&format!("mean_{name}.npy"), |path| write_shape(path, mean))?;
        }
        if !found.maps.is_empty() {
            self.write_maps(&found, folder)?;
        }
        if let Some(test) = &found.test {
            let text = serde_json::to_string_pretty(test)
                .map_err(|_| PointStudyError::Mechanism(MechanismError::Shape("a test has no number")))?;
            folder.write(TEST, text.as_bytes())?;
        }
        Ok(folder.write(REPORT, self.page(&found, certificate).as_bytes())?)
    }
}
