//! `index.html`: one section for each item.

use super::{Finding, Picture, Verdict};
use crate::report::chart::escape;
use crate::report::figure::Figure;
use crate::report::page::Page;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Longer tables of numbers are shown on demand.
const LONG: usize = 16;
/// Rows shown of any table; the file has them all.
const SHOWN: usize = 120;

/// The page of all findings so far.
pub(super) fn page(findings: &[(String, Finding)]) -> String {
    let mut page = Page::new("The papers' figures and tables, and ours");
    page.lead(
        "Each item: what the paper shows, the same by its method in our code, our best method beside it.",
    );
    let telling: Vec<Vec<String>> = findings
        .iter()
        .flat_map(|(_, f)| &f.telling)
        .map(|t| vec![t.what.clone(), t.paper.clone(), t.ours.clone(), t.ratio.clone()])
        .collect();
    if !telling.is_empty() {
        page.heading("The most telling numbers");
        page.table(&["what", "the paper (or its method, run here)", "here", "times better"], &telling);
    }
    page.heading("Items");
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|(name, f)| {
            vec![name.clone(), f.title.clone(), verdict(f.verdict).to_owned(), format!("{:.1}", f.seconds)]
        })
        .collect();
    page.linking_table(&["item", "what", "claim holds", "seconds here"], &rows);
    findings.iter().for_each(|(name, f)| section(&mut page, name, f));
    page.to_html()
}

fn section(page: &mut Page, name: &str, f: &Finding) {
    page.heading_at(name, &f.title);
    let headline = match f.verdict {
        Verdict::None => "a list, not a claim".to_owned(),
        claimed => format!("claim holds: {}", verdict(claimed)),
    };
    page.facts(&[(headline, f.why.clone())]);
    let told = [
        ("the paper", f.paper.clone()),
        ("ours, by the paper's method", f.same.clone()),
        ("ours, best method", f.better.clone()),
        ("seconds then", f.then.clone()),
        ("seconds now", format!("{:.2}, the whole item", f.seconds)),
        ("data", f.data.clone()),
        ("files", format!("{name}/: {}", files(f))),
    ];
    let rows: Vec<Vec<String>> = told.iter().map(|(k, v)| vec![(*k).to_owned(), v.clone()]).collect();
    page.table(&["what", "found"], &rows);
    let mut small = Vec::new();
    for picture in &f.pictures {
        let figure = Figure::chart(embedded(picture), picture.caption.clone());
        if is_wide(&picture.png) {
            page.figures(&[figure]);
        } else {
            small.push(figure);
        }
    }
    small.extend(f.figures.iter().map(|(file, svg)| Figure::chart(svg.clone(), file.clone())));
    page.gallery(&small);
    f.tables.iter().for_each(|(file, csv)| table(page, file, csv));
}

fn table(page: &mut Page, file: &str, csv: &str) {
    let mut lines = csv.lines().map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let all: Vec<Vec<String>> = lines.map(|row| row.iter().map(|cell| shown(cell)).collect()).collect();
    let rows = &all[..all.len().min(SHOWN)];
    // Sentences are to be read, columns of numbers to be looked up.
    let sentences = all.iter().flatten().any(|cell| cell.chars().count() > 60);
    if all.len() <= LONG || sentences {
        page.paragraph(file).table(&header, rows);
        return;
    }
    let summary = match all.len() - rows.len() {
        0 => format!("{file}: {} rows", all.len()),
        _ => format!("{file}: the first {SHOWN} of {} rows", all.len()),
    };
    page.folded_table(&summary, &header, rows);
}

/// A number with as many digits as one reads; anything else as it is.
fn shown(cell: &str) -> String {
    let long = cell.contains(['e', 'E']) || cell.trim_start_matches(['-', '0', '.']).len() > 7;
    match cell.parse::<f64>() {
        Ok(x) if long && x.is_finite() && x != 0.0 => match x.abs() {
            a if (1e-3..1e5).contains(&a) => {
                let digits = (3 - a.log10().floor() as i32).max(0) as usize;
                format!("{x:.digits$}")
            }
            _ => format!("{x:.3e}"),
        },
        _ => cell.to_owned(),
    }
}

fn files(f: &Finding) -> String {
    let text = f.tables.iter().chain(&f.figures).map(|(n, _)| n.as_str());
    text.chain(f.pictures.iter().map(|p| p.file.as_str())).collect::<Vec<_>>().join(", ")
}

/// Whether a picture needs the width of the page: more than twice as wide as high. The size stands in a PNG's first block.
fn is_wide(png: &[u8]) -> bool {
    let number = |at: usize| {
        png.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, |b| u64::from(u32::from_be_bytes(b)))
    };
    number(16) > 2 * number(20)
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
        Verdict::Undecided => "not decided",
        Verdict::None => "–",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::render::Image;

    #[test]
    fn numbers_are_shown_with_the_digits_one_reads() {
        let pairs = [
            ("9.41541e-1", "0.9415"),
            ("280526.92038", "2.805e5"),
            ("1.38e-7", "1.380e-7"),
            ("25.46910000", "25.47"),
            ("-1.5e2", "-150.0"),
            ("1000", "1000"),
            ("0.25", "0.25"),
            ("tree", "tree"),
            ("0e0", "0e0"),
        ];
        for (cell, expected) in pairs {
            assert_eq!(shown(cell), expected);
        }
    }

    #[test]
    fn wide_pictures_are_known_by_their_first_block() {
        let png = |w: usize, h: usize| Image::filled(w, h, [0; 3]).to_png().unwrap();
        assert!(is_wide(&png(30, 10)) && !is_wide(&png(20, 10)) && !is_wide(b""));
    }
}
