//! How masks of organs are made into outlines, on the command line; and `visard shape outlines`.

use crate::cli::answer::shown;
use crate::cli::files::refuse_existing;
use crate::cli::output::{Failure, Printer};
use crate::cli::{Global, heading, of_kind};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::images::{Correspondence, Label, MaskMaking, Slice};
use visard::io::Content;
use visard::io::shapes::write_tps;
use visard::study::points::{TableOptions, outlines_of};

/// What a mask tells of an organ
#[derive(Debug, Clone, Args)]
pub struct LabelArgs {
    /// The organ's label in masks: its number; its name, where numbers differ from file to file (DICOM, .seg.nrrd); or "any" for all that is not
    /// 0 (default: the only label there is). Given again, for a further outline of the same picture
    #[arg(long, help_heading = heading::RECORDS, value_name = "N|NAME|any")]
    label: Vec<Label>,
    /// Size of a pixel or voxel in mm, for masks that do not tell: one number, or one for each axis as in 0.5x0.5x3
    #[arg(long, help_heading = heading::RECORDS, value_name = "MM", value_parser = MaskMaking::spacing_of)]
    spacing: Option<[f64; 3]>,
}

impl LabelArgs {
    /// As the library takes it.
    pub(in crate::cli) fn making(&self) -> MaskMaking {
        let mut labels = self.label.iter().cloned();
        let label = labels.next();
        MaskMaking { label, beside: labels.collect(), spacing: self.spacing, ..MaskMaking::default() }
    }
}

/// Where landmarks are put on the outline of a mask
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CorrespondenceName {
    /// Evenly from the point farthest from the middle, without the atlas
    Index,
    /// By length along the outline, from where it fits the atlas best
    Arclength,
    /// By elastic registration to the atlas
    Elastic,
}

/// How masks of organs are made into outlines, where they are the records
#[derive(Debug, Clone, Args)]
pub struct MaskArgs {
    #[command(flatten)]
    label: LabelArgs,
    /// Public outline that tells where landmarks are put on those of masks (a shape, or a mask); also the centre, unless there is another.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::REGISTRATION, value_name = "FILE")]
    pub(super) atlas: Option<PathBuf>,
    /// Where landmarks are put on the outlines of masks (default: elastic; without an atlas or a public centre: index)
    #[arg(long, help_heading = heading::REGISTRATION, value_enum)]
    correspondence: Option<CorrespondenceName>,
    /// Slice of a volume: across left and right through the organ's middle, by its number from 0 from the feet up, or the one with most of it
    #[arg(long, help_heading = heading::RECORDS, value_name = "mid-sagittal|N|largest")]
    slice: Option<Slice>,
}

impl MaskArgs {
    /// As the library takes it.
    pub(super) fn making(&self) -> MaskMaking {
        let correspondence = self.correspondence.map(|name| match name {
            CorrespondenceName::Index => Correspondence::Index,
            CorrespondenceName::Arclength => Correspondence::ArcLength,
            CorrespondenceName::Elastic => Correspondence::Elastic,
        });
        MaskMaking { slice: self.slice, correspondence, ..self.label.making() }
    }
}

pub(in crate::cli) fn masks_help() -> String {
    of_kind("Masks, or folders of them, one for each record", Content::Masks)
}

/// Arguments of `shape outlines`.
#[derive(Debug, Args)]
#[command(
    after_help = "Landmarks are in mm, x to the right and y upwards. Nothing is charged and nothing is private: the outlines are records.\n\nExamples:\n  visard shape outlines masks/ --spacing 0.5 --landmarks 50 --out outlines.tps\n  visard shape outlines brains/ --label 3 --slice mid-sagittal --landmarks 50 --atlas atlas.tps --correspondence elastic --out outlines.tps\n  visard shape outlines slices/ --label 1 --label 2 --landmarks 40 --atlas atlas.png --out both.tps"
)]
pub struct OutlinesArgs {
    #[arg(value_name = "MASK_OR_DIR", required = true, help = masks_help())]
    masks: Vec<PathBuf>,
    /// Landmarks on each outline, three or more
    #[arg(long, help_heading = heading::RECORDS, value_name = "K", value_parser = clap::value_parser!(u32).range(3..))]
    landmarks: u32,
    #[command(flatten)]
    making: MaskArgs,
    /// The outlines, as TPS
    #[arg(long, value_name = "FILE.tps")]
    out: PathBuf,
}

/// Outlines of masks.
#[derive(Serialize, JsonSchema)]
pub struct OutlinesWritten {
    /// The file.
    out: String,
    /// How many masks have an outline.
    outlines: usize,
    /// How many have none.
    failed: usize,
    /// Landmarks on each outline.
    landmarks: u32,
}

/// Runs `shape outlines`.
pub fn outlines(args: &OutlinesArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    refuse_existing(&args.out, global)?;
    let masks = MaskMaking { metric: true, ..args.making.making() };
    let options = TableOptions { masks, atlas: args.making.atlas.clone(), ..TableOptions::default() };
    let found = outlines_of(&args.masks, &options, args.landmarks as usize).map_err(super::failure)?;
    printer.remarks(&found.notes);
    found.problems.iter().for_each(|problem| printer.note(format!("error: {problem}")));
    let (made, failed) = (found.outlines.len(), found.problems.len());
    if made == 0 {
        return Err(Failure::failed(format!("none of {failed} masks has an outline")));
    }
    write_tps(&args.out, &found.outlines).map_err(Failure::failed)?;
    printer.own_result(
        OutlinesWritten { out: shown(&args.out), outlines: made, failed, landmarks: args.landmarks },
        format!("{made} of {} masks have an outline: {}", made + failed, args.out.display()),
    );
    match failed {
        0 => Ok(()),
        _ => Err(Failure::failed(format!("{failed} of {} masks have no outline", made + failed))),
    }
}
