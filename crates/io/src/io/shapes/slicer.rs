//! Specimens as 3D Slicer keeps them, a file for each: `.mrk.json` and `.fcsv`.

use super::order::{Listing, Order, canonical, numbered};
use super::reading::ShapeReading;
use super::record::{ShapeIter, ShapeRecord};
use crate::io::error::{Fault, Parsed, Place, RecordError, printable_name};
use crate::io::landmarks::{self, Marked};
use crate::io::open::Opened;
use crate::io::text::{ending, specimen_name};
use std::collections::HashMap;
use std::path::Path;

/// The order of landmarks by their labels, where all files have them.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    /// In order; none where the points stand as they are.
    pub names: Vec<String>,
    /// How many these are, where no record decides it.
    pub landmarks: Option<usize>,
    /// What the data holder should know.
    pub notes: Vec<String>,
}

struct Files {
    records: Vec<(String, Vec<u32>)>,
}

impl Listing for Files {
    fn records(&self) -> usize {
        self.records.len()
    }

    fn listed(&self, record: usize) -> Vec<u32> {
        self.records[record].1.clone()
    }

    fn called(&self, record: usize) -> String {
        printable_name(&self.records[record].0)
    }
}

impl Labels {
    /// Of all files that can be read.
    ///
    /// # Errors
    /// A label that is there twice, or that other files do not have.
    pub fn find(file: &Opened, reading: &ShapeReading) -> Result<Self, Fault> {
        let (mut found, mut known): (Vec<String>, HashMap<String, usize>) = Default::default();
        let mut records = Vec::new();
        for (name, bytes) in file.files() {
            let (id, points) = points_of(name, bytes);
            let Ok(points) = points else { continue };
            let Some(labels) = labels(&points) else { return Ok(Self::default()) };
            let mut listed = Vec::with_capacity(labels.len());
            for label in labels {
                let at = *known.entry(label.clone()).or_insert(found.len());
                if at == found.len() {
                    found.push(label);
                }
                listed.push(at as u32);
            }
            records.push((id, listed));
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        let order = Order::settle(&found, &Files { records }, reading)?;
        Ok(Self {
            landmarks: order.landmarks(),
            notes: order.note().into_iter().collect(),
            names: order.names,
        })
    }

    fn sorted(&self, points: Vec<Marked>) -> Vec<f64> {
        let place = |Marked { position, .. }: &Marked| position.unwrap_or([f64::NAN; 3]);
        if self.names.is_empty() {
            return points.iter().flat_map(place).collect();
        }
        let labels = labels(&points).unwrap_or_default();
        // A centre's names may be those of the numbers in these.
        let wanted = match (numbered(&self.names), numbered(&labels)) {
            (Some(wanted), Some(_)) => wanted,
            _ => self.names.clone(),
        };
        let labels = numbered(&labels).unwrap_or(labels);
        let places: HashMap<&String, usize> = labels.iter().zip(0..).collect();
        let of = |name: &String| places.get(name).map(|at| place(&points[*at]));
        wanted.iter().flat_map(|name| of(name).unwrap_or([f64::NAN; 3])).collect()
    }
}

/// The labels of the points, if each has one: only the numbers of those that differ in a number only, since Slicer puts the name of the list
/// before it.
fn labels(points: &[Marked]) -> Option<Vec<String>> {
    let labels: Vec<String> = points
        .iter()
        .map(|point| point.label.as_ref().map(|label| canonical(label.trim())))
        .collect::<Option<_>>()?;
    let all_alike = labels.len() > 1 && labels.iter().all(|label| *label == labels[0]);
    (!all_alike).then(|| numbered(&labels).unwrap_or(labels))
}

/// The specimens of a folder, or the one of a file, each for itself: what is wrong with one is an error in its place.
pub(super) fn shapes<'a>(file: &'a Opened, labels: &'a Labels) -> ShapeIter<'a> {
    Box::new(file.files().map(|(name, bytes)| specimen(name, bytes, labels)))
}

fn specimen(file: &str, bytes: &[u8], labels: &Labels) -> Result<(Place, ShapeRecord), RecordError> {
    let (id, points) = points_of(file, bytes);
    match points {
        Ok(points) => Ok((Place::Whole, ShapeRecord::flat(Some(id), 3, labels.sorted(points)))),
        Err(located) => Err(located.of_record(Some(id))),
    }
}

/// What a specimen is called, and its points.
fn points_of(file: &str, bytes: &[u8]) -> (String, Parsed<Vec<Marked>>) {
    let path = Path::new(file);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let marked = |l: landmarks::Landmark| Marked { label: l.name, position: Some(l.position.coords.into()) };
    let points = match ending(path).as_str() {
        "fcsv" => landmarks::fiducials(bytes).map(|all| all.into_iter().map(marked).collect()),
        _ => landmarks::marked(bytes),
    };
    (specimen_name(&name).to_owned(), points)
}

#[cfg(test)]
mod tests {
    use crate::io::{RecordSize, read_shapes};

