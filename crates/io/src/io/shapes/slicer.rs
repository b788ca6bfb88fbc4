//! Specimens as 3D Slicer keeps them, a file for each: `.mrk.json` and `.fcsv`.

use super::record::{ShapeIter, ShapeRecord};
use crate::io::error::{Parsed, Place, RecordError};
use crate::io::landmarks::{self, Marked};
use crate::io::open::Opened;
use crate::io::text::{ending, specimen_name};
use std::path::Path;

/// The specimens of a folder, or the one of a file, each for itself: what is wrong with one is an error in its place.
pub(super) fn shapes(file: &Opened) -> ShapeIter<'_> {
    if file.parts().is_empty() {
        let name = file.path().to_string_lossy().into_owned();
        return Box::new(std::iter::once(specimen(&name, file.bytes())));
    }
    Box::new(
        file.parts()
            .iter()
            .map(|part| specimen(&part.name, file.bytes().get(part.range.clone()).unwrap_or_default())),
    )
}

fn specimen(file: &str, bytes: &[u8]) -> Result<(Place, ShapeRecord), RecordError> {
    let path = Path::new(file);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let id = specimen_name(&name).to_owned();
    let found = if ending(path) == "fcsv" { fiducials(bytes) } else { markups(bytes) };
    match found {
        Ok(coordinates) => Ok((Place::Whole, ShapeRecord::flat(Some(id), 3, coordinates))),
        Err(located) => Err(located.of_record(Some(id))),
    }
}

fn markups(bytes: &[u8]) -> Parsed<Vec<f64>> {
    let of = |Marked { position, .. }: Marked| position.unwrap_or([f64::NAN; 3]);
    Ok(landmarks::marked(bytes)?.into_iter().flat_map(of).collect())
}

fn fiducials(bytes: &[u8]) -> Parsed<Vec<f64>> {
    Ok(landmarks::fiducials(bytes)?.iter().flat_map(|l| [l.position.x, l.position.y, l.position.z]).collect())
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
