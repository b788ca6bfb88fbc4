//! PLY headers: cleaned and bounded here, parsed by `ply-rs`.

use crate::io::error::{Fault, Parsed};
use crate::io::text::words;
use ply_rs::parser::Parser;
use ply_rs::ply::{DefaultElement, ElementDef, Encoding, PropertyType, ScalarType};

/// The longest header, comments included, in bytes.
const LONGEST: usize = 1 << 20;
/// The most lines that are not comments.
const MOST_LINES: usize = 1000;
/// The longest run of digits: any such number fits 64 bits (`ply-rs` panics on one that does not).
const MOST_DIGITS: usize = 18;

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    /// In the order of the body.
    pub elements: Vec<ElementDef>,
    /// Where the body begins, in bytes.
    pub body: usize,
    /// How many lines the header has.
    pub lines: usize,
}

/// Parses the header at the beginning of a file.
pub(super) fn parse(bytes: &[u8]) -> Parsed<Header> {
    if !bytes.starts_with(b"ply") || !bytes.get(3).is_some_and(u8::is_ascii_whitespace) {
        return Err(Fault::Malformed("does not begin with the word ply; check the ending of its name").into());
    }
    let parser = Parser::<DefaultElement>::new();
    let mut clean = String::new();
    let mut statements = Statements::default();
    let (mut at, mut number) = (0, 0);
    loop {
        let Some(line) = next_line(bytes, &mut at) else {
            return Err(
                Fault::Malformed("has a PLY header without end_header; copy or export it again").into()
            );
        };
        number += 1;
        let Some(statement) = statements.take(line, number) else { continue };
        // Every line alone first, so that ours is the message and not the parser's, which quotes the line.
        if statements.count > MOST_LINES
            || has_huge_number(&statement)
            || parser.read_header_line(&statement).is_err()
        {
            return Err(
                Fault::Malformed("is not understood in a PLY header; export the file again").at_line(number)
            );
        }
        clean.push_str(&statement);
        clean.push('\n');
        if statement == "end_header" {
            break;
        }
    }
    let header = parser.read_header(&mut clean.as_bytes()).map_err(|_| {
        Fault::Malformed("has a PLY header whose lines do not fit together; export the file again")
    })?;
    if (header.version.major, header.version.minor) != (1, 0) {
        return Err(Fault::Malformed("is not PLY version 1.0; export it as version 1.0").into());
    }
    let elements: Vec<ElementDef> = header.elements.into_iter().map(|(_, element)| element).collect();
    statements.agree_with(&elements)?;
    Ok(Header { encoding: header.encoding, elements, body: at, lines: number })
}

/// The next line of the header without its end; `None` at the end of the file or of patience.
fn next_line<'a>(bytes: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    // The first line's end tells which kind the header uses: a body may begin with the byte LF after a CR.
    let lone_cr = matches!(bytes.get(3..5), Some([b'\r', second]) if *second != b'\n');
    let end = if lone_cr { b'\r' } else { b'\n' };
    let rest = &bytes[*at..bytes.len().min(LONGEST)];
    let length = rest.iter().position(|&b| b == end)?;
    *at += length + 1;
    Some(&rest[..length])
}

/// The lines of a header that say something, and how many there are of each kind.
#[derive(Debug, Default)]
struct Statements {
    count: usize,
    elements: usize,
    properties: usize,
}

impl Statements {
    /// The line as `ply-rs` understands it: comments dropped, one blank between words, and in place of a name
    /// outside its grammar (such as `distance_(X)`) one made of the line's number.
    fn take(&mut self, line: &[u8], number: usize) -> Option<String> {
        let mut words: Vec<_> = words(line).map(String::from_utf8_lossy).collect();
        let name = match words.first()?.as_ref() {
            "comment" | "obj_info" => return None,
            "element" => {
                self.elements += 1;
                words.get_mut(1)
            }
            "property" => {
                self.properties += 1;
                words.last_mut()
            }
            _ => None,
        };
        self.count += 1;
        if let Some(name) = name.filter(|name| !is_plain_name(name)) {
            *name = format!("_{number}").into();
        }
        Some(words.join(" "))
    }

    /// `ply-rs` keeps elements and properties in maps by name, so that one named twice disappears.
    fn agree_with(&self, elements: &[ElementDef]) -> Parsed<()> {
        let properties: usize = elements.iter().map(|e| e.properties.len()).sum();
        if (elements.len(), properties) != (self.elements, self.properties) {
            return Err(Fault::Malformed(
                "has a PLY header that names an element or a property twice; export it again",
            )
            .into());
        }
        let has_real_count = elements.iter().flat_map(|e| &e.properties).any(|(_, p)| {
            matches!(&p.data_type, PropertyType::List(ScalarType::Float | ScalarType::Double, _))
        });
        if has_real_count {
            return Err(Fault::Malformed(
                "has a PLY header with a list whose length is not a whole number; export it again",
            )
            .into());
        }
        Ok(())
    }
}

fn is_plain_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn has_huge_number(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > MOST_DIGITS)
}
