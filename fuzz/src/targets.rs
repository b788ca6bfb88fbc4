//! What input is thrown at: every reader by the endings of its names, and whole commands.

use crate::seeds;
use std::path::Path;
use std::time::Duration;
use visard::images::{Label, MaskMaking, Slice, extract, outlines};
use visard::io::{
    Content, Limit, NamedTable, ReadError, RecordSize, Records, open, open_as, read_groups, read_images,
    read_landmarks, read_matrices, read_people, read_rows, read_scan, read_shapes,
};
use visard::optimize::Tree;
use visard::privacy::{Certificate, Delta, Ledger, Mu, PrivacyLoss, explain};
use visard::study::face::record::{RecordMaker, RecordSettings, default_crop_radius};
use visard::study::face::{FaceStudySettings, LoadedTemplate, Registration, TemplateSource, load_template};
use visard::study::points::{
    PointMechanism, PointRequest, SpdCentre, SpdMetric, SpdStudy, VectorCentre, VectorSpace, VectorStudy,
    run_spd, run_vectors,
};
use visard::study::shape::{ShapeInputs, ShapeMeanSettings, run_mean};
use visard::study::{Counting, Identical, Place};

/// Something that takes a file, whatever is in it.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// What it is called; inputs that failed are in the folder of this name.
    pub name: &'static str,
    /// The ending of its files' names.
    pub ending: &'static str,
    /// Valid files.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Takes one; what it makes of it is dropped.
    pub run: fn(&Path),
    /// How many inputs a short run has time for.
    pub few: u64,
    /// Bytes of memory that it may take beyond eight times the file.
    pub beyond: usize,
}

/// What readers may take beyond eight times the file.
pub const READER: usize = 64_000_000;
/// What whole commands may: their template, curves and report are the same for every input, 83 MB for a mean face.
const COMMAND: usize = 128_000_000;

const fn reader(
    name: &'static str,
    ending: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&Path),
) -> Target {
    Target { name, ending, seeds, run, few: 400, beyond: READER }
}

const fn command(
    name: &'static str,
    ending: &'static str,
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&Path),
) -> Target {
    Target { name, ending, seeds, run, few: 3, beyond: COMMAND }
}

/// All of them.
pub fn targets() -> Vec<Target> {
    vec![
        reader("scan-ply", "ply", seeds::ply, scan),
        reader("scan-obj", "obj", seeds::obj, scan),
        reader("scan-stl", "stl", seeds::stl, scan),
        reader("scan-xyz", "xyz", seeds::points, scan),
        reader("scan-csv", "csv", seeds::points, scan),
        reader("scan-npy", "npy", seeds::arrays, scan),
        reader("landmarks-xyz", "xyz", seeds::landmark_tables, landmarks),
        reader("landmarks-csv", "csv", seeds::landmark_tables, landmarks),
        reader("landmarks-npy", "npy", seeds::arrays, landmarks),
        reader("landmarks-fcsv", "fcsv", seeds::fiducials, landmarks),
        reader("landmarks-json", "json", seeds::markups, landmarks),
        reader("shapes-tps", "tps", seeds::tps, shapes),
        reader("shapes-csv", "csv", seeds::shape_tables, shapes),
        reader("shapes-npy", "npy", seeds::arrays, shapes),
        reader("shapes-fcsv", "fcsv", seeds::fiducials, shapes),
        reader("shapes-json", "json", seeds::markups, shapes),
        reader("rows-csv", "csv", seeds::rows, rows),
        reader("rows-npy", "npy", seeds::arrays, rows),
        reader("matrices-npy", "npy", seeds::arrays, matrices),
        reader("images-npy", "npy", seeds::arrays, images),
        reader("images-png", "png", seeds::png, pictures),
        reader("masks-png", "png", seeds::png, masks),
        reader("masks-tif", "tif", seeds::tiff, masks),
        reader("masks-npy", "npy", seeds::arrays, masks),
        reader("masks-nii", "nii", seeds::nifti, masks),
        reader("masks-nrrd", "nrrd", seeds::nrrd, masks),
        reader("masks-dcm", "dcm", crate::dicom::seeds, masks),
        reader("records-npy", "npy", seeds::arrays, records),
        reader("records-parquet", "parquet", seeds::parquet, records),
        reader("labels", "csv", seeds::labels, labels),
        reader("tree", "csv", seeds::edges, tree),
        reader("ledger", "jsonl", seeds::ledgers, ledger),
        reader("certificate", "json", seeds::certificates, certificate),
        Target { few: 6, ..reader("template", "ply", seeds::faces, template) },
        Target { few: 6, ..reader("template-xyz", "xyz", seeds::faces, template) },
        command("record-elastic", "ply", seeds::faces, elastic),
        command("record-srnf", "ply", seeds::faces, srnf),
        command("record-cloud", "xyz", seeds::faces, elastic),
        command("face-mean", "ply", seeds::faces, face_mean),
        command("face-mean-prepared", "npy", seeds::arrays, prepared),
        command("shape-mean", "tps", seeds::outlines, shape_mean),
        command("spd-mean", "npy", seeds::arrays, spd_mean),
        command("sphere-mean", "csv", seeds::directions, sphere_mean),
        command("hyperbolic-mean", "csv", seeds::rows, hyperbolic_mean),
    ]
}

