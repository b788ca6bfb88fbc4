//! The values in PLY bodies, as text or as bytes of either order, one after the other.

use crate::io::error::{Fault, Located, Parsed};
use crate::io::text::{self, Lines};
use ply_rs::ply::ScalarType;

/// Why reading a value stopped.
pub(super) enum Stop {
    /// There are no more data.
    End,
    /// Something is wrong here.
    At(Located),
}

/// A stream of values, as text or as bytes.
pub(super) trait Values {
    fn real(&mut self, kind: &ScalarType) -> Result<f64, Stop>;
    fn integer(&mut self, kind: &ScalarType) -> Result<i64, Stop>;
    /// Passes over values of one kind.
    fn skip(&mut self, kind: &ScalarType, count: usize) -> Result<(), Stop>;
    /// Checks that a record ends where it may.
    fn end_record(&mut self) -> Result<(), Stop>;
    /// Checks that nothing follows the last record.
    fn end_file(&mut self) -> Parsed<()>;
    /// The bytes not yet read.
    fn bytes_left(&self) -> usize;
    /// The fewest bytes a value of this kind takes.
    fn least_bytes(kind: &ScalarType) -> usize;
    /// The fault at the place reached.
    fn here(&self, fault: Fault) -> Located;
}

/// Values between white space; a record may run over several lines, but begins on a new one.
#[derive(Clone)]
pub(super) struct Ascii<'a> {
    lines: Lines<'a>,
    line: &'a [u8],
    lines_before: usize,
}

impl<'a> Ascii<'a> {
    /// The values in a text that follows a number of lines.
    pub fn new(text: &'a [u8], lines_before: usize) -> Self {
        Self { lines: Lines::new(text), line: &[], lines_before }
    }

    fn word(&mut self) -> Result<&'a [u8], Stop> {
        loop {
            self.line = self.line.trim_ascii_start();
            if !self.line.is_empty() {
                let end = self.line.iter().position(u8::is_ascii_whitespace).unwrap_or(self.line.len());
                let (word, rest) = self.line.split_at(end);
                self.line = rest;
                return Ok(word);
            }
            (_, self.line) = self.lines.next().ok_or(Stop::End)?;
        }
    }

    fn not_a_number(&self) -> Stop {
        Stop::At(self.here(Fault::NotANumber { what: "a value" }))
    }
}

impl Values for Ascii<'_> {
    fn real(&mut self, _: &ScalarType) -> Result<f64, Stop> {
        let word = self.word()?;
        text::number(word).ok_or_else(|| self.not_a_number())
    }

    fn integer(&mut self, _: &ScalarType) -> Result<i64, Stop> {
        let word = self.word()?;
        let text = std::str::from_utf8(word).map_err(|_| self.not_a_number())?;
        text.parse().map_err(|_| self.not_a_number())
    }

    fn skip(&mut self, _: &ScalarType, count: usize) -> Result<(), Stop> {
        (0..count).try_for_each(|_| self.word().map(drop))
    }

    fn end_record(&mut self) -> Result<(), Stop> {
        match self.line.trim_ascii() {
            [] => Ok(()),
            _ => Err(Stop::At(self.here(Fault::Malformed(
                "there are more values on the line than the header announces; export the file again",
            )))),
        }
    }

    fn end_file(&mut self) -> Parsed<()> {
        match self.word() {
            Err(_) => Ok(()),
            Ok(_) => Err(self.here(Fault::Malformed(
                "there are more lines than the header announces; export the file again",
            ))),
        }
    }

    fn bytes_left(&self) -> usize {
        self.line.len() + self.lines.rest().len()
    }

    fn least_bytes(_: &ScalarType) -> usize {
        2
    }

    fn here(&self, fault: Fault) -> Located {
        fault.at_line(self.lines_before + self.lines.number())
    }
}

/// Values as bytes, the most significant first if `BIG`.
#[derive(Clone)]
pub(super) struct Binary<'a, const BIG: bool> {
    bytes: &'a [u8],
    at: usize,
}

macro_rules! binary_number {
    ($values:ident, $type:ty) => {{
        let raw = $values.take()?;
        if BIG { <$type>::from_be_bytes(raw) } else { <$type>::from_le_bytes(raw) }
    }};
}

impl<'a, const BIG: bool> Binary<'a, BIG> {
    /// The values in a file from a place on.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let raw = self.bytes[self.at..].first_chunk().ok_or(Stop::End)?;
        self.at += N;
        Ok(*raw)
    }
}

impl<const BIG: bool> Values for Binary<'_, BIG> {
    fn real(&mut self, kind: &ScalarType) -> Result<f64, Stop> {
        Ok(match kind {
            ScalarType::Float => f64::from(binary_number!(self, f32)),
            ScalarType::Double => binary_number!(self, f64),
            _ => self.integer(kind)? as f64,
        })
    }

    fn integer(&mut self, kind: &ScalarType) -> Result<i64, Stop> {
        Ok(match kind {
            ScalarType::Char => i64::from(binary_number!(self, i8)),
            ScalarType::UChar => i64::from(binary_number!(self, u8)),
            ScalarType::Short => i64::from(binary_number!(self, i16)),
            ScalarType::UShort => i64::from(binary_number!(self, u16)),
            ScalarType::Int => i64::from(binary_number!(self, i32)),
            ScalarType::UInt => i64::from(binary_number!(self, u32)),
            // The header's reader lets no real number count or index anything.
            ScalarType::Float | ScalarType::Double => {
                return Err(Stop::At(self.here(Fault::NotANumber { what: "a vertex number" })));
            }
        })
    }

    fn skip(&mut self, kind: &ScalarType, count: usize) -> Result<(), Stop> {
        let bytes = Self::least_bytes(kind).checked_mul(count).ok_or(Stop::End)?;
        if bytes > self.bytes_left() {
            return Err(Stop::End);
        }
        self.at += bytes;
        Ok(())
    }

    fn end_record(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn end_file(&mut self) -> Parsed<()> {
        // A line break or padding after the last record does no harm.
        let is_padding = |b: &u8| *b == 0 || b.is_ascii_whitespace();
        if self.bytes[self.at..].iter().all(is_padding) {
            return Ok(());
        }
        Err(self.here(Fault::Surplus { what: "bytes", surplus: self.bytes_left() }))
    }

    fn bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn least_bytes(kind: &ScalarType) -> usize {
        match kind {
            ScalarType::Char | ScalarType::UChar => 1,
            ScalarType::Short | ScalarType::UShort => 2,
            ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
            ScalarType::Double => 8,
        }
    }

    fn here(&self, fault: Fault) -> Located {
        fault.at_byte(self.at)
    }
}
