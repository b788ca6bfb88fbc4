//! A statistical shape model as statismo lays it out (version 0.9 of its HDF5 files), for scalismo, statismo and the programs that use these.

use super::hdf5::{self, Group, Node, Values, scalar, text};
use super::surface::{SurfaceFile, Way};
use nalgebra::{DMatrix, SymmetricEigen};
use std::io;

/// Directions whose variance is below this share of the largest are nothing but rounding.
const NOTHING: f64 = 1e-14;

/// The file: the surface is the mean, its ways are the modes, one standard deviation each.
///
/// Modes that are orthogonal on curves are not quite so on vertices. The basis has the principal directions of the covariance at the vertices
/// that the modes make, Σ mᵢ mᵢᵀ: the same model, in an orthonormal basis.
///
/// # Errors
/// `InvalidInput` for a surface without modes.
pub(super) fn bytes(surface: &SurfaceFile<'_>) -> io::Result<Vec<u8>> {
    let Some(Principal { basis, variances }) = Principal::of(surface.ways, surface.dimensions) else {
        let what = "a statistical shape model needs modes of variation, and here are none";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    };
    let (d, count) = (surface.dimensions, variances.len() as u64);
    let mean: Vec<f32> = places(surface).flat_map(|p| p[..d].to_vec()).collect();
    let model = Group::default()
        .with("mean", Node::Array(vec![mean.len() as u64], Values::Float(mean.clone())))
        .with("noiseVariance", Node::Array(vec![1], Values::Float(vec![0.0])))
        .with("pcaBasis", Node::Array(vec![mean.len() as u64, count], Values::Float(basis)))
        .with("pcaVariance", Node::Array(vec![count], Values::Float(variances)));
    let version = Group::default().with("majorVersion", scalar(0)).with("minorVersion", scalar(9));
    let root = Group::default()
        .with("model", Node::Group(model))
        .with("modelinfo", Node::Group(origin(surface)))
        .with("representer", Node::Group(representer(surface)))
        .with("version", Node::Group(version));
    Ok(hdf5::file(&root))
}

fn places(surface: &SurfaceFile<'_>) -> impl Iterator<Item = [f32; 3]> {
    surface.mesh.vertices().iter().map(|p| [p.x as f32, p.y as f32, p.z as f32])
}

/// The points that the model is of: the mean itself; coordinate by coordinate, as statismo has them.
fn representer(surface: &SurfaceFile<'_>) -> Group {
    let (d, n, triangles) =
        (surface.dimensions, surface.mesh.vertices().len() as u64, surface.mesh.triangles());
    let points = (0..d).flat_map(|k| places(surface).map(move |p| p[k])).collect();
    let is_cloud = triangles.is_empty();
    let attribute = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let group = Group {
        attributes: vec![
            attribute("name", "itkStandardMeshRepresenter"),
            attribute("datasetType", if is_cloud { "POINT_SET" } else { "POLYGON_MESH" }),
            attribute("version", "0.9"),
            attribute("version/majorVersion", "0"),
            attribute("version/minorVersion", "9"),
        ],
        members: vec![],
    };
    let group = group.with("points", Node::Array(vec![d as u64, n], Values::Float(points)));
    if is_cloud {
        return group;
    }
    let corners = (0..3).flat_map(|k| triangles.iter().map(move |t| t[k] as i32)).collect();
    group.with("cells", Node::Array(vec![3, triangles.len() as u64], Values::Int(corners)))
}

/// Who made the model, and what is to be known of it.
fn origin(surface: &SurfaceFile<'_>) -> Group {
    let data =
        surface.about.iter().fold(Group::default(), |group, (name, said)| group.with(name, text(said)));
    let builder = Group::default()
        .with("builderName", text(concat!("visard ", env!("CARGO_PKG_VERSION"))))
        .with("buildTime", text("not recorded"))
        .with("dataInfo", Node::Group(data.with("unit", text(surface.unit))))
        .with("parameters", Node::Group(Group::default()));
    Group::default().with("modelBuilder-0", Node::Group(builder))
}

/// Principal directions at the vertices, largest first.
struct Principal {
    /// Rows are coordinates of vertices, columns directions of length 1; in C order.
    basis: Vec<f32>,
    variances: Vec<f32>,
}

impl Principal {
    /// `None` where nothing varies.
    fn of(modes: &[Way], dimensions: usize) -> Option<Self> {
        let rows = dimensions * modes.first()?.moves.len();
        let columns =
            modes.iter().flat_map(|m| m.moves.iter().flat_map(|v| v.iter().copied().take(dimensions)));
        let all = DMatrix::from_iterator(rows, modes.len(), columns);
        let SymmetricEigen { eigenvectors, eigenvalues } = (all.transpose() * &all).symmetric_eigen();
        let mut order: Vec<usize> = (0..modes.len()).collect();
        order.sort_by(|a, b| eigenvalues[*b].total_cmp(&eigenvalues[*a]));
        let largest = eigenvalues[*order.first()?];
        order.retain(|k| eigenvalues[*k] > NOTHING * largest && largest > 0.0);
        let directions: Vec<_> =
            order.iter().map(|k| &all * eigenvectors.column(*k) / eigenvalues[*k].sqrt()).collect();
        let basis = (0..rows).flat_map(|row| directions.iter().map(move |d| d[row] as f32)).collect();
        let variances: Vec<f32> = order.iter().map(|k| eigenvalues[*k] as f32).collect();
        (!variances.is_empty()).then_some(Self { basis, variances })
    }
}
