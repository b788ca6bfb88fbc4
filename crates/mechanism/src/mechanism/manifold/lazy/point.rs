//! Points of two-point homogeneous spaces as enclosures, and moves along geodesics from a point that is read exactly.
//!
//! A point is given by doubles y: y itself (ℝᵈ), y/‖y‖ (Sᵈ), (√(1 + ‖y‖²), y) (Hᵈ, spatial coordinates), the complex line of y ∈ ℂᵐ⁺¹
//! (ℂPᵐ, real and imaginary parts in turn). What is rounded has as many coordinates, on ℂPᵐ less one: the vector of unit length whose
//! first coordinate is real and positive.

use crate::manifold::TwoPointSpace;
use crate::numeric::enclosure::Interval;
use crate::numeric::enclosure::refine::FIRST;
use crate::privacy::noise::digits::Normal;
use nalgebra::Complex;
use rand::Rng;

/// A point, read exactly from doubles.
#[derive(Debug, Clone)]
pub(in crate::mechanism::manifold) struct Origin {
    space: TwoPointSpace,
    coordinates: Vec<f64>,
    /// To the bits that nearly always are enough.
    first: Option<Vec<Interval>>,
}

impl Origin {
    /// The point with these coordinates; `None` if they are not those of one.
    pub(in crate::mechanism::manifold) fn new(space: TwoPointSpace, coordinates: Vec<f64>) -> Option<Self> {
        let pointed = match space {
            TwoPointSpace::Euclidean { .. } | TwoPointSpace::Hyperbolic { .. } => true,
            TwoPointSpace::Sphere { .. } | TwoPointSpace::ComplexProjective { .. } => {
                coordinates.iter().any(|x| *x != 0.0)
            }
        };
        let usable =
            pointed && coordinates.len() == numbers(space) && coordinates.iter().all(|x| x.is_finite());
        let mut origin = Self { space, coordinates, first: None };
        origin.first = origin.enclosed(FIRST);
        usable.then_some(origin)
    }

    /// Numbers of another point as those of the representative nearest to this one: on ℂPᵐ turned, in doubles.
    pub(in crate::mechanism::manifold) fn aligned(&self, numbers: &[f64]) -> Vec<f64> {
        let TwoPointSpace::ComplexProjective { .. } = self.space else { return numbers.to_vec() };
        let complex = |x: &[f64]| -> Vec<Complex<f64>> {
            x.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect()
        };
        let (own, other) = (complex(&self.coordinates), complex(numbers));
        let along: Complex<f64> = own.iter().zip(&other).map(|(x, y)| x.conj() * y).sum();
        let back = along.conj() / along.norm().max(f64::MIN_POSITIVE);
        other.into_iter().map(|y| y * back).flat_map(|y| [y.re, y.im]).collect()
    }

    fn enclose(&self, bits: u32) -> Option<Vec<Interval>> {
        match &self.first {
            Some(first) if bits == FIRST => Some(first.clone()),
            _ => self.enclosed(bits),
        }
    }

    fn enclosed(&self, bits: u32) -> Option<Vec<Interval>> {
        let y = self.coordinates.iter().map(|y| Interval::of(*y, bits)).collect::<Option<Vec<_>>>()?;
        match self.space {
            TwoPointSpace::Euclidean { .. } | TwoPointSpace::Hyperbolic { .. } => Some(y),
            TwoPointSpace::Sphere { .. } | TwoPointSpace::ComplexProjective { .. } => normalized(&y, bits),
        }
    }

    /// How many normal deviates a direction is made of.
    pub(in crate::mechanism::manifold) fn deviates(&self) -> usize {
        numbers(self.space)
    }

