//! Marks on a still picture and on the screen.

use super::mark::{Anchor, Ink, Mark};
use kiss3d::egui::{Align2, Color32, FontId, Painter, Rect, Stroke, pos2};
use visard::report::canvas::{Rgb, text_width};
use visard::report::render::Image;

/// Letters of the screen's font of this many points are as high as ours of one.
const FONT: f32 = 1.35;

fn colour(ink: Ink, dark: bool) -> Rgb {
    match ink {
        Ink::Ground if dark => [232, 234, 238],
        Ink::Ground | Ink::Face => [29, 33, 41],
        Ink::Ruler => [140, 20, 60],
        Ink::Axis(0) => [190, 60, 20],
        Ink::Axis(1) => {
            if dark {
                [90, 190, 110]
            } else {
                [20, 110, 60]
            }
        }
        Ink::Axis(_) => {
            if dark {
                [110, 160, 255]
            } else {
                [30, 50, 150]
            }
        }
    }
}

/// Over a picture on a light ground.
pub fn on_image(image: &mut Image, marks: &[Mark]) {
    for mark in marks {
        match mark {
            Mark::Line { ends: [a, b], width, ink } => image.line(*a, *b, *width, colour(*ink, false)),
            Mark::Dot { at, radius, ink } => image.line(*at, *at, 2.0 * radius, colour(*ink, false)),
            Mark::Text { at, anchor, height, text, ink } => {
                let back = if *anchor == Anchor::Middle { 0.5 * text_width(text, *height) } else { 0.0 };
                image.write(text, [at[0] - back, at[1] - 0.5 * height], *height, colour(*ink, false));
            }
        }
    }
}

/// Over a pane of the window, whose marks are in points from its corner.
pub fn on_screen(painter: &Painter, pane: Rect, marks: &[Mark], dark: bool) {
    let painter = painter.with_clip_rect(pane);
    let place = |p: &[f64; 2]| pane.min + pos2(p[0] as f32, p[1] as f32).to_vec2();
    let paint = |ink: Ink| {
        let [r, g, b] = colour(ink, dark);
        Color32::from_rgb(r, g, b)
    };
    for mark in marks {
        match mark {
            Mark::Line { ends: [a, b], width, ink } => {
                painter.line_segment([place(a), place(b)], Stroke::new(*width as f32, paint(*ink)));
            }
            Mark::Dot { at, radius, ink } => {
                painter.circle_filled(place(at), *radius as f32, paint(*ink));
            }
            Mark::Text { at, anchor, height, text, ink } => {
                let align =
                    if *anchor == Anchor::Middle { Align2::CENTER_CENTER } else { Align2::LEFT_CENTER };
                let font = FontId::proportional(FONT * *height as f32);
                painter.text(place(at), align, text, font, paint(*ink));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_where_they_say() {
        let mut image = Image::filled(60, 40, [247; 3]);
        on_image(
            &mut image,
            &[
                Mark::Dot { at: [10.0, 10.0], radius: 3.0, ink: Ink::Ground },
                Mark::Text {
                    at: [40.0, 20.0],
                    anchor: Anchor::Middle,
                    height: 12.0,
                    text: "X".into(),
                    ink: Ink::Ruler,
                },
            ],
        );
        let at = |x: usize, y: usize| &image.rgb[3 * (60 * y + x)..][..3];
        assert_eq!(at(10, 10), [29, 33, 41]);
        let dark: Vec<usize> = (0..60 * 40).filter(|k| *k % 60 > 20 && image.rgb[3 * k + 1] < 128).collect();
        let mean = dark.iter().map(|k| (k % 60) as f64 + 0.5).sum::<f64>() / dark.len() as f64;
        assert!(dark.len() > 10 && (mean - 40.0).abs() < 1.0, "{mean}");
    }
}
