//! Which point of a drawing lies under the mouse.

use crate::drawing::{Drawing, Pick};
use crate::look::{Look, half_height};
use kiss3d::prelude::Vec3;

/// The foremost triangle under a place on the pane, (0, 0) its upper left corner, (1, 1) its lower right; `look` is how the
/// drawing is seen ([`Drawing::seen`]).
pub fn pick(drawing: &Drawing, look: &Look, place: [f64; 2], aspect: f64) -> Option<Pick> {
    let half = half_height(look.zoom, aspect);
    let x = ((2.0 * place[0] - 1.0) * half * aspect) as f32;
    let y = ((1.0 - 2.0 * place[1]) * half) as f32;
    let (position, rotation) = look.pose();
    let seen: Vec<Vec3> =
        drawing.positions.iter().map(|p| rotation * Vec3::from_array(*p) + position).collect();
    let mut best: Option<(f32, Pick)> = None;
    for (k, t) in drawing.triangles.iter().enumerate() {
        let [a, b, c] = t.map(|i| seen[i as usize]);
        let edge = |p: Vec3, q: Vec3| (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0.0 {
            continue;
        }
        let weights = [edge(b, c) / area, edge(c, a) / area, edge(a, b) / area];
        if weights.iter().any(|w| *w < 0.0) {
            continue;
        }
        let depth = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
        if best.is_none_or(|(z, _)| depth > z) {
            best = Some((depth, Pick { triangle: k, weights }));
        }
    }
    best.map(|b| b.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_settings::DisplaySettings;
    use crate::pane::draw;
    use crate::synthetic::template_subject;
    use visard::synth::builtin_landmarks;

    #[test]
    fn the_nose_is_picked_where_it_is_seen_on_surface_and_disk() {
        let face = template_subject();
        let nose = builtin_landmarks().nose_tip;
        let surface = draw(&face, &DisplaySettings::default()).unwrap();
        let disk = draw(&face, &DisplaySettings { disk: true, ..DisplaySettings::default() }).unwrap();
        for yaw in [0.0, 35.0, -60.0] {
            let look = Look { yaw, zoom: 1.3, ..Look::default() };
            let seen = look.place(Vec3::from_array(surface.positions[nose]));
            let half = half_height(look.zoom, 1.5);
            let place =
                [0.5 + f64::from(seen.x) / (2.0 * half * 1.5), 0.5 - f64::from(seen.y) / (2.0 * half)];
            let found = pick(&surface, &look, place, 1.5).unwrap();
            let p = Vec3::from_array(found.point(&surface).unwrap());
            assert!((p - Vec3::from_array(surface.positions[nose])).length() < 0.05, "{yaw}");
        }
        // The same triangle on the disk lies at its centre, where the nose tip is.
        let found = pick(&disk, &Look::default(), [0.5, 0.5], 1.0).unwrap();
        let p = Vec3::from_array(found.point(&surface).unwrap());
        assert!((p - Vec3::from_array(surface.positions[nose])).length() < 0.05);
        assert!(pick(&disk, &Look::default(), [0.01, 0.01], 1.0).is_none());
    }
}