fn scan(path: &Path) {
    drop(read_scan(path).map_err(|e| e.to_string()));
}

fn records(path: &Path) {
    let each = |records: Result<Records<'_>, ReadError>| {
        let records = records.map_err(|e| e.to_string())?;
        let count = records.shape().first().copied().unwrap_or(0).min(99);
        (0..count).try_for_each(|i| records.record(i).map(drop).map_err(|e| e.to_string()))
    };
    drop(each(Records::open(path)));
    let file = open(path, Limit::TABLE);
    drop(file.map_err(|e| e.to_string()).and_then(|file| each(Records::of(&file))));
}

fn landmarks(path: &Path) {
    drop(
        read_landmarks(path).map(|found| visard::io::landmarks::nose_tip(&found)).map_err(|e| e.to_string()),
    );
}

fn shapes(path: &Path) {
    for size in [RecordSize::Heading, RecordSize::Content, RecordSize::Known(2)] {
        let found = read_shapes(path, size);
        found
            .iter()
            .flat_map(|shapes| shapes.iter())
            .for_each(|shape| drop(shape.map_err(|e| e.to_string())));
        drop(found.map_err(|e| e.to_string()));
    }
}

fn rows(path: &Path) {
    for size in [RecordSize::Heading, RecordSize::Content, RecordSize::Known(3)] {
        let found = read_rows(path, size);
        found.iter().flat_map(|rows| rows.iter()).for_each(|row| drop(row.map_err(|e| e.to_string())));
        drop(found.map_err(|e| e.to_string()));
    }
}

fn matrices(path: &Path) {
    drop(read_matrices(path).map(|found| found.iter().count()).map_err(|e| e.to_string()));
}

fn images(path: &Path) {
    let found = read_images(path, 1.0);
    found.iter().flat_map(|images| (0..images.len()).map(|i| images.get(i))).for_each(drop);
    drop(found.map_err(|e| e.to_string()));
}

/// A folder with this file alone in it.
fn alone(path: &Path, work: impl FnOnce(&Path)) {
    let Ok(folder) = tempfile::tempdir_in(path.parent().unwrap_or(Path::new("."))) else { return };
    let name = path.file_name().unwrap_or_default();
    if std::fs::copy(path, folder.path().join(name)).is_ok() {
        work(folder.path());
    }
}

fn pictures(path: &Path) {
    alone(path, images);
}

fn masks(path: &Path) {
    let Ok(file) = open_as(path, Content::Masks) else { return };
    for slice in [Slice::MidSagittal, Slice::Largest] {
        let making = MaskMaking {
            label: Some(Label::Any),
            spacing: Some([1.0; 3]),
            slice: Some(slice),
            ..MaskMaking::default()
        };
        drop(outlines(&file, &making, None, 8).map_err(|e| e.to_string()));
        drop(extract(&file, &making, true).map_err(|e| e.to_string()));
    }
}

fn labels(path: &Path) {
    drop(read_people(path).map_err(|e| e.to_string()));
    drop(read_groups(path).map_err(|e| e.to_string()));
    drop(NamedTable::read(path).map_err(|e| e.to_string()));
}

fn tree(path: &Path) {
    let Ok(file) = open(path, Limit::SMALL) else { return };
    let Ok(text) = file.text() else { return };
    drop(Tree::from_csv(text).map_err(|e| e.to_string()));
}