    /// The coordinates, to be rounded, of the point at distance t in the direction of z; `None` until there are more bits.
    pub(in crate::mechanism::manifold) fn moved(
        &self,
        t: &Interval,
        z: &[Interval],
        bits: u32,
    ) -> Option<Vec<Interval>> {
        let x = self.enclose(bits)?;
        match self.space {
            TwoPointSpace::Euclidean { .. } => {
                let rate = t.over(&length(z, bits))?;
                Some(x.iter().zip(z).map(|(x, z)| x + &(&rate * z)).collect())
            }
            TwoPointSpace::Hyperbolic { .. } => boosted(&x, t, z, bits),
            TwoPointSpace::Sphere { .. } | TwoPointSpace::ComplexProjective { .. } => {
                let field = Field::of(self.space);
                let (sin, cos) = t.sin_cos();
                // u = (z − ⟨x, z⟩ x)/n with n² = ‖z‖² − |⟨x, z⟩|², so cos t x + sin t u = (cos t − a⟨x, z⟩) x + a z, a = sin t/n.
                let along = field.inner(&x, z, bits);
                let across = &sum_of_squares(z, bits) - &sum_of_squares(&along, bits);
                let rate = sin.over(&across.sqrt())?;
                let mut of_x = along.map(|a| -&(&rate * &a));
                of_x[0] = &of_x[0] + &cos;
                field.settled([of_x, [rate, Interval::whole(0, bits)]], [&x, z], bits)
            }
        }
    }

    /// The same on spheres and ℂPᵐ in the direction cos φ τ + sin φ w, τ the unit vector towards the point `to` and w the part of z across it.
    pub(in crate::mechanism::manifold) fn moved_towards(
        &self,
        to: &[f64],
        [t, phi]: [&Interval; 2],
        z: &[Interval],
        bits: u32,
    ) -> Option<Vec<Interval>> {
        let field = Field::of(self.space);
        let x = self.enclose(bits)?;
        let to = to.iter().map(|y| Interval::of(*y, bits)).collect::<Option<Vec<_>>>()?;
        let towards = normalized(&field.less_along(&x, &to, bits), bits)?;
        let tangent = field.less_along(&x, z, bits);
        // Real parts only: w is to be at right angles to τ in the real tangent space.
        let real = real_inner(&towards, &tangent, bits);
        let along = [-&real, Interval::whole(0, bits)];
        let across = normalized(&sum(&tangent, &field.times(&along, &towards)), bits)?;
        let turn = |angle: &Interval| {
            let (sin, cos) = angle.sin_cos();
            [cos, sin].map(|c| [c, Interval::whole(0, bits)])
        };
        let [cos, sin] = turn(phi);
        let direction = sum(&field.times(&cos, &towards), &field.times(&sin, &across));
        field.settled(turn(t), [&x, &direction], bits)
    }
}

/// How many doubles give a point.
fn numbers(space: TwoPointSpace) -> usize {
    match space {
        TwoPointSpace::Euclidean { dim } | TwoPointSpace::Hyperbolic { dim } => dim,
        TwoPointSpace::Sphere { dim } => dim + 1,
        TwoPointSpace::ComplexProjective { dim } => 2 * (dim + 1),
    }
}

/// z ↦ sinh t ω + x (cosh t + sinh t ⟨x, ω⟩/(1 + √(1 + ‖x‖²))), ω = z/‖z‖: the boost that carries the origin to x is an isometry.
fn boosted(x: &[Interval], t: &Interval, z: &[Interval], bits: u32) -> Option<Vec<Interval>> {
    let one = Interval::whole(1, bits);
    let (up, down) = (t.exp()?, (-t).exp()?);
    let (cosh, sinh) = ((&up + &down).times_power_of_two(-1), (&up - &down).times_power_of_two(-1));
    let rate = sinh.over(&length(z, bits))?;
    let time = (&one + &sum_of_squares(x, bits)).sqrt();
    let along = (&rate * &real_inner(x, z, bits)).over(&(&one + &time))?;
    let of_x = &cosh + &along;
    Some(x.iter().zip(z).map(|(x, z)| &(&rate * z) + &(&of_x * x)).collect())
}

