//! TPS files as tpsDig and geomorph write them.

use super::record::is_missing as is_unplaced;
use super::{ShapeIter, ShapeRecord};
use crate::io::atomic::{WriteError, write_text};
use crate::io::error::{Fault, Parsed, Place};
use crate::io::text::{COORDINATES, Lines, is_missing, lossy, number, plain};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

/// Writes shapes as TPS, all digits kept: `LM=` in the plane, `LM3=` in space, points of curves under `CURVES=`, `NA` where a landmark
/// is missing.
///
/// # Errors
/// [`WriteError`].
pub fn write_tps(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    write_text(path, &tps_text(shapes))
}

/// What [`write_tps`] writes.
pub(in crate::io) fn tps_text(shapes: &[ShapeRecord]) -> String {
    let mut text = String::new();
    for shape in shapes {
        let curves = shape.curves();
        let proper = curves.first().map_or(shape.landmarks(), |first| first.start);
        let _ = writeln!(text, "{}={proper}", if shape.dimension() == 2 { "LM" } else { "LM3" });
        write_points(&mut text, shape, 0..proper);
        if !curves.is_empty() {
            let _ = writeln!(text, "CURVES={}", curves.len());
        }
        for curve in curves {
            let _ = writeln!(text, "POINTS={}", curve.len());
            write_points(&mut text, shape, curve.clone());
        }
        if let Some(id) = &shape.id {
            let _ = writeln!(text, "ID={}", id.replace(['\n', '\r'], " "));
        }
    }
    text
}

fn write_points(text: &mut String, shape: &ShapeRecord, which: Range<usize>) {
    for point in shape.points().skip(which.start).take(which.len()) {
        let number = |c: &f64| if is_unplaced(point) { "NA".to_owned() } else { format!("{c:?}") };
        let _ = writeln!(text, "{}", point.iter().map(number).collect::<Vec<_>>().join(" "));
    }
}

/// `KEY=value` in capitals and trimmed, if the line is of that form.
fn keyword(line: &[u8]) -> Option<(String, String)> {
    let equals = line.iter().position(|b| *b == b'=')?;
    let key = lossy(&line[..equals]).to_ascii_uppercase();
    let known = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    known.then(|| (key, lossy(&line[equals + 1..])))
}

fn count(value: &str, line: usize) -> Parsed<usize> {
    value
        .parse()
        .map_err(|_| Fault::NotANumber { what: "the number of points after the keyword" }.at_line(line))
}

/// How many coordinates the landmarks have that follow a line, if it begins a specimen.
fn dimension(key: &str) -> Option<usize> {
    match key {
        "LM" => Some(2),
        "LM3" => Some(3),
        _ => None,
    }
}

fn begins(line: &[u8]) -> bool {
    keyword(line.trim_ascii()).is_some_and(|(key, _)| dimension(&key).is_some())
}

fn is_points(key: &str) -> bool {
    matches!(key, "POINTS" | "POINTS3" | "POINTS3D")
}

fn is_remark(text: &[u8]) -> bool {
    matches!(text, [] | [b'#' | b'"' | b'!' | b';' | b'/', ..])
}

/// The lines from the first specimen on.
fn from_first(text: &[u8]) -> Lines<'_> {
    let mut lines = Lines::new(text);
    loop {
        let before = lines.clone();
        if lines.next().is_none_or(|(_, line)| begins(line)) {
            return before;
        }
    }
}

/// Refuses what is no TPS file: data before the first specimen. Whatever comes later belongs to a specimen, and is its own affair.
pub(super) fn check(bytes: &[u8]) -> Parsed<()> {
    for (at, line) in Lines::new(plain(bytes)?).take_while(|(_, line)| !begins(line)) {
        let text = line.trim_ascii();
        let is_harmless = match keyword(text) {
            _ if is_remark(text) => true,
            Some((key, _)) => !is_points(&key) && !matches!(key.as_str(), "ID" | "IMAGE"),
            None => false,
        };
        if !is_harmless {
            return Err(Fault::Malformed("comes before any LM= line; correct the order").at_line(at));
        }
    }
    Ok(())
}

/// The specimens of a file that has been [checked](check), each read for itself; the codes are numbers that stand for missing landmarks.
pub(super) fn specimens<'a>(bytes: &'a [u8], codes: &'a [f64]) -> ShapeIter<'a> {
    let mut lines = from_first(plain(bytes).unwrap_or_default());
    Box::new(std::iter::from_fn(move || {
        let (at, first) = lines.next()?;
        let rest = lines.rest();
        let mut count = 0;
        loop {
            let before = lines.clone();
            match lines.next() {
                Some((_, line)) if begins(line) => {
                    lines = before;
                    break;
                }
                Some(_) => count += 1,
                None => break,
            }
        }
        let body = &rest[..rest.len() - lines.rest().len()];
        let specimen = specimen(at, first, body, count, codes);
        Some(specimen.map(|s| (Place::Line(at), s)).map_err(|located| located.of_record(name_in(body))))
    }))
}

