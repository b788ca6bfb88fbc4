//! PLY bodies: vertices and faces picked out of whatever records the header describes.

use super::header::Header;
use super::values::{Ascii, Binary, Stop, Values};
use crate::io::error::{Fault, Parsed};
use crate::io::scan::{Scan, push_fan};
use crate::io::text::plain;
use crate::mesh::Point;
use ply_rs::ply::{ElementDef, Encoding, PropertyType, ScalarType};

/// Parses what follows the header.
pub(super) fn parse(bytes: &[u8], header: &Header) -> Parsed<Scan> {
    match header.encoding {
        Encoding::Ascii => {
            let text = plain(&bytes[header.body..])?;
            read(Ascii::new(text, header.lines), header)
        }
        Encoding::BinaryLittleEndian => read(Binary::<false>::new(bytes, header.body), header),
        Encoding::BinaryBigEndian => read(Binary::<true>::new(bytes, header.body), header),
    }
}

fn length(values: &mut impl Values, kind: &ScalarType) -> Result<usize, Stop> {
    let n = values.integer(kind)?;
    usize::try_from(n).map_err(|_| Stop::At(values.here(Fault::Malformed("a list has a negative length"))))
}

fn skip_property<V: Values>(values: &mut V, kind: &PropertyType) -> Result<(), Stop> {
    match kind {
        PropertyType::Scalar(kind) => values.skip(kind, 1),
        PropertyType::List(count, item) => {
            let n = length(values, count)?;
            values.skip(item, n)
        }
    }
}

/// Runs `record` for every record of an element, telling where the data end if they do so early.
fn records<V: Values>(
    values: &mut V,
    element: &ElementDef,
    mut record: impl FnMut(&mut V, usize) -> Result<(), Stop>,
) -> Parsed<()> {
    let what = match element.name.as_str() {
        "vertex" => "vertices",
        "face" => "faces",
        _ => "records other than vertices and faces",
    };
    let least: usize = element
        .properties
        .iter()
        .map(|(_, p)| match &p.data_type {
            PropertyType::Scalar(kind) | PropertyType::List(kind, _) => V::least_bytes(kind),
        })
        .sum();
    if least == 0 {
        return Ok(());
    }
    // One byte more, since the last word of a text needs no blank after it.
    if element.count > (values.bytes_left() + 1) / least {
        return Err(Fault::Overpromise { what, promised: element.count }.into());
    }
    for found in 0..element.count {
        record(values, found).and_then(|()| values.end_record()).map_err(|stop| match stop {
            Stop::End => Fault::Truncated { what, promised: element.count, found }.into(),
            Stop::At(located) => located,
        })?;
    }
    Ok(())
}

fn read<V: Values>(mut values: V, header: &Header) -> Parsed<Scan> {
    let n_vertices = match header.elements.iter().find(|e| e.name == "vertex") {
        Some(element) => element.count,
        None => return Err(Fault::Malformed("is a PLY file without vertices; export the scan again").into()),
    };
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices = read_vertices(&mut values, element)?,
            "face" => read_faces(&mut values, element, n_vertices, &mut triangles)?,
            "tristrips" => read_strips(&mut values, element, n_vertices, &mut triangles)?,
            _ => records(&mut values, element, |values, _| {
                element.properties.iter().try_for_each(|(_, p)| skip_property(values, &p.data_type))
            })?,
        }
    }
    values.end_file()?;
    Ok(Scan { vertices, triangles: Some(triangles) })
}

