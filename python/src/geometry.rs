//! Scans, meshes, disk maps, registration.

use crate::failure::Failure;
use crate::options::{named, template_source};
use crate::work;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use visard::conformal::{Quality, disk_map};
use visard::io::{self, Scan};
use visard::mesh::{DiskMesh, Point, RepairSettings, TriMesh, make_disk, mesh_from_points};
use visard::study::Stop;
use visard::study::face::record::{
    RecordMaker, RecordSettings, ScanRegistrar, ScanRow, default_crop_radius, landmark_file,
};
use visard::study::face::{LoadedTemplate, Registration, load_template};

type Floats<'py> = Bound<'py, PyArray2<f64>>;
type Indices<'py> = Bound<'py, PyArray2<i64>>;

fn points_of(array: &PyReadonlyArray2<'_, f64>) -> Vec<Point> {
    array.as_array().rows().into_iter().map(|row| Point::new(row[0], row[1], row[2])).collect()
}

fn triangles_of(array: &PyReadonlyArray2<'_, i64>) -> Result<Vec<[usize; 3]>, Failure> {
    let one = |(i, row): (usize, numpy::ndarray::ArrayView1<'_, i64>)| {
        let corner = |k: usize| {
            usize::try_from(row[k])
                .map_err(|_| Failure::input(format!("triangles[{i}]: names vertex {}", row[k])))
        };
        Ok([corner(0)?, corner(1)?, corner(2)?])
    };
    array.as_array().rows().into_iter().enumerate().map(one).collect()
}

fn points_array<'py>(py: Python<'py>, points: &[Point]) -> PyResult<Floats<'py>> {
    let data = points.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    PyArray1::from_vec(py, data).reshape([points.len(), 3])
}

fn triangles_array<'py>(py: Python<'py>, triangles: &[[usize; 3]]) -> PyResult<Indices<'py>> {
    let data = triangles.iter().flatten().map(|&i| i as i64).collect();
    PyArray1::from_vec(py, data).reshape([triangles.len(), 3])
}

/// The vertices of a scan file, and its triangles if it is a mesh.
#[pyfunction]
pub fn read_scan(py: Python<'_>, path: PathBuf) -> PyResult<(Floats<'_>, Option<Indices<'_>>)> {
    let Scan { vertices, triangles, .. } = work::short(py, || io::read_scan(&path).map_err(Failure::input))?;
    let triangles = triangles.map(|t| triangles_array(py, &t)).transpose()?;
    Ok((points_array(py, &vertices)?, triangles))
}

/// Writes a mesh as binary PLY.
#[pyfunction]
pub fn write_ply(
    path: PathBuf,
    vertices: PyReadonlyArray2<'_, f64>,
    triangles: PyReadonlyArray2<'_, i64>,
) -> PyResult<()> {
    let mesh = TriMesh::new(points_of(&vertices), triangles_of(&triangles)?)
        .map_err(|e| Failure::input(format!("mesh: {e}")))?;
    Ok(io::write_ply(&path, &mesh).map_err(Failure::other)?)
}

/// The scan files that files and folders stand for, in the order studies take them.
#[pyfunction]
pub fn list_scans(paths: Vec<PathBuf>) -> PyResult<Vec<PathBuf>> {
    Ok(io::list_scans(&paths).map_err(|e| Failure::input(format!("scans: {e}")))?)
}

/// The triangles of a mesh of all points.
#[pyfunction]
pub fn cloud_mesh<'py>(py: Python<'py>, points: PyReadonlyArray2<'py, f64>) -> PyResult<Indices<'py>> {
    let points = points_of(&points);
    let mesh = work::long(py, Stop::default(), None, move |_| {
        mesh_from_points(&points).map_err(|e| Failure::input(format!("points: {e}")))
    })?;
    triangles_array(py, mesh.triangles())
}

