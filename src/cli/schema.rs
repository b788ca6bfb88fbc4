//! `visard schema`: the JSON schemas of what visard writes, made from its types.

use super::answer::{Answers, Own, Refused};
#[cfg(feature = "figures")]
use super::figures;
use super::output::{Failure, Printer};
#[cfg(feature = "reproduce")]
use super::reproduce;
use super::{compare, export, face, function, optimize, parts, points, privacy, shell, site, surface, synth};
use clap::{Args, ValueEnum};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};
use visard::privacy::Certificate;
use visard::sites::SitePlan;
use visard::study::SavedPlan;
use visard::study::check::Report;

/// What has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Written {
    /// What each command prints with --json
    Answers,
    /// certificate.json
    Certificate,
    /// plan.json of a study
    Plan,
    /// plan.json of a release of many sites
    SitePlan,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard schema certificate > certificate.schema.json\n  visard schema answers > answers.schema.json"
)]
pub struct SchemaArgs {
    /// Of what
    #[arg(value_enum)]
    of: Written,
}

/// Prints the schema.
pub fn run(args: &SchemaArgs, printer: &Printer) -> Result<(), Failure> {
    let mut schema = match args.of {
        Written::Answers => answers(),
        Written::Certificate => written::<Certificate>(),
        Written::Plan => written::<SavedPlan>(),
        Written::SitePlan => written::<SitePlan>(),
    };
    RecursiveTransform(plain).transform(&mut schema);
    let text = serde_json::to_string_pretty(&schema).map_err(Failure::failed)?;
    printer.result(schema, text);
    Ok(())
}

fn written<A: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<A>()
}

/// Of what is said of a type or a field the first paragraph, without links into the code.
fn plain(schema: &mut Schema) {
    let Some(Value::String(text)) = schema.get_mut("description") else { return };
    let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    *text = first.replace("[`", "`").replace("`]", "`");
}

fn answers() -> Schema {
    let mut all = Answers::new();
    face::answers(&mut all);
    surface::answers(&mut all);
    points::answers(&mut all);
    function::answers(&mut all);
    optimize::answers(&mut all);
    privacy::answers(&mut all);
    site::answers(&mut all);
    parts::answers(&mut all);
    shell::answers(&mut all);
    all.add::<Own<Report>>("check");
    all.add::<compare::CompareAnswer>("compare");
    all.add::<export::ExportAnswer>("export");
    all.add::<export::SimulatedScans>("export");
    #[cfg(feature = "figures")]
    all.add::<figures::FiguresAnswer>("figures");
    #[cfg(feature = "reproduce")]
    reproduce::answers(&mut all);
    all.add::<synth::MadeUp>("synth surface");
    all.add::<Map<String, Value>>("schema");
    all.add::<Refused>("any that is refused");
    all.schema()
}