fn read_vertices<V: Values>(values: &mut V, element: &ElementDef) -> Parsed<Vec<Point>> {
    let axes = ["x", "y", "z"];
    let is_number = |axis: &&str| {
        element.properties.get(*axis).is_some_and(|p| matches!(p.data_type, PropertyType::Scalar(_)))
    };
    if !axes.iter().all(is_number) {
        return Err(Fault::Malformed(
            "is a PLY file whose vertices have no numbers x, y and z; export it again",
        )
        .into());
    }
    let plan: Vec<_> = element
        .properties
        .iter()
        .map(|(name, p)| (axes.iter().position(|axis| axis == name), &p.data_type))
        .collect();
    let mut vertices = Vec::new();
    records(values, element, |values, index| {
        if index == 0 {
            // Only now is the count known to be possible.
            vertices.reserve_exact(element.count);
        }
        let mut p = [0.0; 3];
        for (axis, kind) in &plan {
            match (axis, kind) {
                (Some(axis), PropertyType::Scalar(kind)) => p[*axis] = values.real(kind)?,
                _ => skip_property(values, kind)?,
            }
        }
        if !p.iter().all(|c| c.is_finite()) {
            return Err(Stop::At(values.here(Fault::NotFinite { what: "vertex", index })));
        }
        vertices.push(Point::from(p));
        Ok(())
    })?;
    Ok(vertices)
}

/// Runs `take` on the list of vertex numbers of every record of an element.
fn read_index_lists<V: Values>(
    values: &mut V,
    element: &ElementDef,
    mut take: impl FnMut(&V, &[i64], usize) -> Result<(), Stop>,
) -> Parsed<()> {
    let is_index_list = |name: &str, kind: &PropertyType| {
        (name == "vertex_indices" || name == "vertex_index")
            && matches!(kind, PropertyType::List(_, item)
                if !matches!(item, ScalarType::Float | ScalarType::Double))
    };
    let plan: Vec<_> = element
        .properties
        .iter()
        .map(|(name, p)| (is_index_list(name, &p.data_type), &p.data_type))
        .collect();
    if element.count > 0 && plan.iter().filter(|(is_list, _)| *is_list).count() != 1 {
        return Err(Fault::Malformed(
            "is a PLY file whose faces have no list vertex_indices of whole numbers; export it again",
        )
        .into());
    }
    let mut indices = Vec::new();
    records(values, element, |values, index| {
        for (is_list, kind) in &plan {
            match kind {
                PropertyType::List(count, item) if *is_list => {
                    indices.clear();
                    for _ in 0..length(values, count)? {
                        indices.push(values.integer(item)?);
                    }
                }
                _ => skip_property(values, kind)?,
            }
        }
        take(values, &indices, index)
    })
}

fn vertex_number(index: i64, n_vertices: usize) -> Option<usize> {
    usize::try_from(index).ok().filter(|&i| i < n_vertices)
}

fn read_faces<V: Values>(
    values: &mut V,
    element: &ElementDef,
    n_vertices: usize,
    triangles: &mut Vec<[usize; 3]>,
) -> Parsed<()> {
    let mut corners = Vec::new();
    read_index_lists(values, element, |values, indices, face| {
        corners.clear();
        for &index in indices {
            corners.push(
                vertex_number(index, n_vertices)
                    .ok_or_else(|| Stop::At(values.here(Fault::IndexOutOfRange { face, n_vertices })))?,
            );
        }
        push_fan(&corners, triangles);
        Ok(())
    })
}

/// Strips of triangles, as in the Stanford models: −1 begins a new strip, every second triangle is turned over, and
/// a triangle that names a vertex twice only joins two strips.
fn read_strips<V: Values>(
    values: &mut V,
    element: &ElementDef,
    n_vertices: usize,
    triangles: &mut Vec<[usize; 3]>,
) -> Parsed<()> {
    read_index_lists(values, element, |values, indices, _| {
        for strip in indices.split(|&index| index == -1) {
            for (k, three) in strip.windows(3).enumerate() {
                let corners = [three[0], three[1], three[2]].map(|index| vertex_number(index, n_vertices));
                let [Some(a), Some(b), Some(c)] = corners else {
                    let face = triangles.len();
                    return Err(Stop::At(values.here(Fault::IndexOutOfRange { face, n_vertices })));
                };
                if a != b && b != c && c != a {
                    triangles.push(if k % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
        }
        Ok(())
    })
}
