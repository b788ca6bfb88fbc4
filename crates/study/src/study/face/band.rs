//! What a release says of its band, in the certificate and on its page.

use super::yardstick::Yardstick;
use crate::estimate::Band;
use crate::estimate::band::{FIELDS, LEVEL, SEED};
use crate::job::layout::BAND;
use crate::report::colour::short;
use crate::report::page::Page;
use serde_json::{Value, json};

/// What the band is for.
const ESTIMAND: &str = "the mean face of the population that the people are a sample of, each face clipped as the certificate states; \
                        clipping moves that mean by a small part of the standard error";

/// What its width is made of.
const STANDARD_ERROR: &str = "of people as a sample (from the noised second moment, about the released centre and on the safe side, so \
                              rather too large) and of the privacy noise (known exactly), added in squares";

/// For the certificate.
pub(super) fn details(band: &Band) -> Value {
    json!({
        "file": BAND,
        "level": LEVEL,
        "simultaneous_over": "all points and coordinates of the curves",
        "estimand": ESTIMAND,
        "centre": "the mean before it was shrunk: not that of the curves and the surface, which are shrunk and may lie outside",
        "standard_error": STANDARD_ERROR,
        "reach_in_standard_errors": band.reach,
        "mean_half_width": band.mean_half_width(),
        "largest_half_width": band.largest_half_width(),
        "simulated_fields": FIELDS,
        "simulation_seed": SEED,
    })
}

/// For the page.
pub(super) fn section(page: &mut Page, band: &Band, yardstick: Yardstick) {
    let (mean, largest) = (band.mean_half_width(), band.largest_half_width());
    let face_mm = yardstick.millimetres();
    page.heading("A band for the population\u{2019}s mean");
    page.paragraph(&format!(
        "With a probability of {:.0} % the whole of the population\u{2019}s mean face lies within the band in {BAND}: at every point, in each of \
         the three coordinates, at once. It reaches {} to either side on average ({} where it is widest): on {}, {} mm and {} mm.",
        100.0 * LEVEL,
        short(mean),
        short(largest),
        yardstick.face(),
        short(face_mm * mean),
        short(face_mm * largest),
    ));
    page.paragraph(&format!(
        "It is for {ESTIMAND}. Its standard error is that {STANDARD_ERROR}. The band lies about the mean before it was shrunk, which is without \
         bias but rough; the face above is the smoother estimate, and need not lie within.",
    ));
}

#[cfg(test)]
mod tests {
    use crate::io::{npy, write_npy};
    use crate::job::layout::{BAND, CURVES, REPORT};
    use crate::privacy::Mu;
    use crate::study::Place;
    use crate::study::face::{
        FaceInputs, FaceMechanism, FaceStudySettings, StudyError, TemplateSource, load_template, run,
    };
    use crate::synth::FaceParameters;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// A study of prepared records with a band: the file, the certificate, the page; and none without `band`.
    #[test]
    fn a_study_with_a_band_publishes_it_and_says_what_it_is_for() {
        let folder = tempfile::tempdir().unwrap();
        let template = load_template(&TemplateSource::Builtin).unwrap().template;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (n, j, m) = (40, 6, 16);
        let people: Vec<f64> = (0..n)
            .flat_map(|_| {
                let face = FaceParameters::sample(&mut rng).vertices();
                template.curves_of(&face, j, m).unwrap().data().to_vec()
            })
            .collect();
        let file = folder.path().join("people.npy");
        write_npy(&file, &[n, j, m, 3], &people).unwrap();
        let study = |name: &str, band: bool, mechanism| {
            let place = Place { seed: Some(3), ..Place::new(folder.path().join(name)) };
            let records = FaceInputs {
                prepared: Some(file.clone()),
                curves: j,
                samples: m,
                ..FaceInputs::new([], place.clone())
            };
            let settings = FaceStudySettings {
                records,
                band,
                mechanism,
                ..FaceStudySettings::new([], place, Mu::new(5.0).unwrap())
            };
            run(&settings, &|_| {})
        };
        let outcome = study("with", true, FaceMechanism::Joint).unwrap();
        let release = outcome.folder.release();
        let released = outcome.released.unwrap();
        let band = npy::read(&release.join(BAND)).unwrap();
        assert_eq!(band.shape, [2, j, m, 3]);
        let (lower, upper) = band.data.split_at(j * m * 3);
        let half = upper.iter().zip(lower).map(|(u, l)| 0.5 * (u - l)).sum::<f64>() / (j * m * 3) as f64;
        approx::assert_relative_eq!(half, released.band.unwrap(), max_relative = 1e-9);
        let details = &released.certificate.details["band"];
        assert!(details["estimand"].as_str().unwrap().contains("clipped"));
        assert!(details["standard_error"].as_str().unwrap().contains("noise"));
        assert!(released.certificate.files.iter().any(|file| file.name == BAND));
        assert!(std::fs::read_to_string(release.join(REPORT)).unwrap().contains(BAND));
        // The shrunk mean lies within nearly everywhere.
        let curves = npy::read(&release.join(CURVES)).unwrap().data;
        let within =
            curves.iter().zip(lower.iter().zip(upper)).filter(|(x, (l, u))| l <= x && x <= u).count();
        assert!(within as f64 > 0.98 * curves.len() as f64, "{within} of {}", curves.len());
        let outcome = study("without", false, FaceMechanism::Joint).unwrap();
        assert!(outcome.released.unwrap().band.is_none() && !outcome.folder.release().join(BAND).exists());
        let refused = study("other", true, FaceMechanism::Curves);
        assert!(matches!(refused, Err(StudyError::Shape(_))));
    }
}
