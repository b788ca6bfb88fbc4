//! `visard face flatten`: the conformal map of a mesh onto the disk; `surface flatten` takes the same options.

use super::files::{make_folder, refuse_existing};
use crate::cli::Global;
use crate::cli::output::{Failure, Printer};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::conformal::{Quality, disk_map};
use visard::io;
use visard::mesh::{DiskMesh, RepairSettings, TriMesh, make_disk};

/// Arguments of `face flatten`.
#[derive(Debug, Args)]
#[command(
    after_help = "The map is centred: the surface's area is balanced around 0, and the first vertex of the file that lies on the border is at 1. Rows of disk_map.npy are in the order of the file's vertices.\n\nExample:\n  visard face flatten face.ply --out flat\n  visard face flatten scan.ply --repair --out flat"
)]
pub struct FlattenArgs {
    /// A mesh in one piece without handles; what goes onto the disk has one border
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Folder for the map and quality.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Make the mesh a disk first: fill holes, drop debris, cut handles. Dropped vertices get NaN rows
    #[arg(long)]
    repair: bool,
}

impl FlattenArgs {
    /// The mesh as it is in the file.
    pub fn read(&self) -> Result<TriMesh, Failure> {
        let name = self.mesh.display();
        let scan = io::read_scan(&self.mesh).map_err(Failure::failed)?;
        let triangles = scan.triangles.ok_or_else(|| {
            Failure::failed(format!("{name}: a bare point cloud; flattening needs a mesh with triangles"))
        })?;
        TriMesh::new(scan.vertices, triangles).map_err(|e| self.about(e))
    }

    /// What is wrong with it, by the file's name.
    pub fn about(&self, error: impl std::fmt::Display) -> Failure {
        Failure::failed(format!("{}: {error}", self.mesh.display()))
    }

    /// Files of the folder, none of which may exist.
    pub fn files<const N: usize>(&self, names: [&str; N], global: &Global) -> Result<[PathBuf; N], Failure> {
        let files = names.map(|name| self.out.join(name));
        files.iter().try_for_each(|file| refuse_existing(file, global))?;
        Ok(files)
    }

    /// The folder, made.
    pub fn folder(&self) -> Result<(), Failure> {
        make_folder(&self.out)
    }
}

/// A flattened mesh: how far the map is from conformal, as quality.json has it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Flattened{Quality}")]
pub struct Flattened<Quality> {
    #[serde(flatten)]
    quality: Quality,
    /// `disk` or `closed`.
    surface: &'static str,
    /// Seconds that the map took.
    seconds: f64,
}

impl<Quality: Serialize> Flattened<Quality> {
    /// Written to quality.json.
    pub fn write(
        file: &Path,
        quality: Quality,
        surface: &'static str,
        seconds: f64,
    ) -> Result<Self, Failure> {
        let about = Self { quality, surface, seconds };
        let text = serde_json::to_string_pretty(&about).map_err(Failure::failed)?;
        io::write_bytes(file, text.as_bytes()).map_err(Failure::failed)?;
        Ok(about)
    }
}

/// Runs the command.
pub fn run(args: &FlattenArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    // Before a large file is read.
    args.files(["disk_map.npy", "quality.json"], global)?;
    disk(args, args.read()?, global, printer)
}

/// Flattens a mesh that is a disk, or can be made one.
pub fn disk(args: &FlattenArgs, mesh: TriMesh, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let [map_file, quality_file] = args.files(["disk_map.npy", "quality.json"], global)?;
    let vertices = mesh.vertices().len();
    let (disk, source) = match DiskMesh::try_new(mesh.clone()) {
        Ok(disk) => (disk, (0..vertices).map(Some).collect()),
        Err(error) if !args.repair => {
            return Err(args
                .about(error)
                .with_hint("--repair fills holes, drops debris and cuts small handles first; visard surface flatten maps closed surfaces"));
        }
        Err(_) => {
            let repaired = make_disk(mesh, None, &RepairSettings::default()).map_err(|e| args.about(e))?;
            printer.note(format!("note: repaired before flattening: {}", repaired.log));
            let kept = repaired.vertex_source.iter().flatten().collect::<std::collections::HashSet<_>>();
            if kept.len() < vertices {
                printer.note(format!(
                    "note: {} vertices are not part of the disk; their rows are NaN",
                    vertices - kept.len()
                ));
            }
            (repaired.mesh, repaired.vertex_source)
        }
    };
    let start = std::time::Instant::now();
    let map = disk_map(&disk).map_err(|e| args.about(e))?;
    let seconds = start.elapsed().as_secs_f64();
    let measured = Quality::measure(&disk, &map).map_err(|e| args.about(e))?;
    // Input vertex order; vertices that repairs dropped have no place in the disk.
    let mut rows = vec![f64::NAN; 2 * vertices];
    for (z, source) in map.z.iter().zip(&source) {
        if let Some(i) = source {
            rows[2 * i] = z.re;
            rows[2 * i + 1] = z.im;
        }
    }
    args.folder()?;
    io::write_npy(&map_file, &[vertices, 2], &rows).map_err(Failure::failed)?;
    printer.result(
        Flattened::write(&quality_file, &measured, "disk", seconds)?,
        format!(
            "{vertices} vertices flattened in {:.1} ms: mean angle distortion {:.3}°, {} flipped triangles\n  {}",
            1e3 * seconds,
            measured.angle_distortion_deg.mean,
            measured.flipped_triangles,
            map_file.display()
        ),
    );
    Ok(())
}
