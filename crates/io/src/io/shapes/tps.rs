//! TPS files as tpsDig and geomorph write them.

use super::reading::Negative;
use super::record::is_missing as is_unplaced;
use super::{ShapeIter, ShapeRecord};
use crate::io::atomic::{WriteError, write_text};
use crate::io::error::{Fault, Parsed, Place};
use crate::io::separator::Separator;
use crate::io::text::{COORDINATES, Lines, is_missing, lossy, plain};
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

/// What tells specimens apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// `ID=`, or `IMAGE=` where there is none.
    Id,
    /// `IMAGE=`.
    Image,
    /// Nothing in the file.
    Nothing,
}

impl NamedBy {
    /// In a file that has been [checked](check): where half of the specimens or more share an ID with another (tpsDig writes 0 where nobody gave
    /// one), the pictures tell them apart if they are different ones; where all have one ID or none, nothing else does.
    pub fn find(bytes: &[u8]) -> Self {
        let ids = Names::of(bytes, "ID");
        if ids.count < 2 || 2 * ids.different > ids.count {
            return Self::Id;
        }
        let images = Names::of(bytes, "IMAGE");
        let are_different = images.different == images.count && images.every;
        match (!ids.any, are_different) {
            (true, _) if are_different || !images.any => Self::Id,
            (_, true) => Self::Image,
            (_, false) if ids.different == 1 => Self::Nothing,
            _ => Self::Id,
        }
    }

    fn name(self, id: Option<String>, image: Option<String>) -> Option<String> {
        match self {
            Self::Id => id.or(image),
            Self::Image => image,
            Self::Nothing => None,
        }
    }
}

/// What the specimens of a file have of a keyword's values: there may be millions, of which no list is kept.
struct Names {
    /// How many specimens there are.
    count: usize,
    /// How many values, none being one.
    different: usize,
    /// Whether one has any.
    any: bool,
    /// Whether all have.
    every: bool,
}

impl Names {
    fn of(bytes: &[u8], key: &str) -> Self {
        let value = |body: &[u8]| value_of(body, key).map(String::into_boxed_str);
        let mut all: Vec<Option<Box<str>>> = bodies(bytes).map(|(_, _, body, _)| value(body)).collect();
        all.sort_unstable();
        Self {
            count: all.len(),
            different: all.chunk_by(|a, b| a == b).count(),
            any: all.last().is_some_and(Option::is_some),
            every: all.first().is_some_and(Option::is_some),
        }
    }
}

/// How specimens are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    pub named_by: NamedBy,
    pub negative: Option<Negative>,
    /// Numbers that stand for missing landmarks.
    pub codes: &'a [f64],
}

/// The specimens of a file that has been [checked](check): the number of the LM= line, that line, those that follow, how many these are.
fn bodies(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], &[u8], usize)> {
    let mut lines = from_first(plain(bytes).unwrap_or_default());
    std::iter::from_fn(move || {
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
        Some((at, first, &rest[..rest.len() - lines.rest().len()], count))
    })
}

/// The specimens of a file that has been [checked](check), each read for itself.
pub(super) fn specimens<'a>(bytes: &'a [u8], manner: Manner<'a>) -> ShapeIter<'a> {
    Box::new(bodies(bytes).map(move |(at, first, body, count)| {
        let named = || manner.named_by.name(value_of(body, "ID"), value_of(body, "IMAGE"));
        let specimen = specimen(at, first, body, count, manner);
        // The name it has, whatever else is wrong with it.
        specimen.map(|s| (Place::Line(at), s)).map_err(|located| located.of_record(named()))
    }))
}

/// What a keyword says last; nothing where it is blank.
fn value_of(body: &[u8], key: &str) -> Option<String> {
    let keywords = Lines::new(body).filter_map(|(_, line)| keyword(line.trim_ascii()));
    keywords.filter(|(found, value)| found == key && !value.is_empty()).map(|(_, value)| value).last()
}

/// The bytes of a number and what ends it.
const SHORTEST_NUMBER: usize = 2;

/// One specimen: its LM= line, its number, and the lines that follow.
fn specimen(
    at: usize,
    first: &[u8],
    body: &[u8],
    lines_in_body: usize,
    manner: Manner<'_>,
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
    let (mut id, mut image, mut scale, mut curves) = (None, None, None, Vec::new());
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
            "ID" => id = Some(value).filter(|id| !id.is_empty()).or(id),
            "IMAGE" => image = Some(value),
            "RADII" => pass_over(&mut lines, count(&value, at)?),
            "SCALE" => {
                let positive =
                    value.replacen(',', ".", 1).parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite());
                let fault = || Fault::NotANumber { what: "SCALE (a positive number)" }.at_line(at);
                scale = Some(positive.ok_or_else(fault)?);
            }
            // CURVES= announces POINTS=; COMMENT=, VARIABLES= and the like say nothing of the shape.
            _ => {}
        }
    }
    let missing = manner.negative.map_or(image.is_some(), |negative| negative == Negative::Missing);
    let id = manner.named_by.name(id, image.filter(|image| !image.is_empty()));
    let mut record = ShapeRecord::flat(id, dimension, points.found).with_curves(curves);
    if missing {
        record.take_negative_as_missing();
    }
    record.take_as_missing(manner.codes);
    scale.into_iter().for_each(|scale| record.scale(scale));
    Ok(record)
}

/// Passes over so many lines of numbers, at most as many as come before the next keyword.
fn pass_over(lines: &mut Lines<'_>, promised: usize) {
    for _ in 0..promised {
        let before = lines.clone();
        match lines.next() {
            Some((_, line)) if keyword(line.trim_ascii()).is_none() => {}
            _ => {
                *lines = before;
                break;
            }
        }
    }
}

/// A number, perhaps with a decimal comma, or NaN for the ways of writing that a landmark is missing.
fn coordinate(word: &[u8], what: &'static str, line: usize) -> Parsed<f64> {
    match Separator::Blank.number(word) {
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
        let commas = !self.has_decimal_commas(text);
        let words = |b: &u8| b.is_ascii_whitespace() || *b == b';' || *b == b',' && commas;
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

    /// Whether blanks or semicolons alone make as many words as there are coordinates, and a comma is within one of them.
    fn has_decimal_commas(&self, text: &[u8]) -> bool {
        let between = |b: &u8| b.is_ascii_whitespace() || *b == b';';
        let words = || text.split(between).filter(|word| !word.is_empty());
        let is_one = |word: &[u8]| {
            let commas = word.iter().filter(|b| **b == b',').count();
            commas == 0 || commas == 1 && !word.starts_with(b",") && !word.ends_with(b",")
        };
        text.contains(&b',') && words().count() == self.dimension && words().all(is_one)
    }
}
