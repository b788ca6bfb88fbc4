//! The viewer's arguments.

use crate::display_settings::DisplaySettings;
use crate::fields::FieldName;
use crate::listing::is_map;
use crate::looking::{Instruments, Ruler, Slice};
use crate::modes::REACH;
use crate::palette::{MapChoice, Palette, Range, parse_range};
use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use visard::study::face::Units;

/// Look at studies, releases, meshes, scans, curves and outlines
#[derive(Debug, Clone, Parser)]
#[command(
    name = "visard-viewer",
    version,
    after_help = "Examples:\n  visard view study\n  visard view study/release/mean.ply --screenshot face.png --camera three-quarter\n  visard view study --field error --turntable face.gif --size 480x480\n  visard view study --with band --screenshot band.png\n  visard view study --with scale-bar,axes,landmarks --ruler nose_tip:chin --screenshot face.png\n  visard view builtin --slice x:0 --camera right --screenshot cut.png\n  visard view study --modes 2,-1 --screenshot bent.png\n  visard view study --at age=12,sex=F --screenshot twelve.png\n  visard view study --animate age --turntable growth.webp\n  visard view study/release/mean_A.ply --morph 0.5 --screenshot between.png\n  visard view synthetic --mu 1\n  visard view --workbench scans --out study\n\nAnything \
                  without the certificate of a private release is marked: internal, do not publish."
)]
pub struct Arguments {
    /// Study folders, releases, meshes, scans, curves (.npy), outlines (.tps, .npy); "builtin" is the public template,
    /// "synthetic" a private mean of made-up people. Two are shown side by side
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Render to a PNG file without opening a window
    #[arg(long, value_name = "FILE", value_parser = parse_png)]
    pub screenshot: Option<PathBuf>,
    /// Render a short turn to an animated GIF, or a WebP in all colours, without opening a window
    #[arg(long, value_name = "FILE", value_parser = parse_animation)]
    pub turntable: Option<PathBuf>,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1200x900", value_parser = parse_size)]
    pub size: (u32, u32),
    /// Camera: front, left, right, three-quarter, or a camera file saved in the window
    #[arg(long, value_name = "NAME|FILE", default_value = "front")]
    pub camera: String,
    /// Colours on the surface: none, checker, polar, distance, distortion, error, or a file of one number a vertex (.npy, .csv)
    #[arg(long, value_name = "NAME|FILE", default_value = "none", value_parser = parse_field)]
    pub field: FieldChoice,
    /// The values that the colours span: auto, symmetric (about 0), magnitude (from 0), or LOW:HIGH
    #[arg(long, value_name = "RANGE", default_value = "auto", value_parser = range, allow_hyphen_values = true)]
    pub range: Range,
    /// Colour map; all maps are readable with any colour vision and in grey
    #[arg(long, value_enum, value_name = "NAME", default_value_t = MapChoice::Auto)]
    pub map: MapChoice,
    /// Lines of equal value of the field
    #[arg(long)]
    pub isolines: bool,
    /// What else to draw
    #[arg(long, value_enum, value_name = "NAMES", value_delimiter = ',')]
    pub with: Vec<Extra>,
    /// Measure between two landmarks or vertices (from 0): drawn, and printed in millimetres where the unit is known. Several times for several
    #[arg(long, value_name = "A:B")]
    pub ruler: Vec<Ruler>,
    /// Cut across an axis at a place in units of the file, and take away what is above it ("-x:0": below it)
    #[arg(long, value_name = "AXIS:PLACE", allow_hyphen_values = true)]
    pub slice: Option<Slice>,
    /// Unit of the files; by default, anything as large as a head in millimetres is taken to be in millimetres
    #[arg(long, value_enum, value_name = "UNIT")]
    pub units: Option<Units>,
    /// From the template (0) to what is shown (1); for the mean of a group that was compared, from another group's
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = parse_share)]
    pub morph: f64,
    /// Bend a released mean by its modes of variation: standard deviations of the first, the second ...
    #[arg(long, value_name = "SD,SD,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_mode)]
    pub modes: Vec<f64>,
    /// The face that a regression's release expects at these values of its covariates; those not named are in the middle of their bounds
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// The turntable goes along a covariate, from its lower bound to its upper one and back, instead of turning
    #[arg(long, value_name = "NAME", requires = "turntable")]
    pub animate: Option<String>,
    /// Privacy budget of "synthetic"
    #[arg(long, value_name = "MU", default_value_t = 1.0, value_parser = parse_mu)]
    pub mu: f64,
    /// Open the workbench: from a folder of scans to a private mean face, step by step. A folder that holds only scans also opens it
    #[arg(long)]
    pub workbench: bool,
    /// The workbench's study folder (default: NAME-study beside the scans)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Turn raw scans to the viewer, as studies do
    #[arg(long)]
    pub upright: bool,
    /// Draw without a graphics adapter even where there is one
    #[arg(long)]
    pub software: bool,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
}