fn ledger(path: &Path) {
    drop(Ledger::history(path).map_err(|e| e.to_string()));
    let Ok(ledger) = Ledger::open_existing(path, Duration::ZERO).map_err(|e| e.to_string()) else { return };
    let _ = Delta::new(1e-6).map(|delta| ledger.spent().epsilon_at(delta).map_err(|e| e.to_string()));
}

fn certificate(path: &Path) {
    let Ok(file) = open(path, Limit::CERTIFICATE) else { return };
    let Ok(text) = file.text() else { return };
    drop(Certificate::from_json(text).map(|certificate| explain(&certificate)).map_err(|e| e.to_string()));
}

fn template(path: &Path) {
    drop(load_template(&TemplateSource::File(path.to_owned())).map_err(|e| e.to_string()));
}

fn record(path: &Path, registration: Registration) {
    let Ok(LoadedTemplate { template, .. }) = load_template(&TemplateSource::Builtin) else { return };
    let settings =
        RecordSettings { registration, crop_radius: default_crop_radius(&template), curves: 8, samples: 16 };
    if let Ok(maker) = RecordMaker::new(&template, settings) {
        drop(maker.record(path, None));
    }
}

fn elastic(path: &Path) {
    record(path, Registration::Elastic);
}

fn srnf(path: &Path) {
    record(path, Registration::Srnf);
}

/// A study in a folder that is removed afterwards.
fn studied(path: &Path, work: impl FnOnce(Place, Mu)) {
    let Ok(folder) = tempfile::tempdir_in(path.parent().unwrap_or(Path::new("."))) else { return };
    let Ok(mu) = Mu::new(1.0) else { return };
    work(Place { seed: Some(1), ..Place::new(folder.path().join("study")) }, mu);
}

fn face_mean(path: &Path) {
    studied(path, |place, mu| {
        let mut settings = FaceStudySettings::new(vec![path.to_owned(); 1], place, mu);
        (settings.records.curves, settings.records.samples) = (8, 16);
        drop(visard::study::face::run(&settings, &|_| ()).map_err(|e| e.to_string()));
    });
}

fn prepared(path: &Path) {
    studied(path, |place, mu| {
        let mut settings = FaceStudySettings::new(Vec::new(), place, mu);
        (settings.records.curves, settings.records.samples) = (8, 16);
        settings.records.prepared = Some(path.to_owned());
        drop(visard::study::face::run(&settings, &|_| ()).map_err(|e| e.to_string()));
    });
}

fn anyone() -> Counting {
    Counting { identical: Identical::Allow, ..Counting::default() }
}

fn shape_mean(path: &Path) {
    studied(path, |place, budget| {
        let inputs = ShapeInputs { outlines: 1, counting: anyone(), ..ShapeInputs::new(path, place) };
        let settings = ShapeMeanSettings { inputs, budget, band: false, private_radius: false };
        drop(run_mean(&settings).map_err(|e| e.to_string()));
    });
}

fn request(place: Place, mu: Mu) -> PointRequest {
    let asked = PointRequest::new(place, PointMechanism::TangentGaussian, PrivacyLoss::Gaussian(mu));
    PointRequest { counting: anyone(), ..asked }
}

fn spd_mean(path: &Path) {
    studied(path, |place, mu| {
        let (file, metric, centre) = (path.to_owned(), SpdMetric::AffineInvariant, SpdCentre::Identity);
        let study = SpdStudy { file, metric, centre, radius: Some(2.0), request: request(place, mu) };
        drop(run_spd(&study).map_err(|e| e.to_string()));
    });
}

fn vectors(path: &Path, space: VectorSpace, centre: VectorCentre, radius: f64) {
    studied(path, |place, mu| {
        let request = request(place, mu);
        let study =
            VectorStudy { file: path.to_owned(), space, centre, radius: Some(radius), dim: None, request };
        drop(run_vectors(&study).map_err(|e| e.to_string()));
    });
}

fn sphere_mean(path: &Path) {
    vectors(path, VectorSpace::Sphere, VectorCentre::Private { first_radius: None }, 0.5);
}

fn hyperbolic_mean(path: &Path) {
    vectors(path, VectorSpace::Poincare, VectorCentre::Origin, 2.0);
}
