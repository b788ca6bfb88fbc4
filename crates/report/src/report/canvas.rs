//! Drawing on pictures: filled boxes, smooth lines and plain lettering, for bands, colour bars and outlines where there is
//! no browser and no graphics card.

use super::colour::ColourScale;
use super::render::Image;

/// sRGB, 0 to 255.
pub type Rgb = [u8; 3];

/// The band on pictures of what must not be published: dark red.
pub const WARNING: Rgb = [140, 29, 24];
const WHITE: Rgb = [255, 255, 255];
const INK: Rgb = [29, 33, 41];

impl Image {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: Rgb) -> Self {
        Self { width, height, rgb: colour.repeat(width * height) }
    }

    /// Fills a box, cut to the picture.
    pub fn fill(&mut self, x: std::ops::Range<usize>, y: std::ops::Range<usize>, colour: Rgb) {
        for row in y.start..y.end.min(self.height) {
            for column in x.start..x.end.min(self.width) {
                self.rgb[3 * (row * self.width + column)..][..3].copy_from_slice(&colour);
            }
        }
    }

    /// Copies another picture with its upper left corner at (x, y), cut to this one.
    pub fn paste(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = 3 * row * other.width;
            let to = 3 * ((y + row) * self.width + x);
            self.rgb[to..to + 3 * columns].copy_from_slice(&other.rgb[from..from + 3 * columns]);
        }
    }

    /// A smooth line with round ends.
    pub fn line(&mut self, a: [f64; 2], b: [f64; 2], width: f64, colour: Rgb) {
        if ![a, b].iter().flatten().all(|c| c.is_finite()) {
            return;
        }
        let reach = width / 2.0 + 1.0;
        let span = |k: usize, end: usize| {
            let lo = (a[k].min(b[k]) - reach).floor().clamp(0.0, end as f64) as usize;
            let hi = (a[k].max(b[k]) + reach).ceil().clamp(0.0, end as f64) as usize;
            lo..hi
        };
        let d = [b[0] - a[0], b[1] - a[1]];
        let square = d[0] * d[0] + d[1] * d[1];
        for row in span(1, self.height) {
            for column in span(0, self.width) {
                let p = [column as f64 + 0.5 - a[0], row as f64 + 0.5 - a[1]];
                let t =
                    if square > 0.0 { ((p[0] * d[0] + p[1] * d[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
                let distance = (p[0] - t * d[0]).hypot(p[1] - t * d[1]);
                let cover = (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let at = 3 * (row * self.width + column);
                    for (pixel, c) in self.rgb[at..at + 3].iter_mut().zip(colour) {
                        *pixel = (f64::from(*pixel) * (1.0 - cover) + f64::from(c) * cover).round() as u8;
                    }
                }
            }
        }
    }

    /// Writes capitals, digits and a few signs, `height` pixels high, from the upper left corner (x, y).
    pub fn write(&mut self, text: &str, [x, y]: [f64; 2], height: f64, colour: Rgb) {
        let unit = height / 6.0;
        for (k, letter) in text.chars().enumerate() {
            let left = x + k as f64 * ADVANCE * unit;
            for stroke in strokes(letter).split(' ').filter(|s| !s.is_empty()) {
                let digits: Vec<f64> = stroke.bytes().map(|b| f64::from(b - b'0') * unit).collect();
                let points: Vec<[f64; 2]> = digits.chunks_exact(2).map(|c| [left + c[0], y + c[1]]).collect();
                for pair in points.windows(2) {
                    self.line(pair[0], pair[1], 0.9 * unit, colour);
                }
            }
        }
    }

    /// The picture reduced by a factor: means over squares of pixels; what is left over at the right and below is cut off.
    pub fn reduced(self, by: usize) -> Image {
        if by <= 1 {
            return self;
        }
        let (width, height) = (self.width / by, self.height / by);
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                for k in 0..3 {
                    let of = |d: usize| {
                        u32::from(self.rgb[3 * ((y * by + d / by) * self.width + x * by + d % by) + k])
                    };
                    let n = (by * by) as u32;
                    rgb.push(((0..by * by).map(of).sum::<u32>() + n / 2).div_euclid(n) as u8);
                }
            }
        }
        Image { width, height, rgb }
    }

    /// Some of the picture's rows.
    pub fn rows(&self, rows: std::ops::Range<usize>) -> Image {
        let start = rows.start.min(self.height);
        let end = rows.end.clamp(start, self.height);
        let rgb = self.rgb[3 * start * self.width..3 * end * self.width].to_vec();
        Image { width: self.width, height: end - start, rgb }
    }

    /// Adds a band over the picture: a statement that cannot be cropped away by accident. The picture grows by its height.
    pub fn with_band(&self, text: &str) -> Image {
        self.with_band_of(text, Self::band_rows(self.height))
    }

    /// Adds a band of so many rows.
    pub fn with_band_of(&self, text: &str, rows: usize) -> Image {
        let mut out = Image::filled(self.width, self.height + rows, WARNING);
        out.paste(self, 0, rows);
        let fit = self.width as f64 / (text_width(text, 1.0) + 2.0);
        let height = (0.45 * rows as f64).min(fit);
        let left = (self.width as f64 - text_width(text, height)) / 2.0;
        out.write(text, [left.max(1.0), (rows as f64 - height) / 2.0], height, WHITE);
        out
    }

    /// Rows that [`Image::with_band`] adds to a picture of this height, text included.
    pub fn band_rows(height: usize) -> usize {
        (height / 16).clamp(14, 48)
    }

    /// Rows that a colour bar needs on a picture of this height.
    pub fn colour_bar_rows(height: usize) -> usize {
        (6.6 * bar_lettering(height)).ceil() as usize
    }

    /// Draws a colour bar with its label and values along the lower edge, [`Image::colour_bar_rows`] high.
    pub fn draw_colour_bar(&mut self, scale: &ColourScale) {
        let height = bar_lettering(self.height);
        let (left, bottom) = (1.6 * height, self.height as f64 - 1.6 * height);
        // Half the picture; more where that is narrow for its numbers.
        let room = self.width as f64 - 2.0 * left;
        let width = (0.5 * self.width as f64).max((20.0 * height).min(room)).clamp(60.0, 480.0);
        let bar = (bottom - 3.4 * height)..(bottom - 2.0 * height);
        for column in 0..width as usize {
            let [r, g, b] = scale.map.at(column as f64 / width).map(|c| (255.0 * c).round() as u8);
            let x = left as usize + column;
            self.fill(x..x + 1, bar.start.max(0.0) as usize..bar.end.max(0.0) as usize, [r, g, b]);
        }
        let label = scale.label();
        let size = height.min(height * 1.6 * width / text_width(&label, height).max(1.0));
        self.write(&label, [left, bar.start - 1.6 * height], size, INK);
        let size = tick_lettering(&scale.ticks(), width, 0.9 * height);
        for (t, text) in scale.ticks() {
            let x = left + t * width - t * text_width(&text, size);
            self.write(&text, [x, bottom - 1.2 * height], size, INK);
        }
    }
}

/// Height of the letters at a colour bar.
fn bar_lettering(height: usize) -> f64 {
    (height as f64 / 55.0).clamp(7.0, 16.0)
}

/// Height of the numbers under a bar: `height`, or what keeps the one in the middle apart from those at the ends.
fn tick_lettering(ticks: &[(f64, String); 3], width: f64, height: f64) -> f64 {
    let [low, middle, high] = [0, 1, 2].map(|k| text_width(&ticks[k].1, height));
    let needed = 2.0 * (low.max(high) + 0.5 * middle + height);
    height * (width / needed).min(1.0)
}

/// Letters stand on a grid 4 wide and 6 high.
const ADVANCE: f64 = 5.8;

/// Width of a written text in pixels.
pub fn text_width(text: &str, height: f64) -> f64 {
    (text.chars().count() as f64 * ADVANCE - 1.8).max(0.0) * height / 6.0
}

/// Strokes of a letter: each a run of points, two digits a point (x 0 to 4, y 0 to 6 downwards).
fn strokes(letter: char) -> &'static str {
    match letter.to_ascii_uppercase() {
        'A' => "062046 1434",
        'B' => "0006 003041423303 3344453606",
        'C' => "4130100105163645",
        'D' => "0006 003041453606",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "41301001051636454323",
        'H' => "0006 4046 0343",
        'I' => "2026",
        'J' => "4045361605",
        'K' => "0006 4003 1246",
        'L' => "000646",
        'M' => "0600234046",
        'N' => "06004640",
        'O' | '0' => "103041453616050110",
        'P' => "06003041423303",
        'Q' => "103041453616050110 2446",
        'R' => "06003041423303 2346",
        'S' => "413010010213334445361605",
        'T' => "0040 2026",
        'U' => "000516364540",
        'V' => "002640",
        'W' => "0016233640",
        'X' => "0046 4006",
        'Y' => "0023 4023 2326",
        'Z' => "00400646",
        '1' => "112026",
        '2' => "01103041420646",
        '3' => "01103041423323 334445361605",
        '4' => "300444 3036",
        '5' => "400003334445361605",
        '6' => "4130100105163645443303",
        '7' => "004016",
        '8' => "103041423313020110 1304051636454433",
        '9' => "05163645413010010213 1343",
        '.' => "2526",
        ',' => "2516",
        ':' => "2222 2525",
        '-' | '−' | '–' => "0343",
        '_' => "0646",
        '<' => "411345",
        '>' => "014305",
        '\'' => "2022",
        '"' => "1012 3032",
        '&' => "460201102031320405163644",
        '#' => "1016 3036 0242 0444",
        '*' => "2125 0244 4204",
        '!' => "2024 2626",
        '?' => "01103041422324 2626",
        '²' => "011021120323",
        '√' => "031640",
        '·' => "2323",
        '→' => "0343 324334",
        '+' => "0343 2125",
        '=' => "0242 0444",
        '(' => "30212536",
        ')' => "10212516",
        '/' => "0640",
        '%' => "0640 1111 3535",
        '°' => "1020211110",
        '×' => "0244 4204",
        '±' => "0242 2024 0545",
        'μ' | 'µ' => "0206 0205164542 4546",
        'σ' => "42120305163645433212",
        ' ' => "",
        // A box: a letter that is not drawn here is seen to be there.
        _ => "0040460600",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::colour::ColourScale;

    fn dark(image: &Image) -> usize {
        image.rgb.chunks(3).filter(|p| p[0] < 128).count()
    }

    #[test]
    fn a_line_covers_its_length_times_its_width() {
        let mut image = Image::filled(60, 40, [255; 3]);
        image.line([10.0, 10.0], [40.0, 30.0], 4.0, [0; 3]);
        let ink: f64 = image.rgb.chunks(3).map(|p| 1.0 - f64::from(p[0]) / 255.0).sum();
        // A stadium: 36.06 · 4 + π · 2².
        let expected = 36.06 * 4.0 + std::f64::consts::PI * 4.0;
        assert!((ink - expected).abs() < 0.05 * expected, "{ink} {expected}");
        image.line([f64::NAN, 0.0], [1.0, 1.0], 3.0, [0; 3]);
        image.line([-1e9, -1e9], [1e9, 1e9], 1.0, [9; 3]);
    }

    #[test]
    fn every_letter_of_names_bands_and_numbers_is_drawn_and_differs() {
        let mut seen = std::collections::HashSet::new();
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789.,:-+=()/%°×±_<>'\"&#*!?²√·→é".chars() {
            let mut image = Image::filled(40, 40, [255; 3]);
            image.write(&letter.to_string(), [8.0, 8.0], 24.0, [0; 3]);
            assert!(dark(&image) > 3, "{letter}");
            assert!(seen.insert(image.rgb), "{letter} looks like another");
        }
        assert_eq!(strokes(' '), "");
    }

    #[test]
    fn a_reduced_picture_has_the_means() {
        let rgb = (0..5 * 4).flat_map(|k| [10 * k as u8, 0, 255]).collect();
        let small = Image { width: 5, height: 4, rgb }.reduced(2);
        // Pixels 0, 1, 5, 6 and 2, 3, 7, 8, and two rows below them; the fifth column is cut off.
        assert_eq!((small.width, small.height), (2, 2));
        assert_eq!(small.rgb, [30, 0, 255, 50, 0, 255, 130, 0, 255, 150, 0, 255]);
        assert_eq!(small.clone().reduced(1), small);
    }

    #[test]
    fn the_band_grows_the_picture_and_is_written_on() {
        for (width, height) in [(640, 480), (16, 16), (200, 90)] {
            let image = Image::filled(width, height, [200; 3]).with_band("INTERNAL - DO NOT PUBLISH");
            let rows = image.height - height;
            let band = &image.rgb[..3 * rows * width];
            assert!(
                rows >= 14 && band[..3] == WARNING && image.rgb[3 * rows * width..].iter().all(|&c| c == 200)
            );
            if width > 100 {
                assert!(band.chunks(3).filter(|p| p[1] > 200).count() > 100);
            }
        }
    }

    #[test]
    fn numbers_under_a_bar_stand_apart() {
        let ticks =
            |a: &str, b: &str, c: &str| [(0.0, a.to_owned()), (0.5, b.to_owned()), (1.0, c.to_owned())];
        for (ticks, width) in [
            (ticks("0", "0.162", "0.324"), 170.0),
            (ticks("-1.25e-5", "0", "1.25e-5"), 100.0),
            (ticks("0", "1", "2"), 300.0),
        ] {
            let size = tick_lettering(&ticks, width, 11.0);
            let place = |k: usize| {
                let wide = text_width(&ticks[k].1, size);
                (ticks[k].0 * (width - wide), ticks[k].0 * (width - wide) + wide)
            };
            assert!(
                size <= 11.0 && place(0).1 + 0.5 * size < place(1).0 && place(1).1 + 0.5 * size < place(2).0
            );
        }
        assert_eq!(tick_lettering(&ticks("0", "1", "2"), 300.0, 11.0), 11.0);
    }

    #[test]
    fn a_colour_bar_fits_pictures_of_all_sizes() {
        let scale = ColourScale::magnitude("noise, 1 σ", "face of area 1", &[0.0, 1.0]);
        for (width, height) in [(8, 8), (64, 48), (1600, 1200)] {
            let mut image = Image::filled(width, height, [255; 3]);
            image.draw_colour_bar(&scale);
            // Where there is no room, nothing is drawn and nothing fails.
            assert!(dark(&image) > 0 || height < 16);
        }
    }
}
