//! Masks as pictures: PNG and TIFF. They tell neither the size of a pixel in the body nor which side is left; what they tell of printing is
//! passed over.

use crate::images::grid::{Grid, MOST, Place};
use crate::io::Fault;
use ::png::{BitDepth, ColorType, Decoder as Png};
use ::tiff::decoder::{Decoder as Tiff, DecodingResult, Limits};
use ::tiff::tags::Tag;
use std::io::Cursor;

/// Rows from the top become rows from the bottom, so that y runs upwards.
pub(super) fn from_top(shape: [usize; 3], values: impl Iterator<Item = f64>) -> Result<Grid, Fault> {
    let mut grid = Grid::new(shape, values, Place::Unknown)?;
    turned(&mut grid);
    Ok(grid)
}

/// The last rows first, in every slice.
pub(super) fn turned(grid: &mut Grid) {
    let [width, height, _] = grid.shape;
    for slice in grid.labels.chunks_exact_mut(width * height) {
        let (mut rows, mut ends) = (slice.chunks_exact_mut(width), height / 2);
        while let (Some(top), Some(bottom), 1..) = (rows.next(), rows.next_back(), ends) {
            top.swap_with_slice(bottom);
            ends -= 1;
        }
    }
}

/// The most that a file of these bytes can hold: deflate packs at most 1032 bytes in one.
fn most(bytes: &[u8]) -> usize {
    bytes.len().saturating_mul(1032).saturating_add(1 << 16)
}

