//! A drawing as SVG, PDF and PNG.

use base64::Engine as _;
use resvg::{tiny_skia, usvg};
use std::path::Path;
use std::sync::Arc;
use visard::report::extract::Picture;

/// How figures look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// How wide they are printed.
    pub width_mm: f64,
    /// Pixels an inch of that.
    pub dots_per_inch: f64,
    /// Fonts of lettering, the best first.
    pub family: &'static str,
}

/// A figure in three formats.
pub(super) struct Drawn {
    pub svg: String,
    pub pdf: Vec<u8>,
    pub png: Vec<u8>,
}

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub(super) enum DrawError {
    /// Lettering would be left out.
    #[error("no font without serifs is on this computer: name one with --font FILE.ttf")]
    NoFont,
    /// The font named.
    #[error("{0}: not a font that can be read")]
    BadFont(String),
    /// The page holds what no figure is.
    #[error("a figure of the page cannot be drawn: {0}")]
    Drawing(String),
}

/// Fonts without serifs, in the order in which they are looked for.
const FAMILIES: [&str; 8] =
    ["Arial", "Helvetica", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Segoe UI", "Ubuntu", "Open Sans"];

/// The fonts of this computer.
pub(super) struct Letters {
    options: usvg::Options<'static>,
}

impl Letters {
    /// Those of a file, or what is installed.
    pub fn find(file: Option<&Path>) -> Result<Self, DrawError> {
        let mut fonts = usvg::fontdb::Database::new();
        let family = match file {
            Some(file) => {
                let bad = || DrawError::BadFont(file.display().to_string());
                fonts.load_font_file(file).map_err(|_| bad())?;
                let face = fonts.faces().next().ok_or_else(bad)?;
                face.families.first().ok_or_else(bad)?.0.clone()
            }
            None => {
                fonts.load_system_fonts();
                let has = |name: &str| fonts.faces().any(|face| face.families.iter().any(|f| f.0 == name));
                FAMILIES.into_iter().find(|name| has(name)).ok_or(DrawError::NoFont)?.to_owned()
            }
        };
        fonts.set_sans_serif_family(&family);
        let options = usvg::Options { font_family: family, fontdb: Arc::new(fonts), ..Default::default() };
        Ok(Self { options })
    }

    /// One figure.
    pub fn draw(&self, figure: &Picture, style: &Style) -> Result<Drawn, DrawError> {
        let svg = printed(figure, style);
        let bad = |e: String| DrawError::Drawing(e);
        let tree = usvg::Tree::from_str(&svg, &self.options).map_err(|e| bad(e.to_string()))?;
        let photograph = photograph(&svg).map_err(bad)?;
        let pixels = pixels(&tree, (photograph.as_ref(), figure.size[0] as f32), style)
            .ok_or_else(|| bad("it has no size".into()))?;
        let pdf = if photograph.is_some() {
            page_of(&pixels, &tree)
        } else {
            let page = svg2pdf::PageOptions { dpi: PIXELS_PER_INCH };
            svg2pdf::to_pdf(&tree, Default::default(), page).map_err(|e| bad(e.to_string()))?
        };
        let png = pixels.encode_png().map_err(|e| bad(e.to_string()))?;
        Ok(Drawn { svg, pdf, png })
    }
}

/// Of a drawing, as SVG has it.
const PIXELS_PER_INCH: f32 = 96.0;
const POINTS_PER_INCH: f32 = 72.0;
const MM_PER_INCH: f64 = 25.4;

/// The drawing in the size it is printed in, with lettering of the style.
fn printed(figure: &Picture, style: &Style) -> String {
    let [width, height] = figure.size;
    let tall = style.width_mm * height / width;
    let size = format!("<svg width=\"{:.2}mm\" height=\"{tall:.2}mm\"", style.width_mm);
    let families = ["system-ui,sans-serif", "sans-serif"].map(|family| format!("font-family=\"{family}\""));
    let wanted = format!("font-family=\"{}\"", style.family);
    let svg = figure.svg.replacen("<svg", &size, 1);
    families.iter().fold(svg, |svg, family| svg.replace(family.as_str(), &wanted))
}

/// A picture of pixels in a drawing, at the upper left, and how wide it is drawn.
struct Photograph {
    pixels: tiny_skia::Pixmap,
    width: f32,
}

/// That of a drawing, where it has one.
fn photograph(svg: &str) -> Result<Option<Photograph>, String> {
    let Some((_, image)) = svg.split_once("<image ") else { return Ok(None) };
    let of = |name: &str| image.split_once(&format!("{name}=\""))?.1.split('"').next();
    let found =
        of("width").and_then(|w| w.parse().ok()).zip(of("href").and_then(|href| href.split(',').nth(1)));
    let (width, data) = found.ok_or("a picture in it has no size or content")?;
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).map_err(|e| e.to_string())?;
    let pixels = tiny_skia::Pixmap::decode_png(&bytes).map_err(|e| e.to_string())?;
    Ok(Some(Photograph { pixels, width }))
}

/// A drawing in pixels, with its picture of pixels, which the renderer leaves out: it would bring decoders for five formats more.
fn pixels(
    tree: &usvg::Tree,
    (photograph, view_width): (Option<&Photograph>, f32),
    style: &Style,
) -> Option<tiny_skia::Pixmap> {
    let size = tree.size();
    let scale = (style.width_mm / MM_PER_INCH * style.dots_per_inch / f64::from(size.width())) as f32;
    let [width, height] = [size.width(), size.height()].map(|side| (side * scale).round().max(1.0) as u32);
    let mut canvas = tiny_skia::Pixmap::new(width, height)?;
    canvas.fill(tiny_skia::Color::WHITE);
    let drawn = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(tree, drawn, &mut canvas.as_mut());
    if let Some(Photograph { pixels, width }) = photograph {
        // In the units of the view, which the drawing is printed in.
        let view = size.width() / view_width;
        let of_pixel = width * view * scale / pixels.width() as f32;
        let paint =
            tiny_skia::PixmapPaint { quality: tiny_skia::FilterQuality::Bicubic, ..Default::default() };
        let place = tiny_skia::Transform::from_scale(of_pixel, of_pixel);
        canvas.draw_pixmap(0, 0, pixels.as_ref(), &paint, place, None);
    }
    Some(canvas)
}

/// A PDF of one picture of pixels, as large as the drawing: for what is a picture of pixels itself.
fn page_of(pixels: &tiny_skia::Pixmap, tree: &usvg::Tree) -> Vec<u8> {
    use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
    let [catalog, pages, page, image, content] = [1, 2, 3, 4, 5].map(Ref::new);
    let name = Name(b"Picture");
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|side| side / PIXELS_PER_INCH * POINTS_PER_INCH);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet.media_box(Rect::new(0.0, 0.0, width, height)).parent(pages).contents(content);
    sheet.resources().x_objects().pair(name, image);
    sheet.finish();
    // Without transparency: the ground is white.
    let rgb: Vec<u8> =
        pixels.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&rgb, 6);
    let mut object = pdf.image_xobject(image, &packed);
    object.filter(Filter::FlateDecode);
    object.width(pixels.width() as i32).height(pixels.height() as i32);
    object.color_space().device_rgb();
    object.bits_per_component(8);
    object.finish();
    let mut drawn = Content::new();
    drawn.save_state().transform([width, 0.0, 0.0, height, 0.0, 0.0]).x_object(name).restore_state();
    pdf.stream(content, &drawn.finish());
    pdf.finish()
}
