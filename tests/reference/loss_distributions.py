"""Epsilon of K Gaussian steps on random batches, one record replaced, by another way than the crate's. Needs numpy and scipy.

    cd tests/reference
    python3 loss_distributions.py > loss_distributions.csv        (a minute)

Not a bound, an estimate: the loss's distribution function is differenced on a grid (its inverse by bisection on the loss itself), each cell's
mass goes to its two ends so that the mean stays, powers by an untilted transform in doubles, and epsilon by the sum
E(1 - e^(eps - L))+ as it stands. On half the grid the values change by less than 3e-6 of themselves (printed to stderr).

The pairs: Poisson (1-q)N(0,1) + qN(m,1) against (1-q)N(0,1) + qN(-m,1), m = 1/z; fixed size: for L > 0 the loss of (1-q)N(0,1) + qN(d,1)
against N(0,1), d = 2/z, mirrored, the rest at 0 (Balle, Barthe and Gaboardi 2018, Theorem 11).

The rows without sampling are the exact Gaussian curve; those of dp-accounting 0.6.0, `from_gaussian_mechanism(z/2).self_compose(K)`, agree.
"""

import sys

import numpy as np
from scipy import optimize, stats

SIZE = 1 << 22


def poisson(q, z):
    m = 1 / z
    def loss(s):
        up, down = m * s - m * m / 2, -m * s - m * m / 2
        return np.log1p(q * np.expm1(up)) - np.log1p(q * np.expm1(down))
    above = lambda s: (1 - q) * stats.norm.sf(s) + q * stats.norm.sf(s - m)
    mirrored = lambda s: (1 - q) * stats.norm.sf(s) + q * stats.norm.sf(s + m)
    return loss, above, mirrored


def subset(q, z):
    d = 2 / z
    loss = lambda s: np.log1p(q * np.expm1(d * s))
    above = lambda s: (1 - q) * stats.norm.sf(s + d / 2) + q * stats.norm.sf(s - d / 2)
    return loss, above, lambda s: stats.norm.sf(s + d / 2)


def inverse(loss, values):
    low, high = np.zeros_like(values), np.full_like(values, 60.0)
    for _ in range(70):
        middle = (low + high) / 2
        over = loss(middle) > values
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return (low + high) / 2


def law(pair, h):
    """Masses at multiples of h by index modulo SIZE."""
    loss, above, mirrored = pair
    # Losses that matter: up to s = 12.
    edges = np.arange(0, int(np.ceil(loss(12.0) / h)) + 2) * h
    s = inverse(loss, edges)
    p = -np.diff(above(s))
    q = -np.diff(mirrored(s))
    masses = np.zeros(SIZE)
    # The middle of a cell stands for it, shared between its ends: the mean of L is kept to second order.
    k = np.arange(len(p))
    for mass, sign in ((p, 1), (q, -1)):
        np.add.at(masses, (sign * k) % SIZE, mass / 2)
        np.add.at(masses, (sign * (k + 1)) % SIZE, mass / 2)
    masses[0] += 1 - masses.sum()
    return masses


def epsilon(pair, times, delta, h):
    composed = np.fft.irfft(np.fft.rfft(law(pair, h)) ** times, SIZE)
    losses = np.fft.fftfreq(SIZE, 1 / SIZE) * h
    use = losses > 0
    losses, composed = losses[use], composed[use]
    def excess(eps):
        far = losses > eps
        return (composed[far] * -np.expm1(eps - losses[far])).sum() - delta
    return optimize.brentq(excess, 1e-9, losses.max(), xtol=1e-12)


def of_one(pair, delta):
    """P(L > eps) - e^eps Q(L > eps), no grid at all."""
    loss, above, mirrored = pair
    def excess(eps):
        s = inverse(loss, np.array([eps]))[0]
        return above(s) - np.exp(eps) * mirrored(s) - delta
    return optimize.brentq(excess, 1e-9, 50, xtol=1e-13)


def main():
    print("batches,rate,multiplier,times,delta,epsilon")
    cases = [(0.01, 0.8, 1000, 1e-5), (0.01, 2.0, 1000, 1e-6), (0.1, 4.0, 100, 1e-6), (0.001, 0.6, 10000, 1e-6),
             (0.3, 6.0, 50, 1e-9), (0.5, 2.0, 1, 1e-5), (0.02, 1.0, 1, 1e-6), (0.064, 8.0, 500, 1e-6), (1.0, 20.0, 100, 1e-5)]
    for name, make in (("poisson", poisson), ("subset", subset)):
        for q, z, times, delta in cases:
            pair = make(q, z) if q < 1 else subset(q, z)
            if times == 1:
                print(f"{name},{q},{z},1,{delta:g},{of_one(pair, delta):.9f}")
                continue
            # A window of 2 * reach.
            rough = epsilon(pair, times, delta, 40 / SIZE * 2)
            h = max(2.5, 2.5 * rough) * 2 / SIZE
            value, other = epsilon(pair, times, delta, h), epsilon(pair, times, delta, h / 1.25)
            print(f"{name} {q} {z} {times}: {value / other - 1:.1e}", file=sys.stderr)
            print(f"{name},{q},{z},{times},{delta:g},{value:.9f}")


main()
