//! PLY: ASCII and binary of both byte orders, any property types, extra elements and properties passed over.
//!
//! Our own reader, because the counts in a header must be checked against the file's size before anything is
//! allocated, and because nothing of the file may appear in an error.

use super::error::{Parsed, wrong};
use super::scan::Scan;
use crate::mesh::Point;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Number::I8,
            "uchar" | "uint8" => Number::U8,
            "short" | "int16" => Number::I16,
            "ushort" | "uint16" => Number::U16,
            "int" | "int32" => Number::I32,
            "uint" | "uint32" => Number::U32,
            "float" | "float32" => Number::F32,
            "double" | "float64" => Number::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::F64 => 8,
        }
    }

    fn value(self, raw: &[u8], big: bool) -> f64 {
        let mut b = [0u8; 8];
        let n = self.bytes();
        b[..n].copy_from_slice(raw);
        if big {
            b[..n].reverse();
        }
        match self {
            Number::I8 => b[0] as i8 as f64,
            Number::U8 => b[0] as f64,
            Number::I16 => i16::from_le_bytes([b[0], b[1]]) as f64,
            Number::U16 => u16::from_le_bytes([b[0], b[1]]) as f64,
            Number::I32 => i32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f64,
            Number::U32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f64,
            Number::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f64,
            Number::F64 => f64::from_le_bytes(b),
        }
    }
}

#[derive(Debug, Clone)]
enum Property {
    Scalar { name: String, kind: Number },
    List { name: String, count: Number, kind: Number },
}

#[derive(Debug, Clone)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// Parses a whole PLY file.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Scan> {
    let (encoding, elements, body) = header(bytes)?;
    let body = &bytes[body..];
    for e in &elements {
        // A record takes at least two characters in ASCII and its scalars' width in binary.
        let least: usize = match encoding {
            Encoding::Ascii => 2,
            _ => e.properties.iter().map(smallest_bytes).sum(),
        };
        if least == 0 && e.count > 0 && !e.properties.is_empty()
            || (e.count as u128) * (least as u128) > body.len() as u128 + 1
        {
            return wrong(format!(
                "the header promises {} records of '{}', more than the file can hold; it is cut off or damaged",
                e.count,
                if e.name == "vertex" || e.name == "face" { e.name.as_str() } else { "other data" }
            ));
        }
    }
    match encoding {
        Encoding::Ascii => ascii_body(body, &elements),
        Encoding::Little => binary_body(body, &elements, false),
        Encoding::Big => binary_body(body, &elements, true),
    }
}

fn smallest_bytes(property: &Property) -> usize {
    match property {
        Property::Scalar { kind, .. } => kind.bytes(),
        Property::List { count, .. } => count.bytes(),
    }
}

/// Encoding, elements and where the data begin.
fn header(bytes: &[u8]) -> Parsed<(Encoding, Vec<Element>, usize)> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut at = 0;
    for line_number in 1.. {
        if line_number > 10_000 {
            return wrong("the PLY header has no end; the file is damaged");
        }
        let rest = &bytes[at..];
        let Some(end) = rest.iter().position(|&b| b == b'\n' || b == b'\r') else {
            return wrong("the PLY header has no end_header line; the file is cut off");
        };
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        at += end + 1;
        if rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n') {
            at += 1;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["ply"] if line_number == 1 => {}
            _ if line_number == 1 => return wrong("does not begin with 'ply'; is it another kind of file?"),
            ["format", format, _] => {
                encoding = Some(match format {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::Little,
                    "binary_big_endian" => Encoding::Big,
                    _ => {
                        return wrong(format!(
                            "line {line_number}: unknown PLY format; save as ASCII or binary"
                        ));
                    }
                });
            }
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => match count.parse() {
                Ok(count) => elements.push(Element { name: name.to_owned(), count, properties: Vec::new() }),
                Err(_) => {
                    return wrong(format!("line {line_number}: the number of records is not a whole number"));
                }
            },
            ["property", "list", count, kind, name] => {
                let (Some(count), Some(kind)) = (Number::parse(count), Number::parse(kind)) else {
                    return wrong(format!("line {line_number}: unknown number type in the PLY header"));
                };
                push(&mut elements, Property::List { name: name.to_owned(), count, kind }, line_number)?;
            }
            ["property", kind, name] => {
                let Some(kind) = Number::parse(kind) else {
                    return wrong(format!("line {line_number}: unknown number type in the PLY header"));
                };
                push(&mut elements, Property::Scalar { name: name.to_owned(), kind }, line_number)?;
            }
            ["end_header"] => break,
            _ => return wrong(format!("line {line_number}: not understood in a PLY header")),
        }
    }
    let Some(encoding) = encoding else { return wrong("the PLY header has no format line") };
    check_layout(&elements)?;
    Ok((encoding, elements, at))
}