/// Deviates as enclosures.
pub(in crate::mechanism::manifold) fn enclose_all<R: Rng + ?Sized>(
    z: &mut [Normal],
    bits: u32,
    rng: &mut R,
) -> Vec<Interval> {
    z.iter_mut().map(|z| z.enclose(bits, rng)).collect()
}

fn sum_of_squares(x: &[Interval], bits: u32) -> Interval {
    x.iter().fold(Interval::whole(0, bits), |sum, x| &sum + &x.square())
}

fn length(x: &[Interval], bits: u32) -> Interval {
    sum_of_squares(x, bits).sqrt()
}

fn real_inner(x: &[Interval], y: &[Interval], bits: u32) -> Interval {
    x.iter().zip(y).fold(Interval::whole(0, bits), |sum, (x, y)| &sum + &(x * y))
}

fn normalized(x: &[Interval], bits: u32) -> Option<Vec<Interval>> {
    let length = length(x, bits);
    x.iter().map(|x| x.over(&length)).collect()
}

fn sum(x: &[Interval], y: &[Interval]) -> Vec<Interval> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

/// Whether coordinates are real, or real and imaginary parts in turn.
#[derive(Clone, Copy)]
enum Field {
    Real,
    Complex,
}

impl Field {
    fn of(space: TwoPointSpace) -> Self {
        if matches!(space, TwoPointSpace::ComplexProjective { .. }) { Self::Complex } else { Self::Real }
    }

    /// x*z, real and imaginary part.
    fn inner(self, x: &[Interval], z: &[Interval], bits: u32) -> [Interval; 2] {
        let real = real_inner(x, z, bits);
        let zero = Interval::whole(0, bits);
        match self {
            Self::Real => [real, zero],
            Self::Complex => {
                let pairs = x.chunks_exact(2).zip(z.chunks_exact(2));
                let imaginary = pairs.fold(zero, |sum, (x, z)| &(&sum + &(&x[0] * &z[1])) - &(&x[1] * &z[0]));
                [real, imaginary]
            }
        }
    }

    /// c x.
    fn times(self, c: &[Interval; 2], x: &[Interval]) -> Vec<Interval> {
        match self {
            Self::Real => x.iter().map(|x| &c[0] * x).collect(),
            Self::Complex => {
                let product = |x: &[Interval]| {
                    [&(&c[0] * &x[0]) - &(&c[1] * &x[1]), &(&c[0] * &x[1]) + &(&c[1] * &x[0])]
                };
                x.chunks_exact(2).flat_map(product).collect()
            }
        }
    }

    /// z less its part along the unit vector x.
    fn less_along(self, x: &[Interval], z: &[Interval], bits: u32) -> Vec<Interval> {
        let along = self.inner(x, z, bits).map(|a| -&a);
        sum(z, &self.times(&along, x))
    }

    /// What is rounded of a₀ v₀ + a₁ v₁: on ℂPᵐ the vector turned until its first coordinate, x, is |x|, whose imaginary part is then 0 and
    /// left out.
    fn settled(self, a: [[Interval; 2]; 2], v: [&[Interval]; 2], bits: u32) -> Option<Vec<Interval>> {
        let combined = |a: &[[Interval; 2]; 2], v: [&[Interval]; 2]| {
            sum(&self.times(&a[0], v[0]), &self.times(&a[1], v[1]))
        };
        if let Self::Real = self {
            return Some(combined(&a, v));
        }
        let first = combined(&a, [v[0].get(..2)?, v[1].get(..2)?]);
        let size = length(&first, bits);
        let back = [first.first()?.over(&size)?, -&first.get(1)?.over(&size)?];
        let turned = a.map(|a| {
            let product = self.times(&back, &a);
            [product[0].clone(), product[1].clone()]
        });
        let mut settled = vec![size];
        settled.extend(combined(&turned, [v[0].get(2..)?, v[1].get(2..)?]));
        Some(settled)
    }
}