/// The name a specimen has, whatever else is wrong with it.
fn name_in(body: &[u8]) -> Option<String> {
    let words = |key: &str| {
        let keywords = Lines::new(body).filter_map(|(_, line)| keyword(line.trim_ascii()));
        keywords.filter(|(found, _)| found == key).map(|(_, value)| value).last()
    };
    words("ID").or_else(|| words("IMAGE"))
}

/// The bytes of a number and what ends it.
const SHORTEST_NUMBER: usize = 2;

/// One specimen: its LM= line, its number, and the lines that follow.
fn specimen(
    at: usize,
    first: &[u8],
    body: &[u8],
    lines_in_body: usize,
    codes: &[f64],
) -> Parsed<ShapeRecord> {
    let begun = keyword(first.trim_ascii()).and_then(|(key, value)| Some((dimension(&key)?, value)));
    let Some((dimension, value)) = begun else {
        return Err(Fault::Malformed("does not begin with LM= or LM3=; export it again").at_line(at));
    };
    let landmarks = count(&value, at)?;
    // Room for further points too, so that it need not grow.
    let most = lines_in_body.min(body.len() / (SHORTEST_NUMBER * dimension) + 1);
    let mut points = Points { dimension, found: Vec::with_capacity(most * dimension) };
    let mut lines = Lines::after(body, at);
    points.read(&mut lines, landmarks)?;
    let (mut id, mut scale, mut is_digitized, mut curves) = (None, None, false, Vec::new());
    while let Some((at, line)) = lines.next() {
        let text = line.trim_ascii();
        if is_remark(text) {
            continue;
        }
        let Some((key, value)) = keyword(text) else {
            let more = "holds more points than its LM= or POINTS= line announces; correct the count";
            return Err(Fault::Malformed(more).at_line(at));
        };
        match key.as_str() {
            key if is_points(key) => {
                let from = points.count();
                points.read(&mut lines, count(&value, at)?)?;
                curves.extend(Some(from..points.count()).filter(|curve| !curve.is_empty()));
            }
            "ID" => id = Some(value),
            "IMAGE" => {
                is_digitized = true;
                id.get_or_insert(value);
            }
            "SCALE" => {
                let positive = value.parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite());
                let fault = || Fault::NotANumber { what: "SCALE (a positive number)" }.at_line(at);
                scale = Some(positive.ok_or_else(fault)?);
            }
            // CURVES= announces POINTS=; COMMENT=, VARIABLES= and the like say nothing of the shape.
            _ => {}
        }
    }
    if is_digitized {
        points.take_negative_as_missing();
    }
    let mut record = ShapeRecord::flat(id, dimension, points.found).with_curves(curves);
    record.take_as_missing(codes);
    record.scale(scale.unwrap_or(1.0));
    Ok(record)
}

/// A number, or NaN for the ways of writing that a landmark is missing.
fn coordinate(word: &[u8], what: &'static str, line: usize) -> Parsed<f64> {
    match number(word) {
        _ if is_missing(word) => Ok(f64::NAN),
        Some(x) if !x.is_infinite() => Ok(x),
        _ => Err(Fault::NotANumber { what }.at_line(line)),
    }
}

/// The points of a specimen as they are read.
struct Points {
    dimension: usize,
    found: Vec<f64>,
}

impl Points {
    fn count(&self) -> usize {
        self.found.len() / self.dimension
    }

    /// Adds as many points as promised.
    fn read(&mut self, lines: &mut Lines<'_>, promised: usize) -> Parsed<()> {
        if promised > lines.rest().len() / (SHORTEST_NUMBER * self.dimension) + 1 {
            return Err(Fault::Overpromise { what: "points", promised }.at_line(lines.number()));
        }
        for so_far in 0..promised {
            let cut = |at: usize| Fault::Truncated { what: "points", promised, found: so_far }.at_line(at);
            let (at, text) = loop {
                let (at, line) = lines.next().ok_or_else(|| cut(lines.number()))?;
                if !line.trim_ascii().is_empty() {
                    break (at, line.trim_ascii());
                }
            };
            if keyword(text).is_some() {
                return Err(cut(at));
            }
            self.read_one(text, at)?;
        }
        Ok(())
    }

    fn read_one(&mut self, text: &[u8], at: usize) -> Parsed<()> {
        let words = |b: &u8| b.is_ascii_whitespace() || *b == b',' || *b == b';';
        let mut values = text.split(words).filter(|word| !word.is_empty());
        for what in &COORDINATES[..self.dimension] {
            let word = values.next().ok_or_else(|| Fault::MissingValue { what }.at_line(at))?;
            self.found.push(coordinate(word, what, at)?);
        }
        match (values.next(), self.dimension) {
            (None, _) => Ok(()),
            (Some(_), 2) => {
                let text = "holds more than two coordinates; landmarks in space are announced by LM3=";
                Err(Fault::Malformed(text).at_line(at))
            }
            _ => Err(Fault::Malformed("holds more than three coordinates; correct the line").at_line(at)),
        }
    }

    /// In pictures no coordinate is negative: such a one says that the landmark was not found.
    fn take_negative_as_missing(&mut self) {
        for p in self.found.chunks_exact_mut(self.dimension) {
            if p.iter().any(|c| *c < 0.0) {
                p.fill(f64::NAN);
            }
        }
    }
}
