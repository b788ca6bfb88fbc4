//! `visard export`: a surface or landmarks for other programs.

mod scans;

pub use scans::SimulatedScans;

use super::output::{Failure, Printer};
use super::{Global, refuse_existing};
use crate::cli::answer::shown;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{NamedField, SurfaceFile, SurfaceFormat, Way};
use visard::report::colour::ColourScale;
use visard::study::face::{TemplateSource, load_template};
use visard::study::is_secret;
use visard::study::standing::{Standing, judge};
use visard::study::subject::{Subject, SubjectError};
use visard::study::variation::Variation;

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

/// File formats by name, for --out of another ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// VTK, for ParaView and 3D Slicer (.vtp)
    Vtp,
    /// Binary glTF, for Blender, browsers and slides (.glb)
    Glb,
    /// Binary PLY (.ply)
    Ply,
    /// Wavefront OBJ (.obj)
    Obj,
    /// Binary STL (.stl)
    Stl,
    /// A table (.csv)
    Csv,
    /// A statistical shape model, for scalismo and statismo (.h5)
    Statismo,
    /// Points for 3D Slicer (.mrk.json)
    Markups,
    /// As of a scanner: turned, with noise, holes and a border cut off; faces as points, other surfaces as meshes; --out is a folder
    Scans,
}

impl Format {
    /// `None` for scans, which are no format.
    fn of_surface(self) -> Option<SurfaceFormat> {
        Some(match self {
            Self::Vtp => SurfaceFormat::Vtp,
            Self::Glb => SurfaceFormat::Glb,
            Self::Ply => SurfaceFormat::Ply,
            Self::Obj => SurfaceFormat::Obj,
            Self::Stl => SurfaceFormat::Stl,
            Self::Csv => SurfaceFormat::Csv,
            Self::Statismo => SurfaceFormat::Statismo,
            Self::Markups => SurfaceFormat::Markups,
            Self::Scans => return None,
        })
    }
}

/// Write a release's surface or landmarks, or a mesh, as VTK (.vtp), binary glTF (.glb), PLY, OBJ, STL, a table (.csv), a shape model (.h5) or Slicer's markups (.mrk.json)
#[derive(Debug, Args)]
#[command(
    after_help = "A release brings its error along, in the unit of its coordinates. glTF is written in metres where the size is known: a release made with --size, or \"builtin\". Without --size, a release's faces have area 1, and shapes of landmarks have centroid size 1.\n\nModes and covariates come along: as shape keys of glTF (a mode at -2 and +2 standard deviations, a covariate at its bounds), as vectors of VTK (a mode at one standard deviation), as the modes of a shape model.\n\nExamples:\n  visard export study/release --out mean.vtp\n  visard export study/release --out mean.glb --force\n  visard export face.ply --field thickness.csv --range magnitude --out thickness.ply\n  visard export builtin --out template.csv\n  visard export modes --out model.h5\n  visard export synthetic --format scans --out simulated"
)]
pub struct ExportArgs {
    /// A release, its study, a mesh file, or "builtin"; with --format scans also a folder that `sample` wrote
    #[arg(value_name = "RELEASE|MESH|builtin")]
    source: PathBuf,
    /// The file; its ending (.vtp, .glb, .ply, .obj, .stl, .csv, .h5, .mrk.json) sets the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The format, whatever the ending
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// With --format scans: how carefully surfaces are scanned (default: ordinary). Lengths are those on a face of 20 cm; other surfaces are scanned
    /// as if they were as large
    #[arg(long, value_enum)]
    scanner: Option<scans::Scanner>,
    /// The template that a release of faces was made with, for its modes and covariates (default: built-in). Must be public: visard refuses what it
    /// wrote under internal/, but cannot recognize files converted from it
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
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

/// What is to be written.
struct Source {
    subject: Subject,
    dimensions: usize,
    variation: Variation,
}

impl Source {
    fn load(args: &ExportArgs) -> Result<Self, SubjectError> {
        let (subject, dimensions) = match Subject::load(&args.source) {
            Err(SubjectError::NoSurface(path)) => {
                Subject::landmarks(&args.source)?.ok_or(SubjectError::NoSurface(path))?
            }
            loaded => (loaded?, 3),
        };
        let template = args.template.clone().map_or(TemplateSource::Builtin, TemplateSource::File);
        let variation = Variation::of(&args.source, &subject, &template);
        Ok(Self { subject, dimensions, variation })
    }

    /// What goes into a file of this format.
    fn ways(&self, format: SurfaceFormat) -> Vec<Way> {
        let Variation { modes, ends, .. } = &self.variation;
        let at = |mode: &Way, sd: f64| Way {
            name: format!("{} {sd:+} sd", mode.name),
            moves: mode.moves.iter().map(|v| sd * v).collect(),
        };
        match format {
            SurfaceFormat::Statismo => modes.clone(),
            // A shape key is moved from 0 to 1: both ends of a mode, or Blender shows one of them only.
            SurfaceFormat::Glb => {
                let keys = modes.iter().flat_map(|mode| [at(mode, -2.0), at(mode, 2.0)]);
                keys.chain(ends.iter().cloned()).collect()
            }
            SurfaceFormat::Vtp => modes.iter().chain(ends).cloned().collect(),
            _ => vec![],
        }
    }

