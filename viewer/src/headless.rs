//! Pictures and animations without a window or a display: off-screen on any graphics adapter (software Vulkan included),
//! otherwise with the library's own renderer.

use crate::arguments::Arguments;
use crate::error::ViewerError;
use crate::look::Look;
use crate::painter::Painter;
use crate::side_by_side::SideBySide;
use crate::stage::{guarded, has_adapter};
use crate::turntable;
use crate::workbench;
use std::path::PathBuf;

/// Writes what the arguments ask for.
///
/// # Errors
/// [`ViewerError`]: what cannot be read, shown or written.
pub fn run(arguments: &Arguments) -> Result<(), ViewerError> {
    for file in [&arguments.screenshot, &arguments.turntable].into_iter().flatten() {
        if file.exists() && !arguments.force {
            return Err(ViewerError::Exists(file.clone()));
        }
    }
    if arguments.workbench {
        return workbench::screenshot(arguments);
    }
    let look = Look::named(&arguments.camera)?;
    let side_by_side = SideBySide::load(arguments)?;
    let stops = match &arguments.animate {
        Some(name) => side_by_side.along(arguments, name, turntable::PLACES)?,
        None => Vec::new(),
    };
    let software = arguments.software || !guarded(has_adapter).unwrap_or(false);
    if software && !arguments.software {
        eprintln!("note: no graphics adapter here; drawn with the built-in renderer");
    }
    let made = if software {
        pictures(arguments, &side_by_side, &stops, &look, true)
    } else {
        let made = guarded(|| pictures(arguments, &side_by_side, &stops, &look, false));
        made.map_err(ViewerError::from).flatten().or_else(|error| {
            eprintln!("note: the graphics adapter failed ({error}); drawn with the built-in renderer");
            pictures(arguments, &side_by_side, &stops, &look, true)
        })
    }?;
    for (file, bytes) in made {
        visard::io::write_bytes(&file, &bytes)?;
    }
    Ok(())
}

/// The files asked for, in memory; the turntable goes along the stops where there are any.
fn pictures(
    arguments: &Arguments,
    side_by_side: &SideBySide,
    stops: &[SideBySide],
    look: &Look,
    software: bool,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ViewerError> {
    let mut made = Vec::new();
    if let Some(file) = &arguments.screenshot {
        let mut painter = Painter::new(side_by_side, arguments.size, software, STILL);
        made.push((file.clone(), painter.picture(look)?.to_png()?));
    }
    if let Some(file) = &arguments.turntable {
        let mut painter = Painter::new(side_by_side, arguments.size, software, TURNING);
        let drawn = match stops {
            [] => turntable::turn(&mut painter, look),
            stops => turntable::growth(&mut painter, stops, look),
        }?;
        made.push((file.clone(), turntable::encode(&drawn, file)?));
    }
    Ok(made)
}

/// Frames of animations have the four samples a pixel of the adapter alone: 2.5 times faster at 600 x 600.
const TURNING: u32 = 1;
/// Stills are drawn so many times larger each way, over the adapter's own four samples a pixel: silhouettes as smooth as on paper.
const STILL: u32 = 2;
