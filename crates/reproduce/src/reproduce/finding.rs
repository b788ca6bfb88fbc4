//! What came out of an item.

use super::AnyError;
use crate::report::render::Image;
use serde::{Deserialize, Serialize};

/// Whether a paper's claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does.
    Yes,
    /// In part; the reason is given.
    Partly,
    /// It does not; the reason is given.
    No,
    /// What was run is too little to tell.
    Undecided,
    /// Nothing is claimed: a list.
    None,
}

/// A picture in PNG.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Picture {
    /// File name.
    pub file: String,
    /// What it shows.
    pub caption: String,
    /// The file's bytes.
    #[serde(skip)]
    pub png: Vec<u8>,
}

/// One of the most telling comparisons: the paper's number, ours, and their ratio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Telling {
    /// What is compared.
    pub what: String,
    /// The paper's number, or that of its method run here where it prints none.
    pub paper: String,
    /// Ours.
    pub ours: String,
    /// How many times better ours is, where that is a number.
    pub ratio: String,
}

/// What came out of one item.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finding {
    /// The item's title.
    pub title: String,
    /// The paper's figure or table in words, with its published numbers.
    pub paper: String,
    /// Ours by the paper's method.
    pub same: String,
    /// Ours by the best method.
    pub better: String,
    /// Seconds the paper reports, where it does.
    pub then: String,
    /// Seconds this took here.
    pub seconds: f64,
    /// Whether the claim holds.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
    /// Which data were used.
    pub data: String,
    /// Tables: file name and CSV text.
    pub tables: Vec<(String, String)>,
    /// Figures: file name and SVG text.
    pub figures: Vec<(String, String)>,
    /// Pictures.
    pub pictures: Vec<Picture>,
    /// Rows for the table of the most telling numbers.
    pub telling: Vec<Telling>,
}

impl Finding {
    pub(super) fn new(title: &str, paper: &str) -> Self {
        Self {
            title: title.into(),
            paper: paper.into(),
            same: String::new(),
            better: String::new(),
            then: "not stated".into(),
            seconds: 0.0,
            verdict: Verdict::Yes,
            why: String::new(),
            data: String::new(),
            tables: Vec::new(),
            figures: Vec::new(),
            pictures: Vec::new(),
            telling: Vec::new(),
        }
    }

    pub(super) fn picture(&mut self, file: &str, caption: &str, image: &Image) -> Result<(), AnyError> {
        self.pictures.push(Picture { file: file.into(), caption: caption.into(), png: image.to_png()? });
        Ok(())
    }

    pub(super) fn tells(
        &mut self,
        what: &str,
        paper: impl Into<String>,
        ours: impl Into<String>,
        ratio: f64,
    ) {
        let ratio = match ratio {
            r if !r.is_finite() => "–".to_owned(),
            r if r >= 10.0 => {
                // Two digits are what timings and single runs bear.
                let unit = 10f64.powf(r.log10().floor() - 1.0);
                format!("{:.0}", (r / unit).round() * unit)
            }
            r => format!("{r:.1}"),
        };
        self.telling.push(Telling { what: what.into(), paper: paper.into(), ours: ours.into(), ratio });
    }
}
