//! Figures of a page: a picture, a chart or a surface to turn, each with its caption.

use super::chart::{Axis, Line, escape, line_chart};
use super::render::Image;
use super::surface_view::SurfaceView;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The file of a title's numbers.
fn file_name(title: &str) -> String {
    let stem = stem(title);
    format!("{}.csv", if stem.is_empty() { "numbers" } else { &stem })
}

/// A title as a file's name: its letters, Greek ones by name, and digits, with hyphens between.
pub(super) fn stem(title: &str) -> String {
    let mut name = String::new();
    for letter in title.chars() {
        match letter {
            'ε' => name.push_str("epsilon"),
            'δ' => name.push_str("delta"),
            'μ' | 'µ' => name.push_str("mu"),
            'σ' => name.push_str("sigma"),
            '\'' | '’' => {}
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.trim_end_matches('-').to_owned()
}

/// A picture, chart or surface with its caption.
#[derive(Debug, Clone)]
pub struct Figure {
    content: String,
    caption: String,
    surface: bool,
    data: String,
}

impl Figure {
    /// An image, embedded as PNG; the caption is also what screen readers say.
    ///
    /// # Errors
    /// Whatever the PNG encoder reports.
    pub fn image(image: &Image, caption: impl Into<String>) -> Result<Self, png::EncodingError> {
        let caption = caption.into();
        let content = format!(
            "<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"{}\">",
            escape(&caption),
            image.width,
            image.height,
            image.to_data_url()?
        );
        Ok(Self { content, caption, surface: false, data: String::new() })
    }

    /// A chart or drawing given as SVG text (from [`super::chart`] or [`super::outline`]).
    pub fn chart(svg: String, caption: impl Into<String>) -> Self {
        Self { content: svg, caption: caption.into(), surface: false, data: String::new() }
    }

    /// A line chart with its numbers to download as a table: line, x, y.
    pub fn lines(title: &str, x: &Axis, y: &Axis, lines: &[Line], caption: impl Into<String>) -> Self {
        let figure = Self::chart(line_chart(title, x, y, lines), caption);
        let mut table = String::from("line,x,y\n");
        for line in lines {
            let name = line.name.replace('"', "\"\"");
            line.points.iter().for_each(|(u, v)| table.push_str(&format!("\"{name}\",{u},{v}\n")));
        }
        figure.with_data(title, &table)
    }

    /// Adds a table (CSV) to download; its file is called after `title`.
    pub fn with_data(mut self, title: &str, table: &str) -> Self {
        let name = file_name(title);
        self.data.push_str(&format!(
            "<p class=\"data\"><a download=\"{name}\" href=\"data:text/csv;base64,{}\">numbers: {name}</a></p>",
            BASE64.encode(table)
        ));
        self
    }

    /// An image with a colour bar under it.
    ///
    /// # Errors
    /// Whatever the PNG encoder reports.
    pub fn image_with_bar(
        image: &Image,
        scale: &super::colour::ColourScale,
        caption: impl Into<String>,
    ) -> Result<Self, png::EncodingError> {
        let mut figure = Self::image(image, caption)?;
        figure.content.push_str(&scale.bar());
        Ok(figure)
    }

    /// A surface the reader can turn. Give still pictures beside it: they are what print and browsers without 3D show.
    pub fn surface(view: &SurfaceView, caption: impl Into<String>) -> Self {
        Self { content: view.to_html(), caption: caption.into(), surface: true, data: String::new() }
    }

    pub(super) fn is_surface(&self) -> bool {
        self.surface
    }

    pub(super) fn to_html(&self) -> String {
        let class = if self.surface { " class=\"surface\" hidden" } else { "" };
        format!(
            "<figure{class}>{}{}<figcaption>{}</figcaption></figure>",
            self.content,
            self.data,
            escape(&self.caption)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_numbers_have_names_that_say_what_they_hold() {
        assert_eq!(file_name("ε for every δ"), "epsilon-for-every-delta.csv");
        assert_eq!(
            file_name("The best attack on one person's record"),
            "the-best-attack-on-one-persons-record.csv"
        );
        assert_eq!((file_name("\"><b>"), file_name("年齢")), ("b.csv".into(), "numbers.csv".into()));
    }
}