fn push(elements: &mut [Element], property: Property, line: usize) -> Parsed<()> {
    match elements.last_mut() {
        Some(e) => {
            e.properties.push(property);
            Ok(())
        }
        None => wrong(format!("line {line}: a property before any element in the PLY header")),
    }
}

fn check_layout(elements: &[Element]) -> Parsed<()> {
    let Some(vertex) = elements.iter().find(|e| e.name == "vertex") else {
        return wrong("has no vertices (no 'element vertex' in the header)");
    };
    for axis in ["x", "y", "z"] {
        if !vertex.properties.iter().any(|p| matches!(p, Property::Scalar { name, .. } if name == axis)) {
            return wrong(format!("the vertices have no '{axis}' coordinate"));
        }
    }
    Ok(())
}

/// Collects what matters while records go by.
#[derive(Default)]
struct Collector {
    vertices: Vec<Point>,
    triangles: Vec<[usize; 3]>,
    has_faces: bool,
}

impl Collector {
    fn polygon(&mut self, corners: &[f64], record: usize) -> Parsed<()> {
        let mut index = Vec::with_capacity(corners.len());
        for &c in corners {
            if c < 0.0 || c.fract() != 0.0 {
                return wrong(format!("face {record}: a vertex number is negative or not whole"));
            }
            index.push(c as usize);
        }
        for k in 2..index.len() {
            self.triangles.push([index[0], index[k - 1], index[k]]);
        }
        Ok(())
    }

    fn finish(self) -> Scan {
        Scan { vertices: self.vertices, triangles: self.has_faces.then_some(self.triangles) }
    }
}

fn is_corner_list(element: &Element, property: &Property) -> bool {
    matches!(property, Property::List { name, .. }
        if element.name == "face" && (name == "vertex_indices" || name == "vertex_index"))
}

/// Reads the next value of a kind, or `None` at the end of the data.
trait Source {
    fn next(&mut self, kind: Number) -> Option<Parsed<f64>>;
    /// An upper bound on how many values are left.
    fn left(&self) -> usize;
    fn end_of_record(&mut self) {}
}

fn read_records(source: &mut impl Source, elements: &[Element]) -> Parsed<Scan> {
    let mut out = Collector::default();
    for element in elements {
        let is_vertex = element.name == "vertex";
        out.has_faces |= element.name == "face";
        for record in 0..element.count {
            let mut p = [f64::NAN; 3];
            let cut = || format!("cut off in record {record} of {}", kind_of(element));
            for property in &element.properties {
                match property {
                    Property::Scalar { name, kind } => {
                        let value = source.next(*kind).ok_or_else(cut)??;
                        if let (true, Some(axis)) =
                            (is_vertex, ["x", "y", "z"].iter().position(|a| a == name))
                        {
                            p[axis] = value;
                        }
                    }
                    Property::List { count, kind, .. } => {
                        let n = source.next(*count).ok_or_else(cut)??;
                        if !(n >= 0.0 && n <= source.left() as f64) {
                            return wrong(cut());
                        }
                        let corners = is_corner_list(element, property);
                        let mut values = Vec::with_capacity(if corners { n as usize } else { 0 });
                        for _ in 0..n as usize {
                            let value = source.next(*kind).ok_or_else(cut)??;
                            if corners {
                                values.push(value);
                            }
                        }
                        if corners {
                            out.polygon(&values, record)?;
                        }
                    }
                }
            }
            source.end_of_record();
            if is_vertex {
                if !p.iter().all(|c| c.is_finite()) {
                    return wrong(format!(
                        "vertex {record} has a coordinate that is NaN or infinite; remove it or scan again"
                    ));
                }
                out.vertices.push(Point::from(p));
            }
        }
    }
    Ok(out.finish())
}

fn kind_of(element: &Element) -> &'static str {
    match element.name.as_str() {
        "vertex" => "the vertices",
        "face" => "the faces",
        _ => "other data",
    }
}

struct Binary<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl Source for Binary<'_> {
    fn next(&mut self, kind: Number) -> Option<Parsed<f64>> {
        let (head, tail) = self.bytes.split_at_checked(kind.bytes())?;
        self.bytes = tail;
        Some(Ok(kind.value(head, self.big)))
    }

    fn left(&self) -> usize {
        self.bytes.len()
    }
}

