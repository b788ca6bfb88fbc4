//! A private mean function, start to finish.

use super::input::{FunctionInputs, Functions};
use super::page::{self, Shown};
use crate::estimate::{Band, Smoothness, moved_by_clip};
use crate::function::Basis;
use crate::io::{internal, write_npy, write_text};
use crate::job::copies::Kind;
use crate::job::layout::{BAND, DISTANCES, ERROR, MEAN_NPY, NONPRIVATE_MEAN_NPY, POSITIONS, REPORT};
use crate::job::unusable::{ZERO_DEVIATION, write_problems};
use crate::job::{self, Digest, Job, Publication, ReleaseFolder};
use crate::mechanism::MechanismError;
use crate::mechanism::functional::{Aim, NoisedFunction, Reach, TwoRoundMean};
use crate::privacy::{Certificate, Mechanism, Mu, PublicInput, Released, Statement};
use crate::study::StudyFolder;
use crate::study::points::{
    PointAccuracy, PointStudyError, Read, distance_line, distances_csv, private_page,
};
use crate::study::seen::too_little;
use serde_json::{Value, json};

/// How different records are from one another where the release does not tell: root mean square, as a share of the public bound.
const USUAL_SPREAD: f64 = 0.25;

/// Everything a study of a mean function needs to know; all of it public.
#[derive(Debug, Clone)]
pub struct FunctionMeanSettings {
    /// The functions, and what is known of them in advance.
    pub inputs: FunctionInputs,
    /// How far records may lie from the centre, root mean square over the samples (channels summed), in their own units.
    pub bound: f64,
    /// How smooth they are expected to be.
    pub smoothness: Smoothness,
    /// The budget; without one there is only the mean without noise.
    pub budget: Option<Mu>,
    /// With a 95 % band about the unshrunk mean.
    pub band: bool,
}

/// How a study of a mean function ended.
#[derive(Debug, Clone)]
pub struct FunctionMeanOutcome {
    /// The study's folder.
    pub folder: StudyFolder,
    /// Number of people n.
    pub people: usize,
    /// How many records could not be used and contribute zero; for the data holder only.
    pub failed: usize,
    /// How many lie beyond the public bound and were shortened; for the data holder only.
    pub beyond: usize,
    /// What the data holder should know of the file.
    pub remarks: Vec<String>,
    /// What was released; nothing without a budget.
    pub released: Option<ReleasedMeanFunction>,
}

/// A released mean function.
#[derive(Debug, Clone)]
pub struct ReleasedMeanFunction {
    /// Its samples.
    pub mean: Vec<f64>,
    /// How exact it is, from the release alone.
    pub accuracy: PointAccuracy,
    /// In words.
    pub sentence: String,
    /// What it guarantees.
    pub certificate: Certificate,
}

/// Runs a study of a mean function.
///
/// # Errors
/// [`PointStudyError`]; nothing is charged for input that cannot be used.
pub fn run_mean(settings: &FunctionMeanSettings) -> Result<FunctionMeanOutcome, PointStudyError> {
    settings.check()?;
    let functions = Functions::open(&settings.inputs)?;
    let Some(budget) = settings.budget else {
        return job::run(&settings.inputs.place, |job| without_noise(settings, &functions, job));
    };
    let publication = FunctionPublication::new(settings, &functions, budget)?;
    job::run(&settings.inputs.place, |job| run_job(settings, &functions, job, publication))
}

impl FunctionMeanSettings {
    fn check(&self) -> Result<(), PointStudyError> {
        check_expectations(self.bound, self.smoothness)
    }
}

/// Whether the public bound and the expected smoothness are of use.
pub(in crate::study) fn check_expectations(
    bound: f64,
    smoothness: Smoothness,
) -> Result<(), PointStudyError> {
    let fail = |what: &str| Err(PointStudyError::Input(what.into()));
    if !(bound > 0.0 && bound.is_finite()) {
        return fail("the public bound on records is a positive number");
    }
    if !smoothness.is_valid() {
        return fail(
            "the length of what is expected to be little is from 1e-4 to 1e4, the smoothness from 0.1 to 20",
        );
    }
    Ok(())
}

