//! A first private face: ten synthetic people, scanned, registered, averaged, released.
//!
//! `cargo run --release --example first_private_face`

use std::error::Error;
use visard::io::write_ply;
use visard::mesh::TriMesh;
use visard::privacy::Mu;
use visard::study::Place;
use visard::study::face::{FaceStudySettings, run as run_study};
use visard::synth::{ScanConditions, person};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let scans = folder.path().join("scans");
    std::fs::create_dir(&scans)?;
    for i in 0..10 {
        let cloud = TriMesh::new(person(1, i, &ScanConditions::demo()).points, Vec::new())?;
        write_ply(&scans.join(format!("person{i}.ply")), &cloud)?;
    }
    let place = Place::new(folder.path().join("study"));
    let outcome = run_study(&FaceStudySettings::new([scans], place, Mu::new(3.0)?), &|_| {})?;
    let certificate = outcome.released.ok_or("nothing was released")?.certificate;
    println!("{} scans, {}, private: {}", outcome.scans, certificate.loss, certificate.private);
    Ok(())
}