fn binary_body(bytes: &[u8], elements: &[Element], big: bool) -> Parsed<Scan> {
    read_records(&mut Binary { bytes, big }, elements)
}

struct Words<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
    record: usize,
    left: usize,
}

impl Source for Words<'_> {
    fn next(&mut self, _: Number) -> Option<Parsed<f64>> {
        let word = self.words.next()?;
        self.left = self.left.saturating_sub(1);
        Some(word.parse::<f64>().or_else(|_| {
            wrong(format!("data record {}: expected a number; the file is damaged", self.record + 1))
        }))
    }

    fn left(&self) -> usize {
        self.left
    }

    fn end_of_record(&mut self) {
        self.record += 1;
    }
}

fn ascii_body(bytes: &[u8], elements: &[Element]) -> Parsed<Scan> {
    let text = std::str::from_utf8(bytes).or_else(|_| wrong("is not text, though its header says ASCII"))?;
    read_records(&mut Words { words: text.split_ascii_whitespace(), record: 0, left: bytes.len() }, elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n\
        property float y\nproperty uchar red\nproperty double z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 9 0\n1 0 9 0\n1 1 9 0\n\n0 1 9 0.5\n4 0 1 2 3\n";

    #[test]
    fn ascii_with_extra_properties_and_a_quad() {
        let scan = parse(ASCII.as_bytes()).unwrap();
        assert_eq!(scan.vertices[3], Point::new(0.0, 1.0, 0.5));
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2], [0, 2, 3]]));
        let dos = ASCII.replace('\n', "\r\n");
        assert_eq!(parse(dos.as_bytes()).unwrap(), scan);
    }

    fn binary(big: bool) -> Vec<u8> {
        let order = if big { "big" } else { "little" };
        let mut b = format!(
            "ply\nformat binary_{order}_endian 1.0\nelement extra 1\nproperty list ushort short junk\n\
             element vertex 3\nproperty double x\nproperty double y\nproperty double z\nproperty uchar c\n\
             element face 1\nproperty list uint uint vertex_index\nend_header\n"
        )
        .into_bytes();
        let mut put = |le: &[u8]| {
            let mut v = le.to_vec();
            if big {
                v.reverse();
            }
            b.extend(v);
        };
        put(&2u16.to_le_bytes());
        put(&7i16.to_le_bytes());
        put(&8i16.to_le_bytes());
        for i in 0..3 {
            for k in 0..3 {
                put(&(i as f64 + 0.1 * k as f64).to_le_bytes());
            }
            put(&[9]);
        }
        put(&3u32.to_le_bytes());
        for i in 0..3u32 {
            put(&i.to_le_bytes());
        }
        b
    }

    #[test]
    fn both_byte_orders_agree() {
        let scan = parse(&binary(false)).unwrap();
        assert_eq!(scan.vertices[2], Point::new(2.0, 2.1, 2.2));
        assert_eq!(scan.triangles, Some(vec![[0, 1, 2]]));
        assert_eq!(parse(&binary(true)).unwrap(), scan);
    }

    #[test]
    fn every_prefix_is_refused_or_read_but_never_panics() {
        for whole in [ASCII.as_bytes().to_vec(), binary(false), binary(true)] {
            for n in 0..whole.len() {
                let _ = parse(&whole[..n]);
            }
            assert!(parse(&whole[..whole.len() - 9]).is_err());
        }
    }

    #[test]
    fn a_claim_of_two_thousand_million_vertices_is_refused_before_allocating() {
        let text = ASCII.replace("element vertex 4", "element vertex 2000000000");
        assert!(parse(text.as_bytes()).unwrap_err().to_string().contains("more than the file can hold"));
        let mut bytes = binary(false);
        let at = bytes.windows(8).position(|w| w == b"vertex 3").unwrap() + 7;
        bytes.splice(at..at + 1, b"99999999999".iter().copied());
        assert!(parse(&bytes).is_err());
    }

    #[test]
    fn nan_is_named_by_vertex_and_words_by_record() {
        let nan = ASCII.replace("1 1 9 0\n", "1 nan 9 0\n");
        assert!(parse(nan.as_bytes()).unwrap_err().to_string().starts_with("vertex 2 has a coordinate"));
        let word = ASCII.replace("1 1 9 0\n", "1 secret 9 0\n");
        let message = parse(word.as_bytes()).unwrap_err().to_string();
        assert!(message.contains("data record 3") && !message.contains("secret"));
    }
}
