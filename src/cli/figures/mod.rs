//! `visard figures`: every picture of a release for a paper.

mod convert;

use super::output::{Failure, Printer};
use super::{Global, make_folder, refuse_existing};
use crate::cli::answer::shown;
use clap::{Args, ValueEnum};
use convert::{Letters, Style};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use visard::io::{write_bytes, write_text};
use visard::report::extract::{Picture, pictures};
use visard::study::layout::{MEAN_PLY, REPORT, StudyFolder};
use visard::study::portrait::portrait;
use visard::study::standing::{Judged, Standing, judge};
use visard::study::subject::Subject;

/// How figures look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Looks {
    /// 120 mm wide, 200 pixels an inch
    Plain,
    /// One column of a journal: 89 mm wide, Arial or Helvetica, 450 pixels an inch
    Nature,
}

impl Looks {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style { width_mm: 120.0, dots_per_inch: 200.0, family: "sans-serif" },
            Self::Nature => {
                Style { width_mm: 89.0, dots_per_inch: 450.0, family: "Arial, Helvetica, sans-serif" }
            }
        }
    }
}

/// Write every picture of a release's page as SVG, PDF and PNG, with captions in a text file
#[derive(Debug, Args)]
#[command(
    after_help = "The release is verified first; nothing is charged, and no record is read. Of a face a figure in three views with a scale bar comes first.\n\nExamples:\n  visard figures study/release --out figures\n  visard figures study --style nature --out figures"
)]
pub struct FiguresArgs {
    /// The folder of a release, or of its study
    #[arg(value_name = "RELEASE")]
    release: PathBuf,
    /// Folder for the figures and captions.txt
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How they look
    #[arg(long, value_enum, default_value_t = Looks::Plain)]
    style: Looks,
    /// A font file (.ttf, .otf) for the lettering of PDF and PNG (default: one of this computer)
    #[arg(long, value_name = "FILE")]
    font: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &FiguresArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let captions = args.out.join("captions.txt");
    refuse_existing(&captions, global)?;
    let release = StudyFolder::release_of(&args.release);
    let page = release.join(REPORT);
    let Judged { standing, why, .. } = judge(&page);
    if standing == Standing::Internal {
        let why = why.unwrap_or_else(|| format!("{} is no release's page", page.display()));
        return Err(Failure::failed(why).with_hint("figures are made of releases that verify"));
    }
    let figures = of_release(&release)?;
    let style = args.style.style();
    let letters = Letters::find(args.font.as_deref()).map_err(Failure::failed)?;
    make_folder(&args.out)?;
    let mut told = String::new();
    if let Some(band) = standing.band() {
        let band = format!("{band}{}", why.map(|why| format!(" ({why})")).unwrap_or_default());
        printer.note(format!("note: {band}"));
        told = format!("{band}\n\n");
    }
    let mut names = Vec::new();
    for (k, figure) in figures.iter().enumerate() {
        let name = format!("{:02}_{}", k + 1, figure.file_stem());
        let drawn = letters.draw(figure, &style).map_err(Failure::failed)?;
        for (ending, bytes) in [("svg", drawn.svg.as_bytes()), ("pdf", &drawn.pdf), ("png", &drawn.png)] {
            write_bytes(&args.out.join(format!("{name}.{ending}")), bytes).map_err(Failure::failed)?;
        }
        told.push_str(&format!("Figure {}. {}\n  {name}.svg, .pdf, .png\n\n", k + 1, figure.caption));
        names.push(name);
    }
    write_text(&captions, &told).map_err(Failure::failed)?;
    let words = format!(
        "{} figures in {}; what they show is in {}",
        names.len(),
        args.out.display(),
        captions.display()
    );
    let answer = FiguresAnswer {
        out: shown(&args.out),
        figures: names,
        captions: shown(&captions),
        standing: standing.phrase().to_owned(),
    };
    printer.result(answer, words);
    Ok(())
}

/// Pictures of a release.
#[derive(Serialize, JsonSchema)]
pub struct FiguresAnswer {
    /// Their folder.
    out: String,
    /// Their names, without endings.
    figures: Vec<String>,
    /// The file of the captions.
    captions: String,
    /// Whether they may be published.
    standing: String,
}

/// The pictures of a release's page, after those of its surface.
fn of_release(release: &Path) -> Result<Vec<Picture>, Failure> {
    let page = release.join(REPORT);
    let html = std::fs::read_to_string(&page)
        .map_err(|e| Failure::failed(format!("cannot read {}: {e}", page.display())))?;
    let mut figures = Vec::new();
    if release.join(MEAN_PLY).exists() {
        let subject = Subject::load(release).map_err(Failure::failed)?;
        figures.push(portrait(&subject).map_err(Failure::failed)?);
    }
    figures.extend(pictures(&html));
    Ok(figures)
}
