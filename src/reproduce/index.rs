//! `index.html`: one section for each item.

use super::{Finding, Picture, Verdict};
use crate::report::chart::escape;
use crate::report::figure::Figure;
use crate::report::page::Page;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The page of all findings so far.
pub(super) fn page(findings: &[(String, Finding)]) -> String {
    let mut page = Page::new("The papers' figures and tables, and ours");
    page.lead(
        "Each item: what the paper shows, the same by its method in our code, our best method beside it.",
    );
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|(name, f)| {
            vec![name.clone(), f.title.clone(), verdict(f.verdict).to_owned(), format!("{:.1}", f.seconds)]
        })
        .collect();
    let telling: Vec<Vec<String>> = findings
        .iter()
        .flat_map(|(_, f)| &f.telling)
        .map(|t| vec![t.what.clone(), t.paper.clone(), t.ours.clone(), t.ratio.clone()])
        .collect();
    if !telling.is_empty() {
        page.heading("The most telling numbers");
        page.table(&["what", "the paper", "here", "ratio"], &telling);
    }
    page.heading("Items");
    page.table(&["item", "what", "claim holds", "seconds here"], &rows);
    for (name, f) in findings {
        page.heading(&f.title);
        page.facts(&[(verdict(f.verdict), f.why.as_str())]);
        let told = [
            ("the paper", f.paper.clone()),
            ("ours, by the paper's method", f.same.clone()),
            ("ours, best method", f.better.clone()),
            ("seconds then", f.then.clone()),
            ("seconds now", format!("{:.2}", f.seconds)),
            ("data", f.data.clone()),
            ("files", format!("{name}/: {}", files(f))),
        ];
        let rows: Vec<Vec<String>> = told.iter().map(|(k, v)| vec![(*k).to_owned(), v.clone()]).collect();
        page.table(&["", ""], &rows);
        for picture in &f.pictures {
            page.figures(&[Figure::chart(embedded(picture), picture.caption.clone())]);
        }
        let figures: Vec<Figure> =
            f.figures.iter().map(|(file, svg)| Figure::chart(narrow(svg), file.clone())).collect();
        page.figures(&figures);
        for (file, csv) in &f.tables {
            let mut lines = csv.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
            let header = lines.next().unwrap_or_default();
            let all: Vec<Vec<String>> = lines.collect();
            let rows = &all[..all.len().min(48)];
            page.paragraph(&match all.len() - rows.len() {
                0 => file.clone(),
                _ => format!("{file} (the first 48 of its {} rows)", all.len()),
            });
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            page.table(&header, rows);
        }
    }
    page.to_html()
}

fn files(f: &Finding) -> String {
    let text = f.tables.iter().chain(&f.figures).map(|(n, _)| n.as_str());
    text.chain(f.pictures.iter().map(|p| p.file.as_str())).collect::<Vec<_>>().join(", ")
}

/// A chart that stands alone in its row stays as small as its neighbours in others.
fn narrow(svg: &str) -> String {
    format!("<div style=\"max-width:34rem\">{svg}</div>")
}

/// The picture inside the page, so that the page can be sent alone.
fn embedded(picture: &Picture) -> String {
    format!(
        "<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
        escape(&picture.caption),
        BASE64.encode(&picture.png)
    )
}

fn verdict(v: Verdict) -> &'static str {
    match v {
        Verdict::Yes => "yes",
        Verdict::Partly => "partly",
        Verdict::No => "no",
    }
}
