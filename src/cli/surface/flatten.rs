//! `visard surface flatten`: the conformal map of a closed surface onto the sphere, or of a disk onto the disk.

use crate::cli::Global;
use crate::cli::face::flatten::{FlattenArgs, Flattened, disk};
use crate::cli::output::{Failure, Printer};
use clap::Args;
use visard::conformal::{SphereQuality, sphere_map};
use visard::io::{NamedField, write_npy, write_ply_with_fields};
use visard::mesh::{ClosedMesh, EdgeTable, Point, TriMesh};

/// Arguments of `surface flatten`.
#[derive(Debug, Args)]
#[command(
    after_help = "A surface without a border is mapped onto the unit sphere: sphere_map.npy (vertices, 3), sphere.ply with the surface's own coordinates \
                  as fields x0, y0, z0, quality.json. Its area is balanced around the centre, and the sphere lies as the surface does. One with a border is mapped \
                  onto the unit disk, as by `face flatten`: disk_map.npy, quality.json.\n\nExample:\n  visard surface flatten liver.ply --out round"
)]
pub struct SurfaceFlattenArgs {
    #[command(flatten)]
    flatten: FlattenArgs,
}

/// Runs the command.
pub fn run(args: &SurfaceFlattenArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let args = &args.flatten;
    let mesh = args.read()?;
    let table = EdgeTable::new(mesh.triangles(), mesh.vertices().len());
    let has_border = table.edges().iter().any(|edge| table.sides(edge).len() == 1);
    if has_border || mesh.triangles().is_empty() {
        disk(args, mesh, global, printer)
    } else {
        sphere(args, mesh, global, printer)
    }
}

fn sphere(args: &FlattenArgs, mesh: TriMesh, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let names = ["sphere_map.npy", "sphere.ply", "quality.json"];
    let [map_file, sphere_file, quality_file] = args.files(names, global)?;
    let closed = ClosedMesh::try_new(mesh).map_err(|e| args.about(e))?;
    let start = std::time::Instant::now();
    let map = sphere_map(&closed).map_err(|e| args.about(e))?;
    let seconds = start.elapsed().as_secs_f64();
    let measured = SphereQuality::measure(&closed, &map).map_err(|e| args.about(e))?;
    let mesh = closed.mesh();
    let vertices = mesh.vertices().len();
    let places: Vec<f64> = map.x.iter().flat_map(|x| [x.x, x.y, x.z]).collect();
    let round = mesh.with_vertices(map.x.iter().map(|x| Point::from(*x)).collect());
    let round = round.map_err(|e| args.about(e))?;
    let own = ["x0", "y0", "z0"].into_iter().enumerate().map(|(k, name)| NamedField {
        name: name.to_owned(),
        values: mesh.vertices().iter().map(|p| p[k]).collect(),
    });
    args.folder()?;
    write_npy(&map_file, &[vertices, 3], &places).map_err(Failure::failed)?;
    write_ply_with_fields(&sphere_file, &round, &own.collect::<Vec<_>>()).map_err(Failure::failed)?;
    printer.result(
        Flattened::write(&quality_file, &measured, "closed", seconds)?,
        format!(
            "{vertices} vertices mapped onto the sphere in {:.1} ms: angle distortion {:.2}° (median; 95 % below {:.2}°), {} flipped triangles\n  {}",
            1e3 * seconds,
            measured.angle_distortion_deg.median,
            measured.angle_distortion_deg.p95,
            measured.flipped_triangles,
            sphere_file.display()
        ),
    );
    Ok(())
}
