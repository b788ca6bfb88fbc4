//! Draws pictures from any side: on a graphics adapter where there is one, otherwise with the library's own renderer.

use crate::drawing::Drawing;
use crate::error::ViewerError;
use crate::look::Look;
use crate::side_by_side::SideBySide;
use crate::software;
use crate::stage::Stage;
use visard::report::render::Image;

/// No larger than this on a side: memory is then 1.4 GB on software Vulkan (75 bytes a pixel with four samples, measured). Every adapter has
/// textures of twice this side (WebGPU's limit `maxTextureDimension2D` is 8192).
const LARGEST: u32 = 4096;

/// Draws drawings side by side, seen from any direction.
pub struct Painter<'a> {
    side_by_side: &'a SideBySide,
    /// One per drawing; none where there is no adapter.
    stages: Vec<Stage>,
    size: (u32, u32),
    pane: (u32, u32),
    /// How much larger the stages are.
    fineness: u32,
}

impl<'a> Painter<'a> {
    /// Prepares the panes of a picture of this size, drawn so many times larger each way and reduced, where the adapter can; without a stage, with the
    /// library's own renderer.
    pub fn new(side_by_side: &'a SideBySide, size: (u32, u32), stage: Option<Stage>, fineness: u32) -> Self {
        let pane = side_by_side.pane_size(size);
        let fineness = if pane.0.max(pane.1) * fineness > LARGEST { 1 } else { fineness };
        let (width, height) = (fineness * pane.0, fineness * pane.1);
        let mut stages: Vec<Stage> = stage.into_iter().collect();
        if !stages.is_empty() {
            let more = || kiss3d::pollster::block_on(Stage::new(width, height));
            stages.resize_with(side_by_side.drawings.len().max(1), more);
        }
        for (stage, drawing) in stages.iter_mut().zip(&side_by_side.drawings) {
            stage.resize(width, height);
            stage.set_fineness(fineness);
            stage.set(drawing);
        }
        Self { side_by_side, stages, size, pane, fineness }
    }

    /// The first stage, for other pictures.
    pub fn into_stage(self) -> Option<Stage> {
        self.stages.into_iter().next()
    }

    /// Paints as many other drawings from now on.
    pub fn replace(&mut self, side_by_side: &'a SideBySide) {
        self.side_by_side = side_by_side;
        self.stages.iter_mut().zip(&side_by_side.drawings).for_each(|(stage, drawing)| stage.set(drawing));
    }

    /// One picture.
    ///
    /// # Errors
    /// [`ViewerError::Black`]: the adapter left a pane black, which nothing we draw is.
    pub fn picture(&mut self, look: &Look) -> Result<Image, ViewerError> {
        let mut panes: Vec<Image> = if self.stages.is_empty() {
            let draw = |d: &Drawing| software::picture(d, look, self.pane.0, self.pane.1);
            self.side_by_side.drawings.iter().map(draw).collect()
        } else {
            let draw = |(stage, drawing): (&mut Stage, &Drawing)| {
                kiss3d::pollster::block_on(stage.render(&drawing.seen(look, None), None));
                stage.picture().reduced(self.fineness as usize)
            };
            self.stages.iter_mut().zip(&self.side_by_side.drawings).map(draw).collect()
        };
        if panes.iter().any(|pane| pane.rgb.iter().all(|c| *c == 0)) {
            return Err(ViewerError::Black);
        }
        for (pane, drawing) in panes.iter_mut().zip(&self.side_by_side.drawings) {
            self.side_by_side.measure(drawing, &drawing.seen(look, None), pane);
        }
        Ok(self.side_by_side.assemble(&panes, self.size))
    }
}
