//! What studies of shapes share on the command line: the specimens and what is known of them.

use super::shape_regress::AllometryArgs;
use super::treatment::{TableArgs, TreatmentArgs};
use crate::cli::budget::{BudgetArgs, CountingArgs, PlaceArgs, UnusableArgs};
use crate::cli::output::Failure;
use crate::cli::tangent::KindArgs;
use crate::cli::{Global, heading, of_kind};
use clap::Args;
use std::path::PathBuf;
use visard::io::Content;
use visard::study::Place;
use visard::study::points::ShapeCentre;
use visard::study::shape::ShapeInputs;
use visard::study::tangent::TangentInputs;

/// What the records of a study of shapes may be.
pub(super) fn shapes_help() -> String {
    let table = of_kind("Shapes by their landmarks", Content::Shapes);
    format!("{table}; or a folder of masks of an organ, one for each record ({})", Content::Masks.endings())
}

/// The specimens, and what is known of them in advance
#[derive(Debug, Args)]
pub struct SpecimenArgs {
    #[command(flatten)]
    budget: BudgetArgs,
    #[arg(value_name = "FILE", help = shapes_help())]
    file: PathBuf,
    /// Public radius: how far shapes may lie from the centre (Riemannian distance; default 0.18, with several --public-records half as much
    /// again as theirs)
    #[arg(long, help_heading = heading::RELEASE, value_name = "F", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Centre: a file with one public shape, or "private" (the default): estimated and paid for, no shape need be public.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE|private", conflicts_with = "public_records")]
    center: Option<PathBuf>,
    /// Public records, excluded from the study: a table of shapes, or a .txt with the names of records; their mean is the centre.
    /// Must be public: visard refuses what it wrote under internal/, but cannot recognize files converted from it
    #[arg(long, help_heading = heading::RELEASE, value_name = "FILE")]
    public_records: Option<PathBuf>,
    /// The landmarks go around a closed outline, in order, or N of them, one after the other and as many landmarks on each: noise and smoothing are by
    /// frequency along them
    #[arg(long, help_heading = heading::RECORDS, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    outline: Option<u32>,
    /// Landmarks of a shape, a public number: needed for TPS and for tables whose heading does not give it, unless a centre or records are
    /// public, or with --unusable refuse
    #[arg(long, help_heading = heading::RECORDS, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    landmarks: Option<u32>,
    /// Coordinates of a landmark, 2 or 3: needed where --landmarks is
    #[arg(long, help_heading = heading::RECORDS, value_name = "D", value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: Option<u8>,
    /// Records with missing landmarks cannot be used (otherwise they are estimated from the public or private centre)
    #[arg(long, help_heading = heading::RECORDS)]
    drop_missing: bool,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    treatment: TreatmentArgs,
    #[command(flatten)]
    unusable: UnusableArgs,
    #[command(flatten)]
    counting: CountingArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

impl SpecimenArgs {
    fn centre(&self) -> ShapeCentre {
        centre(self.center.as_ref(), self.public_records.as_ref(), self.table.atlas())
    }
}

impl KindArgs for SpecimenArgs {
    const COMMAND: &'static str = "shape";
    const RECORDS: &'static str = "shapes";
    const EXAMPLE: &'static str = "skulls.tps --landmarks 21 --dimensions 3";
    type Covariates = AllometryArgs;

    fn inputs(&self, global: &Global) -> Result<TangentInputs, Failure> {
        let place = Place { asked: self.budget.loss().ok(), ..self.place.place(global)? };
        let table = self.table.options();
        Ok(TangentInputs::Landmarks(Box::new(ShapeInputs {
            centre: self.centre(),
            radius: self.radius,
            outlines: table.outlines(&self.file, self.outline.map(|n| n as usize)),
            table,
            landmarks: self.landmarks.map(|k| k as usize),
            dimensions: self.dimensions.map(usize::from),
            drop_missing: self.drop_missing,
            unusable: self.unusable.rule_of_shapes(
                &self.file,
                self.landmarks.is_some() || !matches!(self.centre(), ShapeCentre::Private),
            ),
            counting: self.counting.counting(),
            treatment: self.treatment.treatment(None),
            ..ShapeInputs::new(&self.file, place)
        })))
    }

    fn budget(&self) -> &BudgetArgs {
        &self.budget
    }
}

/// Where shapes are seen from, by what was given: the atlas of masks is a public shape too.
pub(super) fn centre(
    center: Option<&PathBuf>,
    public_records: Option<&PathBuf>,
    atlas: Option<&PathBuf>,
) -> ShapeCentre {
    match (center, public_records) {
        (Some(word), _) if word.as_os_str() == "private" => ShapeCentre::Private,
        (Some(file), _) => ShapeCentre::File(file.clone()),
        (None, Some(file)) => ShapeCentre::PublicRecords(file.clone()),
        (None, None) => atlas.map_or(ShapeCentre::Private, |atlas| ShapeCentre::File(atlas.clone())),
    }
}
