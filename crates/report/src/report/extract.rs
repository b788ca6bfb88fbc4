//! The figures of a page, taken out of it again: for a paper.

use super::figure::stem;
use std::fmt::Write as _;

/// A figure by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The drawing; pictures of pixels are inside it.
    pub svg: String,
    /// Width and height in the drawing's own units.
    pub size: [f64; 2],
    /// What it shows, in a few words.
    pub title: String,
    /// What it says below it, as plain text.
    pub caption: String,
}

/// Letters of a file's name.
const LONGEST: usize = 60;

impl Picture {
    /// Its title as a file's name, without an ending.
    pub fn file_stem(&self) -> String {
        let mut name = stem(&self.title);
        name.truncate(LONGEST);
        name.trim_end_matches('-').to_owned()
    }
}

/// All figures of a page that [`Page::to_html`](super::page::Page::to_html) wrote, in their order. Surfaces to turn are left out: pages have
/// still pictures beside them.
pub fn pictures(html: &str) -> Vec<Picture> {
    html.split("<figure").skip(1).filter_map(|rest| picture(rest.split_once("</figure>")?.0)).collect()
}

fn picture(figure: &str) -> Option<Picture> {
    let (attributes, content) = figure.split_once('>')?;
    let (content, caption) = content.split_once("<figcaption>")?;
    if attributes.contains("surface") {
        return None;
    }
    let caption = unescape(caption.strip_suffix("</figcaption>")?);
    let (svg, size) = match content.strip_prefix("<img") {
        Some(image) => around(image)?,
        None => drawing(content)?,
    };
    let title = attribute(&svg, "aria-label").map(unescape).filter(|title| !title.is_empty());
    Some(Picture { title: title.unwrap_or_else(|| caption.clone()), svg, size, caption })
}

/// A drawing, without the size that pages give it.
fn drawing(content: &str) -> Option<(String, [f64; 2])> {
    let end = content.rfind("</svg>")? + "</svg>".len();
    let (tag, inside) = content[..end].strip_prefix("<svg")?.split_once('>')?;
    let view = attribute(tag, "viewBox")?;
    let sides: Vec<f64> = view.split(' ').filter_map(|side| side.parse().ok()).collect();
    let [_, _, width, height] = sides[..] else { return None };
    let kept = ["aria-label", "role", "font-family", "font-size"];
    let kept = kept.iter().filter_map(|name| Some(format!(" {name}=\"{}\"", attribute(tag, name)?)));
    let kept: String = kept.collect();
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{view}\"{kept}>{inside}");
    Some((svg, [width, height]))
}

/// A drawing about a picture of pixels, with its colour bar below.
fn around(image: &str) -> Option<(String, [f64; 2])> {
    let (tag, rest) = image.split_once('>')?;
    let [width, height] =
        ["width", "height"].map(|name| attribute(tag, name).and_then(|side| side.parse::<f64>().ok()));
    let (width, height) = (width?, height?);
    let mut inside = format!(
        "<image width=\"{width}\" height=\"{height}\" href=\"{}\"/>",
        attribute(tag, "src").filter(|source| source.starts_with("data:image/png;base64,"))?
    );
    let mut below = 0.0;
    if let Some((bar, [wide, high])) = drawing(rest) {
        // As large as on a page, where a picture of pixels is about twice as wide.
        let wanted = (0.5 * width).max(wide.min(width));
        below = high * wanted / wide + 8.0;
        let place = format!(" y=\"{:.1}\" width=\"{wanted:.1}\" height=\"{:.1}\"", height + 8.0, below - 8.0);
        inside.push_str(&bar.replacen(" viewBox", &format!("{place} viewBox"), 1));
    }
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {:.1}\" role=\"img\" aria-label=\"{}\">{inside}</svg>",
        height + below,
        attribute(tag, "alt").unwrap_or_default(),
    );
    Some((svg, [width, height + below]))
}

/// The value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

fn unescape(text: &str) -> String {
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    named.iter().fold(text.to_owned(), |text, (name, letter)| text.replace(name, letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::{Axis, Line};
    use crate::report::colour::ColourScale;
    use crate::report::figure::Figure;
    use crate::report::page::Page;
    use crate::report::render::Image;

    #[test]
    fn what_a_page_shows_comes_out_of_it() {
        let image = Image { width: 640, height: 100, rgb: vec![200; 3 * 64000] };
        let scale = ColourScale::magnitude("error", "mm", &[0.0, 2.0]);
        let line = Line::new("a", vec![(0.0, 1.0), (1.0, 2.0)]);
        let (x, y) = (Axis::linear("x"), Axis::linear("y"));
        let figures = [
            Figure::image(&image, "a face, \"front\" & <side>").unwrap(),
            Figure::image_with_bar(&image, &scale, "an error").unwrap(),
            Figure::lines("ε for every δ", &x, &y, &[line], "a chart"),
        ];
        let mut page = Page::new("t");
        page.figures(&figures[..2]).gallery(&figures[2..]);
        let found = pictures(&page.to_html());
        let captions: Vec<&str> = found.iter().map(|p| p.caption.as_str()).collect();
        assert_eq!(captions, ["a face, \"front\" & <side>", "an error", "a chart"]);
        assert_eq!(
            found.iter().map(Picture::file_stem).collect::<Vec<_>>(),
            ["a-face-front-side", "an-error", "epsilon-for-every-delta"]
        );
        assert_eq!(found[0].size, [640.0, 100.0]);
        assert!((found[1].size[1] - 160.0).abs() < 1.0, "{:?}", found[1].size);
        for picture in &found {
            assert_eq!(picture.svg.matches("<svg").count(), picture.svg.matches("</svg>").count());
            assert!(picture.svg.starts_with("<svg") && picture.svg.ends_with("</svg>"));
        }
        assert_eq!(pictures("<figure><svg></svg><figcaption>no view</figcaption></figure> <figure>"), []);
    }
}
