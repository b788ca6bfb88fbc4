//! `visard face flatten`: the conformal map of a mesh onto the disk.

use super::files::{make_folder, refuse_existing};
use crate::cli::Global;
use crate::cli::output::{Failure, Printer};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use visard::conformal::{Quality, disk_map};
use visard::io;
use visard::mesh::{DiskMesh, RepairSettings, TriMesh, make_disk};

/// Arguments of `face flatten`.
#[derive(Debug, Args)]
#[command(
    after_help = "The map is centred: the surface's area is balanced around 0, and the first vertex of the file that lies on the border is at 1. Rows of disk_map.npy are in the order of the file's vertices.\n\nExample:\n  visard face flatten face.ply --out flat\n  visard face flatten scan.ply --repair --out flat"
)]
pub struct FlattenArgs {
    /// A mesh that is a disk: one piece, one border, no handles
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// Folder for disk_map.npy and quality.json
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Make the mesh a disk first: fill holes, drop debris, cut handles. Dropped vertices get NaN rows
    #[arg(long)]
    repair: bool,
}

/// Runs the command.
pub fn run(args: &FlattenArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let (map_file, quality_file) = (args.out.join("disk_map.npy"), args.out.join("quality.json"));
    refuse_existing(&map_file, global)?;
    refuse_existing(&quality_file, global)?;
    let name = args.mesh.display();
    let scan = io::read_scan(&args.mesh).map_err(Failure::failed)?;
    let vertices = scan.vertices.len();
    let triangles = scan.triangles.ok_or_else(|| {
        Failure::failed(format!("{name}: a bare point cloud; flattening needs a mesh with triangles"))
    })?;
    let mesh = TriMesh::new(scan.vertices, triangles).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    let (disk, source) = match DiskMesh::try_new(mesh.clone()) {
        Ok(disk) => (disk, (0..vertices).map(Some).collect()),
        Err(error) if !args.repair => {
            return Err(Failure::failed(format!("{name}: {error}"))
                .with_hint("--repair fills holes, drops debris and cuts small handles first"));
        }
        Err(_) => {
            let repaired = make_disk(mesh, None, &RepairSettings::default())
                .map_err(|e| Failure::failed(format!("{name}: {e}")))?;
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
    let map = disk_map(&disk).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    let seconds = start.elapsed().as_secs_f64();
    let measured = Quality::measure(&disk, &map).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    // Input vertex order; vertices that repairs dropped have no place in the disk.
    let mut rows = vec![f64::NAN; 2 * vertices];
    for (z, source) in map.z.iter().zip(&source) {
        if let Some(i) = source {
            rows[2 * i] = z.re;
            rows[2 * i + 1] = z.im;
        }
    }
    make_folder(&args.out)?;
    io::write_npy(&map_file, &[vertices, 2], &rows).map_err(Failure::failed)?;
    let mut about = serde_json::to_value(&measured).map_err(Failure::failed)?;
    about["seconds"] = json!(seconds);
    let text = serde_json::to_string_pretty(&about).map_err(Failure::failed)?;
    io::write_bytes(&quality_file, text.as_bytes()).map_err(Failure::failed)?;
    printer.result(
        about,
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
