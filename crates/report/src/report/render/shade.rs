//! How what is seen is lit: sky, a key light with soft shadows, a weak fill, hollows that see less of the sky.
//!
//! In single precision: a picture has 256 steps.

use super::probes::{MARCH, Places, Probes, SPIRAL, subpixel};
use super::scene::{NOTHING, SUPERSAMPLING, Scene};
use crate::mesh::Vector;

/// A nearly white ground.
const BACKGROUND: f32 = 0.97;
/// The exponent of a picture's values.
const GAMMA: f64 = 2.2;

/// Large pixels in one.
const COUNT: usize = SUPERSAMPLING * SUPERSAMPLING;

/// A scene with what its neighbourhood does to the light at every pixel.
pub(super) struct Shading<'a> {
    scene: &'a Scene<'a>,
    owner: Vec<u32>,
    /// With a margin as wide as probes reach, where nothing is seen.
    depth: Vec<f32>,
    /// Columns of `depth` in a row, and of its margin on the left; rows above.
    stride: usize,
    margin: [usize; 2],
    probes: Probes,
    lights: Lights,
    tones: Tones,
}

/// Directions of the lights: x to the right, y up, z towards the viewer.
struct Lights {
    key: Vector,
    fill: Vector,
    /// Halfway from the key light to the viewer.
    half: Vector,
}

/// Powers by table.
struct Tones {
    /// Of a value in [0, 1]: the light that it stands for.
    light: Vec<f32>,
    /// Of the square root of a light in [0, 1], which bends less: its value.
    value: Vec<f32>,
}

impl Tones {
    const STEPS: usize = 1024;

    fn new() -> Self {
        let table = |power: f64| -> Vec<f32> {
            (0..=Self::STEPS + 1).map(|k| (k as f64 / Self::STEPS as f64).powf(power) as f32).collect()
        };
        Self { light: table(GAMMA), value: table(2.0 / GAMMA) }
    }

    /// Between two steps of a table.
    #[inline]
    fn of(table: &[f32], x: f32) -> f32 {
        let at = x.clamp(0.0, 1.0) * Self::STEPS as f32;
        let k = at as usize;
        table[k] + (at - k as f32) * (table[k + 1] - table[k])
    }

    #[inline]
    fn light(&self, value: f64) -> f32 {
        Self::of(&self.light, value as f32)
    }

    #[inline]
    fn value(&self, light: f32) -> f32 {
        Self::of(&self.value, light.max(0.0).sqrt())
    }
}

impl<'a> Shading<'a> {
    pub fn new(scene: &'a Scene<'a>) -> Self {
        let key = Vector::new(-0.48, 0.58, 0.66).normalize();
        let lights = Lights {
            key,
            fill: Vector::new(0.75, 0.05, 0.42).normalize(),
            half: (key + Vector::z()).normalize(),
        };
        let [width, height] = scene.size;
        let mut probes = Probes::new(width.min(height), &key);
        let [left, top, right, bottom] = probes.reaches();
        let stride = left + width + right;
        probes.lay_out(stride);
        let seen = scene.seen();
        let mut depth = vec![f32::NEG_INFINITY; stride * (top + height + bottom)];
        for (y, row) in seen.depth.chunks_exact(width.max(1)).enumerate() {
            depth[(top + y) * stride + left..][..width].copy_from_slice(row);
        }
        Self {
            scene,
            owner: seen.owner,
            depth,
            stride,
            margin: [left, top],
            probes,
            lights,
            tones: Tones::new(),
        }
    }

