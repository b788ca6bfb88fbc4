//! Scans that show only a part of a face, or show it badly: whether the pose is right, wrong or refused, and how far registered places are
//! from the true ones. The tables "Odd scans" of docs/measurements.md.
//!
//! `cargo run --release --example measure -- odd_faces [PEOPLE] [SEED] [poses|classes [FOLDER]]`: people of the built-in generator and, where `VISARD_DATA`
//! names the folder of shared data, of the ICT model and of SIMPOP. `poses`: vertices of parts of faces in any orientation, for the built-in
//! template; a pose is wrong where it is turned by more than 30 degrees from the true one, or where its nose lies 30 mm from the true one.
//! `classes`: children, beards, glasses and the like ([`Oddity`](visard::synth::Oddity)), from scan to registration with the population's own template;
//! how the errors to expect agree with those found; with FOLDER, a page with the worst of every class, to be looked at.

mod classes;
mod pictures;
mod populations;
mod poses;
mod reliability;

use std::error::Error;
use std::path::Path;

/// Prints the table; the words are those after its name on the command line.
pub fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let mut words = words.iter();
    let people: usize = words.next().map_or(Ok(2), |n| n.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |n| n.parse())?;
    let only = words.next();
    let wanted = |table: &str| only.is_none_or(|only| only == table);
    let populations = populations::populations(people, seed)?;
    if wanted("poses") {
        poses::table(&populations, people, seed)?;
    }
    if wanted("classes") {
        classes::tables(&populations, seed, words.next().map(Path::new))?;
    }
    Ok(())
}
