//! `visard shape demo`: made-up outlines, and a private mean of them.

use super::super::Global;
use super::super::budget::{BudgetArgs, place_of};
use super::super::demo::refuse_study;
use super::super::output::{Failure, Printer};
use super::common::{failure, say};
use clap::Args;
use std::path::{Path, PathBuf};
use visard::io::shapes::{ShapeRecord, write_tps};
use visard::study::Place;
use visard::study::points::{
    OutlineSmoothing, PointMechanism, PointRequest, ShapeCentre, ShapeRadius, ShapeStudy, run_shapes,
};
use visard::synth::{OUTLINE_RADIUS, outline_atlas, outline_population};

/// Arguments of `shape demo`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  visard shape demo\n  visard shape demo --shapes 100 --mu 0.5 --out my-demo"
)]
pub struct ShapeDemoArgs {
    /// The study's folder
    #[arg(long, value_name = "DIR", default_value = "visard-shape-demo")]
    out: PathBuf,
    /// Continue an interrupted run: nothing is paid twice
    #[arg(long)]
    resume: bool,
    /// How many outlines
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u16).range(1..))]
    shapes: u16,
    #[command(flatten)]
    budget: BudgetArgs,
}

/// The outlines of the demo are always the same unless `--seed` says otherwise; the privacy noise never is.
const POPULATION: u64 = 20_221_128;

/// Runs the demo.
pub fn shape_demo(args: &ShapeDemoArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    refuse_study(&args.out, args.resume, global)?;
    let default = BudgetArgs::of_mu(1.0);
    let budget = if args.budget.is_empty() { &default } else { &args.budget };
    let (outlines, atlas) = (args.out.join("outlines.tps"), args.out.join("atlas.tps"));
    std::fs::create_dir_all(&args.out)
        .map_err(|e| Failure::failed(format!("{}: {e}", args.out.display())))?;
    let people = outline_population(global.seed.unwrap_or(POPULATION), usize::from(args.shapes));
    let named = people.into_iter().enumerate().map(|(i, outline)| (format!("person-{:04}", i + 1), outline));
    write(&outlines, named)?;
    write(&atlas, [("atlas".to_owned(), outline_atlas())].into_iter())?;
    printer.note(format!(
        "{} made-up outlines: {}; a public one: {}",
        args.shapes,
        outlines.display(),
        atlas.display()
    ));
    let place = Place { resume: args.resume, ..place_of(&args.out, global) };
    let request = PointRequest::new(place, PointMechanism::TangentGaussian, budget.loss()?);
    let radius = ShapeRadius::Public(OUTLINE_RADIUS);
    let study = ShapeStudy {
        smoothing: OutlineSmoothing::Shrink,
        ..ShapeStudy::new(outlines, ShapeCentre::File(atlas), radius, request)
    };
    say(&run_shapes(&study).map_err(failure)?, "shapes", printer);
    Ok(())
}

fn write(file: &Path, shapes: impl Iterator<Item = (String, Vec<[f64; 2]>)>) -> Result<(), Failure> {
    let shapes: Vec<ShapeRecord> =
        shapes.map(|(id, landmarks)| ShapeRecord::planar(Some(id), &landmarks)).collect();
    write_tps(file, &shapes).map_err(Failure::failed)
}
