//! A dossier as Markdown, as a page, and as an entry of a registry.

use super::criteria::{is_of_sites, saved_plan};
use super::said::{Dossier, Section, Source};
use crate::privacy::counts_persons;
use crate::report::page::Page;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Text that Markdown tables and pages take as it is.
fn cell(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '|' | '[' | '`' | '*' => safe.extend(['\\', letter]),
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '\n' | '\r' => safe.push(' '),
            _ => safe.push(letter),
        }
    }
    safe
}

pub(super) fn markdown(dossier: &Dossier) -> String {
    let mut s = String::from("# Dossier of a differentially private release\n\n");
    let _ = writeln!(s, "{}\n", preface(dossier));
    for Section { heading, said } in &dossier.sections {
        let _ = writeln!(s, "## {heading}\n\n| about | | source |\n| --- | --- | --- |");
        for line in said {
            let mark = if line.source == Source::Person { "**" } else { "" };
            let _ = writeln!(
                s,
                "| {} | {mark}{}{mark} | {} |",
                line.about,
                cell(&line.text),
                cell(&line.source.text())
            );
        }
        s.push('\n');
    }
    s
}

pub(super) fn html(dossier: &Dossier) -> String {
    let mut page = Page::new("Dossier of a differentially private release");
    page.badge(
        if dossier.verified.certificate.private {
            "differentially private"
        } else {
            "NOT PRIVATE: do not publish"
        },
        dossier.verified.certificate.private,
    );
    page.lead(&preface(dossier));
    for Section { heading, said } in &dossier.sections {
        let rows: Vec<Vec<String>> = said
            .iter()
            .map(|line| vec![line.about.to_owned(), line.text.clone(), line.source.text()])
            .collect();
        // What is left to a person stands out.
        let is_open = |row: usize| said[row].source == Source::Person;
        page.heading(heading).marked_table(&["about", "what is said", "source"], &rows, &is_open);
    }
    let registry = serde_json::to_string_pretty(&dossier.registry()).unwrap_or_default();
    page.heading("Entry for a registry");
    page.embedded_json("registry.json", &registry);
    page.to_html()
}

fn preface(dossier: &Dossier) -> String {
    format!(
        "Written from the certificate and the ledger of the release, whose files were verified first. Every sentence names its source; {} are left \
         to a person and marked so.",
        dossier.open()
    )
}

pub(super) fn registry(dossier: &Dossier) -> Value {
    let c = &dossier.verified.certificate;
    json!({
        "schema": "visard registry entry 1",
        "private": c.private,
        "model": if is_of_sites(c) { "several sites" } else { "central" },
        "unit_of_privacy": if counts_persons(c) { "person" } else { "record" },
        "adjacency": c.adjacency,
        "n": c.n,
        "mechanism": c.mechanism,
        "loss": c.loss,
        "epsilon_at_delta": c.epsilon_at_delta,
        "composition": c.composition,
        "noise": c.noise,
        "software": {"name": "visard", "version": c.visard},
        "files": c.files,
        "ledger": c.ledger,
        "caveats": c.caveats,
        "signed_by": dossier.verified.signed_by,
        "criteria_fixed_beforehand": saved_plan(c).is_some(),
        // For a person.
        "organisation": null, "contact": null, "purpose": null, "population": null, "url": null
    })
}
