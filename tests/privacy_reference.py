"""Reference values for src/privacy, by 80-digit arithmetic. Needs mpmath.

    python3 tests/privacy_reference.py gdp > src/privacy/gaussian/reference.rs

delta(eps; mu) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2), evaluated as it stands with enough digits that the
cancellation does not matter; inversions by bisection on its logarithm. Inputs are doubles, taken exactly.
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
    return repr(float(x))


def table(name, doc, rows):
    print(f"/// {doc}")
    width = len(rows[0])
    print(f"pub(super) const {name}: [({', '.join(['f64'] * width)}); {len(rows)}] = [")
    for row in rows:
        print("    (" + ", ".join(x if isinstance(x, str) else repr(float(x)) for x in row) + "),")
    print("];\n")


def gdp():
    print("//! Made by `python3 tests/privacy_reference.py gdp` (mpmath, 80 digits). Not edited by hand.\n")
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


if __name__ == "__main__":
    {"gdp": gdp}[sys.argv[1]]()
