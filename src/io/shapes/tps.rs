//! TPS files as tpsDig and geomorph write them.

use super::{ShapeIter, ShapeRecord};
use crate::io::atomic::{WriteError, write_text};
use crate::io::error::{Fault, Parsed, Place};
use crate::io::text::{Lines, is_missing, lossy, number, plain};
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

/// Whether a line begins a specimen. (Landmarks in space are none of ours, but a specimen.)
fn begins(line: &[u8]) -> bool {
    keyword(line.trim_ascii()).is_some_and(|(key, _)| matches!(key.as_str(), "LM" | "LM3"))
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
            Some((key, _)) => !matches!(key.as_str(), "POINTS" | "ID" | "IMAGE"),
            None => false,
        };
        if !is_harmless {
            return Err(Fault::Malformed("comes before any LM= line; correct the order").at_line(at));
        }
    }
    Ok(())
}

/// The specimens of a file that has been [checked](check), each read for itself.
pub(super) fn specimens(bytes: &[u8]) -> ShapeIter<'_> {
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
        let specimen = specimen(at, first, body, count);
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

/// The bytes of `0 0` and its line's end.
const SHORTEST_POINT: usize = 4;

/// One specimen: its LM= line, its number, and the lines that follow.
fn specimen(at: usize, first: &[u8], body: &[u8], lines_in_body: usize) -> Parsed<ShapeRecord> {
    let landmarks = match keyword(first.trim_ascii()) {
        Some((key, value)) if key == "LM" => count(&value, at)?,
        _ => {
            let solid = "holds three-dimensional landmarks (LM3=); this is the space of planar shapes, export two coordinates";
            return Err(Fault::Malformed(solid).at_line(at));
        }
    };
    // Room for further points too, so that it need not grow.
    let most = lines_in_body.min(body.len() / SHORTEST_POINT + 1);
    let mut record = ShapeRecord { id: None, landmarks: Vec::with_capacity(most) };
    let mut lines = Lines::after(body, at);
    points(&mut lines, landmarks, &mut record.landmarks)?;
    let (mut scale, mut is_digitized) = (None, false);
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
            "POINTS" => points(&mut lines, count(&value, at)?, &mut record.landmarks)?,
            "ID" => record.id = Some(value),
            "IMAGE" => {
                is_digitized = true;
                record.id.get_or_insert(value);
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
    for p in &mut record.landmarks {
        if is_digitized && p.iter().any(|c| *c < 0.0) {
            *p = [f64::NAN; 2];
        }
        p.iter_mut().for_each(|c| *c *= scale.unwrap_or(1.0));
    }
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

/// Adds as many points as promised.
fn points(lines: &mut Lines<'_>, promised: usize, found: &mut Vec<[f64; 2]>) -> Parsed<()> {
    if promised > lines.rest().len() / SHORTEST_POINT + 1 {
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
        let mut values = text
            .split(|b| b.is_ascii_whitespace() || *b == b',' || *b == b';')
            .filter(|word| !word.is_empty());
        match (values.next(), values.next(), values.next()) {
            (Some(x), Some(y), None) => {
                let x = coordinate(x, "the x coordinate", at)?;
                found.push([x, coordinate(y, "the y coordinate", at)?]);
            }
            (_, None, _) => return Err(Fault::MissingValue { what: "the y coordinate" }.at_line(at)),
            _ => {
                let text = "holds more than two coordinates; planar shapes have x and y";
                return Err(Fault::Malformed(text).at_line(at));
            }
        }
    }
    Ok(())
}
