//! `visard export --format scans`: surfaces as a scanner would see them, for teaching and for trying out other programs.

use crate::cli::answer::shown;
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, files, make_folder};
use clap::ValueEnum;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::io::write_ply_with_comment;
use visard::mesh::{Point, TriMesh};
use visard::norm::sample::SAMPLE;
use visard::study::face::FACE_MM;
use visard::study::is_secret;
use visard::study::layout::CURVES;
use visard::study::subject::{LengthUnit, Subject};
use visard::synth::{ScanConditions, ScannedSurface, scan_as_mesh, scan_surface};

/// How carefully surfaces are scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scanner {
    /// No noise, no holes, nothing cut off
    Clean,
    /// As `visard demo` scans: turned by up to 15 degrees, fine noise, up to two small holes, up to 6 mm cut off along the border
    Ordinary,
    /// Turned by up to 40 degrees, of unknown scale, noise of 0.4 mm, up to six holes, up to 18 mm cut off
    Careless,
}

impl Scanner {
    fn conditions(self) -> ScanConditions {
        match self {
            Self::Clean => ScanConditions::clean(),
            // Lengths are what they are: a demo's scans are of any scale.
            Self::Ordinary => ScanConditions { scale: (1.0, 1.0), ..ScanConditions::demo() },
            Self::Careless => ScanConditions::hard(),
        }
    }
}

/// Which scans: always the same unless `--seed` says otherwise.
const SCANS: u64 = 1;
/// What every file says, and those of what `sample` drew.
const STAMPS: [&str; 2] = [
    "simulated by visard: no scanner made this",
    "simulated by visard of a synthetic face or surface: not of a person",
];
/// Grey of the points, and how far it varies.
const GREY: (u8, u8) = (150, 30);

/// A surface, and how its lengths become the scanner's, which are those of a face of 20 cm, and are written.
struct Sitter {
    name: String,
    mesh: TriMesh,
    grown: f64,
    written: f64,
    is_face: bool,
}

/// Writes `scans/` and `truth/`.
pub fn run(
    source: &Path,
    out: &Path,
    scanner: Option<Scanner>,
    global: &Global,
    printer: &Printer,
) -> Result<(), Failure> {
    let (scans, truths) = (out.join("scans"), out.join("truth"));
    [&scans, &truths].into_iter().try_for_each(|folder| files::refuse_other_scans(folder))?;
    let (sources, is_synthetic) = sources(source)?;
    let stamp = STAMPS[usize::from(is_synthetic)];
    if let Some(path) = sources.iter().find(|path| is_secret(path)) {
        let what = format!("{}: scans are made of what may be published only", path.display());
        return Err(Failure::failed(what));
    }
    // What cannot be read leaves no folders behind.
    sources.first().map(|path| Sitter::load(path)).transpose()?;
    [&scans, &truths].into_iter().try_for_each(|folder| make_folder(folder))?;
    let seed = global.seed.unwrap_or(SCANS);
    let conditions = scanner.unwrap_or(Scanner::Ordinary).conditions();
    sources.par_iter().enumerate().try_for_each(|(index, path)| -> Result<(), Failure> {
        let sitter = Sitter::load(path)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index as u64);
        let (scan, truth) = sitter.scan(&conditions, &mut rng)?;
        let (low, more) = GREY;
        let grey = |_: &Point| [low + (f64::from(more) * rng.random::<f64>()) as u8; 3];
        let grey: Vec<[u8; 3]> = scan.vertices().iter().map(grey).collect();
        let whole = sitter.mesh.with_vertices(truth).map_err(Failure::failed)?;
        let file = format!("{}.ply", sitter.name);
        write_ply_with_comment(&scans.join(&file), &scan, Some(&grey), stamp).map_err(Failure::failed)?;
        write_ply_with_comment(&truths.join(&file), &whole, None, stamp).map_err(Failure::failed)
    })?;
    let n = sources.len();
    printer.result(
        SimulatedScans {
            out: shown(out),
            n,
            seed,
            synthetic: is_synthetic,
            scans: shown(&scans),
            truth: shown(&truths),
        },
        format!(
            "{n} simulated scan{}{}: free, nothing was charged\n  {}\n  where each surface lies in its scan, vertex by vertex: {}",
            if n == 1 { "" } else { "s" },
            if is_synthetic { ", none of a person" } else { "" },
            scans.display(),
            truths.display()
        ),
    );
    Ok(())
}

/// Simulated scans of surfaces.
#[derive(Serialize, JsonSchema)]
pub struct SimulatedScans {
    /// Their folder.
    out: String,
    n: usize,
    seed: u64,
    /// Whether the surfaces are drawn from a release, and of no person.
    synthetic: bool,
    /// The folder of the scans.
    scans: String,
    /// The folder of the surfaces, each as it lies in its scan.
    truth: String,
}

/// The meshes in a folder that `sample` wrote, by its names, or what was named; whether it is the former.
fn sources(named: &Path) -> Result<(Vec<PathBuf>, bool), Failure> {
    if !named.join(SAMPLE).is_file() {
        return Ok((vec![named.to_owned()], false));
    }
    let entries = named.read_dir().map_err(|e| Failure::failed(format!("{}: {e}", named.display())))?;
    let mut meshes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let is_drawn = |name: &str| name.starts_with("sample-") && name.ends_with(".ply");
    meshes.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_drawn));
    meshes.sort();
    if meshes.is_empty() {
        return Err(Failure::failed(format!("{}: there are no surfaces", named.display())));
    }
    Ok((meshes, true))
}

impl Sitter {
    /// Loads a surface. Faces of area 1 are written in millimetres, all others in their own unit.
    fn load(path: &Path) -> Result<Self, Failure> {
        let Subject { mesh, name, unit, .. } = Subject::load(path).map_err(Failure::failed)?;
        if mesh.triangles().is_empty() {
            return Err(Failure::failed(format!("{}: has no triangles to be scanned", path.display())));
        }
        let is_sampled_face = path.parent().is_some_and(|folder| folder.join(CURVES).is_file());
        let (grown, written, is_face) = match unit {
            LengthUnit::Millimetres => (1.0, 1.0, true),
            LengthUnit::RootArea => (FACE_MM, 1.0, true),
            _ if is_sampled_face => (FACE_MM, 1.0, true),
            _ => {
                let root_area = mesh.area().sqrt();
                (FACE_MM / root_area, root_area / FACE_MM, false)
            }
        };
        let stem = path.file_stem().filter(|_| !path.is_dir());
        let name = stem.map_or(name, |stem| stem.to_string_lossy().into_owned());
        Ok(Self { name, mesh, grown, written, is_face })
    }

    /// A scan, of a face as points and of other surfaces as a mesh, and where every vertex lies in it.
    fn scan(
        &self,
        conditions: &ScanConditions,
        rng: &mut ChaCha8Rng,
    ) -> Result<(TriMesh, Vec<Point>), Failure> {
        let grown = self.mesh.vertices().iter().map(|p| p * self.grown).collect();
        let mesh = self.mesh.with_vertices(grown).map_err(Failure::failed)?;
        let (scan, truth) = if self.is_face {
            let ScannedSurface { points, truth, .. } = scan_surface(&mesh, conditions, rng);
            (TriMesh::new(points, Vec::new()).map_err(Failure::failed)?, truth)
        } else {
            scan_as_mesh(&mesh, conditions, rng)
        };
        let written = |points: &[Point]| points.iter().map(|p| p * self.written).collect();
        let places = written(scan.vertices());
        Ok((scan.with_vertices(places).map_err(Failure::failed)?, written(&truth)))
    }
}