/// Which colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldChoice {
    /// By name.
    Named(FieldName),
    /// Of a file.
    File(PathBuf),
}

impl FieldChoice {
    /// The name it has on the panel.
    pub fn name(&self) -> FieldName {
        match self {
            Self::Named(name) => *name,
            Self::File(_) => FieldName::Values,
        }
    }
}

impl Arguments {
    /// The instruments in use.
    pub fn instruments(&self) -> Instruments {
        let with = |extra: Extra| self.with.contains(&extra);
        Instruments {
            scale_bar: with(Extra::ScaleBar),
            axes: with(Extra::Axes),
            landmarks: with(Extra::Landmarks),
            rulers: self.ruler.clone(),
            slice: self.slice,
        }
    }

    /// How subjects are shown.
    pub fn display_settings(&self) -> DisplaySettings {
        // The map of somebody held against a norm is looked at for its colours.
        let is_map = || matches!(&self.paths[..], [path] if is_map(path));
        let field = match self.field.name() {
            FieldName::None if is_map() => FieldName::Values,
            name => name,
        };
        DisplaySettings {
            field,
            wireframe: self.with.contains(&Extra::Wireframe),
            points: self.with.contains(&Extra::Points),
            curves: self.with.contains(&Extra::Curves),
            band: self.with.contains(&Extra::Band),
            disk: false,
            morph: self.morph,
            modes: self.modes.clone(),
            at: self.at.clone(),
            palette: self.palette(),
            instruments: self.instruments(),
            units: self.units,
        }
    }

    /// How fields become colours.
    pub fn palette(&self) -> Palette {
        Palette { range: self.range, map: self.map, isolines: self.isolines }
    }
}

fn range(text: &str) -> Result<Range, ValueError> {
    parse_range(text).ok_or(ValueError::Range)
}

fn parse_field(text: &str) -> Result<FieldChoice, ValueError> {
    if let Ok(name) = FieldName::from_str(text, false) {
        return Ok(FieldChoice::Named(name));
    }
    // What looks like a file is one: reading it tells what is wrong.
    let file = PathBuf::from(text);
    if file.extension().is_some() { Ok(FieldChoice::File(file)) } else { Err(ValueError::Field) }
}

/// Things drawn beside or over the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// The triangles' edges
    Wireframe,
    /// The vertices
    Points,
    /// The face radial curves
    Curves,
    /// The band of a release made with one: where the population's mean face lies with a probability of 95 %
    Band,
    /// The disk map, beside the surface
    Disk,
    /// A bar of a round length, in millimetres where the unit is known
    ScaleBar,
    /// The directions of x, y and z
    Axes,
    /// The named landmarks: the template's, or those beside a scan
    Landmarks,
}

