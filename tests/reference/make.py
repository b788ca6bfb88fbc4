"""Reference values for the unit tests, by arithmetic of 40 to 80 digits, from the definitions. Needs mpmath.

    cd tests/reference
    python3 make.py gdp > ../../crates/privacy/src/privacy/gaussian/reference.rs
    python3 make.py sigma > analytic_gaussian_sigma.csv
    python3 make.py rsvrg > rsvrg_accounting.csv
    python3 make.py riemannian > riemannian_gaussian_mu.csv        (two minutes)
    python3 make.py means > means.csv

gdp: delta(eps; mu) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), evaluated as it stands with enough digits that the
cancellation does not matter; inversions by bisection on its logarithm. Inputs are doubles, taken exactly.

sigma: the smallest noise scale of the Gaussian mechanism with sensitivity 1 is 1/mu for the largest mu within (eps, delta); beside it
sqrt(2 ln(1.25/delta))/eps, the classical formula.

rsvrg: epsilon of noisy SVRG under the subsampled bound of Wang, Balle and Kasiviswanathan 2019, Theorem 9, and the conversion of
Balle et al. 2020, Theorem 21, at the best integer order.

riemannian: mu at eps = 0 of the Riemannian Gaussian, from the share of its mass that lies nearer to the other centre. The share of each
geodesic sphere is elementary (below); one integral on spheres and hyperbolic spaces, two on complex projective ones.

means: means of made-up points, and their distances to them. The points are made of small integers by a congruential generator, so
that tests/manifold_data.rs has exactly the same.
"""

import sys

import mpmath as m

m.mp.dps = 80


def upper(x):
    return m.erfc(m.mpf(x) / m.sqrt(2)) / 2


def delta(mu, eps):
    mu, eps = m.mpf(mu), m.mpf(eps)
    if eps == 0:
        return m.erf(mu / 2 / m.sqrt(2))
    m.mp.dps = 80 + int(eps / m.log(10) if eps < 1e4 else 0)
    # For large arguments erfc keeps relative accuracy; only the difference cancels, by about mu^2 / a^2 at worst.
    value = upper(eps / mu - mu / 2) - m.exp(eps) * upper(eps / mu + mu / 2)
    m.mp.dps = 80
    return +value


def bisect(f, low, high):
    """The zero of an increasing f, to 25 digits."""
    low, high = m.mpf(low), m.mpf(high)
    for _ in range(400):
        mid = (low + high) / 2
        if f(mid) > 0:
            high = mid
        else:
            low = mid
        if high - low < abs(high) * m.mpf(10) ** -25:
            break
    return (low + high) / 2


def epsilon(mu, d):
    d = m.mpf(d)
    if delta(mu, 0) <= d:
        return m.mpf(0)
    top = m.mpf(mu) ** 2 / 2 + m.mpf(mu) * m.sqrt(-2 * m.log(d))
    return bisect(lambda e: m.log(d) - m.log(delta(mu, e)), 0, top)


def within(eps, d):
    eps, d = m.mpf(eps), m.mpf(d)
    low = max(d, 2 * eps / (2 * m.sqrt(-2 * m.log(d)) + m.sqrt(2 * eps)) / 2)
    assert delta(low, eps) < d
    high = 2 * low
    while delta(high, eps) < d:
        high *= 2
    return bisect(lambda u: m.log(delta(u, eps)) - m.log(d), high / 2, high)


def of_pure(eps):
    target = 1 / (1 + m.exp(m.mpf(eps)))
    return 2 * bisect(lambda x: m.log(target) - m.log(upper(x)), 0, m.sqrt(2 * m.log(1 / target)) + 1)


def show(x):
    # Through decimals: float() of an mpf rounds down in some versions of mpmath.
    return repr(float(m.nstr(x, 40)))


def table(name, doc, rows):
    print(f"/// {doc}")
    width = len(rows[0])
    print(f"pub(super) const {name}: [({', '.join(['f64'] * width)}); {len(rows)}] = [")
    for row in rows:
        print("    (" + ", ".join(x if isinstance(x, str) else repr(float(x)) for x in row) + "),")
    print("];\n")


