//! Reads what is to be shown.

use crate::beside::Beside;
use crate::credentials;
use crate::error::ViewerError;
use crate::groups;
use crate::listing::short_name;
use crate::subject::{Shape, Subject, Values};
use std::path::Path;
use visard::io::{Limit, NamedField, RecordSize, npy, open, read_landmarks, read_scan, read_shapes};
use visard::mesh::{Point, TriMesh};
use visard::norm::map::{read_z_values, table_of};
use visard::privacy::Certificate;
use visard::study::face::registrations::to_front;
use visard::study::layout::{CERTIFICATE, CURVES, MEAN_PLY, NONPRIVATE_MEAN_PLY};
use visard::study::shape::outlines_in;
use visard::study::subject::field_of;
use visard::surface::Template;

/// Reads a file.
///
/// # Errors
/// [`ViewerError`]: what is wrong, where, what to do.
pub fn load(file: &Path) -> Result<Subject, ViewerError> {
    let file = &if file.file_name().is_some_and(|n| n == CERTIFICATE) {
        file.with_file_name(MEAN_PLY)
    } else {
        file.to_owned()
    };
    let mut shape = match read_shape(file) {
        Err(error) if file.file_name().is_some_and(|n| n == MEAN_PLY) => {
            return curves_in_place_of(file, &error).ok_or(error);
        }
        read => read?,
    };
    let (standing, mut notices) = credentials::of(file);
    let name = file.file_name().and_then(|n| n.to_str());
    let mut beside = Beside::default();
    if let (Shape::Surface(mesh), true) = (&shape, name.is_some_and(is_mean)) {
        beside = Beside::of(file, mesh, &mut notices);
    }
    if let (Shape::Landmarks { records, outlines }, Some(stated)) = (&mut shape, outlines_of_release(file))
        // As many landmarks on each, or the certificate is of something else.
        && records.iter().all(|record| stated == 0 || record.len().is_multiple_of(stated))
    {
        *outlines = stated;
    }
    if let Shape::Curves(curves) = &shape {
        beside.curves.clone_from(curves);
    }
    let Beside { errors, curves, modes, band, growth, start } = beside;
    let subject = Subject::new(short_name(file), file, standing, shape);
    let values = z_values(file, subject.shape.points().len())?;
    Ok(Subject { errors, curves, modes, band, growth, start, notices, values, ..subject })
}

/// The z-values beside the map of somebody held against a norm.
fn z_values(file: &Path, vertices: usize) -> Result<Option<Values>, ViewerError> {
    let Some(table) = table_of(file) else { return Ok(None) };
    let values = Some(read_z_values(&table)?).filter(|values| values.len() == vertices);
    Ok(values.map(|values| Values { name: "z along the normal".into(), unit: "sd".into(), values }))
}

/// The curves of a release whose surface cannot be read.
fn curves_in_place_of(mean: &Path, why: &ViewerError) -> Option<Subject> {
    let curves = load(&mean.with_file_name(CURVES)).ok()?;
    let said = format!("{why}; its curves are shown in its place");
    Some(Subject { notices: [vec![said], curves.notices].concat(), ..curves })
}

/// Whether a file is called as the mean of a release, or of a group that was compared.
fn is_mean(name: &str) -> bool {
    matches!(name, MEAN_PLY | NONPRIVATE_MEAN_PLY) || groups::label(Path::new(name)).is_some()
}

/// Turns a raw scan to the viewer, as studies pose it; one in which no face is found stays as it is.
pub fn upright(subject: Subject, template: &Template) -> Subject {
    let Some(front) = to_front(template, &subject.shape.points()) else { return subject };
    let turned = |points: &[Point]| points.iter().map(|p| front.apply(p)).collect();
    let shape = match &subject.shape {
        Shape::Surface(mesh) => mesh.with_vertices(turned(mesh.vertices())).map(Shape::Surface).ok(),
        Shape::Cloud(points) => Some(Shape::Cloud(turned(points))),
        _ => None,
    };
    match shape {
        Some(shape) => Subject { shape, posed: Some(front), ..subject },
        None => subject,
    }
}

