//! How DICOM writes a data set (PS3.5, section 7): elements of a tag, a length and a value; sequences of items, which are data sets again.
//!
//! Nothing is copied and nothing recurses: elements are looked for in the bytes each time, so that a broken file takes neither memory nor stack.

use crate::io::Fault;

/// A length that is not told: a mark ends the value.
const UNDEFINED: usize = 0xffff_ffff;
/// An item of a sequence; the marks that end an item and a sequence.
const ITEM: u32 = 0xfffe_e000;
const ITEM_END: u32 = 0xfffe_e00d;
const SEQUENCE_END: u32 = 0xfffe_e0dd;

const BROKEN: Fault = Fault::Malformed("is DICOM that breaks off or is damaged; copy or export it again");

/// The elements in these bytes, little endian.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dataset<'a> {
    pub bytes: &'a [u8],
    /// Whether types are left out (implicit VR).
    pub implicit: bool,
}

/// The value of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    pub bytes: &'a [u8],
    /// Whether types are left out in it, if it is a sequence.
    implicit: bool,
}

/// What stands before a value.
struct Head {
    tag: u32,
    /// Where the value begins.
    start: usize,
    length: usize,
    /// Whether types are left out within.
    implicit: bool,
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}

/// Group and element.
fn tag(bytes: &[u8], at: usize) -> Option<u32> {
    Some((short(bytes, at)? as u32) << 16 | short(bytes, at + 2)? as u32)
}

impl Head {
    fn at(bytes: &[u8], at: usize, implicit: bool) -> Option<Self> {
        let tag = tag(bytes, at)?;
        if implicit {
            return Some(Self { tag, start: at + 8, length: long(bytes, at + 4)?, implicit });
        }
        let vr: [u8; 2] = *bytes.get(at + 4..)?.first_chunk()?;
        let is_long = matches!(
            &vr,
            b"OB"
                | b"OD"
                | b"OF"
                | b"OL"
                | b"OV"
                | b"OW"
                | b"SQ"
                | b"SV"
                | b"UC"
                | b"UN"
                | b"UR"
                | b"UT"
                | b"UV"
        );
        let (start, length) =
            if is_long { (at + 12, long(bytes, at + 8)?) } else { (at + 8, short(bytes, at + 6)?) };
        // A sequence of unknown type is written without types (PS3.5, 6.2.2).
        Some(Self { tag, start, length, implicit: &vr == b"UN" && length == UNDEFINED })
    }
}

/// Where a value of undefined length that begins here ends, and where what follows it begins. `open`: 1 in a sequence, 2 in an item; deeper in
/// turns.
fn end(bytes: &[u8], mut at: usize, open: usize, implicit: bool) -> Option<(usize, usize)> {
    let mut depth = open;
    // From which depth types are left out.
    let mut bare = if implicit { 0 } else { usize::MAX };
    loop {
        let found = tag(bytes, at)?;
        let is_end = found == if depth % 2 == 1 { SEQUENCE_END } else { ITEM_END };
        if is_end {
            long(bytes, at + 4)?;
            if depth == open {
                return Some((at, at + 8));
            }
            if bare == depth {
                bare = usize::MAX;
            }
            (depth, at) = (depth - 1, at + 8);
            continue;
        }
        let head = Head::at(bytes, at, depth % 2 == 1 || depth >= bare)?;
        if depth % 2 == 1 && found != ITEM {
            return None;
        }
        at = head.start;
        if head.length == UNDEFINED {
            depth += 1;
            if head.implicit && depth < bare && depth % 2 == 1 {
                bare = depth;
            }
        } else {
            at = at.checked_add(head.length)?;
        }
    }
}

impl<'a> Dataset<'a> {
    /// The value of this element and where the next begins, by what is at this place.
    fn element(self, at: usize) -> Option<(u32, Value<'a>, usize)> {
        let head = Head::at(self.bytes, at, self.implicit)?;
        let (stop, next) = if head.length == UNDEFINED {
            end(self.bytes, head.start, 1, head.implicit)?
        } else {
            let stop = head.start.checked_add(head.length)?;
            (stop, stop)
        };
        Some((head.tag, Value { bytes: self.bytes.get(head.start..stop)?, implicit: head.implicit }, next))
    }

