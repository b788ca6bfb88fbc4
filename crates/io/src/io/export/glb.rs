//! Binary glTF 2.0 (ISO/IEC 12113): one mesh with normals, colours, its fields as attributes of the application, and its ways as morph targets:
//! Blender's shape keys.

use super::surface::SurfaceFile;
use serde_json::{Map, Value, json};
use std::io;

/// Types of components, as glTF numbers them.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// What a buffer's view is for.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Views and accessors over one run of bytes; every part begins at a multiple of four.
#[derive(Default)]
struct Parts {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Parts {
    fn add(&mut self, bytes: Vec<u8>, target: u32, mut accessor: Value) -> usize {
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(), "target": target
        }));
        self.bytes.extend(bytes);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, kind: &str, count: usize, values: impl Iterator<Item = f32>) -> usize {
        let bytes = values.flat_map(f32::to_le_bytes).collect();
        self.add(bytes, VERTICES, json!({"componentType": FLOAT, "count": count, "type": kind}))
    }

    /// Places or displacements, whose least and greatest coordinates must be stated.
    fn places(&mut self, places: &[[f32; 3]]) -> usize {
        let at = self.floats("VEC3", places.len(), places.iter().flatten().copied());
        let [lo, hi] = bounds(places);
        self.accessors[at]["min"] = json!(lo);
        self.accessors[at]["max"] = json!(hi);
        at
    }
}

/// The light of an sRGB byte: glTF multiplies colours of vertices in linear light.
fn linear(c: u8) -> f32 {
    let v = f64::from(c) / 255.0;
    (if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }) as f32
}

/// Least and greatest coordinates, of the single-precision values that are written.
fn bounds(places: &[[f32; 3]]) -> [[f32; 3]; 2] {
    places.iter().fold([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], |[lo, hi], p| {
        [[0, 1, 2].map(|k| lo[k].min(p[k])), [0, 1, 2].map(|k| hi[k].max(p[k]))]
    })
}

/// The file.
pub(super) fn bytes(surface: &SurfaceFile<'_>) -> io::Result<Vec<u8>> {
    let refuse = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let (mesh, n) = (surface.mesh, surface.mesh.vertices().len());
    if n == 0 {
        return refuse("glTF has no empty meshes");
    }
    if u32::try_from(n).is_err() {
        return refuse("more than 2³² vertices");
    }
    let places: Vec<[f32; 3]> =
        mesh.vertices().iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
    if !places.iter().flatten().all(|c| c.is_finite()) {
        return refuse("glTF has coordinates of single precision, and these are beyond it");
    }
    let mut parts = Parts::default();
    let mut attributes = Map::new();
    attributes.insert("POSITION".into(), json!(parts.places(&places)));
    if !mesh.triangles().is_empty() {
        // Normals are to be of unit length: any will do where a vertex has no triangle.
        let normals = mesh.vertex_normals();
        let unit =
            normals.iter().map(|n| if n.norm_squared() > 0.5 { [n.x, n.y, n.z] } else { [0.0, 0.0, 1.0] });
        attributes.insert("NORMAL".into(), json!(parts.floats("VEC3", n, unit.flatten().map(|c| c as f32))));
    }
    if let Some(colours) = surface.colours {
        let light = colours.iter().flatten().map(|c| linear(*c));
        attributes.insert("COLOR_0".into(), json!(parts.floats("VEC3", n, light)));
    }
    for field in surface.fields {
        // NaN and infinities are not allowed: what has no value is 0.
        let values = field.values.iter().map(|v| *v as f32).map(|v| if v.is_finite() { v } else { 0.0 });
        let name = format!("_{}", field.name.to_ascii_uppercase().replace('-', "_"));
        attributes.insert(name, json!(parts.floats("SCALAR", n, values)));
    }
    let mut primitive = json!({"attributes": attributes, "material": 0, "mode": 0});
    if !mesh.triangles().is_empty() {
        let bytes: Vec<u8> =
            mesh.triangles().iter().flatten().flat_map(|&i| (i as u32).to_le_bytes()).collect();
        let about =
            json!({"componentType": UNSIGNED_INT, "count": 3 * mesh.triangles().len(), "type": "SCALAR"});
        let at = parts.add(bytes, INDICES, about);
        primitive["indices"] = json!(at);
        primitive["mode"] = json!(4);
    }
    let mut about = json!({"extras": {"unit": surface.unit}});
    if !surface.ways.is_empty() {
        let moved = |v: &crate::mesh::Vector| [v.x as f32, v.y as f32, v.z as f32];
        let mut target = |moves: &[_]| {
            let moves: Vec<[f32; 3]> = moves.iter().map(moved).collect();
            json!({"POSITION": parts.places(&moves)})
        };
        let targets: Vec<Value> = surface.ways.iter().map(|way| target(&way.moves)).collect();
        primitive["targets"] = json!(targets);
        about["weights"] = json!(vec![0.0; surface.ways.len()]);
        // Where Blender and three.js look for the names.
        about["extras"]["targetNames"] = surface.ways.iter().map(|way| way.name.as_str()).collect();
    }
    about["primitives"] = json!([primitive]);
    // Warm clay in linear light, or the colours alone.
    let base = if surface.colours.is_some() { [1.0; 4] } else { [0.71, 0.46, 0.33, 1.0] };
    let mut node = json!({"mesh": 0, "name": "surface"});
    if let Some(metres) = surface.metres {
        node["scale"] = json!([metres, metres, metres]);
    }
    let document = json!({
        "asset": {"version": "2.0", "generator": concat!("visard ", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [node],
        "meshes": [about],
        "materials": [{
            "doubleSided": true,
            "pbrMetallicRoughness": {"baseColorFactor": base, "metallicFactor": 0.0, "roughnessFactor": 0.8}
        }],
        "buffers": [{"byteLength": parts.bytes.len()}],
        "bufferViews": parts.views,
        "accessors": parts.accessors,
    });
    container(document.to_string().into_bytes(), parts.bytes)
}

/// Header and two chunks, padded to multiples of four.
fn container(mut document: Vec<u8>, mut binary: Vec<u8>) -> io::Result<Vec<u8>> {
    document.resize(document.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let length = |bytes: usize| {
        let large = |_| io::Error::new(io::ErrorKind::InvalidInput, "more than 4 GiB do not fit into a .glb");
        u32::try_from(bytes).map_err(large)
    };
    let mut out = b"glTF".to_vec();
    for word in [2, length(28 + document.len() + binary.len())?, length(document.len())?] {
        out.extend(word.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(&document);
    out.extend(length(binary.len())?.to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(&binary);
    Ok(out)
}