fn run_job(
    settings: &FunctionMeanSettings,
    functions: &Functions<'_>,
    job: &mut Job<'_>,
    publication: FunctionPublication,
) -> Result<FunctionMeanOutcome, PointStudyError> {
    let price = publication.mechanism.price().clone();
    let priced = job.price(&price, publication)?;
    let Read { points: records, problems, notes } = functions.read()?;
    job.tell(functions.notes().into_iter().chain(notes));
    write_problems(&job.folder().internal(), &problems)?;
    let publication = priced.publication();
    let mechanism = &publication.mechanism;
    let inputs = &settings.inputs;
    let public = (inputs.domain, inputs.unusable, inputs.counting.identical, settings.bound, settings.band);
    let said = format!("{public:?} {:?} {:?}", settings.smoothness, publication.public_inputs);
    let digest = Digest::of(&said, mechanism.price(), functions.sums());
    let mut noise = job.noise(0)?;
    let prepared = mechanism.prepare(&records)?;
    let published =
        job.release::<_, _, PointStudyError>(&priced, mechanism, &prepared, &digest, &mut noise)?;
    let certificate = job.publish(&priced, &published)?;
    let accuracy = publication.accuracy(&published);
    let mean = published.value.samples.clone();
    let beyond = write_internal(settings, functions, job, &records, Some(&mean))?;
    job.finish()?;
    let released = ReleasedMeanFunction { sentence: sentence(&accuracy), mean, accuracy, certificate };
    Ok(outcome(job, &records, beyond, Some(released)))
}

fn without_noise(
    settings: &FunctionMeanSettings,
    functions: &Functions<'_>,
    job: &mut Job<'_>,
) -> Result<FunctionMeanOutcome, PointStudyError> {
    job.without_release()?;
    let Read { points: records, problems, notes } = functions.read()?;
    job.tell(functions.notes().into_iter().chain(notes));
    write_problems(&job.folder().internal(), &problems)?;
    let beyond = write_internal(settings, functions, job, &records, None)?;
    Ok(outcome(job, &records, beyond, None))
}

fn outcome(
    job: &Job<'_>,
    records: &[Option<Vec<f64>>],
    beyond: usize,
    released: Option<ReleasedMeanFunction>,
) -> FunctionMeanOutcome {
    FunctionMeanOutcome {
        folder: job.folder().clone(),
        people: records.len(),
        failed: records.iter().filter(|record| record.is_none()).count(),
        beyond,
        remarks: job.notes(),
        released,
    }
}

/// Root mean square over `points` of the distance of two functions.
fn distance(a: &[f64], b: &[f64], points: usize) -> f64 {
    (a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / points as f64).sqrt()
}

/// Writes what only the data holder may see; how many records lie beyond the bound.
fn write_internal(
    settings: &FunctionMeanSettings,
    functions: &Functions<'_>,
    job: &Job<'_>,
    records: &[Option<Vec<f64>>],
    released: Option<&[f64]>,
) -> Result<usize, PointStudyError> {
    let (dir, points) = (job.folder().internal(), functions.domain.points());
    let usable: Vec<&Vec<f64>> = records.iter().flatten().collect();
    // The data holder's own mean is that of the records that can be used.
    let mut own = vec![0.0; functions.centre.len()];
    for record in &usable {
        own.iter_mut().zip(*record).for_each(|(sum, x)| *sum += x / usable.len() as f64);
    }
    let from = released.unwrap_or(&own);
    let named = records.iter().enumerate().filter_map(|(i, record)| Some((i.to_string(), record.as_ref()?)));
    let distances: Vec<(String, f64)> =
        named.map(|(name, record)| (name, distance(record, from, points))).collect();
    write_text(&dir.join(DISTANCES), &distances_csv(&distances))?;
    let is_beyond = |record: &&&Vec<f64>| distance(record, &functions.centre, points) > settings.bound;
    let beyond = usable.iter().filter(is_beyond).count();
    let mut page = private_page("Internal: functions");
    distance_line(
        &mut page,
        released.filter(|_| !usable.is_empty()).map(|mean| distance(mean, &own, points)),
    );
    page.paragraph(&format!(
        "{} records, {} of which cannot be used; {beyond} lie further than {} from the centre (root mean square) and count as shortened. \
         {DISTANCES} has how far each lies from the {} mean.",
        records.len(),
        records.len() - usable.len(),
        settings.bound,
        if released.is_some() { "released" } else { "own" }
    ));
    job.write_page(page)?;
    // Last: its presence says that the rest is there.
    internal::write_npy(&dir.join(NONPRIVATE_MEAN_NPY), &functions.shape, &own)?;
    Ok(beyond)
}

