//! VTK's XML PolyData with data in base64 (VTK File Formats, "XML File Formats"): one piece, points as doubles, polygons, point data; ways
//! are vectors, for ParaView's "Warp By Vector".

use super::surface::SurfaceFile;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::fmt::Write as _;

/// A data array: eight bytes of its length, then its values, in one run of base64.
fn array(
    text: &mut String,
    kind: &str,
    name: &str,
    components: usize,
    values: impl Iterator<Item = [u8; 8]>,
    width: usize,
) {
    let body: Vec<u8> = values.flat_map(|v| v.into_iter().take(width)).collect();
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(body);
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">{}</DataArray>",
        BASE64.encode(bytes)
    );
}

/// A byte in the width of the rest.
fn byte(b: u8) -> [u8; 8] {
    [b, 0, 0, 0, 0, 0, 0, 0]
}

/// The file.
pub(super) fn text(surface: &SurfaceFile<'_>) -> String {
    let (n, t) = (surface.mesh.vertices().len(), surface.mesh.triangles());
    let mut s = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n",
    );
    // A cloud has its points as cells too, or nothing is drawn of it.
    let verts = if t.is_empty() { n } else { 0 };
    let _ = writeln!(
        s,
        "<Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
        t.len()
    );
    let active = surface.fields.first().map(|f| format!(" Scalars=\"{}\"", f.name)).unwrap_or_default();
    let _ = writeln!(s, "<PointData{active} Normals=\"Normals\">");
    for field in surface.fields {
        array(&mut s, "Float64", &field.name, 1, field.values.iter().map(|v| v.to_le_bytes()), 8);
    }
    for way in surface.ways {
        let moves = way.moves.iter().flat_map(|v| [v.x, v.y, v.z]).map(f64::to_le_bytes);
        array(&mut s, "Float64", &way.name, 3, moves, 8);
    }
    if let Some(colours) = surface.colours {
        array(&mut s, "UInt8", "RGB", 3, colours.iter().flatten().map(|c| byte(*c)), 1);
    }
    let normals = surface.mesh.vertex_normals();
    array(
        &mut s,
        "Float64",
        "Normals",
        3,
        normals.iter().flat_map(|v| [v.x, v.y, v.z]).map(f64::to_le_bytes),
        8,
    );
    s.push_str("</PointData>\n<Points>\n");
    let places = surface.mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]);
    array(&mut s, "Float64", "Points", 3, places.map(f64::to_le_bytes), 8);
    s.push_str("</Points>\n");
    if verts > 0 {
        s.push_str("<Verts>\n");
        array(&mut s, "Int64", "connectivity", 1, (0..n as i64).map(i64::to_le_bytes), 8);
        array(&mut s, "Int64", "offsets", 1, (1..=n as i64).map(i64::to_le_bytes), 8);
        s.push_str("</Verts>\n");
    }
    s.push_str("<Polys>\n");
    array(&mut s, "Int64", "connectivity", 1, t.iter().flatten().map(|&i| (i as i64).to_le_bytes()), 8);
    array(&mut s, "Int64", "offsets", 1, (1..=t.len() as i64).map(|k| (3 * k).to_le_bytes()), 8);
    s.push_str("</Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n");
    s
}
