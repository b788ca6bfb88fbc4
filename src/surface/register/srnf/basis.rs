//! Vector fields on the unit disk that are tangential to its circle: velocities of diffeomorphisms D → D.
//!
//! Gradients of the Laplacian's Neumann eigenfunctions and rotated gradients of its Dirichlet eigenfunctions are
//! together complete among such fields (Helmholtz), ordered by frequency. Both are J_m(αr) cos mθ and J_m(αr) sin mθ
//! with α a zero of J_m′ (Neumann) or of J_m (Dirichlet). The three velocities of Möbius maps come first.

use nalgebra::Complex;

/// A velocity field sampled at given places of the disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// √(eigenvalue): the radial frequency α (0 for Möbius fields). Higher is rougher.
    pub frequency: f64,
    /// The velocities, scaled to mean square 1 over the places.
    pub values: Vec<Complex<f64>>,
}

/// All fields of frequency at most `highest`, sampled at `places`, smoothest first.
pub fn tangential_fields(places: &[Complex<f64>], highest: f64) -> Vec<Field> {
    let i = Complex::i();
    let mut out: Vec<Field> = [i * 0.0 + 1.0, i]
        .iter()
        .map(|&a| field(0.0, places.iter().map(|&z| a - a.conj() * z * z)))
        .chain([field(0.0, places.iter().map(|&z| i * z))])
        .collect();
    for m in 0.. {
        let neumann = zeros(|x| bessel_derivative(m, x), highest);
        let dirichlet = zeros(|x| bessel(m, x), highest);
        // J_m′ has the lowest zeros: when none is left, no higher order has any (α′_{m,1} ≥ m).
        if neumann.is_empty() && m > 0 {
            break;
        }
        let phases = if m == 0 { &[0.0][..] } else { &[0.0, std::f64::consts::FRAC_PI_2] };
        for (alphas, turn) in [(&neumann, Complex::new(1.0, 0.0)), (&dirichlet, i)] {
            for (&alpha, &phase) in alphas.iter().flat_map(|a| phases.iter().map(move |p| (a, p))) {
                out.push(field(alpha, places.iter().map(|&z| turn * gradient(m, alpha, phase, z))));
            }
        }
    }
    // A stable sort: fields of one frequency keep their order, so the basis is the same everywhere.
    out.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    out
}

fn field(frequency: f64, values: impl Iterator<Item = Complex<f64>>) -> Field {
    let values: Vec<Complex<f64>> = values.collect();
    let mean_square = values.iter().map(Complex::norm_sqr).sum::<f64>() / values.len().max(1) as f64;
    let scale = if mean_square > 0.0 { 1.0 / mean_square.sqrt() } else { 0.0 };
    Field { frequency, values: values.iter().map(|v| v * scale).collect() }
}

/// ∇(J_m(αr) cos(mθ − phase)) as a complex number.
fn gradient(m: i32, alpha: f64, phase: f64, z: Complex<f64>) -> Complex<f64> {
    let (r, theta) = z.to_polar();
    let (sin, cos) = (m as f64 * theta - phase).sin_cos();
    let radial = alpha * bessel_derivative(m, alpha * r) * cos;
    // m J_m(αr)/r = α (J_{m−1} + J_{m+1})/2, which has no trouble at r = 0.
    let angular = match m {
        0 => 0.0,
        _ => -0.5 * alpha * (bessel(m - 1, alpha * r) + bessel(m + 1, alpha * r)) * sin,
    };
    Complex::from_polar(1.0, theta) * Complex::new(radial, angular)
}

fn bessel(m: i32, x: f64) -> f64 {
    libm::jn(m, x)
}

fn bessel_derivative(m: i32, x: f64) -> f64 {
    if m == 0 { -bessel(1, x) } else { 0.5 * (bessel(m - 1, x) - bessel(m + 1, x)) }
}

/// The zeros of `f` in (0, highest], which must be further apart than 0.1 (those of Bessel functions are
/// about π apart), by bisection.
fn zeros(f: impl Fn(f64) -> f64, highest: f64) -> Vec<f64> {
    let step = 0.1;
    let count = (highest / step).ceil().max(0.0) as usize;
    let mut out = Vec::new();
    for k in 0..count {
        let (mut a, mut b) = ((k as f64 + 0.5) * step, (k as f64 + 1.5) * step);
        let sign = f(a).signum();
        if sign == f(b).signum() {
            continue;
        }
        loop {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b {
                break;
            }
            if f(middle).signum() == sign { a = middle } else { b = middle }
        }
        out.extend((b <= highest).then_some(0.5 * (a + b)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn zeros_match_the_tables() {
        // Abramowitz & Stegun, table 9.5.
        let tables = [2.404825557695773, 5.520078110286311, 8.653727912911013];
        assert_relative_eq!(zeros(|x| bessel(0, x), 9.0)[..], tables, epsilon = 1e-14);
        assert_relative_eq!(
            zeros(|x| bessel_derivative(1, x), 6.0)[..],
            [1.841183781340659, 5.331442773525033]
        );
        assert_relative_eq!(zeros(|x| bessel_derivative(0, x), 4.0)[..], [3.831705970207512]);
    }

    #[test]
    fn fields_are_tangential_to_the_circle_and_smooth_at_the_centre() {
        let rim: Vec<Complex<f64>> = (0..50).map(|k| Complex::from_polar(1.0, 0.13 * k as f64)).collect();
        // Places inside too: some fields vanish on the rim, and would be scaled up to rounding noise there.
        let inner = rim.iter().map(|z| z * 0.6);
        let fields = tangential_fields(&rim.iter().copied().chain(inner).collect::<Vec<_>>(), 9.0);
        assert!(fields.len() > 40);
        assert!(fields.windows(2).all(|w| w[0].frequency <= w[1].frequency));
        for f in &fields {
            for (z, v) in rim.iter().zip(&f.values) {
                assert!((v * z.conj()).re.abs() < 1e-9, "frequency {}", f.frequency);
            }
        }
        for m in 0..5 {
            let at = |z| gradient(m, 4.2, 0.3, z);
            let near = at(Complex::new(1e-7, 2e-7));
            assert!((near - at(Complex::new(0.0, 0.0))).norm() < 1e-5, "order {m}: {near}");
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        let psi = |m: i32, z: Complex<f64>| bessel(m, 5.1 * z.norm()) * (m as f64 * z.arg() - 0.4).cos();
        let (z, h) = (Complex::new(0.31, -0.52), 1e-6);
        for m in 0..6 {
            let d = |e: Complex<f64>| (psi(m, z + e * h) - psi(m, z - e * h)) / (2.0 * h);
            let numeric = Complex::new(d(Complex::new(1.0, 0.0)), d(Complex::i()));
            assert!((gradient(m, 5.1, 0.4, z) - numeric).norm() < 1e-8);
        }
    }
}