/// What a mean function is published as: public things only.
#[derive(Debug, Clone)]
struct FunctionPublication {
    mechanism: TwoRoundMean,
    shown: Shown,
    bound: f64,
    smoothness: Smoothness,
    band: bool,
    centre: &'static str,
    public_inputs: Vec<PublicInput>,
    details: serde_json::Map<String, Value>,
    counts_persons: bool,
}

impl FunctionPublication {
    fn new(
        settings: &FunctionMeanSettings,
        functions: &Functions<'_>,
        budget: Mu,
    ) -> Result<Self, PointStudyError> {
        let FunctionMeanSettings { inputs, bound, smoothness, band, .. } = settings;
        let basis = smoothness.of(Basis::new(functions.domain, functions.channels));
        let aim = if *band { Aim::Band } else { Aim::Alike };
        let reach = Reach::RootMeanSquare(*bound);
        let mechanism =
            TwoRoundMean::aiming(aim, basis, functions.centre.clone(), reach, budget, functions.n())?;
        let mut details = inputs.counting.details(Kind::Numbers);
        details.insert("record_kind".into(), json!(inputs.counting.kind("function")));
        details.insert("unusable_records".into(), json!(inputs.unusable.describe(ZERO_DEVIATION)));
        Ok(Self {
            mechanism,
            shown: Shown::of(functions),
            bound: *bound,
            smoothness: *smoothness,
            band: *band,
            centre: if inputs.centre.is_some() { "a public function" } else { "zero" },
            public_inputs: functions.public_inputs.clone(),
            details,
            counts_persons: inputs.counting.counts_persons(),
        })
    }

    /// From noised values and public numbers only.
    fn accuracy(&self, released: &Released<NoisedFunction>) -> PointAccuracy {
        let points = self.shown.domain.points();
        let value = &released.value;
        let zero = vec![0.0; value.samples.len()];
        let centre = self.shown.centre.as_deref().unwrap_or(&zero);
        let usual = (USUAL_SPREAD * self.bound).powi(2);
        let spread = self.mechanism.record_spread(value).map_or(usual, |spread| spread.towards(usual, usual));
        // Where the noise hides how records differ, so does it what the clip does.
        let clip = value.moments.as_ref().and_then(moved_by_clip).map(|share| share * spread.sqrt());
        let error = (value.mean_square_error(points) + clip.unwrap_or(0.0).powi(2)).sqrt();
        let moved = distance(&value.samples, centre, points);
        let found = PointAccuracy {
            sampling_rms: Some((spread / released.price.n as f64).sqrt()),
            clip_rms: clip,
            ..PointAccuracy::of(error, moved, true)
        };
        if too_little(&released.price) { found.at_most(self.bound + moved) } else { found }
    }

    fn band_of(&self, value: &NoisedFunction) -> Option<Band> {
        if self.band { self.mechanism.band(value) } else { None }
    }
}

