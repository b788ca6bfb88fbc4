//! A self-contained HTML page: pictures, charts, surfaces and data inside the one file, nothing loaded from anywhere.
//!
//! The page's own security policy forbids it to load or send anything; the only programs it runs are ours, named by hash.

use super::chart::escape;
use super::figure::Figure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

const STYLE: &str = include_str!("assets/page.css");
const SORT: &str = include_str!("assets/sort.js");
const SURFACE: &str = include_str!("assets/surface.js");

/// A page being written, section by section.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    band: Option<String>,
    body: String,
    sorts: bool,
    turns: bool,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), band: None, body: String::new(), sorts: false, turns: false }
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

    /// A heading that links inside the page can name: `id` is of letters, digits and hyphens.
    pub fn heading_at(&mut self, id: &str, text: &str) -> &mut Self {
        self.push(format_args!("<h2 id=\"{}\">{}</h2>", escape(id), escape(text)))
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        self.push(format_args!("<p>{}</p>", escape(text)))
    }

    /// The paragraph that says the most important thing, larger.
    pub fn lead(&mut self, text: &str) -> &mut Self {
        self.push(format_args!("<p class=\"lead\">{}</p>", escape(text)))
    }

    /// Plain text as paragraphs and, where lines begin with "- ", bulleted lists.
    pub fn prose(&mut self, text: &str) -> &mut Self {
        let mut items: Vec<&str> = Vec::new();
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            match line.strip_prefix("- ") {
                Some(item) => items.push(item),
                None => {
                    self.list(&std::mem::take(&mut items)).paragraph(line);
                }
            }
        }
        self.list(&items)
    }

    /// A badge: green where `good`, red otherwise.
    pub fn badge(&mut self, text: &str, good: bool) -> &mut Self {
        let class = if good { "good" } else { "bad" };
        self.push(format_args!("<p><span class=\"badge {class}\">{}</span></p>", escape(text)))
    }

    /// A bulleted list; nothing where there are no items.
    pub fn list<S: AsRef<str>>(&mut self, items: &[S]) -> &mut Self {
        if items.is_empty() {
            return self;
        }
        let items: String = items.iter().map(|i| format!("<li>{}</li>", escape(i.as_ref()))).collect();
        self.push(format_args!("<ul>{items}</ul>"))
    }

    /// A few telling numbers, each with what it means: (number, meaning).
    pub fn facts<S: AsRef<str>>(&mut self, facts: &[(S, S)]) -> &mut Self {
        let items: String = facts
            .iter()
            .map(|(n, t)| {
                format!("<li><b>{}</b><span>{}</span></li>", escape(n.as_ref()), escape(t.as_ref()))
            })
            .collect();
        self.push(format_args!("<ul class=\"facts\">{items}</ul>"))
    }

    /// Pictures, charts and surfaces side by side, as many in a row as fit.
    pub fn figures(&mut self, figures: &[Figure]) -> &mut Self {
        self.figures_of_class("figures", figures)
    }

    /// Wide pictures, at most two in a row.
    pub fn wide_figures(&mut self, figures: &[Figure]) -> &mut Self {
        self.figures_of_class("figures wide", figures)
    }

    /// Surfaces side by side that turn together.
    pub fn linked_figures(&mut self, figures: &[Figure]) -> &mut Self {
        self.figures_of_class("figures wide linked", figures)
    }

    /// Charts and drawings in two equal columns: one alone is no larger than its neighbours elsewhere.
    pub fn gallery(&mut self, figures: &[Figure]) -> &mut Self {
        self.figures_of_class("gallery", figures)
    }

    fn figures_of_class(&mut self, class: &str, figures: &[Figure]) -> &mut Self {
        if figures.is_empty() {
            return self;
        }
        self.turns |= figures.iter().any(Figure::is_surface);
        let inside: String = figures.iter().map(Figure::to_html).collect();
        self.push(format_args!("<div class=\"{class}\">{inside}</div>"))
    }

    /// A table; columns of numbers are aligned to the right.
    pub fn table<S: AsRef<str>>(&mut self, header: &[&str], rows: &[Vec<S>]) -> &mut Self {
        self.any_table("", header, rows, &|_| false)
    }

    /// A table in which the rows for which `alert` holds stand out.
    pub fn marked_table<S: AsRef<str>>(
        &mut self,
        header: &[&str],
        rows: &[Vec<S>],
        alert: &dyn Fn(usize) -> bool,
    ) -> &mut Self {
        self.any_table("", header, rows, alert)
    }

    /// A table whose first cells are links to the headings of that name ([`Self::heading_at`]).
    pub fn linking_table<S: AsRef<str>>(&mut self, header: &[&str], rows: &[Vec<S>]) -> &mut Self {
        let head: String = header.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
        let body: String = rows
            .iter()
            .map(|row| {
                let id = escape(row.first().map_or("", AsRef::as_ref));
                let rest = cells(row.get(1..).unwrap_or_default(), &vec![false; row.len()]);
                format!("<tr><td><a href=\"#{id}\">{id}</a></td>{rest}</tr>")
            })
            .collect();
        self.push(format_args!(
            "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        ))
    }

    /// A long table, shown on demand.
    pub fn folded_table<S: AsRef<str>>(
        &mut self,
        summary: &str,
        header: &[&str],
        rows: &[Vec<S>],
    ) -> &mut Self {
        self.push(format_args!("<details><summary>{}</summary>", escape(summary)));
        self.table(header, rows);
        self.push(format_args!("</details>"))
    }

    /// A table that the reader sorts by any column; rows for which `alert` holds stand out.
    pub fn sortable_table<S: AsRef<str>>(
        &mut self,
        header: &[&str],
        rows: &[Vec<S>],
        alert: &dyn Fn(usize) -> bool,
    ) -> &mut Self {
        self.sorts = true;
        self.any_table(" class=\"sortable\"", header, rows, alert)
    }

    fn any_table<S: AsRef<str>>(
        &mut self,
        class: &str,
        header: &[&str],
        rows: &[Vec<S>],
        alert: &dyn Fn(usize) -> bool,
    ) -> &mut Self {
        let head: String = header.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
        let numeric: Vec<bool> = (0..header.len()).map(|k| is_numeric(rows, k)).collect();
        let body: String = rows
            .iter()
            .enumerate()
            .map(|(k, row)| {
                let mark = if alert(k) { " class=\"alert\"" } else { "" };
                format!("<tr{mark}>{}</tr>", cells(row, &numeric))
            })
            .collect();
        self.push(format_args!(
            "<div class=\"scroll\" tabindex=\"0\"><table{class}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        ))
    }

    /// A JSON document inside the page, shown on demand and offered as a download under `file_name`.
    pub fn embedded_json(&mut self, file_name: &str, json: &str) -> &mut Self {
        let data = BASE64.encode(json);
        let name = escape(file_name);
        self.push(format_args!(
            "<p><a class=\"download\" download=\"{name}\" href=\"data:application/json;base64,{data}\">Download {name}</a></p>\
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
            .map(|b| format!("<aside class=\"band\" aria-label=\"standing\">{}</aside>", escape(b)));
        let scripts: Vec<&str> =
            [(self.sorts, SORT), (self.turns, SURFACE)].iter().filter(|s| s.0).map(|s| s.1).collect();
        let allowed = if scripts.is_empty() {
            String::new()
        } else {
            let hashes: String = scripts.iter().map(|s| format!(" '{}'", hash(s))).collect();
            format!("; script-src{hashes}")
        };
        let programs: String = scripts.iter().map(|s| format!("<script>{s}</script>\n")).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'{allowed}; base-uri 'none'; form-action 'none'\">\
             <meta name=\"referrer\" content=\"no-referrer\"><title>{title}</title><style>{STYLE}</style></head>\n\
             <body><a class=\"skip\" href=\"#content\">Skip to the content</a>{band}<main id=\"content\"><h1>{title}</h1>\n{body}\
             <footer>Written by visard {version}. Everything shown is inside this file; it loads and sends nothing.</footer></main>\n\
             {programs}</body></html>\n",
            band = band.unwrap_or_default(),
            body = self.body,
            version = env!("CARGO_PKG_VERSION"),
        )
    }
}

/// A program's hash as a security policy names it.
fn hash(script: &str) -> String {
    format!("sha256-{}", BASE64.encode(Sha256::digest(script)))
}

/// Whether a column holds numbers and blanks only.
fn is_numeric<S: AsRef<str>>(rows: &[Vec<S>], column: usize) -> bool {
    rows.iter()
        .filter_map(|r| r.get(column))
        .all(|c| c.as_ref().is_empty() || c.as_ref().parse::<f64>().is_ok())
}

fn cells<S: AsRef<str>>(row: &[S], numeric: &[bool]) -> String {
    row.iter()
        .zip(numeric)
        .map(|(c, &number)| {
            let class = if number { " class=\"number\"" } else { "" };
            format!("<td{class}>{}</td>", escape(c.as_ref()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_nothing_is_loaded_from_outside() {
        let mut page = Page::new("A <b> & c").band("internal");
        page.paragraph("1 < 2")
            .table(&["a", "b"], &[vec!["x", "1.5"]])
            .prose("one\n- two\n- <three>\nfour")
            .facts(&[("93 %", "a <guess>")])
            .heading_at("one", "One")
            .linking_table(&["where"], &[vec!["one", "<1>"]])
            .folded_table("all < of it", &["a"], &[vec!["1"]])
            .embedded_json("c.json", "{\"a\": \"<\"}");
        let html = page.to_html();
        assert!(html.contains("A &lt;b&gt; &amp; c") && html.contains("1 &lt; 2"));
        assert!(html.contains("<td class=\"number\">1.5</td>") && html.contains("class=\"band\""));
        assert!(
            html.contains("<h2 id=\"one\">") && html.contains("<a href=\"#one\">one</a></td><td>&lt;1&gt;")
        );
        assert!(html.contains("<details><summary>all &lt; of it</summary>"));
        assert!(html.contains("<p>one</p>\n<ul><li>two</li><li>&lt;three&gt;</li></ul>\n<p>four</p>"));
        assert!(!html.contains("http://") && !html.contains("https://") && !html.contains("<script"));
    }

    #[test]
    fn a_program_runs_only_where_it_is_needed_and_is_named_by_its_hash() {
        let mut page = Page::new("t");
        page.sortable_table(&["a"], &[vec!["1"], vec!["2"]], &|k| k == 1);
        let html = page.to_html();
        assert!(
            html.contains(&format!("script-src '{}'", hash(SORT))) && html.matches("<script>").count() == 1
        );
        assert!(html.contains("<tr class=\"alert\"><td class=\"number\">2</td>"));
        // A closing tag in a program would end it early; the browser would hash other bytes than we do.
        assert!(
            !SORT.contains("</")
                && !SURFACE.contains("</")
                && !SORT.contains('\r')
                && !SURFACE.contains('\r')
        );
    }
}
