//! A short turn as an animated GIF or WebP: from one side to the other and back, for a face has no back worth seeing.

use crate::error::ViewerError;
use crate::look::Look;
use crate::painter::Painter;
use crate::side_by_side::SideBySide;
use std::collections::HashMap;
use std::path::Path;
use visard::report::render::Image;

/// Frames of a turn, a multiple of four, and hundredths of a second for each.
const FRAMES: usize = 60;
const DELAY: usize = 5;
/// Degrees to either side.
const SWING: f64 = 55.0;
/// Colours are looked for among so many pixels of all frames together.
const SAMPLE: usize = 150_000;
/// The encoder's own compromise between speed and quality of colours.
const SPEED: i32 = 3;

/// Going there and coming back pass the same places: each is drawn once.
pub const PLACES: usize = FRAMES / 2 + 1;

/// The pictures of a turn.
///
/// # Errors
/// A picture that cannot be drawn.
pub fn turn(painter: &mut Painter<'_>, look: &Look) -> Result<Vec<Image>, ViewerError> {
    (0..PLACES)
        .map(|k| {
            let swing = (std::f64::consts::PI * (k as f64 / (PLACES - 1) as f64 - 0.5)).sin();
            painter.picture(&Look { yaw: look.yaw + SWING * swing, ..*look })
        })
        .collect()
}

/// The pictures of such drawings from one end to the other, all seen alike.
///
/// # Errors
/// A picture that cannot be drawn.
pub fn growth<'a>(
    painter: &mut Painter<'a>,
    stops: &'a [SideBySide],
    look: &Look,
) -> Result<Vec<Image>, ViewerError> {
    let picture = |stop: &'a SideBySide| {
        painter.replace(stop);
        painter.picture(look)
    };
    stops.iter().map(picture).collect()
}

/// Pictures there and back, begun in the middle, over and over, as the kind of file that the name says: a WebP, otherwise a GIF.
///
/// # Errors
/// What the encoder reports.
pub fn encode(drawn: &[Image], file: &Path) -> Result<Vec<u8>, ViewerError> {
    // All turns take as long: two words of a covariate are not to flicker.
    let delay = (FRAMES * DELAY / order(drawn.len()).len().max(1)) as u16;
    let is_webp = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("webp"));
    if is_webp { webp(drawn, delay) } else { gif(drawn, delay) }
}

/// In all colours.
fn webp(drawn: &[Image], delay: u16) -> Result<Vec<u8>, ViewerError> {
    let frames = drawn.iter().map(crate::webp::frame).collect::<Result<Vec<_>, _>>()?;
    let size = drawn.first().map_or((1, 1), |f| (f.width as u32, f.height as u32));
    Ok(crate::webp::animation(&frames, &order(drawn.len()), size, 10 * u32::from(delay)))
}

/// With one palette for all.
fn gif(drawn: &[Image], delay: u16) -> Result<Vec<u8>, ViewerError> {
    let size = drawn.first().map_or((1, 1), |f| (f.width as u16, f.height as u16));
    let mut palette = Palette::of(drawn);
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, size.0, size.1, &palette.colours)?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    let frames: Vec<gif::Frame<'static>> = drawn
        .iter()
        .map(|image| {
            let mut frame = gif::Frame::from_indexed_pixels(size.0, size.1, palette.indices(image), None);
            frame.delay = delay;
            frame.make_lzw_pre_encoded();
            frame
        })
        .collect();
    for k in order(frames.len()) {
        encoder.write_lzw_pre_encoded_frame(&frames[k])?;
    }
    drop(encoder);
    Ok(bytes)
}

/// From the middle to the end, back to the beginning, and to just before the middle.
fn order(n: usize) -> Vec<usize> {
    let Some(last) = n.checked_sub(1) else { return Vec::new() };
    let middle = last / 2;
    (middle..last).chain((1..=last).rev()).chain(0..middle).collect()
}

/// Colours that serve all frames, and which of them a colour becomes.
struct Palette {
    /// Red, green, blue of each.
    colours: Vec<u8>,
    /// The nearest to each colour that was asked for.
    nearest: HashMap<[u8; 3], u8>,
}

impl Palette {
    fn of(frames: &[Image]) -> Self {
        let pixels: usize = frames.iter().map(|f| f.rgb.len() / 3).sum();
        let every = pixels.div_ceil(SAMPLE).max(1);
        let sample: Vec<u8> =
            frames.iter().flat_map(|f| f.rgb.chunks_exact(3).step_by(every)).flatten().copied().collect();
        // One row of pixels at most as long as a GIF is wide.
        let width = (sample.len() / 3).clamp(1, 60_000);
        let height = (sample.len() / 3 / width).max(1);
        let mut flat = sample;
        flat.resize(3 * width * height, 0);
        let colours = gif::Frame::from_rgb_speed(width as u16, height as u16, &flat, SPEED).palette;
        Self { colours: colours.unwrap_or_else(|| vec![0; 3]), nearest: HashMap::new() }
    }

    fn indices(&mut self, image: &Image) -> Vec<u8> {
        let mut last = ([0, 0, 0], self.index([0, 0, 0]));
        let index = |pixel: &[u8]| {
            let colour = [pixel[0], pixel[1], pixel[2]];
            if last.0 != colour {
                last = (colour, self.index(colour));
            }
            last.1
        };
        image.rgb.chunks_exact(3).map(index).collect()
    }

    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let Self { colours, nearest } = self;
        *nearest.entry(colour).or_insert_with(|| {
            let off = |c: &[u8]| -> i32 {
                c.iter().zip(colour).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum()
            };
            let best = colours.chunks_exact(3).enumerate().min_by_key(|(_, c)| off(c));
            best.map_or(0, |(k, _)| k as u8)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_begins_in_the_middle_passes_both_ends_once_and_closes() {
        let order = order(5);
        assert_eq!(order, [2, 3, 4, 3, 2, 1, 0, 1]);
        assert!(super::order(0).is_empty());
        // Neighbours in time are neighbours in place, over the seam too.
        let closed = order.iter().zip(order.iter().cycle().skip(1));
        assert!(closed.take(order.len()).all(|(a, b)| a.abs_diff(*b) == 1));
        assert_eq!(super::order(FRAMES / 2 + 1).len(), FRAMES);
    }

    #[test]
    fn colours_come_back_nearly_as_they_were() {
        let side = 60;
        let image = |shift: usize| {
            let rgb = (0..side * side)
                .flat_map(|k| [(4 * (k % side)) as u8, (4 * (k / side)) as u8, (40 + shift) as u8])
                .collect();
            Image { width: side, height: side, rgb }
        };
        let frames: Vec<Image> = (0..3).map(image).collect();
        let bytes = gif(&frames, 5).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        let first = decoder.read_next_frame().unwrap().unwrap();
        let off: f64 = first
            .buffer
            .chunks_exact(4)
            .zip(frames[1].rgb.chunks_exact(3))
            .flat_map(|(a, b)| (0..3).map(move |k| (f64::from(a[k]) - f64::from(b[k])).powi(2)))
            .sum::<f64>()
            / (3 * side * side) as f64;
        // 256 colours for a square of 240 × 240: cells of side 15, whose uniform error is 15/√12 = 4.3 in each of two channels.
        assert!(off.sqrt() < 8.0, "{}", off.sqrt());
    }
}