/// The disk map of a mesh, one row a vertex (NaN where repairs dropped it), its quality as JSON, and what was repaired.
#[pyfunction]
pub fn disk_of<'py>(
    py: Python<'py>,
    vertices: PyReadonlyArray2<'py, f64>,
    triangles: PyReadonlyArray2<'py, i64>,
    repair: bool,
) -> PyResult<(Floats<'py>, String, Option<String>)> {
    let (vertices, triangles) = (points_of(&vertices), triangles_of(&triangles)?);
    let count = vertices.len();
    let (rows, quality, repairs) =
        work::long(py, Stop::default(), None, move |_| flattened(vertices, triangles, repair))?;
    Ok((PyArray1::from_vec(py, rows).reshape([count, 2])?, quality, repairs))
}

fn flattened(
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
    repair: bool,
) -> Result<(Vec<f64>, String, Option<String>), Failure> {
    let wrong = |e: &dyn std::fmt::Display| Failure::input(format!("mesh: {e}"));
    let count = vertices.len();
    let mesh = TriMesh::new(vertices, triangles).map_err(|e| wrong(&e))?;
    let (disk, source, repairs) = match DiskMesh::try_new(mesh.clone()) {
        Ok(disk) => (disk, (0..count).map(Some).collect(), None),
        Err(error) if !repair => {
            return Err(wrong(&format!(
                "{error}; repair=True fills holes, drops debris and cuts small handles first"
            )));
        }
        Err(_) => {
            let repaired = make_disk(mesh, None, &RepairSettings::default()).map_err(|e| wrong(&e))?;
            (repaired.mesh, repaired.vertex_source, Some(repaired.log.to_string()))
        }
    };
    let map = disk_map(&disk).map_err(|e| wrong(&e))?;
    let quality = Quality::measure(&disk, &map).map_err(|e| wrong(&e))?;
    let mut rows = vec![f64::NAN; 2 * count];
    for (z, source) in map.z.iter().zip(&source) {
        if let Some(i) = source {
            rows[2 * i..2 * i + 2].copy_from_slice(&[z.re, z.im]);
        }
    }
    let quality = serde_json::to_string(&quality).map_err(Failure::other)?;
    Ok((rows, quality, repairs))
}

/// A scan as Python hands it over: a file, or vertices with or without triangles.
#[derive(FromPyObject)]
pub enum Given<'py> {
    /// A file; a landmark file beside it is used.
    File(PathBuf),
    /// In memory.
    Arrays(PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray2<'py, i64>>),
}

/// The same without the interpreter.
enum Source {
    File(PathBuf),
    Scan(Scan),
}

impl Given<'_> {
    fn source(&self) -> Result<Source, Failure> {
        Ok(match self {
            Self::File(path) => Source::File(path.clone()),
            Self::Arrays(vertices, triangles) => Source::Scan(Scan {
                vertices: points_of(vertices),
                triangles: triangles.as_ref().map(triangles_of).transpose()?,
                ..Scan::default()
            }),
        })
    }
}

/// The public template face.
#[pyclass(frozen, skip_from_py_object, module = "visard._visard")]
#[derive(Debug, Clone)]
pub struct Template(Arc<LoadedTemplate>);

