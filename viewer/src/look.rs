//! From where one looks: the surface turns, the light stands still. Saved in small JSON files.

use crate::error::ViewerError;
use kiss3d::camera::Camera3d;
use kiss3d::event::WindowEvent;
use kiss3d::glamx::Mat4;
use kiss3d::prelude::{Pose3, Quat, Vec3};
use kiss3d::window::Canvas;
use serde_json::{Value, json};
use std::path::Path;
use visard::io::{Limit, open};

/// Orientation, place and size of what is shown, in units of its half-diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Degrees about the vertical axis; positive turns the subject's left side away.
    pub yaw: f64,
    /// Degrees of tilt; positive shows the crown.
    pub pitch: f64,
    /// Enlargement; 1 fits the picture.
    pub zoom: f64,
    /// The point turned about, in the subject's own (normalized) coordinates.
    pub pivot: [f64; 3],
    /// Where the pivot stands on the picture.
    pub offset: [f64; 2],
}

impl Default for Look {
    fn default() -> Self {
        Self { yaw: 0.0, pitch: 0.0, zoom: 1.0, pivot: [0.0; 3], offset: [0.0; 2] }
    }
}

/// Names of views and their yaw and pitch.
pub const VIEWS: [(&str, f64, f64); 4] =
    [("front", 0.0, 0.0), ("three-quarter", 40.0, 5.0), ("left", -88.0, 0.0), ("right", 88.0, 0.0)];

impl Look {
    /// A named view, or one from a file.
    ///
    /// # Errors
    /// [`ViewerError`]: neither a name nor a readable camera file.
    pub fn named(text: &str) -> Result<Self, ViewerError> {
        if let Some((_, yaw, pitch)) = VIEWS.iter().find(|v| v.0 == text) {
            return Ok(Self { yaw: *yaw, pitch: *pitch, ..Self::default() });
        }
        if !Path::new(text).exists() {
            let known = VIEWS.map(|v| v.0).join(", ");
            return Err(ViewerError::UnknownCamera { asked: text.to_owned(), known });
        }
        let file = open(Path::new(text), Limit::SMALL)?;
        Self::from_json(file.text()?).ok_or_else(|| ViewerError::NotACamera(text.to_owned()))
    }

    /// The look as a small JSON document.
    pub fn to_json(&self) -> String {
        let Self { yaw, pitch, zoom, pivot, offset } = self;
        let value = json!({"yaw": yaw, "pitch": pitch, "zoom": zoom, "pivot": pivot, "offset": offset});
        format!("{value:#}\n")
    }

    /// Reads what [`Look::to_json`] wrote; `None` where a number is missing or absurd.
    pub fn from_json(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let number = |v: &Value| v.as_f64().filter(|x| x.abs() < 1e6);
        let get = |name: &str| number(value.get(name)?);
        let list =
            |name: &str| -> Option<Vec<f64>> { value.get(name)?.as_array()?.iter().map(number).collect() };
        let look = Self {
            yaw: get("yaw")?,
            pitch: get("pitch")?,
            zoom: get("zoom")?,
            pivot: list("pivot")?.try_into().ok()?,
            offset: list("offset")?.try_into().ok()?,
        };
        (1e-3..=1e4).contains(&look.zoom).then_some(look)
    }

    /// The rotation: about the vertical first, then the tilt.
    pub fn rotation(&self) -> Quat {
        Quat::from_rotation_x(self.pitch.to_radians() as f32)
            * Quat::from_rotation_y(self.yaw.to_radians() as f32)
    }

    /// Where a point of the subject stands before the camera.
    pub fn place(&self, p: Vec3) -> Vec3 {
        self.rotation() * (p - self.pivot()) + self.shift()
    }

    /// The pivot.
    pub fn pivot(&self) -> Vec3 {
        Vec3::from_array(self.pivot.map(|c| c as f32))
    }

    /// The offset in the picture's plane.
    pub fn shift(&self) -> Vec3 {
        Vec3::new(self.offset[0] as f32, self.offset[1] as f32, 0.0)
    }

    /// Position and rotation of the scene.
    pub fn pose(&self) -> (Vec3, Quat) {
        (self.place(Vec3::ZERO), self.rotation())
    }

    /// Turns by a mouse movement of (dx, dy) pixels.
    pub fn turn(&mut self, dx: f64, dy: f64) {
        self.yaw = (self.yaw + 0.45 * dx + 180.0).rem_euclid(360.0) - 180.0;
        self.pitch = (self.pitch + 0.45 * dy).clamp(-90.0, 90.0);
    }

    /// Moves by (dx, dy) pixels on a picture of this height.
    pub fn shift_by(&mut self, dx: f64, dy: f64, height: f64) {
        let unit = 2.0 * HALF_HEIGHT / (self.zoom * height);
        self.offset[0] += dx * unit;
        self.offset[1] -= dy * unit;
    }

