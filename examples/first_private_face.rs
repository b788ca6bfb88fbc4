//! A first private face: ten synthetic people, scanned, registered, averaged, released.
//!
//! `cargo run --release --example first_private_face`

use std::error::Error;
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::privacy::Mu;
use visard::study::LedgerChoice;
use visard::study::face::{
    ClipChoice, FaceMechanism, FaceStudySettings, Registration, TemplateSource, run as run_study,
};
use visard::synth::{ScanConditions, person};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let scans = folder.path().join("scans");
    std::fs::create_dir(&scans)?;
    for i in 0..10 {
        let cloud = TriMesh::new(person(1, i, &ScanConditions::demo()).points, Vec::new())?;
        write_ply(&scans.join(format!("person{i}.ply")), &cloud)?;
    }
    let settings = FaceStudySettings {
        inputs: vec![scans],
        out: folder.path().join("study"),
        template: TemplateSource::Builtin,
        curves: 23,
        samples: 80,
        registration: Registration::default(),
        crop_radius: None,
        mechanism: FaceMechanism::Joint,
        budget: Some(Mu::new(3.0)?),
        clip_radius: ClipChoice::Default,
        seed: None,
        ledger: LedgerChoice::default(),
        resume: false,
        replace: false,
    };
    let outcome = run_study(&settings, &|_| {})?;
    let released = outcome.released.ok_or("nothing was released")?;
    println!("{} scans, {}, private: {}", outcome.scans, released.price.loss, !released.seeded);
    Ok(())
}
