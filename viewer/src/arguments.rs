//! The viewer's arguments.

use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// Look at studies, releases, meshes and scans
#[derive(Debug, Parser)]
#[command(
    name = "visard-viewer",
    version,
    after_help = "Examples:\n  visard-viewer study\n  visard-viewer study/release/mean.ply --screenshot face.png --camera three-quarter\n\nMouse: drag with the left button to turn, with the right to move, wheel to zoom."
)]
pub struct Arguments {
    /// A study folder, a mesh or a scan
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Render to a PNG file without opening a window
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Size of the screenshot in pixels
    #[arg(long, value_name = "WxH", default_value = "1200x900", value_parser = parse_size)]
    pub size: (u32, u32),
    /// From where
    #[arg(long, value_enum, default_value_t = Camera::Front)]
    pub camera: Camera,
    /// Replace the screenshot file where it exists
    #[arg(long)]
    pub force: bool,
}

/// Where the camera stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Camera {
    /// From the front
    Front,
    /// From the subject's left
    Left,
    /// Half way between
    ThreeQuarter,
}

impl Camera {
    /// Degrees around the vertical axis, towards the subject's left.
    pub fn yaw_degrees(self) -> f64 {
        match self {
            Camera::Front => 0.0,
            Camera::Left => 88.0,
            Camera::ThreeQuarter => 40.0,
        }
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let (w, h) = text.split_once(['x', 'X']).ok_or("write it as 1200x900")?;
    let side = |s: &str| match s.parse::<u32>() {
        Ok(n) if (16..=8192).contains(&n) => Ok(n),
        _ => Err("each side is a whole number from 16 to 8192".to_owned()),
    };
    Ok((side(w)?, side(h)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("640x480"), Ok((640, 480)));
        assert!(parse_size("640").is_err() && parse_size("0x10").is_err() && parse_size("9000x100").is_err());
    }
}
