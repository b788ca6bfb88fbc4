//! Shading, shadows, outlines.

use super::*;

#[test]
fn a_square_fills_the_middle_and_leaves_the_corners() {
    let v = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
    let mesh = TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let image = render(&mesh, View { size: 64, ..View::FRONT }, CLAY);
    let at = |x: usize, y: usize| image.rgb[3 * (y * 64 + x)];
    assert!(at(32, 32) < 240 && at(1, 1) > 240);
    assert!(image.to_png().unwrap().starts_with(b"\x89PNG"));
}

/// Two level squares facing the viewer: a large one, and a small one `height` in front of its middle.
fn plate_over_ground(height: f64) -> TriMesh {
    let square = |side: f64, z: f64| {
        [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|[x, y]| Point::new(side * x, side * y, z))
    };
    let v = [square(1.0, 0.0), square(0.2, height)].concat();
    TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]).unwrap()
}

#[test]
fn a_plate_shades_the_ground_away_from_the_light_and_darkens_what_is_near() {
    let size = 200;
    let image = render(&plate_over_ground(0.25), View { size, ..View::FRONT }, CLAY);
    let at = |x: usize, y: usize| i32::from(image.rgb[3 * (y * size + x)]);
    let (open, plate) = (at(40, 160), at(100, 100));
    // The light comes from the upper left: the shadow lies to the lower right, beyond the half-width of 14 pixels.
    let (shadow, lit) = (at(118, 118), at(50, 50));
    assert!(shadow < open - 25, "shadow {shadow}, open {open}");
    assert!((lit - open).abs() <= 12 && (plate - open).abs() <= 12, "lit {lit}, plate {plate}, open {open}");
    // Close to the plate but on the lit side, less of the sky is seen.
    assert!(at(84, 84) < open, "{} {open}", at(84, 84));
}

#[test]
fn outlined_surfaces_are_faded_on_one_side_and_have_a_line_between() {
    let v = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|[x, y]| Point::new(x, y, 0.0)).to_vec();
    let mesh = TriMesh::new(v, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let red = [[0.9, 0.1, 0.1]; 4];
    let level = [-1.0, 1.0, 1.0, -1.0];
    let image = render(&mesh, View { size: 100, ..View::FRONT }, Colour::Outlined(&red, &level));
    let at = |x: usize| image.rgb[3 * (50 * 100 + x)..][..3].to_vec();
    let (faded, line, full) = (at(30), at(50), at(70));
    assert!(full[0] > full[1] + 100 && faded[1] > full[1] + 60, "{faded:?} {full:?}");
    assert!(line.iter().all(|c| *c < 110), "{line:?}");
}

#[test]
fn degenerate_meshes_give_an_empty_picture() {
    let point = TriMesh::new(vec![Point::origin(); 3], vec![[0, 1, 2]]).unwrap();
    for mesh in [TriMesh::default(), point] {
        let image = render(&mesh, View { size: 8, ..View::FRONT }, CLAY);
        assert!(image.rgb.iter().all(|&v| v == image.rgb[0]) && image.rgb.len() == 192);
    }
}