/// A PNG picture: its grey values, or the numbers of its palette, are the labels.
pub(super) fn png(bytes: &[u8]) -> Result<Grid, Fault> {
    let broken = |_| Fault::Malformed("is not a PNG picture that can be read; export it again");
    let mut reader = Png::new(Cursor::new(bytes)).read_info().map_err(broken)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    Grid::count([width, height, 1])?;
    let size = reader.output_buffer_size().filter(|size| *size <= most(bytes));
    let Some(size) = size else { return Err(Fault::Malformed("is cut off; copy or export it again")) };
    let mut raw = vec![0; size];
    let info = reader.next_frame(&mut raw).map_err(broken)?;
    let channels = match info.color_type {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    let bits = match info.bit_depth {
        BitDepth::One => 1,
        BitDepth::Two => 2,
        BitDepth::Four => 4,
        BitDepth::Eight => 8,
        BitDepth::Sixteen => 16,
    };
    let sample = |row: &[u8], n: usize| match bits {
        16 => u16::from_be_bytes([row[2 * n], row[2 * n + 1]]),
        _ => u16::from(row[n * bits / 8] >> (8 - bits - n * bits % 8) & (0xff >> (8 - bits))),
    };
    let rows = raw.chunks_exact(info.line_size);
    let pixels = rows
        .flat_map(|row| (0..width).map(move |x| label(channels, bits, |c| sample(row, x * channels + c))));
    from_top([width, height, 1], pixels.collect::<Result<Vec<f64>, Fault>>()?.into_iter())
}

/// The label of a pixel: its grey. Colours are no labels, and neither is what shines through.
fn label(channels: usize, bits: usize, sample: impl Fn(usize) -> u16) -> Result<f64, Fault> {
    let grey = sample(0);
    let is_grey = channels < 3 || (sample(1) == grey && sample(2) == grey);
    let is_opaque = channels % 2 == 1 || u32::from(sample(channels - 1)) == (1u32 << bits) - 1;
    match (is_grey, is_opaque) {
        (true, true) => Ok(f64::from(grey)),
        (false, _) => {
            Err(Fault::Malformed("is a coloured picture; export the mask in grey or with a palette"))
        }
        (_, false) => Err(Fault::Malformed(
            "is a picture that is transparent in parts; export the mask in grey, without alpha",
        )),
    }
}

/// Whether the tables of a TIFF file promise no more numbers than it has bytes: its reader makes room for the first table's before it can be told of
/// a limit (TIFF 6.0, section 2; BigTIFF).
fn keeps_its_promises(bytes: &[u8]) -> bool {
    let number = |at: usize, width: usize| {
        let raw = bytes.get(at..at.checked_add(width)?)?;
        let fold = |n: u64, byte: &u8| n << 8 | u64::from(*byte);
        Some(if bytes[0] == b'M' { raw.iter().fold(0, fold) } else { raw.iter().rev().fold(0, fold) })
    };
    // Where the first table is told, the width of an offset and of a table's length, the bytes of an entry.
    let (first, offset, length, entry) = if number(2, 2) == Some(43) { (8, 8, 8, 20) } else { (4, 4, 2, 12) };
    let mut table = number(first, offset);
    // Entries that do not overlap are no more than this.
    let mut left = bytes.len() / entry;
    // What is cut off is for the reader to tell.
    while let Some(at) =
        table.and_then(|at| usize::try_from(at).ok()).filter(|at| (1..bytes.len()).contains(at))
    {
        let entries = number(at, length).and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
        if entries == 0 {
            return true;
        }
        let Some(rest) = left.checked_sub(entries) else { return false };
        left = rest;
        for at in (0..entries).map(|k| at + length + k * entry) {
            let size = match number(at + 2, 2) {
                Some(3 | 8) => 2,
                Some(4 | 9 | 11 | 13) => 4,
                Some(5 | 10 | 12 | 16..=18) => 8,
                _ => 1,
            };
            if number(at + 4, offset).is_some_and(|count| count.saturating_mul(size) > bytes.len() as u64) {
                return false;
            }
        }
        table = number(at + length + entries * entry, offset);
    }
    true
}

/// Ways of packing a TIFF picture that keep every label as it was: none, LZW, deflate (two numbers), PackBits. JPEG does not.
const KEPT_EXACTLY: [u32; 5] = [NOT_PACKED, 5, 8, 32946, 32773];
const NOT_PACKED: u32 = 1;

/// A TIFF picture, or a stack of them: grey values are the labels.
pub(super) fn tiff(bytes: &[u8]) -> Result<Grid, Fault> {
    if !keeps_its_promises(bytes) {
        return Err(Fault::Malformed("is cut off; copy or export it again"));
    }
    const BROKEN: Fault = Fault::Malformed(
        "is not a grey TIFF picture that can be read (plain, LZW, deflate or PackBits); export it again",
    );
    let broken = |_| BROKEN;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = most(bytes).min(MOST);
    limits.intermediate_buffer_size = most(bytes).min(MOST);
    let mut reader = Tiff::new(Cursor::new(bytes)).map_err(broken)?.with_limits(limits);
    let (mut values, mut size, mut slices) = (Vec::new(), None, 0);
    loop {
        let packed = reader.get_tag_u32(Tag::Compression).unwrap_or(NOT_PACKED);
        if !KEPT_EXACTLY.contains(&packed) {
            return Err(BROKEN);
        }
        let (width, height) = reader.dimensions().map_err(broken)?;
        let found = [width as usize, height as usize];
        if *size.get_or_insert(found) != found {
            return Err(Fault::Malformed("holds pictures of several sizes; export them as one stack"));
        }
        slices += 1;
        Grid::count([found[0], found[1], slices])?;
        let page = reader.read_image().map_err(broken)?;
        let before = values.len();
        match page {
            DecodingResult::U8(page) => values.extend(page.into_iter().map(f64::from)),
            DecodingResult::U16(page) => values.extend(page.into_iter().map(f64::from)),
            DecodingResult::U32(page) => values.extend(page.into_iter().map(f64::from)),
            DecodingResult::I16(page) => values.extend(page.into_iter().map(f64::from)),
            DecodingResult::F32(page) => values.extend(page.into_iter().map(f64::from)),
            _ => {
                return Err(Fault::Malformed(
                    "holds numbers of a type that masks have not; export it in grey, 8 or 16 bits",
                ));
            }
        }
        if values.len() - before != found[0] * found[1] {
            return Err(Fault::Malformed(
                "is a coloured picture, or packs several pixels in a byte; export it in grey, 8 or 16 bits",
            ));
        }
        if !reader.more_images() {
            break;
        }
        reader.next_image().map_err(broken)?;
    }
    let [width, height] = size.unwrap_or_default();
    from_top([width, height, slices], values.into_iter())
}
