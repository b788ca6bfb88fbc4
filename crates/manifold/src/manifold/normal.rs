//! Standard normal numbers in bulk.

use rand::Rng;
use std::sync::LazyLock;

/// Layers of the ziggurat.
const LAYERS: usize = 256;
/// The right end of the lowest layer, for which 256 layers of equal area fit under exp(−x²/2) (Doornik 2005).
const R: f64 = 3.654_152_885_361_009;
/// Random words drawn at a time.
const CHUNK: usize = 128;

/// The layers: layer i spans |x| < x[i], of which |x| < x[i + 1] lies wholly under the curve; height f(x[i]).
struct Ziggurat {
    /// x[i]·2⁻⁵² beside x[i + 1]: what the fast path reads.
    fast: [(f64, f64); LAYERS],
    x: [f64; LAYERS + 1],
    height: [f64; LAYERS + 1],
}

static ZIGGURAT: LazyLock<Box<Ziggurat>> = LazyLock::new(|| Box::new(Ziggurat::new()));

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp()
}

impl Ziggurat {
    fn new() -> Self {
        let tail = (0.5 * std::f64::consts::PI).sqrt() * libm::erfc(R / std::f64::consts::SQRT_2);
        let area = R * density(R) + tail;
        let mut x = [0.0; LAYERS + 1];
        // The lowest layer with its tail, as a rectangle of the same area.
        x[0] = area / density(R);
        x[1] = R;
        for i in 2..LAYERS {
            x[i] = (-2.0 * (area / x[i - 1] + density(x[i - 1])).ln()).sqrt();
        }
        let scale = 2f64.powi(-52);
        Self {
            fast: std::array::from_fn(|i| (x[i] * scale, x[i + 1])),
            x,
            height: std::array::from_fn(|i| density(x[i])),
        }
    }

    /// Decides the draw x of layer `layer` that the fast path left open.
    #[cold]
    fn finish<G: Rng + ?Sized>(&self, mut x: f64, mut layer: usize, rng: &mut G) -> f64 {
        loop {
            if layer == 0 {
                return tail(rng).copysign(x);
            }
            let (low, high) = (self.height[layer], self.height[layer + 1]);
            if low + uniform(rng) * (high - low) < density(x) {
                return x;
            }
            (x, layer) = self.candidate(rng.next_u64());
            if x.abs() < self.x[layer + 1] {
                return x;
            }
        }
    }

    /// A layer from the low 8 bits, and a symmetric uniform x in it from the high 53.
    #[inline(always)]
    fn candidate(&self, bits: u64) -> (f64, usize) {
        let layer = (bits & 0xff) as usize;
        // Half-integers: never 0, and as often −x as x.
        (((bits as i64 >> 11) as f64 + 0.5) * self.fast[layer].0, layer)
    }
}

/// Beyond R (Marsaglia 1964).
fn tail<G: Rng + ?Sized>(rng: &mut G) -> f64 {
    loop {
        let a = -uniform(rng).ln() / R;
        if -2.0 * uniform(rng).ln() >= a * a {
            return R + a;
        }
    }
}

/// Uniform on (0, 1).
fn uniform<G: Rng + ?Sized>(rng: &mut G) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * 2f64.powi(-53)
}

/// Fills `out` with independent standard normal numbers: the ziggurat of Marsaglia and Tsang (2000) with 256 layers and
/// separate bits for layer and position (Doornik 2005), exact up to the rounding of a 53-bit uniform number. It takes the
/// random words in blocks, which is twice as fast as one at a time.
pub fn fill_standard_normal<G: Rng + ?Sized>(rng: &mut G, out: &mut [f64]) {
    let ziggurat: &Ziggurat = &ZIGGURAT;
    let mut bytes = [0_u8; 8 * CHUNK];
    for chunk in out.chunks_mut(CHUNK) {
        let bytes = &mut bytes[..8 * chunk.len()];
        rng.fill_bytes(bytes);
        for (out, word) in chunk.iter_mut().zip(bytes.as_chunks::<8>().0) {
            let (x, layer) = ziggurat.candidate(u64::from_le_bytes(*word));
            *out = if x.abs() < ziggurat.fast[layer].1 { x } else { ziggurat.finish(x, layer, rng) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn the_layers_have_equal_area_and_close_at_the_top() {
        let z = Ziggurat::new();
        let area = z.x[0] * density(R);
        for i in 1..LAYERS - 1 {
            let layer = z.x[i] * (z.height[i + 1] - z.height[i]);
            assert!((layer / area - 1.0).abs() < 1e-11, "{i}");
        }
        let top = z.x[LAYERS - 1] * (1.0 - z.height[LAYERS - 1]);
        assert!((top / area - 1.0).abs() < 1e-9, "{}", top / area);
    }

    /// Chi-square over 200 bins of equal probability, and the tail beyond R, four million draws. The bounds are crossed
    /// with probability below 1e-6 each by a correct generator.
    #[test]
    fn draws_are_standard_normal() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        let n = 4_000_000_usize;
        let mut draws = vec![0.0; n];
        fill_standard_normal(&mut rng, &mut draws);
        let cdf = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        let mut bins = [0_u32; 200];
        let (mut far, mut negative) = (0_u32, 0_u32);
        for x in &draws {
            bins[((cdf(*x) * 200.0) as usize).min(199)] += 1;
            far += u32::from(x.abs() > R);
            negative += u32::from(*x < 0.0);
        }
        let expected = n as f64 / 200.0;
        let chi_square: f64 = bins.iter().map(|b| (f64::from(*b) - expected).powi(2) / expected).sum();
        // χ² with 199 degrees of freedom: mean 199, deviation 20; Wilson–Hilferty at 1e-6.
        assert!(chi_square < 308.0 && chi_square > 115.0, "{chi_square}");
        let p = 2.0 * cdf(-R);
        assert!((f64::from(far) - n as f64 * p).abs() < 4.9 * (n as f64 * p).sqrt(), "{far}");
        assert!((f64::from(negative) - n as f64 / 2.0).abs() < 4.9 * (n as f64).sqrt() / 2.0);
        let lag: f64 = draws.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / (n as f64).sqrt();
        assert!(lag.abs() < 4.9, "{lag}");
        let fourth: f64 = draws.iter().map(|x| x.powi(4) - 3.0).sum::<f64>() / (96.0 * n as f64).sqrt();
        assert!(fourth.abs() < 5.5, "{fourth}");
    }
}