/// In words, for terminal and report.
fn sentence(accuracy: &PointAccuracy) -> String {
    use crate::report::colour::short;
    let PointAccuracy { rms, template_rms, sampling_rms, clip_rms, data_share, .. } = *accuracy;
    let distance = "root mean square over the samples, channels summed";
    if let Some(text) = accuracy.bound_sentence(distance, "the public centre") {
        return text;
    }
    let clip = match clip_rms {
        Some(clip) if clip > 0.1 * rms => format!(
            ", up to {} of it because the farthest records were shortened, if those lie to one side",
            short(clip)
        ),
        Some(_) => String::new(),
        None => "; beside that, what shortening the farthest records does".into(),
    };
    let mut text = format!(
        "The mean function lies {} from the mean without noise ({distance}{clip}); the public centre \
         alone lies about {} from it.",
        short(rms),
        short(template_rms)
    );
    if let Some(sampling) = sampling_rms {
        text.push_str(&format!(" That mean lies some {} from its population's.", short(sampling)));
    }
    if data_share < 0.5 {
        text.push_str(
            " Publishing the centre would be about as good: more records, a larger budget or a smaller public bound would change that.",
        );
    }
    text
}

impl Publication for FunctionPublication {
    type Value = NoisedFunction;
    type Error = PointStudyError;

    fn counts_persons(&self) -> bool {
        self.counts_persons
    }

    fn describe(&self, released: &Released<NoisedFunction>, statement: &mut Statement) {
        statement.public_inputs = self.public_inputs.clone();
        statement.details.extend(self.details.clone());
        let details = json!({
            "statistic": "mean of functions by their samples",
            "coordinates": released.price.statistic,
            "domain": self.shown.domain,
            "channels": self.shown.channels,
            "public_centre": self.centre,
            "bound": self.bound,
            "public_radius": self.mechanism.public_radius().get(),
            "expected_smoothness": self.smoothness,
            "positions": if self.shown.positions.is_some() {
                "declared; each record was taken to equal steps by linear interpolation"
            } else {
                "equal steps"
            },
            "units": "those of the records",
            "accuracy": self.accuracy(released),
        });
        if let Value::Object(details) = details {
            statement.details.extend(details);
        }
        statement.details.extend(released.value.details());
        if let Some(band) = self.band_of(&released.value) {
            let details = json!({
                "file": BAND,
                "level": crate::estimate::band::LEVEL,
                "simultaneous_over": "all samples and channels",
                "estimand": "the mean of the population's clipped functions",
                "centre": "the mean before it was shrunk",
                "reach_in_standard_errors": band.reach,
            });
            statement.details.insert("band".into(), details);
        }
    }

    fn statistic(&self) -> String {
        "function mean".into()
    }

    fn write(
        &self,
        released: &Released<NoisedFunction>,
        certificate: &Certificate,
        folder: &mut ReleaseFolder,
    ) -> Result<(), PointStudyError> {
        let (value, shape) = (&released.value, &self.shown.shape);
        let length = self.shown.domain.points() * self.shown.channels;
        if value.samples.len() != length || value.errors.len() != length {
            return Err(MechanismError::Shape("the stored draw is that of other functions").into());
        }
        let errors: Vec<f64> = value.errors.iter().map(|e| e.max(0.0).sqrt()).collect();
        folder.write_with(MEAN_NPY, |path| write_npy(path, shape, &value.samples))?;
        folder.write_with(ERROR, |path| write_npy(path, shape, &errors))?;
        if let Some(grid) = &self.shown.positions {
            folder.write_with(POSITIONS, |path| write_npy(path, &[grid.len()], grid))?;
        }
        let band = self.band_of(value);
        if self.band && band.is_none() {
            return Err(
                MechanismError::Shape("the stored draw has no second moment to make a band of").into()
            );
        }
        let borders = band.as_ref().map(Band::borders);
        if let Some(borders) = &borders {
            let both: Vec<usize> = std::iter::once(2).chain(shape.iter().copied()).collect();
            folder.write_with(BAND, |path| write_npy(path, &both, borders))?;
        }
        let accuracy = self.accuracy(released);
        // Where a bound is all that is known, no expected errors are drawn.
        let drawn: &[f64] = if accuracy.upper_bound { &[] } else { &errors };
        let sentence = sentence(&accuracy);
        let page = page::of(&self.shown, &value.samples, drawn, borders.as_deref(), &sentence, certificate)?;
        Ok(folder.write(REPORT, page.as_bytes())?)
    }
}