    /// All elements, in order, up to the first that is not whole.
    pub fn elements(self) -> impl Iterator<Item = Result<(u32, Value<'a>, usize), Fault>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= self.bytes.len() {
                return None;
            }
            let found = self.element(at);
            at = found.map_or(self.bytes.len(), |(_, _, next)| next);
            Some(found.ok_or(BROKEN))
        })
    }

    /// The value of this element, if it is there.
    ///
    /// # Errors
    /// Bytes before it that are no elements.
    pub fn find(self, wanted: u32) -> Result<Option<Value<'a>>, Fault> {
        for element in self.elements() {
            let (tag, value, _) = element?;
            if tag == wanted {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The first item of this sequence, if it is there.
    pub fn first(self, sequence: u32) -> Result<Option<Dataset<'a>>, Fault> {
        match self.find(sequence)? {
            Some(value) => value.items().next().transpose(),
            None => Ok(None),
        }
    }

    /// The text of this element, if it is there and is not empty.
    pub fn text(self, tag: u32) -> Result<Option<&'a str>, Fault> {
        Ok(self.find(tag)?.and_then(Value::text).filter(|text| !text.is_empty()))
    }

    /// The numbers of this element, written as text; exactly so many.
    pub fn numbers<const N: usize>(self, tag: u32) -> Result<Option<[f64; N]>, Fault> {
        let numbers = |value: Value| value.numbers().take(N + 1).collect::<Option<Vec<_>>>()?.try_into().ok();
        Ok(self.find(tag)?.and_then(numbers))
    }

    /// The whole number of this element, in two bytes.
    pub fn short(self, tag: u32) -> Result<Option<usize>, Fault> {
        Ok(self.find(tag)?.and_then(|value| short(value.bytes, 0)))
    }
}

impl<'a> Value<'a> {
    /// The items of a sequence; those of a picture that is packed are its fragments.
    pub fn items(self) -> impl Iterator<Item = Result<Dataset<'a>, Fault>> {
        let (bytes, implicit) = (self.bytes, self.implicit);
        let mut at = 0;
        std::iter::from_fn(move || {
            if at >= bytes.len() || tag(bytes, at) == Some(SEQUENCE_END) {
                return None;
            }
            let item = || {
                let length = long(bytes, at + 4).filter(|_| tag(bytes, at) == Some(ITEM))?;
                let start = at + 8;
                let (stop, next) = match length {
                    UNDEFINED => end(bytes, start, 2, implicit)?,
                    _ => (start.checked_add(length)?, start.checked_add(length)?),
                };
                Some((Dataset { bytes: bytes.get(start..stop)?, implicit }, next))
            };
            let found = item();
            at = found.map_or(bytes.len(), |(_, next)| next);
            Some(found.map(|(item, _)| item).ok_or(BROKEN))
        })
    }

    /// As text, without what fills it up.
    pub fn text(self) -> Option<&'a str> {
        Some(std::str::from_utf8(self.bytes).ok()?.trim_matches(['\0', ' ']))
    }

    /// Numbers written as text; `None` for what is no finite number.
    pub fn numbers(self) -> impl Iterator<Item = Option<f64>> + use<'a> {
        let number = |word: &[u8]| {
            let text = std::str::from_utf8(word).ok()?.trim_matches(['\0', ' ']);
            text.parse().ok().filter(|x: &f64| x.is_finite())
        };
        self.bytes.split(|byte| *byte == b'\\').map(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sequences in sequences, of told and untold length.
    #[test]
    fn a_value_is_found_behind_sequences_of_every_kind() {
        let element = |vr: &[u8], tag: [u8; 4], value: &[u8]| {
            let length = (value.len() as u16).to_le_bytes();
            [&tag, vr, &length[..], value].concat()
        };
        let wanted = element(b"US", [0x28, 0, 0x10, 0], &[7, 0]);
        let item_end = [0xfe, 0xff, 0x0d, 0xe0, 0, 0, 0, 0];
        let sequence_end = [0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0];
        let untold = [0xff; 4];
        let item = [0xfe, 0xff, 0, 0xe0];
        let sequence = [8, 0, 0x40, 0x11, b'S', b'Q', 0, 0];
        let unknown = [8, 0, 0x40, 0x11, b'U', b'N', 0, 0];
        // What is in a sequence of unknown type has no types.
        let bare = [&[0x28, 0, 0x10, 0, 2, 0, 0, 0, 9, 0][..]].concat();
        let within = |head: &[u8], content: &[u8]| {
            [head, &untold, &item, &untold, content, &item_end, &sequence_end].concat()
        };
        for before in [
            within(&sequence, &wanted),
            within(&sequence, &within(&sequence, &wanted)),
            within(&unknown, &bare),
            within(&sequence, &within(&unknown, &bare)),
        ] {
            let bytes = [before.clone(), wanted.clone()].concat();
            let dataset = Dataset { bytes: &bytes, implicit: false };
            assert_eq!(dataset.short(0x0028_0010).unwrap(), Some(7));
            assert!(dataset.first(0x0008_1140).unwrap().is_some());
            for cut in 1..before.len() {
                let dataset = Dataset { bytes: &bytes[..cut], implicit: false };
                assert!(dataset.find(0x0028_0010).is_err(), "{cut}");
            }
        }
        let deep = [&sequence[..], &untold, &item, &untold].concat().repeat(100_000);
        assert!(Dataset { bytes: &deep, implicit: false }.find(1).is_err());
    }
}
