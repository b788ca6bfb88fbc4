//! The scene: the face with face-like material, or the points of a scan, and light that models it.

use crate::source::Subject;
use kiss3d::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// Linear size everything is scaled to, so that one camera and one set of lights fit all.
const RADIUS: f64 = 1.0;
/// Near-white ground, as in the reports.
pub const BACKGROUND: Color = Color::new(0.93, 0.94, 0.95, 1.0);
const CLAY: Color = Color::new(0.80, 0.62, 0.52, 1.0);

/// The scene of one subject, centred and scaled to radius one.
pub fn build(subject: &Subject) -> SceneNode3d {
    let mut scene = SceneNode3d::empty();
    scene.add_light(Light::directional(Vec3::new(0.45, -0.55, -0.75)).with_intensity(2.6));
    scene.add_light(Light::directional(Vec3::new(-0.8, -0.05, -0.5)).with_intensity(0.8));
    let (centre, radius) = subject.bounds();
    let scale = RADIUS / radius;
    let place = |p: &visard::mesh::Point| {
        let v = (p - centre) * scale;
        Vec3::new(v.x as f32, v.y as f32, v.z as f32)
    };
    let coords: Vec<Vec3> = subject.mesh.vertices().iter().map(place).collect();
    let triangles = subject.mesh.triangles();
    if triangles.is_empty() {
        add_points(&mut scene, &coords);
    } else {
        let normals = subject
            .mesh
            .vertex_normals()
            .iter()
            .map(|n| Vec3::new(n.x as f32, n.y as f32, n.z as f32))
            .collect();
        let faces = triangles.iter().map(|t| t.map(|i| i as u32)).collect();
        let mesh = GpuMesh3d::new(coords, faces, Some(normals), None, false);
        scene
            .add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE)
            .set_color(CLAY)
            .set_roughness(0.55)
            .set_metallic(0.0)
            .enable_backface_culling(false);
    }
    scene
}

/// Points drawn as the vertices of degenerate triangles: one mesh, one draw call.
fn add_points(scene: &mut SceneNode3d, coords: &[Vec3]) {
    let faces = (0..coords.len()).map(|i| [i as u32; 3]).collect();
    let normals = vec![Vec3::Z; coords.len()];
    let mesh = GpuMesh3d::new(coords.to_vec(), faces, Some(normals), None, false);
    scene
        .add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE)
        .set_surface_rendering_activation(false)
        .set_points_size(3.0, false)
        .set_points_color(Some(Color::new(0.10, 0.25, 0.45, 1.0)));
}

/// A camera at the given yaw, far enough to see the whole subject.
pub fn camera(yaw_degrees: f64) -> OrbitCamera3d {
    let yaw = yaw_degrees.to_radians();
    let distance = 2.9;
    let eye = Vec3::new((distance * yaw.sin()) as f32, 0.0, (distance * yaw.cos()) as f32);
    OrbitCamera3d::new_with_frustum(0.75, 0.05, 50.0, eye, Vec3::ZERO)
}