/// What an argument's value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum ValueError {
    #[error("pictures are PNG files: give it a name that ends in .png")]
    Png,
    #[error("animations are GIF or WebP files: give it a name that ends in .gif or .webp")]
    Animation,
    #[error("write it as 1200x900")]
    Size,
    #[error("each side is a whole number from 16 to 8192")]
    Side,
    #[error("one of none, checker, polar, distance, distortion, error, or a file of one number a vertex")]
    Field,
    #[error("auto, symmetric, magnitude, or two numbers LOW:HIGH, the lower first")]
    Range,
    #[error("a number from 0 to 1")]
    Share,
    #[error("standard deviations from -10 to 10, as in 2,-1")]
    Mode,
    #[error("a number from 0.01 to 100")]
    Mu,
}

/// A file's name, if it says what will be in it.
fn named(text: &str, ending: &str, otherwise: ValueError) -> Result<PathBuf, ValueError> {
    let path = PathBuf::from(text);
    let says = path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if says { Ok(path) } else { Err(otherwise) }
}

fn parse_png(text: &str) -> Result<PathBuf, ValueError> {
    named(text, "png", ValueError::Png)
}

fn parse_animation(text: &str) -> Result<PathBuf, ValueError> {
    named(text, "gif", ValueError::Animation).or_else(|_| named(text, "webp", ValueError::Animation))
}

fn parse_size(text: &str) -> Result<(u32, u32), ValueError> {
    let (w, h) = text.split_once(['x', 'X']).ok_or(ValueError::Size)?;
    let side = |s: &str| s.parse().ok().filter(|n| (16..=8192).contains(n)).ok_or(ValueError::Side);
    Ok((side(w)?, side(h)?))
}

fn parse_share(text: &str) -> Result<f64, ValueError> {
    text.parse().ok().filter(|t| (0.0..=1.0).contains(t)).ok_or(ValueError::Share)
}

fn parse_mode(text: &str) -> Result<f64, ValueError> {
    text.parse().ok().filter(|sd: &f64| sd.abs() <= REACH).ok_or(ValueError::Mode)
}

fn parse_mu(text: &str) -> Result<f64, ValueError> {
    text.parse().ok().filter(|t| (0.01..=100.0).contains(t)).ok_or(ValueError::Mu)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
        let read = |line: &str| Arguments::try_parse_from(line.split(' '));
        let a = read("v x.ply --size 640x480 --with curves,disk --field error --camera left").unwrap();
        assert_eq!(
            (a.size, a.with, a.field),
            ((640, 480), vec![Extra::Curves, Extra::Disk], FieldChoice::Named(FieldName::Error))
        );
        let a = read(
            "v x --ruler nose_tip:chin --ruler 3:7 --modes -2,1 --slice -x:0 --with scale-bar,axes,landmarks",
        )
        .unwrap();
        assert!(a.ruler.len() == 2 && a.slice.is_some_and(|s| s.below) && a.instruments().scale_bar);
        assert!(read("v x --screenshot a.PNG --turntable b.gif").is_ok());
        assert!(read("v x --at age=12,sex=F --animate age --turntable b.WebP").is_ok());
        for bad in [
            "v",
            "v x --size 640",
            "v x --size 0x10",
            "v x --size 9000x100",
            "v x --morph 2",
            "v x --mu nan",
            "v x --modes 2,x",
            "v x --modes nan",
            "v x --ruler chin",
            "v x --slice w:1",
            "v x --animate age",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        // What the help shows can be typed.
        let help = Arguments::command().get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples: Vec<&str> =
            help.lines().filter_map(|line| line.strip_prefix("  visard view ")).collect();
        assert!(examples.len() > 8);
        examples.iter().for_each(|line| assert!(read(&format!("v {line}")).is_ok(), "{line}"));
        // No file is named for what it does not hold.
        for (bad, needle) in
            [("--screenshot a.jpg", ".png"), ("--screenshot a", ".png"), ("--turntable a.png", ".gif")]
        {
            let refused = read(&format!("v x {bad}")).unwrap_err().to_string();
            assert!(refused.contains(needle), "{refused}");
        }
    }
}
