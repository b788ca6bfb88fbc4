"""Synthetic landmarks by visard and by Private-PGM, at the same budget, held against people who were in neither.

    pip install mbi numpy
    python python/peers/synthetic_landmarks.py LANDMARKS.npy [N] [MU] [VISARD] [OTHERS.npy]

LANDMARKS.npy: an array (people, landmarks, 2 or 3). N of them are the study (1000), the next ones, as many as there are, are held out. VISARD: the
command (`visard`). OTHERS.npy: the same landmarks of public people, for axes that cost nothing. The peer is Private-PGM (McKenna, Sheldon and Miklau 2019) as MST uses it (McKenna, Miklau and Sheldon 2021), the package `mbi`: noised
one-way marginals of all columns and two-way marginals along a tree, half of μ² for either, replaced neighbours as visard's. It gets what visard does not:
bounds of columns and the tree are read off the people themselves, unpaid (so are principal axes, where it says so), and several settings are tried.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
from mbi import Domain, estimation, marginal_loss  # noqa: E402

SEED = 7


def aligned(X, onto):
    """Of unit size, centred and turned onto one shape, each by itself."""
    X = X - X.mean(axis=1, keepdims=True)
    X = X / np.linalg.norm(X, axis=(1, 2), keepdims=True)
    u, _, vt = np.linalg.svd(np.swapaxes(X, 1, 2) @ onto)
    u[..., -1] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return X @ (u @ vt)


def pgm(table, rows, mu, bins, rng):
    """A table of `rows` people like those of `table`: columns in equal bins over ± 3.5 of their standard deviations."""
    n, columns = table.shape
    middle, reach = table.mean(axis=0), 3.5 * table.std(axis=0)
    cells = np.clip(((table - middle) / reach + 1) / 2 * bins, 0, bins - 1).astype(int)
    names = [f"c{j}" for j in range(columns)]
    weights = -np.abs(np.corrcoef(table.T))
    tree, inside = [], {0}
    while len(inside) < columns:
        i, j = min(
            ((i, j) for i in inside for j in range(columns) if j not in inside), key=lambda pair: weights[pair]
        )
        tree.append((i, j))
        inside.add(j)
    measured = []
    for cliques in ([(j,) for j in range(columns)], tree):
        # One person moved between cells: √2 in each marginal; half of μ² for all of these.
        sigma = np.sqrt(2 * len(cliques)) / (mu / np.sqrt(2))
        for clique in cliques:
            counts = np.histogramdd(cells[:, clique], bins=[np.arange(bins + 1)] * len(clique))[0].ravel()
            noised = counts + sigma * rng.normal(size=counts.size)
            measured.append(marginal_loss.LinearMeasurement(noised, tuple(names[j] for j in clique), stddev=sigma))
    model = estimation.MirrorDescent().estimate(Domain(names, [bins] * columns), measured, known_total=n, iters=1500)
    drawn = model.synthetic_data(rows=rows)
    drawn = np.column_stack([np.asarray(drawn.data[name] if hasattr(drawn, "data") else drawn[name]) for name in names])
    return middle + reach * ((drawn + rng.random(drawn.shape)) / bins * 2 - 1)


def deviations(X):
    """Standard deviations of all distances between landmarks."""
    i, j = np.triu_indices(X.shape[1], 1)
    return np.linalg.norm(X[:, i] - X[:, j], axis=2).std(axis=0)


def nearest(X, Y):
    """Of both kinds, how many have their nearest other of the other kind: .5 where they are alike."""
    both = np.concatenate([X, Y]).reshape(len(X) + len(Y), -1)
    squares = (both**2).sum(axis=1)
    apart = squares[:, None] + squares - 2 * both @ both.T
    np.fill_diagonal(apart, np.inf)
    kind = np.arange(len(both)) < len(X)
    return np.mean(kind != kind[apart.argmin(axis=1)])


def row(name, X, people):
    flat, true = X.reshape(len(X), -1), people.reshape(len(people), -1)
    ratios = np.sort(deviations(X) / deviations(people))
    at = [ratios[round(q * (len(ratios) - 1))] for q in (0.05, 0.5, 0.95)]
    wrong = np.linalg.norm(np.cov(flat.T) - np.cov(true.T)) / np.linalg.norm(np.cov(true.T))
    off = np.linalg.norm(flat.mean(axis=0) - true.mean(axis=0))
    variance = flat.var(axis=0).sum() / true.var(axis=0).sum()
    within = np.mean((ratios > 0.9) & (ratios < 1.1))
    print(
        f"| {name} | {variance:.2f} | {at[0]:.2f}, {at[1]:.2f}, {at[2]:.2f} | {within:.2f} | {wrong:.2f} "
        f"| {nearest(X, people):.2f} | {off:.4f} |",
        flush=True,
    )


def main(words):
    file, n, mu, command, public = (words + [None] * 5)[:5]
    n, mu, command = int(n or 1000), float(mu or 1), command or "visard"
    everybody = np.load(file)
    rng = np.random.default_rng(SEED)
    everybody = everybody[rng.permutation(len(everybody))]
    study, others = everybody[:n], everybody[n:]
    if len(others) < 100:
        sys.exit("fewer than 100 people are left to be held out")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        np.save(place / "study.npy", study)
        options = ["--mu", str(mu), "--seed", str(SEED), "--modes", "200", "--out", place / "modes"]
        subprocess.run([command, "shape", "modes", place / "study.npy", *options], check=True, capture_output=True)
        sample = ["--n", str(len(others)), "--out", place / "drawn"]
        subprocess.run([command, "shape", "sample", place / "modes", *sample], check=True, capture_output=True)
        ours = np.load(place / "drawn" / "shapes.npy")
    # All onto one shape, which is nobody's of the study.
    onto = others[0] - others[0].mean(axis=0)
    for _ in range(3):
        onto = aligned(others, onto).mean(axis=0)
    people, study, ours = (aligned(X, onto) for X in (others, study, ours))
    print(f"{n} people of {study.shape[1]} landmarks, mu = {mu:g}; {len(people)} others")
    print("| | variance | distances: 5 %, median, 95 % | within .9 to 1.1 | covariance off | nearest neighbour | mean off |")
    print("|---|---|---|---|---|---|---|")
    shape = study.shape[1:]
    flat = study.reshape(n, -1)
    mean = flat.mean(axis=0)
    row("the study itself, normal, without privacy", rng.multivariate_normal(mean, np.cov(flat.T), len(people)).reshape(-1, *shape), people)
    row("visard", ours, people)
    def axes(X):
        # Without what motions and sizes would be.
        return np.linalg.eigh(np.cov(X.reshape(len(X), -1).T))[1][:, ::-1][:, : flat.shape[1] - (4 if shape[1] == 2 else 7)]

    ways = [("coordinates", np.eye(flat.shape[1])), ("principal axes, unpaid", axes(study))]
    if public:
        ways.append(("axes of public people", axes(aligned(np.load(public), onto))))
    for name, turn in ways:
        for bins in (4, 8, 16):
            drawn = mean + pgm((flat - mean) @ turn, len(people), mu, bins, rng) @ turn.T
            row(f"Private-PGM, {name}, {bins} bins", drawn.reshape(-1, *shape), people)


main(sys.argv[1:])
