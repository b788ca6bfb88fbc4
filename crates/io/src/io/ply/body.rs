//! PLY bodies: vertices and faces picked out of whatever records the header describes.

use super::header::Header;
use super::values::{Ascii, Binary, Stop, Values};
use crate::io::error::{Fault, Parsed};
use crate::io::scan::{Fan, Scan, check_room, fan_size};
use crate::io::text::plain;
use crate::mesh::Point;
use ply_rs::ply::{ElementDef, Encoding, PropertyType, ScalarType};

/// Parses what follows the header.
pub(super) fn parse(bytes: &[u8], header: &Header) -> Parsed<Scan> {
    match header.encoding {
        Encoding::Ascii => {
            let text = plain(&bytes[header.body..])?;
            Reader::new(Ascii::new(text, header.lines), bytes.len()).read(header)
        }
        Encoding::BinaryLittleEndian => {
            Reader::new(Binary::<false>::new(bytes, header.body), bytes.len()).read(header)
        }
        Encoding::BinaryBigEndian => {
            Reader::new(Binary::<true>::new(bytes, header.body), bytes.len()).read(header)
        }
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

/// What messages call the records of an element.
fn what(element: &ElementDef) -> &'static str {
    match element.name.as_str() {
        "vertex" => "vertices",
        "face" => "faces",
        _ => "records other than vertices and faces",
    }
}

/// The fewest bytes a record takes.
fn least_bytes<V: Values>(element: &ElementDef) -> usize {
    let least = |kind: &PropertyType| match kind {
        PropertyType::Scalar(kind) | PropertyType::List(kind, _) => V::least_bytes(kind),
    };
    element.properties.iter().map(|(_, p)| least(&p.data_type)).sum()
}

/// Refuses a count of records that the rest of the file has no bytes for.
fn check_count<V: Values>(values: &V, element: &ElementDef) -> Parsed<()> {
    // One byte more, since the last word of a text needs no blank after it.
    let most = (values.bytes_left() + 1).checked_div(least_bytes::<V>(element));
    match most {
        Some(most) if element.count > most => {
            Err(Fault::Overpromise { what: what(element), promised: element.count }.into())
        }
        _ => Ok(()),
    }
}

/// Runs `record` for every record of an element, telling where the data end if they do so early.
fn records<V: Values>(
    values: &mut V,
    element: &ElementDef,
    mut record: impl FnMut(&mut V, usize) -> Result<(), Stop>,
) -> Parsed<()> {
    check_count(values, element)?;
    if least_bytes::<V>(element) == 0 {
        return Ok(());
    }
    for found in 0..element.count {
        record(values, found).and_then(|()| values.end_record()).map_err(|stop| match stop {
            Stop::End => Fault::Truncated { what: what(element), promised: element.count, found }.into(),
            Stop::At(located) => located,
        })?;
    }
    Ok(())
}

fn skip_all<V: Values>(values: &mut V, element: &ElementDef) -> Parsed<()> {
    records(values, element, |values, _| {
        element.properties.iter().try_for_each(|(_, p)| skip_property(values, &p.data_type))
    })
}

/// What has been read of a body.
struct Reader<V> {
    values: V,
    /// Bytes in the file.
    size: usize,
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
}

impl<V: Values + Clone> Reader<V> {
    fn new(values: V, size: usize) -> Self {
        Self { values, size, vertices: Vec::new(), triangles: Vec::new() }
    }

    fn read(mut self, header: &Header) -> Parsed<Scan> {
        let n_vertices = match header.elements.iter().find(|e| e.name == "vertex") {
            Some(element) => element.count,
            None => {
                return Err(Fault::Malformed("is a PLY file without vertices; export the scan again").into());
            }
        };
        for element in &header.elements {
            match element.name.as_str() {
                "vertex" => self.vertices(element)?,
                "face" => self.faces(element, n_vertices)?,
                "tristrips" => self.strips(element, n_vertices)?,
                _ => skip_all(&mut self.values, element)?,
            }
        }
        self.values.end_file()?;
        Ok(Scan { vertices: self.vertices, triangles: Some(self.triangles), not_finite: 0 })
    }

    fn make_room(&mut self, vertices: usize, triangles: usize) -> Parsed<()> {
        check_room(self.size, self.vertices.len() + vertices, self.triangles.len() + triangles)?;
        self.vertices.reserve_exact(vertices);
        self.triangles.reserve_exact(triangles);
        Ok(())
    }

    fn vertices(&mut self, element: &ElementDef) -> Parsed<()> {
        // Some programs write X, Y, Z.
        let axes = [["x", "y", "z"], ["X", "Y", "Z"]].into_iter().find(|axes| {
            axes.iter().all(|axis| {
                element.properties.get(*axis).is_some_and(|p| matches!(p.data_type, PropertyType::Scalar(_)))
            })
        });
        let Some(axes) = axes else {
            return Err(Fault::Malformed(
                "is a PLY file whose vertices have no numbers x, y and z; export it again",
            )
            .into());
        };
        let plan: Vec<_> = element
            .properties
            .iter()
            .map(|(name, p)| (axes.iter().position(|axis| axis == name), &p.data_type))
            .collect();
        check_count(&self.values, element)?;
        self.make_room(element.count, 0)?;
        let Self { values, vertices, .. } = self;
        records(values, element, |values, _| {
            let mut p = [0.0; 3];
            for (axis, kind) in &plan {
                match (axis, kind) {
                    (Some(axis), PropertyType::Scalar(kind)) => p[*axis] = values.real(kind)?,
                    _ => skip_property(values, kind)?,
                }
            }
            vertices.push(Point::from(p));
            Ok(())
        })
    }

    fn faces(&mut self, element: &ElementDef, n_vertices: usize) -> Parsed<()> {
        let lists = IndexLists::of(element)?;
        check_count(&self.values, element)?;
        self.make_room(0, lists.most_triangles(self.values.clone()))?;
        let Self { values, triangles, .. } = self;
        let mut fan = Fan::default();
        lists.read(values, |values, Index { face, place, index }| {
            if place == 0 {
                fan = Fan::default();
            }
            let corner = vertex_number(index, n_vertices)
                .ok_or_else(|| Stop::At(values.here(Fault::IndexOutOfRange { face, n_vertices })))?;
            triangles.extend(fan.corner(corner));
            Ok(())
        })
    }

    /// Strips of triangles, as in the Stanford models: −1 begins a new strip, every second triangle is turned over, and
    /// a triangle that names a vertex twice only joins two strips.
    fn strips(&mut self, element: &ElementDef, n_vertices: usize) -> Parsed<()> {
        let lists = IndexLists::of(element)?;
        check_count(&self.values, element)?;
        self.make_room(0, lists.most_triangles(self.values.clone()))?;
        let Self { values, triangles, .. } = self;
        // The last two indices of the strip, and how many it has had.
        let (mut last, mut length) = ([0; 2], 0usize);
        lists.read(values, |values, Index { place, index, .. }| {
            if place == 0 || index == -1 {
                length = 0;
            }
            if index == -1 {
                return Ok(());
            }
            if length >= 2 {
                let corners = [last[0], last[1], index].map(|index| vertex_number(index, n_vertices));
                let [Some(a), Some(b), Some(c)] = corners else {
                    let face = triangles.len();
                    return Err(Stop::At(values.here(Fault::IndexOutOfRange { face, n_vertices })));
                };
                if a != b && b != c && c != a {
                    triangles.push(if length % 2 == 0 { [a, b, c] } else { [b, a, c] });
                }
            }
            (last, length) = ([last[1], index], length + 1);
            Ok(())
        })
    }
}

fn vertex_number(index: i64, n_vertices: usize) -> Option<usize> {
    usize::try_from(index).ok().filter(|&i| i < n_vertices)
}

/// An index in a list of vertex numbers.
struct Index {
    /// Number of the record.
    face: usize,
    /// Its place in the record's list.
    place: usize,
    index: i64,
}

/// The lists of vertex numbers of an element.
struct IndexLists<'a> {
    element: &'a ElementDef,
    /// All properties in order, and which of them is the list.
    plan: Vec<(bool, &'a PropertyType)>,
}

impl<'a> IndexLists<'a> {
    fn of(element: &'a ElementDef) -> Parsed<Self> {
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
        Ok(Self { element, plan })
    }

    /// Runs `take` on the indices of every record, one by one: a list may be as long as the file.
    fn read<V: Values>(
        &self,
        values: &mut V,
        mut take: impl FnMut(&V, Index) -> Result<(), Stop>,
    ) -> Parsed<()> {
        records(values, self.element, |values, face| {
            for (is_list, kind) in &self.plan {
                match kind {
                    PropertyType::List(count, item) if *is_list => {
                        for place in 0..length(values, count)? {
                            let index = values.integer(item)?;
                            take(values, Index { face, place, index })?;
                        }
                    }
                    _ => skip_property(values, kind)?,
                }
            }
            Ok(())
        })
    }

    /// How many triangles the lists give at most. What is wrong with them is found when they are read.
    fn most_triangles<V: Values>(&self, mut values: V) -> usize {
        let mut triangles = 0usize;
        let _ = records(&mut values, self.element, |values, _| {
            for (is_list, kind) in &self.plan {
                match kind {
                    PropertyType::List(count, item) if *is_list => {
                        let n = length(values, count)?;
                        values.skip(item, n)?;
                        triangles = triangles.saturating_add(fan_size(n));
                    }
                    _ => skip_property(values, kind)?,
                }
            }
            Ok(())
        });
        triangles
    }
}
