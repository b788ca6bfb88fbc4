//! TPS files as tpsDig and geomorph write them.

use super::{ShapeRecord, coordinate, lossy};
use crate::io::atomic::{WriteError, write_text};
use crate::io::error::{Fault, Located, Parsed};
use crate::io::text::{Lines, plain};
use std::fmt::Write as _;
use std::path::Path;

/// Writes shapes as TPS, all digits kept.
///
/// # Errors
/// [`WriteError`].
pub fn write_tps(path: &Path, shapes: &[ShapeRecord]) -> Result<(), WriteError> {
    let mut text = String::new();
    for shape in shapes {
        let _ = writeln!(text, "LM={}", shape.landmarks.len());
        for [x, y] in &shape.landmarks {
            let _ = writeln!(text, "{x:?} {y:?}");
        }
        if let Some(id) = &shape.id {
            let _ = writeln!(text, "ID={}", id.replace(['\n', '\r'], " "));
        }
    }
    write_text(path, &text)
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

/// One specimen while it is read.
#[derive(Default)]
struct Specimen {
    record: Option<ShapeRecord>,
    scale: Option<f64>,
    digitized: bool,
}

impl Specimen {
    fn finish(&mut self) -> Option<ShapeRecord> {
        let mut done = std::mem::take(self);
        let record = done.record.as_mut()?;
        for p in &mut record.landmarks {
            if done.digitized && p.iter().any(|c| *c < 0.0) {
                *p = [f64::NAN; 2];
            }
            if let Some(scale) = done.scale {
                p.iter_mut().for_each(|c| *c *= scale);
            }
        }
        done.record
    }
}

pub(super) fn read(bytes: &[u8]) -> Parsed<Vec<ShapeRecord>> {
    let mut lines = Lines::new(plain(bytes)?);
    let mut shapes = Vec::new();
    let mut now = Specimen::default();
    while let Some((at, line)) = lines.next() {
        let text = line.trim_ascii();
        if text.is_empty() || matches!(text[0], b'#' | b'"' | b'!' | b';' | b'/') {
            continue;
        }
        let Some((key, value)) = keyword(text) else {
            let more = "holds more points than its LM= or POINTS= line announces; correct the count";
            return Err(Fault::Malformed(more).at_line(at));
        };
        match key.as_str() {
            "LM" => {
                shapes.extend(now.finish());
                let landmarks = points(&mut lines, count(&value, at)?)?;
                now.record = Some(ShapeRecord { id: None, landmarks });
            }
            "LM3" => {
                let solid = "holds three-dimensional landmarks (LM3=); this is the space of planar shapes, export two coordinates";
                return Err(Fault::Malformed(solid).at_line(at));
            }
            "POINTS" => {
                let more = points(&mut lines, count(&value, at)?)?;
                now.record.as_mut().ok_or_else(|| headless(at))?.landmarks.extend(more);
            }
            "ID" => now.record.as_mut().ok_or_else(|| headless(at))?.id = Some(value),
            "IMAGE" => {
                now.digitized = true;
                let record = now.record.as_mut().ok_or_else(|| headless(at))?;
                record.id.get_or_insert(value);
            }
            "SCALE" => {
                let scale: f64 = value
                    .parse()
                    .ok()
                    .filter(|s: &f64| *s > 0.0 && s.is_finite())
                    .ok_or_else(|| Fault::NotANumber { what: "SCALE (a positive number)" }.at_line(at))?;
                now.scale = Some(scale);
            }
            // CURVES= announces POINTS=; COMMENT=, VARIABLES= and the like say nothing of the shape.
            _ => {}
        }
    }
    shapes.extend(now.finish());
    Ok(shapes)
}

fn headless(line: usize) -> Located {
    Fault::Malformed("comes before any LM= line; correct the order").at_line(line)
}

fn points(lines: &mut Lines<'_>, promised: usize) -> Parsed<Vec<[f64; 2]>> {
    // Every point takes at least four bytes: x, a blank, y and a line end.
    if promised > lines.rest().len() / 3 + 1 {
        return Err(Fault::Overpromise { what: "points", promised }.at_line(lines.number()));
    }
    let mut found = Vec::with_capacity(promised);
    while found.len() < promised {
        let Some((at, line)) = lines.next() else {
            return Err(
                Fault::Truncated { what: "points", promised, found: found.len() }.at_line(lines.number())
            );
        };
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if keyword(text).is_some() {
            return Err(Fault::Truncated { what: "points", promised, found: found.len() }.at_line(at));
        }
        let values: Vec<&[u8]> = text
            .split(|b| b.is_ascii_whitespace() || *b == b',' || *b == b';')
            .filter(|w| !w.is_empty())
            .collect();
        match values[..] {
            [x, y] => {
                found.push([coordinate(x, "the x coordinate", at)?, coordinate(y, "the y coordinate", at)?])
            }
            [_] => return Err(Fault::MissingValue { what: "the y coordinate" }.at_line(at)),
            _ => {
                return Err(Fault::Malformed("holds more than two coordinates; planar shapes have x and y")
                    .at_line(at));
            }
        }
    }
    Ok(found)
}
