//! What the studies of vectors and matrices share: folder, ledger, results, pages.

use super::first_pass::Place;
use super::internal_page::{distance_line, private_page, utility_section};
use super::{
    Form, Internal, Outcome, PointRequest, PointStudyError, PointWriter, Published, Released, publish,
};
use crate::manifold::Manifold;
use crate::mechanism::manifold::{BallStatistic, PublicBall};
use crate::privacy::{Certificate, ClipRadius, ClipSource, Ledger, PublicInput};
use crate::report::guarantee::{certificate_section, guarantee_section, mechanism_rows, release_page};
use crate::study::StudyFolder;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What the records are, for certificate and pages.
pub(super) struct Records {
    /// In the singular, as [`explain`](crate::privacy::explain) knows it.
    pub(super) kind: &'static str,
    /// In full.
    pub(super) description: &'static str,
}

/// Does `job` with the study's folder and ledger. If it fails before anything is charged, neither is left behind where there was none.
pub(super) fn in_folder<T>(
    request: &PointRequest,
    job: impl FnOnce(&StudyFolder, &mut Ledger) -> Result<T, PointStudyError>,
) -> Result<T, PointStudyError> {
    let folder = StudyFolder::prepare(&request.out, request.replace)?;
    let done = request.ledger.open::<PointStudyError>(&folder).and_then(|mut ledger| {
        let done = job(&folder, &mut ledger);
        if done.is_err() {
            ledger.withdraw();
            folder.forget_withdrawn_ledger();
        }
        done
    });
    if done.is_err() {
        folder.withdraw();
    }
    done
}

/// Folder, ledger, release, results.
pub(super) fn finish<P: Clone>(
    mut request: PointRequest,
    what: &Records,
    run: impl FnOnce(&mut PointRequest, &mut Ledger) -> Result<Outcome<P>, PointStudyError>,
    write: PointWriter<'_, P>,
    distance: &dyn Fn(&P, &P) -> f64,
) -> Result<Published, PointStudyError> {
    in_folder(&request.clone(), |folder, ledger| {
        finish_in(folder, ledger, &mut request, what, run, write, distance)
    })
}

fn finish_in<P: Clone>(
    folder: &StudyFolder,
    ledger: &mut Ledger,
    request: &mut PointRequest,
    what: &Records,
    run: impl FnOnce(&mut PointRequest, &mut Ledger) -> Result<Outcome<P>, PointStudyError>,
    write: PointWriter<'_, P>,
    distance: &dyn Fn(&P, &P) -> f64,
) -> Result<Published, PointStudyError> {
    let (internal, released) = run(request, ledger)?;
    let mut details = Map::<String, Value>::new();
    details.insert("records".into(), json!(what.description));
    details.insert("record_kind".into(), json!(what.kind));
    let report = |certificate: &Certificate, json: &str| Some(page(certificate, json, what.description));
    let private_page = |internal: &Internal<P>, released: Option<&Released<P>>| {
        let mut page = private_page("Internal: mean of points");
        let first = released.and_then(|r| r.points.first()).map(|p| distance(&internal.mean, p));
        distance_line(&mut page, first);
        if let Some(exploration) = &internal.exploration {
            utility_section(&mut page, exploration);
        }
        Some(page.to_html())
    };
    let form = Form { details, write, report: &report, private_page: &private_page };
    publish(folder.clone(), request, ledger, &internal, released.as_ref(), form)
}

/// `release/report.html`: certificate and public settings only (the mean itself is a file of numbers).
fn page(certificate: &Certificate, json: &str, what: &str) -> String {
    let mut page =
        release_page("Private mean", &format!("mean of {} records ({what})", certificate.n), certificate);
    guarantee_section(&mut page, certificate);
    page.heading("How it was made");
    page.table(&["parameter", "value"], &mechanism_rows(certificate));
    certificate_section(&mut page, certificate, json);
    page.to_html()
}

/// A centre still to be found in a generous ball about a public origin.
pub(super) fn in_first_ball<M: Manifold>(
    space: &M,
    origin: M::Point,
    radius: ClipRadius,
    first_radius: Option<f64>,
) -> Result<Place<'_, M, BallStatistic<'_, M>>, PointStudyError> {
    let first = first_radius.ok_or_else(|| {
        PointStudyError::Input(
            "a private centre is sought in a generous public ball about the origin: give its radius as --first-radius F"
                .into(),
        )
    })?;
    let first = ClipRadius::new(first, ClipSource::Public)?;
    if first.get() <= radius.get() {
        return Err(PointStudyError::Input(
            "--first-radius bounds the search for the centre and must exceed --radius; or give the public origin as centre"
                .into(),
        ));
    }
    let statistic = BallStatistic::new(PublicBall::new(space, origin.clone(), first)?);
    Ok(Place::Private { statistic, anywhere: PublicBall::new(space, origin, radius)? })
}

pub(super) fn public_input(file: &Path) -> Result<PublicInput, PointStudyError> {
    let bytes = std::fs::read(file).map_err(|e| crate::io::ReadError::new(file, e))?;
    let name = file.file_name().map_or_else(|| "centre".to_owned(), |n| n.to_string_lossy().into_owned());
    Ok(PublicInput::of_bytes(name, &bytes))
}
