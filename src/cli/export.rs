//! `visard export`: a surface for other programs.

use super::output::{Failure, Printer};
use super::{Global, refuse_existing};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::PathBuf;
use visard::io::{NamedField, SurfaceFile, SurfaceFormat};
use visard::report::colour::ColourScale;
use visard::study::is_secret;
use visard::study::standing::{Standing, judge};
use visard::study::subject::Subject;

/// Range of values that the colours span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Range {
    /// From 0 if no value is negative, otherwise symmetric about 0
    Auto,
    /// Symmetric about 0: blue below, red above
    Symmetric,
    /// From 0 to the 99th percentile: dark to light
    Magnitude,
}

/// Write a release's surface or a mesh as VTK (.vtp), binary glTF (.glb), PLY, OBJ, STL or a table (.csv), with a field in numbers and colours
#[derive(Debug, Args)]
#[command(
    after_help = "A release brings its error along, in the unit of its coordinates. glTF is written in metres where the size is known: a release made with --size, or \"builtin\". Without --size, a release's faces have area 1.\n\nExamples:\n  visard export study/release --out mean.vtp\n  visard export study/release --out mean.glb --force\n  visard export face.ply --field thickness.csv --range magnitude --out thickness.ply\n  visard export builtin --out template.csv"
)]
pub struct ExportArgs {
    /// A release, its study, a mesh file, or "builtin"
    #[arg(value_name = "RELEASE|MESH|builtin")]
    source: PathBuf,
    /// The file; its ending (.vtp, .glb, .ply, .obj, .stl, .csv) sets the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// A value for every vertex, as .npy or a table with one value a line; the first gives the colours
    #[arg(long, value_name = "FILE")]
    field: Vec<PathBuf>,
    /// Range of values that the colours span
    #[arg(long, value_enum, default_value_t = Range::Auto)]
    range: Range,
    /// Write numbers only
    #[arg(long)]
    no_colours: bool,
}

/// Runs the command.
pub fn run(args: &ExportArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let Some(format) = SurfaceFormat::of(&args.out) else {
        return Err(Failure::usage("--out must end in .vtp, .glb, .ply, .obj, .stl or .csv"));
    };
    refuse_existing(&args.out, global)?;
    let subject = Subject::load(&args.source).map_err(Failure::failed)?;
    let fields = fields(args, &subject)?;
    let colours = fields.first().filter(|_| !args.no_colours).map(|field| colours(field, args.range));
    let surface = SurfaceFile {
        mesh: &subject.mesh,
        unit: subject.unit.name(),
        metres: subject.unit.metres(),
        fields: &fields,
        colours: colours.as_deref(),
        internal: is_secret(&args.source),
    };
    surface.write(&args.out, format).map_err(Failure::failed)?;
    // A field from a file is not of the release, whatever it is called.
    let foreign = args.field.iter().find(|path| judge(path).standing != Standing::Released);
    let (standing, why) = match foreign {
        Some(path) => {
            let why = format!("{}: the field is not of a release that was checked", path.display());
            (Standing::Internal, Some(why))
        }
        None => (subject.standing, subject.why.clone()),
    };
    if let Some(band) = standing.band() {
        printer.note(format!("note: {band}{}", why.map(|why| format!(" ({why})")).unwrap_or_default()));
    }
    let left_out = match format {
        SurfaceFormat::Stl => Some("STL holds triangles only: no error, no field, no colours"),
        format if !format.holds_fields() && !fields.is_empty() => {
            Some("OBJ holds no numbers: the field is in the colours only")
        }
        _ => None,
    };
    if let Some(left_out) = left_out {
        printer.note(format!("note: {left_out}"));
    }
    let fields = if format.holds_fields() { fields } else { Vec::new() };
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let (vertices, triangles) = (subject.mesh.vertices().len(), subject.mesh.triangles().len());
    printer.result(
        json!({
            "file": args.out, "vertices": vertices, "triangles": triangles, "fields": names, "unit": subject.unit.name(),
            "standing": standing.phrase(),
        }),
        format!(
            "{}: {vertices} vertices, {triangles} triangles, coordinates in {}{}",
            args.out.display(),
            subject.unit.name(),
            if names.is_empty() { String::new() } else { format!(", with {}", names.join(", ")) }
        ),
    );
    Ok(())
}

/// The fields that were asked for, then the release's own error, unless one of these is called so.
fn fields(args: &ExportArgs, subject: &Subject) -> Result<Vec<NamedField>, Failure> {
    let mut fields: Vec<NamedField> = args
        .field
        .iter()
        .map(|path| subject.field(path))
        .collect::<Result<_, _>>()
        .map_err(Failure::failed)?;
    for (k, field) in fields.iter().enumerate() {
        if fields[..k].iter().any(|other| other.name == field.name) {
            return Err(Failure::usage(format!("two fields are called {}; rename a file", field.name)));
        }
    }
    let own = subject.errors_in_unit().map(|values| NamedField { name: "error".into(), values });
    fields.extend(own.filter(|own| args.field.is_empty() || fields.iter().all(|f| f.name != own.name)));
    Ok(fields)
}

fn colours(field: &NamedField, range: Range) -> Vec<[u8; 3]> {
    let signed = match range {
        Range::Auto => field.values.iter().any(|v| *v < 0.0),
        Range::Symmetric => true,
        Range::Magnitude => false,
    };
    let scale = if signed {
        ColourScale::signed(&field.name, "", &field.values)
    } else {
        ColourScale::magnitude(&field.name, "", &field.values)
    };
    field.values.iter().map(|v| scale.colour(*v).map(|c| (255.0 * c).round() as u8)).collect()
}
