//! Pictures and animations without a window or a display: off-screen on any graphics adapter (software Vulkan included),
//! otherwise with the library's own renderer.

use crate::arguments::Arguments;
use crate::card::{Card, guarded};
use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::look::Look;
use crate::painter::Painter;
use crate::side_by_side::SideBySide;
use crate::stage::Stage;
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
    // Files are read while a card is made ready.
    let (side_by_side, ready) = std::thread::scope(|scope| {
        let loading = scope.spawn(|| SideBySide::load(arguments));
        let ready = if arguments.software { Ok(None) } else { guarded(ready) };
        (loading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), ready)
    });
    let side_by_side = side_by_side?;
    let stops = match &arguments.animate {
        Some(name) => side_by_side.along(arguments, name, turntable::PLACES)?,
        None => Vec::new(),
    };
    let by_hand = || pictures(arguments, &side_by_side, &stops, &look, None);
    let failed = |error: ViewerError| {
        eprintln!("note: the graphics adapter failed ({error}); drawn with the built-in renderer");
        by_hand()
    };
    let made = match ready {
        Err(error) => failed(error.into()),
        Ok(None) => {
            if !arguments.software {
                eprintln!("note: no graphics adapter here; drawn with the built-in renderer");
            }
            by_hand()
        }
        Ok(Some(stage)) => {
            let made = guarded(|| pictures(arguments, &side_by_side, &stops, &look, Some(stage)));
            made.map_err(ViewerError::from).flatten().or_else(failed)
        }
    }?;
    for (file, bytes) in made {
        visard::io::write_bytes(&file, &bytes)?;
    }
    Ok(())
}

/// A stage that has drawn, so that all that pictures need is there; `None` where nothing can draw.
fn ready() -> Option<Stage> {
    Card::find()?.install();
    kiss3d::pollster::block_on(async {
        let mut stage = Stage::new(8, 8).await;
        stage.set(&Drawing::triangle());
        stage.render(&Look::default(), None).await;
        Some(stage)
    })
}

/// The files asked for, in memory, drawn on the stage or by hand; the turntable goes along the stops where there are any.
fn pictures(
    arguments: &Arguments,
    side_by_side: &SideBySide,
    stops: &[SideBySide],
    look: &Look,
    mut stage: Option<Stage>,
) -> Result<Vec<(PathBuf, Vec<u8>)>, ViewerError> {
    let mut made = Vec::new();
    if let Some(file) = &arguments.screenshot {
        let mut painter = Painter::new(side_by_side, arguments.size, stage, STILL);
        made.push((file.clone(), painter.picture(look)?.to_png()?));
        stage = painter.into_stage();
    }
    if let Some(file) = &arguments.turntable {
        let mut painter = Painter::new(side_by_side, arguments.size, stage, TURNING);
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