/// The subject with the numbers of a file at its vertices.
///
/// # Errors
/// [`ViewerError::NoSurface`], and [`ViewerError::Field`] for a file that does not fit it.
pub fn with_field(subject: Subject, file: &Path) -> Result<Subject, ViewerError> {
    let Shape::Surface(mesh) = &subject.shape else {
        return Err(ViewerError::NoSurface { subject: subject.name });
    };
    let NamedField { name, values } = field_of(file, mesh.vertices().len())?;
    let values = Values { name, unit: String::new(), values };
    // What is coloured by a file is no more public than the file.
    let (of_file, said) = credentials::of(file);
    let standing = subject.standing.max(of_file);
    let mut notices = subject.notices;
    notices.extend(said.into_iter().filter(|sentence| !notices.contains(sentence)).collect::<Vec<_>>());
    Ok(Subject { values: Some(values), standing, notices, ..subject })
}

fn read_shape(file: &Path) -> Result<Shape, ViewerError> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "tps" => outlines(file),
        "npy" => {
            let array = npy::read(file)?;
            Shape::from_array(&array.shape, &array.data)
                .map_err(|source| ViewerError::FileArray { file: file.to_owned(), source })
        }
        _ => {
            let scan = match read_scan(file) {
                Ok(scan) => scan,
                // A table of named landmarks is not a scan, but it can be shown.
                Err(error) => match read_landmarks(file) {
                    Ok(found) => return Ok(Shape::Cloud(found.iter().map(|l| l.position).collect())),
                    Err(_) => return Err(error.into()),
                },
            };
            match scan.triangles {
                None => Ok(Shape::Cloud(scan.vertices)),
                Some(triangles) => TriMesh::new(scan.vertices, triangles)
                    .map(Shape::Surface)
                    .map_err(|source| ViewerError::FileMesh { file: file.to_owned(), source }),
            }
        }
    }
}

/// How many outlines the landmarks of a release go around, as the certificate beside them says.
fn outlines_of_release(file: &Path) -> Option<usize> {
    let certificate = open(&file.with_file_name(CERTIFICATE), Limit::CERTIFICATE).ok()?;
    let certificate = Certificate::from_json(certificate.text().ok()?).ok()?;
    Some(outlines_in(certificate.details.get("landmarks")?.as_str()?))
}

/// Missing landmarks are left out of their outline.
fn outlines(file: &Path) -> Result<Shape, ViewerError> {
    let records = read_shapes(file, RecordSize::Content).and_then(|shapes| shapes.all())?;
    // Landmarks in space are seen from the front: their first two coordinates.
    let seen = |p: &[f64]| p.iter().all(|c| c.is_finite()).then(|| [p[0], p[1]]);
    let outlines: Vec<Vec<[f64; 2]>> = records
        .iter()
        .map(|record| record.points().filter_map(seen).collect())
        .filter(|outline: &Vec<_>| !outline.is_empty())
        .collect();
    if outlines.is_empty() {
        return Err(ViewerError::NoLandmarks(file.to_owned()));
    }
    Ok(Shape::outline(outlines))
}

#[cfg(test)]
mod tests {
    use super::*;
    use visard::io::{write_npy, write_ply};
    use visard::norm::map::{MAP, MAP_TABLE};
    use visard::privacy::{Mu, PrivacyLoss, Statement};
    use visard::study::standing::Standing;