    /// What the file leaves out.
    fn left_out(&self, format: SurfaceFormat, fields: &[NamedField]) -> Vec<String> {
        let Variation { modes, ends, passed_over } = &self.variation;
        let mut told: Vec<String> =
            passed_over.iter().map(|why| format!("modes and covariates are left out: {why}")).collect();
        match format {
            SurfaceFormat::Stl => {
                told.push("STL holds triangles only: no error, no field, no colours".into())
            }
            SurfaceFormat::Markups => {
                told.push("markups hold points only: no triangles, no error, no field, no colours".into());
            }
            SurfaceFormat::Statismo if !fields.is_empty() => {
                told.push("a shape model holds mean and modes only: no error, no field, no colours".into());
            }
            SurfaceFormat::Obj if !fields.is_empty() => {
                told.push("OBJ holds no numbers: the field is in the colours only".into());
            }
            _ => {}
        }
        let changes = !modes.is_empty() || !ends.is_empty();
        if changes && !format.holds_ways() {
            told.push("this format holds no modes and no covariates; .glb and .vtp do".into());
        }
        told
    }
}

/// Where a file comes from, for formats with room for it.
fn about(subject: &Subject, standing: Standing) -> Vec<(&'static str, String)> {
    let mut about = vec![("standing", standing.phrase().to_owned())];
    if let Some(certificate) = &subject.certificate {
        let loss = serde_json::to_string(&certificate.loss).unwrap_or_default();
        about.push(("certificate", format!("n = {}, {}, {loss}", certificate.n, certificate.mechanism)));
    }
    about
}

/// Runs the command.
pub fn run(args: &ExportArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    if args.format == Some(Format::Scans) {
        let of_others = args.template.is_some() || args.no_colours || args.range != Range::Auto;
        if of_others || !args.field.is_empty() {
            return Err(Failure::usage("--template, --field, --range and --no-colours are not for scans"));
        }
        return scans::run(&args.source, &args.out, args.scanner, global, printer);
    }
    if args.scanner.is_some() {
        return Err(Failure::usage("--scanner goes with --format scans"));
    }
    let named = args.format.and_then(Format::of_surface);
    let Some(format) = named.or_else(|| SurfaceFormat::of(&args.out)) else {
        let endings = ".vtp, .glb, .ply, .obj, .stl, .csv, .h5 or .mrk.json";
        return Err(Failure::usage(format!("--out must end in {endings}, or --format name the format")));
    };
    refuse_existing(&args.out, global)?;
    if let Some(template) = &args.template {
        load_template(&TemplateSource::File(template.clone())).map_err(Failure::failed)?;
    }
    let source = Source::load(args).map_err(Failure::failed)?;
    let subject = &source.subject;
    let ways = source.ways(format);
    if format == SurfaceFormat::Statismo && ways.is_empty() {
        let why = source.variation.passed_over.as_deref().unwrap_or("there are none here");
        let hint = "`visard face modes`, `shape modes` and `surface modes` release them";
        return Err(Failure::failed(format!("a shape model needs modes of variation: {why}")).with_hint(hint));
    }
    let fields = fields(args, subject)?;
    // A field from a file is not of the release, whatever it is called.
    let foreign = args.field.iter().find(|path| judge(path).standing != Standing::Released);
    let (standing, why) = match foreign {
        Some(path) => {
            let why = format!("{}: the field is not of a release that was checked", path.display());
            (Standing::Internal, Some(why))
        }
        None => (subject.standing, subject.why.clone()),
    };
    let colours = fields.first().filter(|_| !args.no_colours).map(|field| colours(field, args.range));
    let surface = SurfaceFile {
        mesh: &subject.mesh,
        unit: subject.unit.name(),
        metres: subject.unit.metres(),
        fields: &fields,
        ways: &ways,
        dimensions: source.dimensions,
        about: &about(subject, standing),
        colours: colours.as_deref(),
        internal: is_secret(&args.source),
    };
    surface.write(&args.out, format).map_err(Failure::failed)?;
    if let Some(band) = standing.band() {
        printer.note(format!("note: {band}{}", why.map(|why| format!(" ({why})")).unwrap_or_default()));
    }
    for left_out in source.left_out(format, &fields) {
        printer.note(format!("note: {left_out}"));
    }
    let fields = if format.holds_fields() { fields } else { Vec::new() };
    let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
    let changes: Vec<&str> = ways.iter().map(|way| way.name.as_str()).collect();
    let (vertices, triangles) = (subject.mesh.vertices().len(), subject.mesh.triangles().len());
    let with = [&names[..], &changes[..]].concat();
    printer.result(
        ExportAnswer {
            file: shown(&args.out),
            vertices,
            triangles,
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            ways: ways.iter().map(|way| way.name.clone()).collect(),
            unit: subject.unit.name().to_owned(),
            standing: standing.phrase().to_owned(),
        },
        format!(
            "{}: {vertices} vertices, {triangles} triangles, coordinates in {}{}",
            args.out.display(),
            subject.unit.name(),
            if with.is_empty() { String::new() } else { format!(", with {}", with.join(", ")) }
        ),
    );
    Ok(())
}

/// A surface that was written.
#[derive(Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// The file.
    file: String,
    vertices: usize,
    triangles: usize,
    /// The fields over the surface.
    fields: Vec<String>,
    /// The ways in which the surface changes.
    ways: Vec<String>,
    /// The unit of its coordinates.
    unit: String,
    /// Whether it may be published.
    standing: String,
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