def gdp():
    print("//! Made by `python3 tests/reference/make.py gdp` (mpmath, 80 digits). Not edited by hand.\n")
    mus = [1e-6, 1e-4, 0.03, 0.7, 1.9999, 2.0001, 7.0, 60.0, 1000.0]
    # a = eps/mu - mu/2, so these reach from the centre to delta = 1e-300.
    rows = []
    for mu in mus:
        for a in [-3.0, -0.2, 0.0, 0.4, 2.0, 8.0, 20.0, 36.9]:
            eps = mu * (a + mu / 2)
            if eps >= 0:
                rows.append((mu, eps, show(m.log(delta(mu, eps)))))
        rows.append((mu, 0.0, show(m.log(delta(mu, 0)))))
    table("LN_DELTA", "(mu, epsilon, ln delta)", rows)
    rows = []
    for mu in mus:
        for d in [1e-300, 1e-100, 1e-12, 1e-6, 1e-3, 0.3]:
            e = epsilon(mu, d)
            if e > 0:
                rows.append((mu, d, show(e)))
    table("EPSILON", "(mu, delta, epsilon)", rows)
    rows = []
    for e in [0.0, 1e-6, 1e-3, 0.5, 1.0, 8.0, 100.0, 1e5]:
        for d in [1e-300, 1e-50, 1e-9, 1e-5, 0.1, 0.9]:
            rows.append((e, d, show(within(e, d))))
    table("WITHIN", "(epsilon, delta, largest mu)", rows)
    table("OF_PURE", "(epsilon, mu)", [(e, show(of_pure(e))) for e in [1e-9, 1e-6, 1e-3, 0.5, 0.999, 1.001, 3.0, 40.0, 700.0, 1e5]])


def digits(x):
    return m.nstr(x, 20)


def sigma():
    print("eps,delta,sigma,classical")
    for e in [0.003, 0.07, 0.25, 0.9, 1.5, 4.0, 12.0, 60.0]:
        for d in [1e-14, 1e-8, 3e-6, 1e-4, 0.02]:
            print(f"{e!r},{d!r},{digits(1 / within(e, d))},{digits(m.sqrt(2 * m.log(m.mpf(1.25) / m.mpf(d))) / m.mpf(e))}")


# The setting of Utpala et al. 2023, Section 6.2: records, inner steps, clipping of anchor and correction.
N, INNER, C0, C1 = 10**5, 10**4, 0.1, 0.01


def subsampled(order, shift):
    """(order - 1) times the Renyi divergence that one correction costs at most."""
    square, rate = m.mpf(shift) ** 2, m.mpf(1) / N
    total = rate**2 * m.binomial(order, 2) * min(4 * m.expm1(square), 2 * m.exp(square))
    total += m.fsum(2 * rate**j * m.binomial(order, j) * m.exp(j * (j - 1) * square / 2) for j in range(3, order + 1))
    return m.log1p(total)