#[pymethods]
impl Template {
    /// The built-in face, or a mesh file whose pose the built-in face finds.
    #[new]
    #[pyo3(signature = (path=None))]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Self> {
        let source = template_source(path);
        let loaded =
            work::long(py, Stop::default(), None, move |_| load_template(&source).map_err(Failure::input))?;
        Ok(Self(Arc::new(loaded)))
    }

    /// Its vertices, (V, 3), in its file's units.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Floats<'py>> {
        points_array(py, self.0.template.mesh().vertices())
    }

    /// Its triangles, (F, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Indices<'py>> {
        triangles_array(py, self.0.template.mesh().triangles())
    }

    /// The number of its nose-tip vertex.
    #[getter]
    fn nose_tip(&self) -> usize {
        self.0.template.nose()
    }

    /// SHA-256 of its file.
    #[getter]
    fn sha256(&self) -> String {
        self.0.input.sha256.clone()
    }

    /// Its own curves, J·m·3 numbers.
    fn curves<'py>(
        &self,
        py: Python<'py>,
        curves: usize,
        samples: usize,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let own = work::short(py, || self.0.template.own_curves(curves, samples).map_err(Failure::input))?;
        Ok(PyArray1::from_slice(py, own.data()))
    }

    /// Where its vertices lie on a scan, the share of them that lie on it and their distance to it (root mean square), and what was
    /// repaired.
    #[pyo3(signature = (scan, registration, crop_radius))]
    fn register<'py>(
        &self,
        py: Python<'py>,
        scan: Given<'py>,
        registration: &str,
        crop_radius: Option<f64>,
    ) -> PyResult<(Floats<'py>, f64, f64, String)> {
        let (own, source) = (self.clone(), scan.source()?);
        let method: Registration = named("registration", registration)?;
        // One registration takes some tenths of a second: an exception need not wait for its end, which nobody will see.
        let (positions, row) = work::long(py, Stop::default(), None, move |_| {
            let template = &own.0.template;
            let crop = crop_radius.unwrap_or_else(|| default_crop_radius(template));
            let registrar = ScanRegistrar::new(template, method, crop).map_err(Failure::input)?;
            let mut row = ScanRow::default();
            let posed = match source {
                Source::File(path) => registrar.pose(&path, landmark_file(&path).as_deref(), &mut row),
                Source::Scan(scan) => registrar.pose_of(scan, None, &mut row),
            };
            let found = posed.and_then(|posed| registrar.register(&posed, &mut row));
            Ok((found.map_err(|e| Failure::input(format!("scan: {e}")))?, row))
        })?;
        Ok((points_array(py, &positions)?, row.on_scan, row.distance_to_scan, row.repairs))
    }

    /// The curves of many scans, n·J·m·3 numbers, the template's own where a scan could not be processed, and what was wrong with each
    /// ("": nothing).
    #[pyo3(signature = (scans, registration, crop_radius, curves, samples, progress))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
    fn prepare<'py>(
        &self,
        py: Python<'py>,
        scans: Vec<Given<'py>>,
        registration: &str,
        crop_radius: Option<f64>,
        curves: usize,
        samples: usize,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<String>)> {
        let own = self.clone();
        let sources = scans.iter().map(Given::source).collect::<Result<Vec<_>, _>>()?;
        let registration: Registration = named("registration", registration)?;
        let stop = Stop::default();
        let stopped = stop.clone();
        let (data, problems) = work::long(py, stop, progress, move |reporter| {
            let template = &own.0.template;
            let crop_radius = crop_radius.unwrap_or_else(|| default_crop_radius(template));
            let settings = RecordSettings { registration, crop_radius, curves, samples };
            let maker = RecordMaker::new(template, settings).map_err(Failure::input)?;
            let (total, done) = (sources.len() as u64, AtomicU64::new(0));
            let one = |(i, source): (usize, Source)| {
                if stopped.asked() {
                    return (None, String::new());
                }
                let record = match source {
                    Source::File(path) => maker.record(&path, landmark_file(&path).as_deref()),
                    Source::Scan(scan) => maker.record_of(i.to_string(), scan, None),
                };
                reporter.tell("scans", done.fetch_add(1, Ordering::Relaxed) + 1, total);
                (record.curves, record.row.problem)
            };
            let made: Vec<_> = sources.into_par_iter().enumerate().map(one).collect();
            let own = template.own_curves(curves, samples).map_err(Failure::input)?;
            let data: Vec<f64> =
                made.iter().flat_map(|(found, _)| found.as_ref().unwrap_or(&own).data()).copied().collect();
            Ok((data, made.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>()))
        })?;
        Ok((PyArray1::from_vec(py, data), problems))
    }
}