    /// A pixel of the picture: the mean of its large ones. A triangle is lit once there, by what its large pixels see of the lights on average.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let places: [[usize; 2]; COUNT] = std::array::from_fn(|k| {
            [x * SUPERSAMPLING + k % SUPERSAMPLING, y * SUPERSAMPLING + k / SUPERSAMPLING]
        });
        let owners = places.map(|[x, y]| self.owner[y * self.scene.size[0] + x]);
        if owners == [NOTHING; COUNT] {
            return [(255.0 * BACKGROUND + 0.5) as u8; 3];
        }
        let mut sum = [0.0_f32; 3];
        for (k, owner) in owners.iter().enumerate() {
            if owners[..k].contains(owner) {
                continue;
            }
            let (mut own, mut count) = (places, 0);
            for (place, other) in places.iter().zip(&owners) {
                if other == owner {
                    own[count] = *place;
                    count += 1;
                }
            }
            let colour = self.shade(*owner, &own[..count]).unwrap_or([BACKGROUND; 3]);
            let count = count as f32;
            for k in 0..3 {
                sum[k] += count * colour[k];
            }
        }
        sum.map(|s| (255.0 / COUNT as f32 * s + 0.5) as u8)
    }

    /// Sky, key light from the upper left, fill from the right, a little sheen; linear light, sRGB out. `None` where nothing is seen.
    fn shade(&self, owner: u32, places: &[[usize; 2]]) -> Option<[f32; 3]> {
        if owner == NOTHING {
            return None;
        }
        let (n, base) = self.scene.surface(owner, places)?;
        let facing = n.z >= 0.0;
        let n = if facing { n } else { -n };
        let Lights { key, fill, half } = &self.lights;
        // Skin scatters light past the edge of its own shade: the cosine wraps a little beyond a right angle.
        let wrapped = ((n.dot(key) as f32 + 0.12) / 1.12).max(0.0);
        let lit = facing && wrapped > 0.0;
        let (mut hidden, mut arriving) = (0.0, 0.0);
        for &[x, y] in places {
            let at = (self.margin[1] + y) * self.stride + self.margin[0] + x;
            hidden += self.occlusion(at, subpixel(x, y), &n);
            arriving += if lit { self.light_arriving(at, subpixel(x, y)) } else { 1.0 };
        }
        let count = places.len() as f32;
        let (open, arriving) = ((1.0 - hidden / count).max(0.0), arriving / count);
        let sky = 0.20 + 0.10 * n.y as f32;
        let fill_light = 0.17 * (n.dot(fill) as f32).max(0.0);
        let diffuse = open * (sky + fill_light) + (0.4 + 0.6 * open) * arriving * 0.80 * wrapped;
        let sheen = 0.07 * arriving * open * (n.dot(half) as f32).max(0.0).powi(24);
        let side = if facing { 1.0 } else { 0.45 };
        // What bounces in hollows takes the surface's own colour: red light dies less than blue.
        let glow = [0.030, 0.012, 0.006].map(|c| c * (1.0 - open.min(1.0)) * 1.5);
        Some(std::array::from_fn(|k| {
            let light = self.tones.light(base[k]) * diffuse + sheen + glow[k] * base[k] as f32;
            self.tones.value(side * light)
        }))
    }

    /// Fraction of the sky that the neighbourhood hides, from 0 (open) to about 1 (a deep pit).
    ///
    /// Samples on a spiral in the screen, each weighted by the cosine at the normal and a falloff with distance.
    /// The four subpixels of a pixel turn the spiral differently.
    fn occlusion(&self, at: usize, subpixel: usize, n: &Vector) -> f32 {
        let n = [n.x as f32, n.y as f32, n.z as f32];
        let z = self.depth[at];
        let Places { right, down, offset, .. } = &self.probes.spirals[subpixel];
        let mut hidden = [0.0; SPIRAL];
        for k in 0..SPIRAL {
            hidden[k] = self.depth[at.wrapping_add_signed(offset[k])] - z;
        }
        for k in 0..SPIRAL {
            let (x, y, rise) = (right[k], down[k], hidden[k]);
            let square = (x * x + y * y + rise * rise).max(1e-18);
            // Where nothing is seen this is no number, and nothing is hidden.
            let over = (x * n[0] - y * n[1] + rise * n[2]) / square.sqrt() - 0.04;
            let share = over / (1.0 + square * self.probes.per_square_reach);
            hidden[k] = if over > 0.0 { share } else { 0.0 };
        }
        2.6 * hidden.iter().sum::<f32>() / SPIRAL as f32
    }

    /// How much of the key light arrives: marches towards it and measures by how wide an angle the surface
    /// rises over the way, so that edges of shadows are soft.
    fn light_arriving(&self, at: usize, subpixel: usize) -> f32 {
        const SOFTNESS: f32 = 0.16;
        // Facets of a smooth surface must not shade one another.
        let z = self.depth[at] + self.probes.facet;
        let Places { per_away, offset, .. } = &self.probes.marches[subpixel];
        let mut steepest = f32::NEG_INFINITY;
        for k in 0..MARCH {
            let slope = (self.depth[at.wrapping_add_signed(offset[k])] - z) * per_away[k];
            steepest = if slope > steepest { slope } else { steepest };
        }
        let rise = steepest - self.lights.key.z as f32;
        let open = (0.5 - 0.5 * rise / SOFTNESS).clamp(0.0, 1.0);
        open * open * (3.0 - 2.0 * open)
    }
}