    fn json(system: &str, points: &str) -> String {
        format!(r#"{{"markups": [{{"type": "Fiducial", {system} "controlPoints": [{points}]}}]}}"#)
    }

    const POINTS: &str = r#"{"label": "F-1", "position": [1, -2, 3], "positionStatus": "defined"},
        {"label": "F-2", "position": [4.5, 5, 6], "positionStatus": "undefined"}"#;

    #[test]
    fn a_folder_is_a_table_with_a_file_for_each_specimen() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("s10.mrk.json", &json(r#""coordinateSystem": "LPS","#, POINTS));
        write("s2.mrk.json", &json(r#""coordinateSystem": "RAS","#, POINTS));
        write(
            "s1.fcsv",
            "# Markups fiducial file version = 4.6\n# CoordinateSystem = 0\n# columns = id,x,y,z,ow,ox,oy,oz,vis,sel,lock,label,desc,associatedNodeID\n1,-1,2,3,0,0,0,1,1,1,0,F-1,,\n2,-4.5,-5,6,0,0,0,1,1,1,0,F-2,,\n",
        );
        write("notes.txt", "nothing");
        write(".hidden.fcsv", "nothing");
        let shapes = read_shapes(dir.path(), RecordSize::Content).unwrap();
        let first_sum = shapes.file().sha256();
        let found = shapes.all().unwrap();
        let names: Vec<_> = found.iter().map(|s| s.id.as_deref().unwrap()).collect();
        assert_eq!((names, shapes.dimension()), (vec!["s1", "s2", "s10"], Some(3)));
        assert_eq!(found[0].coordinates(), [1.0, -2.0, 3.0, 4.5, 5.0, 6.0]);
        assert_eq!(found[1].coordinates()[..3], [-1.0, 2.0, 3.0]);
        assert_eq!((found[2].coordinates()[..3].to_vec(), found[2].missing()), (vec![1.0, -2.0, 3.0], 1));
        std::fs::rename(dir.path().join("s2.mrk.json"), dir.path().join("s3.mrk.json")).unwrap();
        assert_ne!(read_shapes(dir.path(), RecordSize::Content).unwrap().file().sha256(), first_sum);
        write("s4.mrk.json", "{");
        write("s5.mrk.json", &json(r#""coordinateSystem": "IJK","#, POINTS));
        let errors: Vec<String> = read_shapes(dir.path(), RecordSize::Content)
            .unwrap()
            .iter()
            .filter_map(|shape| shape.err().map(|e| e.to_string()))
            .collect();
        assert!(errors[0].contains("\"s4\"") && errors[1].contains("neither LPS nor RAS"), "{errors:?}");
        write("s4.fcsv", "x");
        assert!(
            read_shapes(dir.path(), RecordSize::Content)
                .unwrap_err()
                .to_string()
                .contains("but for the ending")
        );
    }

    #[test]
    fn a_folder_without_specimens_says_what_it_wants() {
        let dir = tempfile::tempdir().unwrap();
        let error = read_shapes(dir.path(), RecordSize::Content).unwrap_err().to_string();
        assert!(error.contains("without .mrk.json or .fcsv"), "{error}");
    }
}
