//! Animated WebP: every frame without loss and in all colours. The frames are the encoder's; the container around them (RIFF chunks VP8X,
//! ANIM, ANMF: RFC 9649) is written here, since the encoder writes single pictures only.

use image_webp::{ColorType, EncodingError, WebPEncoder};
use visard::report::render::Image;

/// The flag of an animation in the chunk VP8X.
const ANIMATED: u8 = 0x02;
/// A frame that is not blended with what was shown before.
const NOT_BLENDED: u8 = 0x02;
/// Bytes before the first chunk of a file: RIFF, its size, WEBP.
const HEADER: usize = 12;

/// A picture as the chunk of a frame.
///
/// # Errors
/// What the encoder reports, among it pictures of more than 16384 pixels a side.
pub fn frame(image: &Image) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    WebPEncoder::new(&mut file).encode(
        &image.rgb,
        image.width as u32,
        image.height as u32,
        ColorType::Rgb8,
    )?;
    Ok(file.split_off(HEADER.min(file.len())))
}

/// Frames of one size, each so many milliseconds, over and over. `shown` are places among `frames`.
pub fn animation(
    frames: &[Vec<u8>],
    shown: &[usize],
    (width, height): (u32, u32),
    milliseconds: u32,
) -> Vec<u8> {
    let size = [three(width.saturating_sub(1)), three(height.saturating_sub(1))].concat();
    let mut chunks = chunk(b"VP8X", &[&[ANIMATED, 0, 0, 0], &size[..]].concat());
    // Background colour 0; shown without end.
    chunks.extend(chunk(b"ANIM", &[0; 6]));
    for &k in shown {
        let place = [0; 6];
        let head = [&place[..], &size, &three(milliseconds), &[NOT_BLENDED]].concat();
        chunks.extend(chunk(b"ANMF", &[head, frames[k].clone()].concat()));
    }
    chunk(b"RIFF", &[b"WEBP".to_vec(), chunks].concat())
}

/// The three lower bytes, the lowest first.
fn three(number: u32) -> Vec<u8> {
    number.to_le_bytes()[..3].to_vec()
}

/// Name, length, contents, and a byte where their length is odd.
fn chunk(name: &[u8; 4], contents: &[u8]) -> Vec<u8> {
    let length = (contents.len() as u32).to_le_bytes();
    let mut bytes = [&name[..], &length, contents].concat();
    if contents.len() % 2 == 1 {
        bytes.push(0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use image_webp::{LoopCount, WebPDecoder};

    #[test]
    fn frames_come_back_as_they_were_in_the_order_shown() {
        let (width, height) = (37, 24);
        let image = |shift: usize| {
            let rgb = (0..width * height)
                .flat_map(|k| [(5 * (k % width)) as u8, (9 * (k / width)) as u8, (70 * shift) as u8]);
            Image { width, height, rgb: rgb.collect() }
        };
        let images = [image(0), image(1), image(2)];
        let frames: Vec<Vec<u8>> = images.iter().map(|i| frame(i).unwrap()).collect();
        let shown = [1, 2, 1, 0];
        let bytes = animation(&frames, &shown, (width as u32, height as u32), 50);
        let mut decoder = WebPDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        assert_eq!((decoder.dimensions(), decoder.num_frames()), ((width as u32, height as u32), 4));
        assert_eq!((decoder.loop_count(), decoder.loop_duration()), (LoopCount::Forever, 200));
        let mut buffer = vec![0; decoder.output_buffer_size().unwrap()];
        let channels = buffer.len() / (width * height);
        for k in shown {
            assert_eq!(decoder.read_frame(&mut buffer).unwrap(), 50);
            let back: Vec<u8> = buffer.chunks(channels).flat_map(|p| p[..3].to_vec()).collect();
            assert!(back == images[k].rgb, "frame {k}");
        }
    }
}
