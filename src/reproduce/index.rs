//! `index.html`: one section for each item.

use super::{Finding, Verdict};
use crate::report::figure::Figure;
use crate::report::page::Page;

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
        let figures: Vec<Figure> =
            f.figures.iter().map(|(file, svg)| Figure::chart(svg.clone(), file.clone())).collect();
        page.figures(&figures);
        for (file, csv) in &f.tables {
            let mut lines = csv.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
            let header = lines.next().unwrap_or_default();
            let rows: Vec<Vec<String>> = lines.take(24).collect();
            page.paragraph(file);
            let header: Vec<&str> = header.iter().map(String::as_str).collect();
            page.table(&header, &rows);
        }
    }
    page.to_html()
}

fn files(f: &Finding) -> String {
    f.tables.iter().chain(&f.figures).map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ")
}

fn verdict(v: Verdict) -> &'static str {
    match v {
        Verdict::Yes => "yes",
        Verdict::Partly => "partly",
        Verdict::No => "no",
    }
}
