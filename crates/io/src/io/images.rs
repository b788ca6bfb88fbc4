//! Images of one size, from a NumPy array or a folder of PNG files.

use super::error::{Fault, Parsed, ReadError};
use super::npy;
use super::open::{Limit, Opened, check_memory, open};
use std::path::{Path, PathBuf};

/// Images of one size, read one by one when they are asked for.
#[derive(Debug, Clone)]
pub struct Images {
    size: ImageSize,
    source: Source,
}

/// What all images have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Rows of an image.
    pub height: usize,
    /// Columns of an image.
    pub width: usize,
    /// 1 (grey) or 3 (red, green, blue).
    pub channels: usize,
}

#[derive(Debug, Clone)]
enum Source {
    /// Values from 0 to `white`.
    Array {
        file: Opened,
        form: npy::Form,
        white: f64,
    },
    Files(Vec<PathBuf>),
}

impl Images {
    /// Their size.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// Number of images.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Array { form, .. } => form.records(),
            Source::Files(files) => files.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An image (below [`len`](Self::len)): values from 0 to 1, row by row, channels together.
    ///
    /// # Errors
    /// [`ReadError`] naming the file: values outside 0 to white, not a PNG, or of another size or colour than the first.
    pub fn get(&self, index: usize) -> Result<Vec<f64>, ReadError> {
        match &self.source {
            Source::Array { file, form, white } => {
                let image = form.record(file.bytes(), index);
                if !image.iter().all(|x| (0.0..=*white).contains(x)) {
                    return Err(file.error(Fault::AboveWhite { white: *white }));
                }
                Ok(image.into_iter().map(|x| x / white).collect())
            }
            Source::Files(files) => {
                let Some(path) = files.get(index) else { return Ok(Vec::new()) };
                let (size, image) = picture(path)?;
                if size != self.size {
                    let text = "differs from the first image in size or colour; crop and convert all alike";
                    return Err(ReadError::new(path, Fault::Malformed(text)));
                }
                Ok(image)
            }
        }
    }
}

/// An array of shape (n, h, w), (n, h, w, 1) or (n, h, w, 3).
pub(super) fn array(file: Opened, white: f64) -> Result<Images, ReadError> {
    let form = |bytes: &[u8]| -> Parsed<(npy::Form, ImageSize)> {
        let form = npy::Form::parse(bytes)?;
        let (height, width, channels) = match form.shape[..] {
            [_, h, w] | [_, h, w, 1] => (h, w, 1),
            [_, h, w, 3] => (h, w, 3),
            _ => return Err(form.unfit("images are (n, height, width) or (n, height, width, 3)")),
        };
        Ok((form, ImageSize { height, width, channels }))
    };
    let (form, size) = form(file.bytes()).map_err(|located| file.error(located))?;
    Ok(Images { size, source: Source::Array { file, form, white } })
}

/// All files of a folder with one of these endings, in the order of their names; the first tells the size.
pub(super) fn folder(folder: &Path, is_image: impl Fn(&Path) -> bool) -> Result<Images, ReadError> {
    let system = |e| ReadError::new(folder, e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(system)? {
        files.push(entry.map_err(system)?.path());
    }
    files.retain(|path| is_image(path));
    files.sort();
    let Some(first) = files.first() else {
        return Err(ReadError::new(folder, Fault::Malformed("holds no .png images; export them as PNG")));
    };
    let (size, _) = picture(first)?;
    Ok(Images { size, source: Source::Files(files) })
}

/// One PNG image.
fn picture(path: &Path) -> Result<(ImageSize, Vec<f64>), ReadError> {
    open(path, Limit::TABLE)
        .and_then(|file| decode(file.bytes()).map_err(|fault| ReadError::new(path, fault)))
}

fn decode(bytes: &[u8]) -> Result<(ImageSize, Vec<f64>), Fault> {
    let broken = |_| Fault::Malformed("is not a PNG image that can be read; export it again");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(broken)?;
    let raw = reader.output_buffer_size().unwrap_or(usize::MAX);
    // As bytes, and as numbers of 8.
    check_memory(bytes.len(), raw.saturating_mul(1 + size_of::<f64>()), "make the image smaller")?;
    let mut buffer = vec![0; raw];
    let info = reader.next_frame(&mut buffer).map_err(broken)?;
    let (step, channels) = match info.color_type {
        png::ColorType::Grayscale => (1, 1),
        png::ColorType::GrayscaleAlpha => (2, 1),
        png::ColorType::Rgb => (3, 3),
        png::ColorType::Rgba => (4, 3),
        png::ColorType::Indexed => {
            return Err(Fault::Malformed(
                "is a palette image that could not be expanded; export it in colour",
            ));
        }
    };
    let (width, height) = (info.width as usize, info.height as usize);
    let mut values = Vec::with_capacity(width * height * channels);
    for pixel in buffer[..width * height * step].chunks_exact(step) {
        values.extend(pixel[..channels].iter().map(|v| f64::from(*v) / 255.0));
    }
    Ok((ImageSize { height, width, channels }, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(path: &Path, width: u32, height: u32, colour: png::ColorType, data: &[u8]) {
        let file = std::fs::File::create(path).unwrap();
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(colour);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
    }

    fn folder_of(dir: &Path) -> Result<Images, String> {
        folder(dir, |path| path.extension().is_some_and(|e| e == "png")).map_err(|e| e.to_string())
    }

    #[test]
    fn pictures_of_a_folder_in_the_order_of_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        assert!(folder_of(dir.path()).unwrap_err().contains("holds no .png images"));
        png(&path("b.png"), 2, 1, png::ColorType::GrayscaleAlpha, &[0, 9, 51, 9]);
        png(&path("a.png"), 2, 1, png::ColorType::Grayscale, &[255, 102]);
        std::fs::write(path("remarks.txt"), "none").unwrap();
        let images = folder_of(dir.path()).unwrap();
        assert_eq!((images.len(), images.size()), (2, ImageSize { height: 1, width: 2, channels: 1 }));
        assert_eq!((images.get(0).unwrap(), images.get(1).unwrap()), (vec![1.0, 0.4], vec![0.0, 0.2]));
        png(&path("c.png"), 2, 1, png::ColorType::Rgb, &[0, 51, 102, 153, 204, 255]);
        let images = folder_of(dir.path()).unwrap();
        assert!(images.get(2).unwrap_err().to_string().contains("c.png: differs from the first image"));
        std::fs::write(path("a.png"), "no picture").unwrap();
        assert!(folder_of(dir.path()).unwrap_err().contains("a.png: is not a PNG image"));
    }

    #[test]
    fn colours_are_red_green_blue() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        png(&path, 1, 2, png::ColorType::Rgba, &[255, 0, 51, 7, 102, 153, 204, 7]);
        let (size, image) = picture(&path).unwrap();
        assert_eq!(size, ImageSize { height: 2, width: 1, channels: 3 });
        assert_eq!(image, [1.0, 0.0, 0.2, 0.4, 0.6, 0.8]);
    }

    #[test]
    fn a_small_file_that_claims_a_huge_picture_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        png(&path, 9000, 9000, png::ColorType::Grayscale, &vec![0; 81_000_000]);
        let message = picture(&path).unwrap_err().to_string();
        assert!(
            message.contains("would take 729") && message.contains("make the image smaller"),
            "{message}"
        );
    }
}