    fn write_triangle(file: &Path) {
        let v = vec![Point::origin(), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
        write_ply(file, &TriMesh::new(v, vec![[0, 1, 2]]).unwrap()).unwrap();
    }

    fn certificate(seeded: bool) -> String {
        let mut statement = Statement::new("m", 3, PrivacyLoss::Gaussian(Mu::new(1.0).unwrap()));
        statement.seeded = seeded;
        statement.certify().unwrap().to_json().unwrap()
    }

    #[test]
    fn only_a_private_certificate_outside_internal_takes_the_band_off() {
        let dir = tempfile::tempdir().unwrap();
        let place = |folder: &str, json: Option<String>| {
            let folder = dir.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            write_triangle(&folder.join("mean.ply"));
            if let Some(json) = json {
                std::fs::write(folder.join("certificate.json"), json).unwrap();
            }
            load(&folder.join("mean.ply")).unwrap().standing
        };
        // Anybody could have written it: there is no ledger.
        assert_eq!(place("release", Some(certificate(false))), Standing::Unchecked);
        assert_eq!(place("seeded", Some(certificate(true))), Standing::NotPrivate);
        assert_eq!(place("bare", None), Standing::Internal);
        assert_eq!(place("damaged", Some("{\"private\": true}".into())), Standing::Internal);
        assert_eq!(place("internal/release", Some(certificate(false))), Standing::Internal);
        assert_eq!(place("Internal", Some(certificate(false))), Standing::Internal);
        // A link from outside does not help.
        #[cfg(unix)]
        {
            let link = dir.path().join("release/link.ply");
            std::os::unix::fs::symlink(dir.path().join("internal/release/mean.ply"), &link).unwrap();
            assert_eq!(load(&link).unwrap().standing, Standing::Internal);
        }
    }

    #[test]
    fn a_map_brings_its_z_values() {
        let dir = tempfile::tempdir().unwrap();
        let [map, table] = [MAP, MAP_TABLE].map(|name| dir.path().join(name));
        write_triangle(&map);
        assert!(load(&map).unwrap().values.is_none());
        std::fs::write(
            &table,
            "vertex,x,y,z,z_value,along_normal\n0,0,0,0,-1.5,9\n1,1,0,0,2,9\n2,0,1,0,0.5,9\n",
        )
        .unwrap();
        let values = load(&map).unwrap().values.unwrap();
        assert_eq!((values.values, values.unit.as_str()), (vec![-1.5, 2.0, 0.5], "sd"));
        // Of another surface.
        std::fs::write(&table, "vertex,x,y,z,z_value\n0,0,0,0,-1.5\n").unwrap();
        assert!(load(&map).unwrap().values.is_none());
    }

    #[test]
    fn a_release_says_how_many_outlines_its_landmarks_go_around() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mean.npy");
        write_npy(&file, &[4, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        for (order, seen) in [
            ("an outline, in order (declared)", "an outline of 4 landmarks"),
            ("2 outlines, each in order (declared)", "2 outlines of 2 landmarks each"),
            ("without an order", "4 landmarks"),
            ("3 outlines, each in order (declared)", "an outline of 4 landmarks"),
            ("18446744073709551615 outlines", "an outline of 4 landmarks"),
        ] {
            let mut json: serde_json::Value = serde_json::from_str(&certificate(false)).unwrap();
            json["details"] = serde_json::json!({ "landmarks": order });
            std::fs::write(dir.path().join("certificate.json"), json.to_string()).unwrap();
            assert_eq!(load(&file).unwrap().shape.describe(), seen, "{order}");
        }
    }

    #[test]
    fn missing_landmarks_leave_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.tps");
        std::fs::write(&file, "LM=3\n1 2\nNA NA\n3.5 4\nLM=1\nNA NA\n").unwrap();
        match load(&file).unwrap().shape {
            Shape::Landmarks { records, .. } => assert_eq!(records, vec![vec![[1.0, 2.0], [3.5, 4.0]]]),
            other => panic!("{}", other.describe()),
        }
        std::fs::write(&file, "LM=1\nNA NA\n").unwrap();
        assert!(load(&file).unwrap_err().to_string().contains("missing"));
    }

    #[test]
    fn arrays_are_told_apart_by_shape_and_bad_files_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.npy");
        let kind = |shape: &[usize], value: f64| {
            write_npy(&file, shape, &vec![value; shape.iter().product()]).unwrap();
            load(&file).map(|s| s.shape.describe())
        };
        assert_eq!(kind(&[5, 3], 0.0).unwrap(), "5 points");
        assert_eq!(kind(&[2, 4, 3], 0.0).unwrap(), "2 curves");
        assert_eq!(kind(&[4, 2], 0.0).unwrap(), "an outline of 4 landmarks");
        assert_eq!(kind(&[3, 4, 2], 0.0).unwrap(), "3 outlines");
        assert!(kind(&[3, 4], 0.0).unwrap_err().to_string().contains("shape [3, 4]"));
        assert!(kind(&[3, 3], f64::NAN).unwrap_err().to_string().contains("a.npy"));
        assert!(load(&dir.path().join("none.ply")).unwrap_err().to_string().contains("none.ply"));
        std::fs::write(dir.path().join("cut.ply"), "ply\nformat ascii 1.0\nelement vertex 9\n").unwrap();
        assert!(load(&dir.path().join("cut.ply")).unwrap_err().to_string().contains("cut.ply"));
    }
}
