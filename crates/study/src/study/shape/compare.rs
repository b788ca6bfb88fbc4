//! Groups of shapes compared: a private mean of each, where they differ, and whether they do.

use super::input::{ShapeInputs, Specimens};
use super::page;
use super::run::{Drawn, Gathered, release, write_fields, write_internal, write_shape};
use super::subject::Subject;
use crate::job::layout::{BAND, DIFFERENCE, DIFFERENCE_UNSHRUNK, REPORT, TEST};
use crate::job::{self, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{DifferenceMap, FunctionGroups, NoisedComparison, Want};
use crate::mechanism::landmarks::{ReleasedShapes, ShapeMechanism, ShapeSetting, Tangent};
use crate::mechanism::vector::GroupLabels;
use crate::privacy::{
    Certificate, Mechanism, Mu, PrivacyLoss, Released, Statement, WITHIN_GROUPS, WITHIN_GROUPS_TEXT,
};
use crate::report::colour::short;
use crate::study::face::compare::{LEAST, LEVEL, TestStatement};
use crate::study::points::PointStudyError;
use crate::study::{Groups, StudyFolder};
use nalgebra::DMatrix;
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Sizes of differences that the power of a test is told for, Riemannian distance, compared with what a test is set for.
const SIZES: [f64; 3] = [0.6, 1.0, 1.6];

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
    pub map: Vec<ShapeDifference>,
    /// Whether n and budget are so small that little can be told: public.
    pub small: bool,
    /// What it guarantees.
    pub certificate: Certificate,
    /// What the data holder should know of the records.
    pub remarks: Vec<String>,
}

/// Where a group's mean shape differs from that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShapeDifference {
    /// The label of the first group.
    pub first: String,
    /// Of the other: differences are this one minus the first.
    pub second: String,
    /// Size of the shrunk difference, Riemannian distance.
    pub size: f64,
    /// Its estimated error: noise, sampling, and what shrinking took away.
    pub error: f64,
    /// How many standard errors the band reaches to either side.
    pub reach_in_standard_errors: f64,
    /// Half its width, averaged over landmarks and coordinates, in units of the centroid size.
    pub mean_half_width: f64,
    /// Of the landmarks, how many where the band excludes no difference in a coordinate.
    pub share_outside: f64,
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
    let make = move |basis, centre: Vec<f64>, scale, mu| {
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
        groups: publication.sizes(),
        small: publication.is_small(&found.mechanism),
        test: found.test,
        map: found.statements,
        certificate,
        remarks: specimens.remarks(),
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
    statements: Vec<ShapeDifference>,
    test: Option<TestStatement>,
}

impl ComparePublication {
    fn sizes(&self) -> Vec<(String, u64)> {
        let sizes = self.groups.labels().sizes().iter().copied();
        self.groups.names().iter().cloned().zip(sizes).collect()
    }

    /// Whether the numbers of records and the budget are too small for much to be told: public.
    fn is_small(&self, mechanism: &FunctionGroups) -> bool {
        let n = self.groups.labels().n() as f64;
        let small = |loss: PrivacyLoss| matches!(loss, PrivacyLoss::Gaussian(mu) if n * mu.get() < LEAST);
        mechanism.budgets().into_iter().flatten().any(small)
    }

    fn found(&self, released: &Drawn<NoisedComparison>) -> Result<FoundGroups, PointStudyError> {
        let (tangent, mechanism) = self.subject.about(&released.value)?;
        let value = &released.value.value;
        let names = self.groups.names();
        let means = mechanism.means(value).unwrap_or_default();
        let maps: Vec<DifferenceMap> =
            (1..names.len()).filter_map(|second| mechanism.difference(value, 0, second)).collect();
        let statement = |(place, map): (usize, &DifferenceMap)| difference(&tangent, names, place + 1, map);
        let sizes = SIZES.map(|size| size * mechanism.effect());
        let power = mechanism.power(value, (LEVEL, &sizes)).unwrap_or_default();
        let test = mechanism.tests(value).map(|tests| {
            TestStatement::of(&tests, names, mechanism.effect(), sizes.into_iter().zip(power).collect())
        });
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
        if let Some(test) = &found.test {
            page.heading("Whether they differ");
            page.paragraph(&format!(
                "Test of no difference: p = {:.4}: {} (level 5 %).",
                test.p_value,
                if test.found() { "the groups differ" } else { "no difference was found" }
            ));
        }
        if found.means.len() > 1 {
            page.heading("Where they differ");
            let mut named = self.groups.names().iter().zip(&found.means);
            if let Some((first, below)) = named.next() {
                for (name, shape) in named {
                    let drawing = page::over(&self.subject, (name, shape), (first, below));
                    page.figures(&page::both(&drawing, &format!("{name} over {first}")));
                }
            }
            let row = |d: &ShapeDifference| {
                vec![
                    format!("{} minus {}", d.second, d.first),
                    short(d.size),
                    short(d.error),
                    short(d.mean_half_width),
                    format!("{:.0} %", 100.0 * d.share_outside),
                ]
            };
            let rows: Vec<Vec<String>> = found.statements.iter().map(row).collect();
            let header =
                ["difference", "size", "error", "half width of the band", "landmarks where it excludes 0"];
            page.table(&header, &rows);
        }
        page::end(page, certificate)
    }
}

fn difference(tangent: &Tangent, names: &[String], second: usize, map: &DifferenceMap) -> ShapeDifference {
    let borders = map.band.borders();
    let (low, high) = borders.split_at(borders.len() / 2);
    let (low, high) = (tangent.rows(low), tangent.rows(high));
    let outside =
        |i: &usize| low.row(*i).iter().zip(high.row(*i).iter()).any(|(low, high)| *low > 0.0 || *high < 0.0);
    let points = low.nrows() as f64;
    ShapeDifference {
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
        let groups: Vec<_> =
            self.sizes().into_iter().map(|(label, n)| json!({"label": label, "n": n})).collect();
        let details = json!({
            "groups": groups,
            "partition_sha256": self.groups.sha256(),
            WITHIN_GROUPS: WITHIN_GROUPS_TEXT,
            "parallel_composition": "inside this release every group has the whole of the second round's budget, since a record is in one \
                                     group; the loss stated is that of any one record, and is charged to everybody",
            "want": self.want,
        });
        Subject::<FunctionGroups>::extend(statement, details);
        let Ok(found) = self.found(released) else { return };
        let [map, test] = found.mechanism.budgets();
        statement.details.insert("budgets".into(), json!({"map": map, "test": test}));
        if !found.statements.is_empty() {
            let difference = json!({
                "file": DIFFERENCE,
                "what": "second label in sorted order minus the first, of each further label minus the first where there are more; tangent \
                         vectors at the centre, shrunk towards no difference",
                "unshrunk_file": DIFFERENCE_UNSHRUNK,
                "band_file": BAND,
                "band": "95 %, simultaneous over all landmarks and coordinates of one comparison, about the unshrunk difference",
                "comparisons": found.statements,
            });
            statement.details.insert("difference".into(), difference);
        }
        if let Some(test) = &found.test {
            statement.details.insert("test".into(), json!({"file": TEST, "result": test}));
        }
        if self.is_small(&found.mechanism) {
            let why = "n times mu is below 60: the radius is a public guess, and differences of ordinary size cannot be told";
            statement.details.insert("small_study".into(), json!(why));
        }
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
