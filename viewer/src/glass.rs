//! The band's shell over a picture that was drawn without a graphics card.

use crate::depth::{Depth, places};
use crate::drawing::Drawing;
use crate::looking::View;
use crate::material::{SHELL_INK, shell_opacity};
use visard::report::render::Image;

/// Cells a pixel, each way: edges as smooth as those of the face below.
const FINENESS: usize = 2;

/// Darkens a picture of a drawing by what its shell hides: where it is not behind the face. All layers have one colour, so their order
/// does not matter.
pub fn over(image: &mut Image, drawing: &Drawing, view: &View) {
    let front = Depth::of(drawing, view, FINENESS as f64);
    let [columns, rows] = front.size();
    let mut passing = vec![1.0_f32; columns * rows];
    for border in &drawing.shell {
        let placed = places(border, view, FINENESS as f64);
        let facing: Vec<f32> = border.normals.iter().map(|n| view.turned(*n)[2] as f32).collect();
        for t in &border.triangles {
            let cosines = t.map(|i| facing[i as usize]);
            front.inside(t.map(|i| placed[i as usize]), |at| {
                if at.depth > front.at(at.cell) {
                    let cosine: f32 = at.weights.iter().zip(cosines).map(|(w, c)| w * c).sum();
                    passing[at.cell] *= 1.0 - shell_opacity(f64::from(cosine)) as f32;
                }
            });
        }
    }
    let linear = SHELL_INK.map(|c| c.powf(2.2));
    for y in 0..image.height {
        for x in 0..image.width {
            let cells = (0..FINENESS * FINENESS)
                .map(|k| (y * FINENESS + k / FINENESS) * columns + x * FINENESS + k % FINENESS);
            let passes =
                cells.map(|cell| f64::from(passing[cell])).sum::<f64>() / (FINENESS * FINENESS) as f64;
            if passes < 1.0 {
                let at = 3 * (y * image.width + x);
                for (k, ink) in linear.iter().enumerate() {
                    let below = (f64::from(image.rgb[at + k]) / 255.0).powf(2.2);
                    let seen = (passes * below + (1.0 - passes) * ink).powf(1.0 / 2.2);
                    image.rgb[at + k] = (255.0 * seen).round() as u8;
                }
            }
        }
    }
}