def rsvrg():
    m.mp.dps = 40
    print("scheme,alpha,sigma,epochs,delta,eps,order")
    for s in [0.05, 0.2]:
        for alpha in [0.125, 0.5]:
            shift = 4 * m.mpf(C1) / (m.sqrt(1 - m.mpf(alpha)) * m.mpf(s))
            anchor = (2 * m.mpf(C0) / N) ** 2 / (m.mpf(alpha) * m.mpf(s) ** 2)
            # One sum for each order, whatever the rest.
            known = {}

            def correction(order):
                if order not in known:
                    known[order] = subsampled(order, shift) / (order - 1)
                return known[order]

            for epochs in [2, 15, 70]:
                for d in [1e-5, 1e-7]:
                    # wbk charges the anchor with every step, as the paper does; anchor once per epoch.
                    for scheme, charges in [("wbk", INNER), ("anchor", 1)]:

                        def eps(order):
                            tau = epochs * (charges * order * anchor / 2 + INNER * correction(order))
                            return tau + m.log1p(-m.mpf(1) / order) - (m.log(m.mpf(d)) + m.log(order)) / (order - 1)

                        # Falls, then rises: by doubling, then by thirds.
                        low, high = 2, 4
                        while eps(high) < eps(high // 2):
                            low, high = high // 2, 2 * high
                        while high - low > 2:
                            a, b = low + (high - low) // 3, high - (high - low) // 3
                            low, high = (low, b) if eps(a) < eps(b) else (a, high)
                        best = min(range(low, high + 1), key=eps)
                        print(f"{scheme},{alpha!r},{s!r},{epochs},{d!r},{digits(eps(best))},{best}")


def powers_of_sine(k, x):
    """The integral of sin^k from 0 to x."""
    value = x if k % 2 == 0 else 1 - m.cos(x)
    for j in range(2 + k % 2, k + 1, 2):
        value = ((j - 1) * value - m.cos(x) * m.sin(x) ** (j - 1)) / j
    return value


def beyond(d, c):
    """The share of the unit sphere of R^d whose first coordinate exceeds c."""
    if c >= 1 or c <= -1:
        return m.mpf(0 if c >= 1 else 1)
    if d == 1:
        return m.mpf(1) / 2
    return powers_of_sine(d - 2, m.acos(c)) / powers_of_sine(d - 2, m.pi)


def complex_share(dim, delta, r):
    """The share of the geodesic sphere of radius r about eta in CP^dim that lies nearer to eta', delta away.

    Points are cos r eta + sin r w, w in the unit sphere of C^dim; z, the component of w along eta', has |z|^2 with density
    (dim - 1)(1 - |z|^2)^(dim - 2) and a uniform argument. Nearer to eta' means |z|^2 + 2 cot r cot delta Re z > cot^2 r.
    """
    c, k = m.cot(r), m.cot(delta)

    def arc(rho):
        q = (c * c - rho * rho) / (2 * c * k * rho)
        return m.acos(max(-1, min(1, q))) / m.pi

    inner, outer = c * (m.sqrt(k * k + 1) - k), c * (m.sqrt(k * k + 1) + k)
    if dim == 1:
        return arc(m.mpf(1))
    if inner >= 1:
        return m.mpf(0)
    density = lambda rho: arc(rho) * 2 * (dim - 1) * rho * (1 - rho * rho) ** (dim - 2)
    upper = min(m.mpf(1), outer)
    # arc rises from 0 within a few times inner: pieces that grow with the distance from there.
    breaks = [inner]
    while breaks[-1] < upper / 2:
        breaks.append(3 * breaks[-1] / 2 if len(breaks) == 1 else 3 * breaks[-1])
    value, error = m.quad(density, [x for x in breaks if x < upper] + [upper], error=True)
    assert error < m.mpf(10) ** -14 * (value + m.mpf(10) ** -6), (dim, delta, r, error)
    return value + (1 - outer * outer) ** (dim - 1) if outer < 1 else value


def riemannian_mu(space, dim, delta, s):
    """mu at eps = 0: Phi(-mu/2) is the share of the mass nearer to the other centre."""
    delta, s = m.mpf(delta), m.mpf(s)
    if space == "S":
        end, area = m.pi, lambda r: m.sin(r) ** (dim - 1)
        share = lambda r: beyond(dim, m.tan(delta / 2) * m.cot(r))
        kinks = [delta / 2, m.pi - delta / 2]
    elif space == "H":
        end, area = (dim + 1) * s * s + 16 * s, lambda r: m.sinh(r) ** (dim - 1)
        share = lambda r: beyond(dim, m.tanh(delta / 2) * m.coth(r))
        kinks = [delta / 2]
    else:
        end, area = m.pi / 2, lambda r: m.sin(r) ** (2 * dim - 1) * m.cos(r)
        share = lambda r: complex_share(dim, delta, r)
        kinks = [delta / 2, m.pi / 2 - delta / 2]
    end = min(end, m.mpf(2 * dim) * s * s + (16 + m.sqrt(2 * dim)) * s)
    mass = lambda r: area(r) * m.exp(-r * r / (2 * s * s))
    # The integrator's errors are absolute: 1 at the highest.
    peak = max(mass(end * i / 200) for i in range(1, 200))
    weight = lambda r: mass(r) / peak
    steps = max(2, int(end / (3 * s)))
    breaks = sorted({m.mpf(0), end, *(end * i / steps for i in range(1, steps)), *(k for k in kinks if k < end)})
    whole = m.quad(weight, breaks)
    other, error = m.quad(lambda r: weight(r) * share(r), [b for b in breaks if b >= delta / 2], error=True)
    assert error < m.mpf(10) ** -14 * other, (space, dim, delta, s, error)
    return 2 * m.sqrt(2) * m.erfinv(1 - 2 * other / whole)


def riemannian():
    print("manifold,d,Delta,sigma,mu")
    cases = [("S", d, [(0.03, 0.02), (0.4, 0.3), (1.2, 0.9), (2.9, 1.5)]) for d in (1, 2, 5, 10, 50)]
    cases += [("H", d, [(0.03, 0.02), (0.4, 0.3), (1.2, 0.9), (2.5, 1.5)]) for d in (2, 3, 5, 10)]
    cases += [("CP", d, [(0.03, 0.02), (0.4, 0.3), (1.2, 0.9)]) for d in (1, 2, 8, 48)]
    for space, dim, pairs in cases:
        m.mp.dps = 25 if space == "CP" else 40
        for delta, s in pairs:
            print(f"{space},{dim},{delta!r},{s!r},{digits(riemannian_mu(space, dim, delta, s))}", flush=True)


class Integers:
    """The congruential generator of tests/manifold_data.rs."""

    def __init__(self):
        self.state = 1

    def between(self, low, high):
        self.state = (1103515245 * self.state + 12345) % 2**31
        return low + (self.state >> 16) % (high - low + 1)


def mean_and_largest(name, distances):
    print(f"{name},mean distance,{digits(m.fsum(distances) / len(distances))}")
    print(f"{name},largest distance,{digits(max(distances))}")


def sphere_mean():
    integers, points = Integers(), []
    for _ in range(50):
        latitude, longitude = (m.radians(integers.between(*ends)) for ends in [(-10, 70), (-50, 60)])
        points.append(m.matrix([m.cos(latitude) * m.cos(longitude), m.cos(latitude) * m.sin(longitude), m.sin(latitude)]))
    dot = lambda p, q: m.fsum(a * b for a, b in zip(p, q))
    mean = points[0]
    while True:
        step = m.matrix(3, 1)
        for p in points:
            c = dot(mean, p)
            if c < 1:
                step += (p - c * mean) * (m.acos(c) / m.sqrt(1 - c * c)) / len(points)
        length = m.norm(step)
        if length < m.mpf(10) ** -30:
            break
        mean = m.cos(length) * mean + m.sin(length) / length * step
    for i in range(3):
        print(f"sphere,mean {i},{digits(mean[i])}")
    mean_and_largest("sphere", [m.acos(dot(mean, p)) for p in points])


def spectral(f, a):
    values, vectors = m.eigsy(a)
    return vectors * m.diag([f(x) for x in values]) * vectors.T


def spd_means():
    integers, matrices = Integers(), []
    for _ in range(12):
        half = m.matrix(3, 3)
        for i in range(3):
            for j in range(i + 1):
                half[i, j] = m.mpf(integers.between(4, 20) if i == j else integers.between(-8, 8)) / 8
        matrices.append(half * half.T)
    logs = [spectral(m.log, a) for a in matrices]
    centre = logs[0] * 0
    for log in logs:
        centre += log / len(logs)
    mean_and_largest("log-euclidean", [m.mnorm(log - centre, "f") for log in logs])
    mean = spectral(m.exp, centre)
    for i in range(3):
        for j in range(i + 1):
            print(f"log-euclidean,mean {i}{j},{digits(mean[i, j])}")
    while True:
        root = spectral(m.sqrt, mean)
        inverse = root**-1
        step = mean * 0
        for a in matrices:
            step += spectral(m.log, inverse * a * inverse) / len(matrices)
        mean = root * spectral(m.exp, step) * root
        if m.mnorm(step, "f") < m.mpf(10) ** -30:
            break
    for i in range(3):
        for j in range(i + 1):
            print(f"affine-invariant,mean {i}{j},{digits(mean[i, j])}")
    inverse = spectral(lambda x: 1 / m.sqrt(x), mean)
    mean_and_largest("affine-invariant", [m.mnorm(spectral(m.log, inverse * a * inverse), "f") for a in matrices])


def shape_means():
    integers, shapes = Integers(), []
    # An irregular octagon, moved about.
    base = [(90, 0), (60, 70), (0, 95), (-75, 50), (-85, -5), (-70, -60), (10, -80), (55, -75)]
    for _ in range(20):
        moved = [(x + integers.between(-25, 25), y + integers.between(-25, 25)) for x, y in base]
        z = [m.mpc(x, y) for x, y in moved]
        centre = m.fsum(z) / len(z)
        z = m.matrix([p - centre for p in z])
        shapes.append(z / m.norm(z))
    dot = lambda p, q: m.fsum(m.conj(a) * b for a, b in zip(p, q))
    sum_of_squares = m.matrix(8, 8)
    for z in shapes:
        sum_of_squares += z * z.H
    values, vectors = m.eighe(sum_of_squares)
    procrustes = vectors[:, 7]
    mean_and_largest("procrustes", [m.acos(abs(dot(procrustes, z))) for z in shapes])
    mean = procrustes
    while True:
        step = m.matrix(8, 1)
        for z in shapes:
            c = dot(z, mean)
            turned = z * (c / abs(c))
            step += (turned - abs(c) * mean) * (m.acos(abs(c)) / m.sqrt(1 - abs(c) ** 2)) / len(shapes)
        length = m.norm(step)
        if length < m.mpf(10) ** -30:
            break
        mean = m.cos(length) * mean + m.sin(length) / length * step
    mean_and_largest("frechet shape", [m.acos(abs(dot(mean, z))) for z in shapes])


def means():
    m.mp.dps = 40
    print("space,what,value")
    sphere_mean()
    spd_means()
    shape_means()


if __name__ == "__main__":
    {"gdp": gdp, "sigma": sigma, "rsvrg": rsvrg, "riemannian": riemannian, "means": means}[sys.argv[1]]()