    /// Enlarges by a factor.
    pub fn enlarge(&mut self, factor: f64) {
        self.zoom = (self.zoom * factor).clamp(0.1, 200.0);
    }

    /// Makes a point of the subject the middle of the picture and of rotation.
    pub fn centre_on(&mut self, p: [f64; 3]) {
        self.pivot = p;
        self.offset = [0.0; 2];
    }
}

/// Half the picture's height at zoom 1, in half-diagonals of the subject.
pub const HALF_HEIGHT: f64 = 0.86;

/// Half the height that is seen, given zoom and width over height: in narrow pictures more, so that faces, which are higher
/// than wide, are seen whole.
pub fn half_height(zoom: f64, aspect: f64) -> f64 {
    HALF_HEIGHT / zoom * (0.9 / aspect).max(1.0)
}

/// A camera that stands still, far before the subject, and sees it in parallel projection.
#[derive(Debug, Clone, Copy)]
pub struct StillCamera {
    zoom: f32,
    aspect: f32,
}

impl StillCamera {
    /// A camera for a picture of this size.
    pub fn new(zoom: f64, width: u32, height: u32) -> Self {
        Self { zoom: zoom as f32, aspect: width as f32 / height.max(1) as f32 }
    }

    /// Half width and half height of what is seen.
    fn half(&self) -> [f32; 2] {
        let h = half_height(f64::from(self.zoom), f64::from(self.aspect)) as f32;
        [h * self.aspect, h]
    }

    fn projection(&self) -> Mat4 {
        let [w, h] = self.half();
        // Depth −DEPTH..DEPTH to 1..0, reversed z: near is small.
        Mat4::from_cols_array(&[
            1.0 / w,
            0.0,
            0.0,
            0.0, //
            0.0,
            1.0 / h,
            0.0,
            0.0, //
            0.0,
            0.0,
            -0.5 / DEPTH,
            0.0, //
            0.0,
            0.0,
            0.5 - EYE / (2.0 * DEPTH),
            1.0,
        ])
    }
}

const DEPTH: f32 = 20.0;
const EYE: f32 = 10.0;

impl Camera3d for StillCamera {
    fn handle_event(&mut self, _: &Canvas, event: &WindowEvent) {
        if let WindowEvent::FramebufferSize(w, h) = *event {
            self.aspect = w as f32 / h.max(1) as f32;
        }
    }
    fn eye(&self) -> Vec3 {
        Vec3::new(0.0, 0.0, EYE)
    }
    fn view_transform(&self) -> Pose3 {
        Pose3::from_translation(Vec3::new(0.0, 0.0, -EYE))
    }
    fn transformation(&self) -> Mat4 {
        self.projection() * self.view_transform().to_mat4()
    }
    fn inverse_transformation(&self) -> Mat4 {
        self.transformation().inverse()
    }
    fn clip_planes(&self) -> (f32, f32) {
        (EYE - DEPTH, EYE + DEPTH)
    }
    fn update(&mut self, _: &Canvas) {}
    fn view_transform_pair(&self, _: usize) -> (Pose3, Mat4) {
        (self.view_transform(), self.projection())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_survive_their_file_and_nonsense_is_refused() {
        let look = Look { yaw: 33.5, pitch: -4.0, zoom: 2.5, pivot: [0.1, 0.2, 0.3], offset: [-0.4, 0.0] };
        assert_eq!(Look::from_json(&look.to_json()), Some(look));
        for bad in
            ["", "{}", "[1]", &look.to_json().replace("2.5", "0"), &look.to_json().replace("0.3", "1e300")]
        {
            assert_eq!(Look::from_json(bad), None, "{bad}");
        }
        assert!(Look::named("sideways").unwrap_err().to_string().contains("three-quarter"));
        assert_eq!(Look::named("left").unwrap().yaw, -88.0);
    }

    #[test]
    fn turning_keeps_the_pivot_in_place() {
        let mut look = Look::default();
        look.centre_on([0.3, -0.2, 0.5]);
        look.shift_by(10.0, 20.0, 100.0);
        let before = look.place(look.pivot());
        look.turn(123.0, -45.0);
        assert!((look.place(look.pivot()) - before).length() < 1e-6);
        // From the left, the nose (z) points to the left of the picture.
        let left = Look::named("left").unwrap();
        assert!(left.place(Vec3::Z).x < -0.99);
    }

    #[test]
    fn the_camera_fits_the_subject_and_near_hides_far() {
        let camera = StillCamera::new(1.0, 200, 100);
        let see = |p: Vec3| camera.transformation().project_point3(p);
        let corner = see(Vec3::new(0.0, HALF_HEIGHT as f32, 0.0));
        assert!((corner.y - 1.0).abs() < 1e-5);
        assert!(see(Vec3::Z).z < see(Vec3::ZERO).z && see(Vec3::Z).z > 0.0 && see(-Vec3::Z).z < 1.0);
    }
}
