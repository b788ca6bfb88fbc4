//! A self-contained HTML page: pictures, charts and data inside the one file, nothing loaded from anywhere.

use super::chart::escape;
use super::render::Image;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::fmt::Write as _;

/// A page being written, section by section.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    band: Option<String>,
    body: String,
}

const STYLE: &str = "\
:root{--ink:#1d2129;--soft:#5b6472;--line:#dfe3e8;--accent:#0b5cad;--ground:#fbfaf8}\
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}\
main{max-width:64rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}\
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}\
p{max-width:46rem}.lead{font-size:1.1rem}.figures{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}\
figure{flex:1 1 17rem;margin:0;background:#fff;border:1px solid var(--line);border-radius:8px;padding:.6rem}\
figure img,figure svg{width:100%;height:auto;display:block}figcaption{color:var(--soft);font-size:.88rem;margin-top:.4rem}\
table{border-collapse:collapse;background:#fff;border:1px solid var(--line);font-size:.94rem}\
.scroll{overflow-x:auto}th,td{text-align:left;padding:.35rem .8rem;border-bottom:1px solid var(--line);vertical-align:top}\
td.number{text-align:right;font-variant-numeric:tabular-nums}\
.band{background:#8c1d18;color:#fff;font-weight:700;text-align:center;padding:.5rem;position:sticky;top:0;z-index:2}\
.badge{display:inline-block;border-radius:999px;padding:.1rem .8rem;font-weight:700;color:#fff}\
.private{background:#1b6e3c}.public{background:#8c1d18}pre{background:#fff;border:1px solid var(--line);padding:.8rem;overflow:auto;font-size:.8rem}\
a{color:var(--accent)}@media print{body{background:#fff}.scroll{overflow:visible}h2{break-after:avoid}figure{break-inside:avoid}details{display:none}}";

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), band: None, body: String::new() }
    }

    /// A band that stays on screen, for what must not be published.
    pub fn band(mut self, text: impl Into<String>) -> Self {
        self.band = Some(text.into());
        self
    }

    /// A heading of a section.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.push(format_args!("<h2>{}</h2>", escape(text)))
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        self.push(format_args!("<p>{}</p>", escape(text)))
    }

    /// The paragraph that says the most important thing, larger.
    pub fn lead(&mut self, text: &str) -> &mut Self {
        self.push(format_args!("<p class=\"lead\">{}</p>", escape(text)))
    }

    /// A badge: green where `good`, red otherwise.
    pub fn badge(&mut self, text: &str, good: bool) -> &mut Self {
        let class = if good { "private" } else { "public" };
        self.push(format_args!("<p><span class=\"badge {class}\">{}</span></p>", escape(text)))
    }

    /// A bulleted list.
    pub fn list<S: AsRef<str>>(&mut self, items: &[S]) -> &mut Self {
        let items: String = items.iter().map(|i| format!("<li>{}</li>", escape(i.as_ref()))).collect();
        self.push(format_args!("<ul>{items}</ul>"))
    }

    /// Pictures and charts side by side.
    pub fn figures(&mut self, figures: &[Figure]) -> &mut Self {
        let inside: String = figures
            .iter()
            .map(|f| format!("<figure>{}<figcaption>{}</figcaption></figure>", f.content, escape(&f.caption)))
            .collect();
        self.push(format_args!("<div class=\"figures\">{inside}</div>"))
    }

    /// A table; cells that read as numbers are aligned to the right.
    pub fn table<S: AsRef<str>>(&mut self, header: &[&str], rows: &[Vec<S>]) -> &mut Self {
        let head: String = header.iter().map(|h| format!("<th>{}</th>", escape(h))).collect();
        let body: String = rows.iter().map(|row| format!("<tr>{}</tr>", cells(row))).collect();
        self.push(format_args!(
            "<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        ))
    }

    /// A JSON document inside the page, shown on demand and offered as a download under `file_name`.
    pub fn embedded_json(&mut self, file_name: &str, json: &str) -> &mut Self {
        let data = BASE64.encode(json);
        let name = escape(file_name);
        self.push(format_args!(
            "<p><a download=\"{name}\" href=\"data:application/json;base64,{data}\">Download {name}</a></p>\
             <details><summary>Show {name}</summary><pre>{}</pre></details>",
            escape(json)
        ))
    }

    fn push(&mut self, html: std::fmt::Arguments<'_>) -> &mut Self {
        let _ = writeln!(self.body, "{html}");
        self
    }

    /// The whole file.
    pub fn to_html(&self) -> String {
        let title = escape(&self.title);
        let band = self
            .band
            .as_ref()
            .map(|b| format!("<div class=\"band\">{}</div>", escape(b)))
            .unwrap_or_default();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\
             <title>{title}</title><style>{STYLE}</style></head>\n<body>{band}<main><h1>{title}</h1>\n{}</main></body></html>\n",
            self.body
        )
    }
}

fn cells<S: AsRef<str>>(row: &[S]) -> String {
    row.iter()
        .map(|c| {
            let class = if c.as_ref().parse::<f64>().is_ok() { " class=\"number\"" } else { "" };
            format!("<td{class}>{}</td>", escape(c.as_ref()))
        })
        .collect()
}

/// A picture or chart with its caption.
#[derive(Debug, Clone)]
pub struct Figure {
    content: String,
    caption: String,
}

impl Figure {
    /// An image, embedded as PNG.
    ///
    /// # Errors
    /// Whatever the PNG encoder reports.
    pub fn image(image: &Image, caption: impl Into<String>) -> Result<Self, png::EncodingError> {
        let caption = caption.into();
        let data = BASE64.encode(image.to_png()?);
        let content = format!(
            "<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/png;base64,{data}\">",
            escape(&caption),
            image.width,
            image.height
        );
        Ok(Self { content, caption })
    }

    /// A chart given as SVG text (from [`super::chart`]).
    pub fn chart(svg: String, caption: impl Into<String>) -> Self {
        Self { content: svg, caption: caption.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_nothing_is_loaded_from_outside() {
        let mut page = Page::new("A <b> & c").band("internal");
        page.paragraph("1 < 2")
            .table(&["a", "b"], &[vec!["x", "1.5"]])
            .embedded_json("c.json", "{\"a\": \"<\"}");
        let html = page.to_html();
        assert!(html.contains("A &lt;b&gt; &amp; c") && html.contains("1 &lt; 2"));
        assert!(html.contains("<td class=\"number\">1.5</td>") && html.contains("class=\"band\""));
        assert!(!html.contains("http://") && !html.contains("https://"));
    }
}
