//! From records to a certified release and back through the ledger, as a study does it.

use std::fs;
use std::path::{Path, PathBuf};
use visard::privacy::noise::{NoiseError, NoiseSource};
use visard::privacy::{
    Certificate, ClipRadius, ClipSource, ClippedMean, LEDGER_FILE, Ledger, LedgerError, Mu, PrivacyLoss,
    ReleaseError, Released, release,
};

fn gaussian(m: f64) -> PrivacyLoss {
    PrivacyLoss::Gaussian(Mu::new(m).unwrap())
}

type Record = Option<[f64; 3]>;
type Refusal = ReleaseError<NoiseError>;

fn mean_of(
    records: &[Record],
    declared: u64,
    m: f64,
    ledger: &mut Ledger,
    noise: &mut NoiseSource,
) -> Result<Released<Vec<f64>>, Refusal> {
    let radius = ClipRadius::new(1.0, ClipSource::Public).unwrap();
    let mean = ClippedMean::new(3, declared, radius, Mu::new(m).unwrap()).unwrap();
    let records: Vec<_> = records.iter().map(|record| record.map(Vec::from)).collect();
    release(&mean, &records[..], ledger, noise)
}

fn run(folder: &Path, records: &[Record], m: f64) -> Result<Certificate, Refusal> {
    let mut ledger = Ledger::open(&folder.join(LEDGER_FILE), Some(gaussian(2.0)))?;
    let mut noise = NoiseSource::from_os().unwrap();
    let released = mean_of(records, records.len() as u64, m, &mut ledger, &mut noise)?;
    let release_folder = folder.join("release");
    fs::create_dir_all(&release_folder).unwrap();
    let bytes: Vec<u8> = released.value.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(release_folder.join("mean.f8"), bytes).unwrap();
    let certificate = released.statement().certify().unwrap();
    fs::write(release_folder.join("certificate.json"), certificate.to_json().unwrap()).unwrap();
    Ok(certificate)
}

/// Names, sizes and (but for the noised values) bytes of what leaves the house.
fn shape_of(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut files: Vec<_> = fs::read_dir(folder.join("release"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (PathBuf::from(entry.file_name()), entry.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

#[test]
fn two_runs_on_one_ledger_compose_and_the_third_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let records = [Some([0.1, 0.2, 0.3]), Some([9.0, 0.0, 0.0]), None];
    let first = run(folder.path(), &records, 1.2).unwrap();
    assert!(first.private && first.caveats.is_empty(), "{:?}", first.caveats);
    run(folder.path(), &records, 1.6).unwrap();
    let refusal = run(folder.path(), &records, 0.1).unwrap_err();
    assert!(matches!(refusal, ReleaseError::Ledger(LedgerError::AboveCeiling { .. })));
    assert_eq!(
        refusal.to_string(),
        "mu = 2 spent + mu = 0.1 requested = mu = 2.002498439, above the ceiling mu = 2; nothing was charged"
    );
    let ledger = Ledger::open(&folder.path().join(LEDGER_FILE), None).unwrap();
    assert_eq!(ledger.spent().parts().len(), 2);
}

#[test]
fn what_leaves_the_house_has_one_shape_for_all_records() {
    let shapes: Vec<_> = [
        [Some([0.0; 3]), Some([0.0; 3])],
        [Some([1e300, -1e-300, 7.0]), Some([f64::NAN, 0.0, 0.0])],
        [None, None],
    ]
    .iter()
    .map(|records| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), records, 1.0).unwrap();
        let certificate = fs::read(folder.path().join("release/certificate.json")).unwrap();
        (shape_of(folder.path()), certificate)
    })
    .collect();
    assert!(shapes.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn nothing_is_charged_for_what_cannot_be_released() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(LEDGER_FILE);
    let mut ledger = Ledger::open(&path, Some(gaussian(1.0))).unwrap();
    let before = fs::read(&path).unwrap();
    let (mut seeded, mut noise) = (NoiseSource::seeded(1), NoiseSource::from_os().unwrap());
    // A scan that was dropped instead of counted.
    let dropped = [Some([0.1; 3]), Some([0.2; 3])];
    let refusal = mean_of(&dropped, 3, 0.5, &mut ledger, &mut noise).unwrap_err();
    assert!(matches!(refusal, ReleaseError::Mechanism(NoiseError::Incomplete(_))));
    assert_eq!(
        refusal.to_string(),
        "n = 3 records were declared, 2 given; failed scans must be given too (as failures)"
    );
    // More than the ceiling.
    let one = [Some([0.1; 3])];
    assert!(mean_of(&one, 1, 1.5, &mut ledger, &mut noise).is_err());
    // What is seeded has no bound, so that no ceiling lets it pass.
    assert!(mean_of(&one, 1, 0.1, &mut ledger, &mut seeded).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    // n = 1 is a dataset.
    let certificate = mean_of(&one, 1, 1.0, &mut ledger, &mut noise).unwrap().statement().certify().unwrap();
    assert!(certificate.private && certificate.n == 1);
    assert!(fs::read(&path).unwrap().len() > before.len());
    // A seeded release says that it is not private.
    let released = mean_of(&one, 1, 1.0, &mut Ledger::in_memory(None), &mut seeded).unwrap();
    let certificate = released.statement().certify().unwrap();
    assert!(!certificate.private && certificate.seeded);
}

#[test]
fn refusals_do_not_depend_on_the_records() {
    let say = |records: &[Record]| {
        let mut ledger = Ledger::in_memory(Some(gaussian(0.1)));
        mean_of(records, 2, 1.0, &mut ledger, &mut NoiseSource::seeded(1)).unwrap_err().to_string()
    };
    assert_eq!(say(&[Some([0.0; 3]), None]), say(&[Some([1e300; 3]), Some([f64::INFINITY, 0.0, 1.0])]));
}
