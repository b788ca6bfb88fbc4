//! Mutations that know what files are made of: words and numbers, lines, counts in binary. What mutates bytes blindly, and chooses among
//! all of them, is `mutatis`.

use mutatis::{Candidates, Context, Mutate, Result, Session, mutators};

/// Larger files are cut to this: memory at sizes that matter is for `tests/memory/long_files.rs`.
pub const LARGEST: usize = 1 << 16;

/// What to put in place of a word.
const WORDS: [&str; 40] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "1e300",
    "-1e308",
    "1e999",
    "5e-324",
    "nan",
    "inf",
    "-inf",
    "NA",
    "-999",
    "1,5",
    "0x10",
    "é",
    "\"",
    "\"\"",
    "#",
    "[",
    "{}",
    "\\",
    "\u{feff}",
    "",
];

/// What to put in place of bytes.
const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7ff0_0000_0000_0000,
    u64::MAX,
];

/// Breaks files; the others of the same kind lend their parts.
pub struct Structure<'a> {
    /// Valid files of the same kind.
    pub others: &'a [Vec<u8>],
}

impl Mutate<Vec<u8>> for Structure<'_> {
    fn mutate(&mut self, candidates: &mut Candidates<'_>, bytes: &mut Vec<u8>) -> Result<()> {
        let others = self.others;
        candidates.mutation(|context| {
            replace_word(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            replace_word(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            move_word(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            change_digit(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            replace_number(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            drop_lines(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            repeat_lines(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            truncate(context, bytes);
            Ok(())
        })?;
        candidates.mutation(|context| {
            splice(context, bytes, others);
            Ok(())
        })?;
        candidates.mutation(|context| {
            other_ends(context, bytes);
            Ok(())
        })
    }
}

/// A broken copy of a file: one to six mutations, most of them structural.
pub fn broken(session: &mut Session, seed: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    let mut structure = Structure { others };
    let mut rounds = 1u8;
    let _ = session.mutate_with(&mut mutators::mrange(1..=6), &mut rounds);
    for _ in 0..rounds {
        let mut kind = 0u8;
        let _ = session.mutate_with(&mut mutators::mrange(0..=3), &mut kind);
        let _ = match kind {
            0 => session.mutate(&mut bytes),
            _ => session.mutate_with(&mut structure, &mut bytes),
        };
        bytes.truncate(LARGEST);
    }
    bytes
}

fn index(context: &mut Context, len: usize) -> usize {
    context.rng().gen_index(len).unwrap_or(0)
}

/// Where words (runs without blanks, commas, semicolons and brackets) begin and end, around a random place.
fn a_word(context: &mut Context, bytes: &[u8]) -> std::ops::Range<usize> {
    let is_end = |b: &u8| b.is_ascii_whitespace() || b",;:=()[]{}'/".contains(b);
    let at = index(context, bytes.len());
    let begin = bytes[..at].iter().rposition(is_end).map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(is_end).map_or(bytes.len(), |i| at + i);
    begin.min(end)..end
}

fn a_line(context: &mut Context, bytes: &[u8]) -> std::ops::Range<usize> {
    let at = index(context, bytes.len());
    let begin = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i + 1);
    begin..end
}

fn replace_word(context: &mut Context, bytes: &mut Vec<u8>) {
    let word = a_word(context, bytes);
    let by = WORDS[index(context, WORDS.len())];
    bytes.splice(word, by.bytes());
}

fn move_word(context: &mut Context, bytes: &mut Vec<u8>) {
    let from = a_word(context, bytes);
    let word = bytes[from].to_vec();
    let to = a_word(context, bytes);
    bytes.splice(to, word);
}

fn change_digit(context: &mut Context, bytes: &mut [u8]) {
    let digits: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
    if let Some(&at) = digits.get(index(context, digits.len())) {
        bytes[at] = b'0' + (context.rng().gen_u8() % 10);
    }
}

fn replace_number(context: &mut Context, bytes: &mut [u8]) {
    let number = NUMBERS[index(context, NUMBERS.len())];
    let width = 1 << index(context, 4);
    let raw = if context.rng().gen_bool() { number.to_le_bytes() } else { number.to_be_bytes() };
    let raw = if raw[0] == 0 { &raw[8 - width..] } else { &raw[..width] };
    let at = index(context, bytes.len());
    bytes[at..].iter_mut().zip(raw).for_each(|(b, new)| *b = *new);
}

fn drop_lines(context: &mut Context, bytes: &mut Vec<u8>) {
    let line = a_line(context, bytes);
    bytes.drain(line);
}

fn repeat_lines(context: &mut Context, bytes: &mut Vec<u8>) {
    let line = a_line(context, bytes);
    if line.is_empty() {
        return;
    }
    let times = [1, 2, 10, 100, 3000][index(context, 5)].min(LARGEST / line.len());
    let text = bytes[line.clone()].repeat(times);
    bytes.splice(line.end..line.end, text);
}

fn truncate(context: &mut Context, bytes: &mut Vec<u8>) {
    let to = index(context, bytes.len() + 1);
    bytes.truncate(to);
}

fn splice(context: &mut Context, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
    let Some(other) = others.get(index(context, others.len())) else { return };
    let (from, at) = (index(context, other.len()), index(context, bytes.len() + 1));
    let to = (from + 1 + index(context, 200)).min(other.len());
    let until = (at + index(context, 200)).min(bytes.len());
    bytes.splice(at..until, other[from..to].iter().copied());
}

/// Other ends of lines, or other separators.
fn other_ends(context: &mut Context, bytes: &mut Vec<u8>) {
    let (from, to): (u8, &[u8]) = [
        (b'\n', &b"\r\n"[..]),
        (b'\n', b"\r"),
        (b'\n', b" "),
        (b',', b";"),
        (b',', b"\t"),
        (b' ', b","),
        (b'.', b","),
    ][index(context, 7)];
    *bytes = bytes.iter().flat_map(|b| if *b == from { to.to_vec() } else { vec![*b] }).collect();
}
