//! Synthetic records drawn from a release: the loop, the table of their covariates, and what is said beside them.

use super::assess::values_of;
use super::people::drawn_values;
use super::release::ModesRelease;
use super::sample::{FIDELITY, SAMPLE, TABLE, in_words};
use crate::estimate::Design;
use crate::io::write_bytes;
use crate::study::points::PointStudyError;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What is drawn.
pub(super) struct Drawing<'a> {
    pub count: usize,
    /// Values of covariates, as in `age=8`; others are drawn evenly between their bounds, or among their levels.
    pub at: &'a [String],
    pub seed: u64,
    /// Folder for it.
    pub out: &'a Path,
}

/// What it is called.
pub(super) struct Words {
    pub record: &'static str,
    pub records: &'static str,
    /// Whose record a real one is.
    pub of: &'static str,
    /// In what place and size.
    pub scale: &'static str,
    /// What variances are of.
    pub variance: &'static str,
}

impl Drawing<'_> {
    /// Calls `one` with the number of every record and its covariates, and returns their table.
    ///
    /// # Errors
    /// [`PointStudyError`]: values of covariates that the release has not; those of `one`.
    pub fn draw(
        &self,
        release: &ModesRelease,
        mut one: impl FnMut(usize, &[Option<f64>], &mut ChaCha20Rng) -> Result<(), PointStudyError>,
    ) -> Result<String, PointStudyError> {
        let given = match release.design() {
            Some(design) => design.values(self.at).map_err(|e| PointStudyError::Input(e.to_string()))?,
            None => values_of(None, self.at).map_err(PointStudyError::Input)?,
        };
        let covariates = release.design().map_or(&[][..], Design::covariates);
        let mut rng = ChaCha20Rng::seed_from_u64(self.seed);
        let mut table = String::from("shape,synthetic");
        covariates.iter().for_each(|covariate| table.extend([",", &covariate.name]));
        table.push('\n');
        for k in 0..self.count {
            let values =
                release.design().map_or_else(Vec::new, |design| drawn_values(design, &given, &mut rng));
            one(k, &values, &mut rng)?;
            let _ = write!(table, "{k},yes");
            for (covariate, value) in covariates.iter().zip(&values) {
                let _ = write!(table, ",{}", in_words(covariate, *value));
            }
            table.push('\n');
        }
        Ok(table)
    }

    /// Writes the table, what the records are, and what they are good for; returns the files. `variances` are those of the modes and of the rest.
    ///
    /// # Errors
    /// [`PointStudyError`]: a file that cannot be written.
    pub fn describe(
        &self,
        release: &ModesRelease,
        words: &Words,
        variances: [f64; 2],
        table: &str,
    ) -> Result<Vec<PathBuf>, PointStudyError> {
        let out = |name: &str| self.out.join(name);
        write_bytes(&out(TABLE), table.as_bytes())?;
        let said =
            [(SAMPLE, self.described(release, words)), (FIDELITY, forecast(release, words, variances))];
        for (name, value) in said {
            write_bytes(&out(name), format!("{value:#}\n").as_bytes())?;
        }
        Ok([TABLE, SAMPLE, FIDELITY].map(out).to_vec())
    }

    fn described(&self, release: &ModesRelease, words: &Words) -> Value {
        let Words { records, of, scale, .. } = words;
        let certificate = &release.certificate;
        json!({
            "synthetic": true,
            "what": format!("synthetic {records} drawn from a released private mean and its modes of variation; none is of {of}"),
            "model": format!("mean + sum of modes times independent normals, with the variance at the covariates where the release tells it + a normal law of the variance that the modes leave; {scale}"),
            "n": self.count,
            "seed": self.seed,
            "seed_note": format!("the seed chooses which {records} are drawn; it is no privacy noise, and the release is as private as before"),
            "at": self.at,
            "modes": release.modes.len(),
            "fidelity": FIDELITY,
            "release": {"n": certificate.n, "loss": certificate.loss, "private": certificate.private},
        })
    }
}

fn forecast(release: &ModesRelease, words: &Words, [seen, beyond]: [f64; 2]) -> Value {
    let Words { record, records, variance, .. } = words;
    let whole = seen + beyond;
    json!({
        "synthetic": true,
        "kind": "forecast",
        "from": "the noised values of the release and public expectation; no real record was read or compared",
        "mean": {"accuracy": release.certificate.details.get("accuracy")},
        "variance": {
            "whole": whole,
            "learnt_from_the_records": seen / whole,
            "public_expectation": beyond / whole,
            "note": variance,
        },
        "good_for": ["teaching, demonstrations, trying out software and pipelines, planning a study"],
        "not_good_for": [
            format!("conclusions beyond what the release itself says: analyse the release, not these {records}"),
            format!("rare {records}, groups, outliers: scores are drawn from a normal law"),
            "differences that the modes do not hold, which are public expectation".to_owned(),
        ],
        "privacy": format!("made from the release alone: no {record} tells more of any one record than its certificate allows"),
    })
}
