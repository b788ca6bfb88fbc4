//! 3D Slicer's markups (`.mrk.json`): a control point for each point, in LPS, in which such files are read.

use super::surface::SurfaceFile;
use serde_json::{Value, json};

/// The name of the schema, by which Slicer knows its files.
const SCHEMA: &str = "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/Resources/Schema/markups-schema-v1.0.3.json#";

/// The file.
pub(super) fn text(surface: &SurfaceFile<'_>) -> String {
    let point = |(k, p): (usize, &crate::mesh::Point)| {
        let name = (k + 1).to_string();
        json!({
            "id": name, "label": name, "position": [p.x, p.y, p.z], "positionStatus": "defined",
            "selected": true, "locked": true, "visibility": true,
        })
    };
    let points: Vec<Value> = surface.mesh.vertices().iter().enumerate().map(point).collect();
    let mut markup = json!({
        "type": "Fiducial", "coordinateSystem": "LPS", "locked": true, "labelFormat": "%N-%d", "controlPoints": points,
    });
    // Nothing is said of a unit that Slicer does not know.
    if surface.metres == Some(1e-3) {
        markup["coordinateUnits"] = json!("mm");
    }
    format!("{:#}\n", json!({"@schema": SCHEMA, "markups": [markup]}))
}
