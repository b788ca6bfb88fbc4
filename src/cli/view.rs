//! `visard view`: finds the viewer program beside this one and runs it.

use super::output::{Failure, Printer};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Open studies, releases, meshes, scans, curves or outlines in the interactive viewer, or make pictures of them
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  visard view study\n  visard view study/release/mean.ply --screenshot face.png --size 1600x1200 --camera three-quarter\n  visard view study --field error --turntable face.gif --size 480x480\n  visard view study/release/mean.ply builtin --with curves\n  visard view study --with band --screenshot band.png\n  visard view study --with scale-bar,axes,landmarks --ruler nose_tip:chin --screenshot face.png\n  visard view builtin --slice x:0 --camera right --screenshot cut.png\n  visard view study --modes 2,-1 --screenshot bent.png\n  visard view study --at age=12,sex=F --screenshot twelve.png\n  visard view study --animate age --turntable growth.webp\n  visard view synthetic --mu 1\n  visard view --workbench scans --out study\n\nA folder of scans alone opens the workbench: check, plan, register, look, release, step by step.\n\nOptions of the viewer:\n  --screenshot FILE, --turntable FILE   a PNG; a GIF or WebP; without a window or display\n  --size WxH                            its size in pixels\n  --camera front|left|right|three-quarter|FILE\n  --field none|checker|polar|distance|distortion|error|FILE   FILE: one number a vertex, .npy or .csv\n  --range auto|symmetric|magnitude|LOW:HIGH, --map auto|sequential|diverging, --isolines\n  --with wireframe,points,curves,band,disk,scale-bar,axes,landmarks   what else is drawn\n  --ruler A:B                           a distance between landmarks or vertices, drawn and printed\n  --slice AXIS:PLACE                    a cut, and the profile it leaves (-x:0: the other half)\n  --units mm|cm|m                       what one unit of the files is\n  --modes SD,SD,...                     a mean bent by its modes of variation\n  --at NAME=VALUE,...                   the face of a regression at these covariates\n  --animate NAME                        the turntable goes along a covariate\n  --morph T                             from the template, or another group's mean (0), to what is shown (1)\n  --upright                             turn raw scans to the viewer\n  --workbench, --out DIR                from a folder of scans to a private mean face\n  --mu MU                               budget of \"synthetic\", a private mean of made-up people\n  --software                            draw without a graphics adapter\n  --force                               replace files that exist"
)]
pub struct ViewArgs {
    /// Files or study folders, and options of the viewer (such as --screenshot FILE)
    #[arg(value_name = "PATH", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    paths: Vec<OsString>,
}

/// Runs `visard-viewer` with the given arguments and takes over its exit code.
pub fn run(args: &ViewArgs, _printer: &Printer) -> Result<(), Failure> {
    let viewer = viewer_path().ok_or_else(|| {
        Failure::failed("the viewer (visard-viewer) is not beside this program")
            .with_hint("build it with: cargo build --release --workspace")
    })?;
    let mut command = Command::new(&viewer);
    command.args(&args.paths);
    // Graphics libraries complain, once for each adapter, where no folder for the sockets of a session is named: one without any will do.
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none_or(|folder| folder.is_empty())
    {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    let status =
        command.status().map_err(|e| Failure::failed(format!("cannot start {}: {e}", viewer.display())))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(Failure::usage("the viewer did not understand its arguments")),
        _ => Err(Failure::failed("the viewer stopped with an error (its message is above)")),
    }
}

fn viewer_path() -> Option<PathBuf> {
    let name = format!("visard-viewer{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok()?.parent()?.join(name);
    beside.is_file().then_some(beside)
}
