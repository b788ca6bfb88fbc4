//! What a study of points writes: the release put together aside and moved into place as a whole, the rest under
//! `internal/`.

use super::internal_page::utility_csv;
use super::{FirstPass, Internal, PointRequest, PointStudyError, Released};
use crate::io::write_bytes;
use crate::privacy::noise::NoisePath;
use crate::privacy::{Caveat, Certificate, Ledger, PrivacyLoss, Statement};
use crate::study::StudyFolder;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What was published, for the command's last words.
#[derive(Debug, Clone)]
pub struct Published {
    /// The study's folder.
    pub folder: StudyFolder,
    /// n.
    pub n: usize,
    /// The certificate; `None` where nothing was released.
    pub certificate: Option<Certificate>,
    /// Records brought into the ball, and failed ones: for the data holder only.
    pub outside: (usize, usize),
    /// Seconds for each draw: for the data holder only.
    pub seconds_per_draw: f64,
}

/// How points are written under a folder: (folder, name, points).
pub type PointWriter<'a, P> = &'a dyn Fn(&Path, &str, &[P]) -> Result<(), PointStudyError>;

/// Makes the data holder's page.
pub type PrivatePage<'a, P> = &'a dyn Fn(&Internal<P>, Option<&Released<P>>) -> Option<String>;

/// How a study's results become files.
pub struct Form<'a, P> {
    /// Further public parameters, for the certificate.
    pub details: Map<String, Value>,
    /// Writes points.
    pub write: PointWriter<'a, P>,
    /// The page to publish, from the certificate and its file's text.
    pub report: &'a dyn Fn(&Certificate, &str) -> Option<String>,
    /// The page for the data holder.
    pub private_page: PrivatePage<'a, P>,
}

/// Writes the internal results, then the release.
///
/// # Errors
/// [`PointStudyError`].
pub fn publish<P: Clone>(
    folder: StudyFolder,
    request: &PointRequest,
    ledger: &Ledger,
    internal: &Internal<P>,
    released: Option<&Released<P>>,
    form: Form<'_, P>,
) -> Result<Published, PointStudyError> {
    let Form { details, write, report, private_page } = form;
    let n = internal.bounded.points.len();
    let outside = (internal.bounded.projected, internal.bounded.failed);
    write(&folder.internal(), "nonprivate_mean", std::slice::from_ref(&internal.mean))?;
    let counts = format!(
        "what,count\nrecords,{n}\nprojected onto the ball,{}\nunusable or without projection (stand at the centre),{}\n",
        outside.0, outside.1
    );
    write_bytes(&folder.internal().join("records.csv"), counts.as_bytes())?;
    if let Some(exploration) = &internal.exploration {
        write_bytes(&folder.internal().join("utility.csv"), utility_csv(exploration).as_bytes())?;
    }
    if let Some(page) = private_page(internal, released) {
        write_bytes(&folder.internal().join("report.html"), page.as_bytes())?;
    }
    let mut certificate = None;
    if let Some(released) = released {
        let made = certify(request, ledger, n as u64, released, details)?;
        let json = made.to_json()?;
        folder.publish(|aside| -> Result<(), PointStudyError> {
            write(aside, "mean", &released.points)?;
            if let Some(page) = report(&made, &json) {
                write_bytes(&aside.join("report.html"), page.as_bytes())?;
            }
            write_bytes(&aside.join("certificate.json"), json.as_bytes())?;
            Ok(())
        })?;
        certificate = Some(made);
    }
    Ok(Published { folder, n, certificate, outside, seconds_per_draw: internal.seconds_per_draw })
}

/// The loss of the first passes and all draws together: as the composition states it, or where Gaussian and pure parts meet under
/// an (ε, δ) budget, as ε at that δ, which is the smaller claim.
fn joint_loss<P>(request: &PointRequest, released: &Released<P>) -> Result<PrivacyLoss, PointStudyError> {
    let mixed = !request.paid_before.is_empty() && matches!(released.price.loss, PrivacyLoss::Pure(_));
    if let (true, Some(PrivacyLoss::Approximate(_, delta))) = (mixed, request.budget) {
        return Ok(PrivacyLoss::approximate(released.composition.epsilon_at(delta)?.epsilon, delta));
    }
    Ok(released.composition.total()?)
}

fn certify<P>(
    request: &PointRequest,
    ledger: &Ledger,
    n: u64,
    released: &Released<P>,
    mut details: Map<String, Value>,
) -> Result<Certificate, PointStudyError> {
    let price = &released.price;
    let mut statement = Statement::new(price.mechanism, n, joint_loss(request, released)?);
    statement.sensitivity = Some(price.sensitivity);
    statement.clip_radius = Some(price.radius);
    statement.noise = Some(released.noise.clone());
    statement.composition = released.composition.clone();
    statement.public_inputs = request.public_inputs.clone();
    statement.seeded = released.seeded;
    statement.recorded = released.recorded;
    let floating = |pass: &FirstPass| pass.noise.path == NoisePath::IdealizedReals;
    if request.paid_before.iter().any(floating) {
        statement.caveats.push(Caveat::IdealizedReals);
    }
    let spent = ledger.spent();
    if spent.parts().len() > released.composition.parts().len() {
        statement.caveats.push(Caveat::Other(format!(
            "composed: this study's ledger holds {} releases from the same records; their joint loss is stated under \
             details.study_total",
            spent.parts().len()
        )));
    }
    details.insert("statistic".into(), json!(price.statistic));
    if !request.paid_before.is_empty() {
        details.insert("first_passes".into(), json!(request.paid_before));
    }
    details.insert("draws".into(), json!(released.points.len()));
    details.insert("study_total".into(), json!(spent.total().ok()));
    details.insert("unusable_records".into(), json!(request.unusable.describe()));
    statement.details = details;
    Ok(statement.certify()?)
}
