"""Reference values for tests/landmark_reference.rs, from other people's code. Needs numpy and scipy.

    cd tests/reference
    python3 landmarks.py made_up > landmarks_made_up.csv
    VISARD_DATA=... python3 landmarks.py data > landmarks_data.csv

made_up: configurations made of sines, so that the test has exactly the same.
  spline    scipy.interpolate.RBFInterpolator: thin_plate_spline in the plane, linear in space, with an affine part
  filled    the same as a map from the template's landmarks that are there
  slid      one round of sliding, by minimizing the energy of a spline over the steps with a dense Kronecker system
  symmetric half the sum with the relabelled mirror image, fitted by scipy.linalg.orthogonal_procrustes
  distance  full Procrustes distance, by scipy.spatial.procrustes (whose disparity is its square where no reflection helps)

data: full Procrustes means of all shared landmarks, rotated onto the first record. In the plane the leading eigenvector of the sum of
z z* (Kent 1994); in space in turns, with rotations by scipy.spatial.transform. Beside them the largest full Procrustes distance and the sum of
their squares.
"""

import os
import re
import sys

import numpy as np
from scipy.interpolate import RBFInterpolator
from scipy.linalg import orthogonal_procrustes
from scipy.spatial import procrustes
from scipy.spatial.transform import Rotation


def made_up(k, d, seed):
    i, j = np.meshgrid(np.arange(k), np.arange(d), indexing="ij")
    return np.sin(4.0 * i + 7.0 * j + i * j + seed) * 2.0 + 0.1 * i * (j + 1)


def show(name, d, values):
    for index, value in enumerate(np.asarray(values).ravel()):
        print(f"{name},{d},{index},{value!r}".replace("np.float64(", "").replace(")", ""))


def spline(a, b):
    return RBFInterpolator(a, b, kernel="thin_plate_spline" if a.shape[1] == 2 else "linear", degree=1)


def bending(x):
    """The energy's matrix: r^2 log r^2, -r, at unit centroid size."""
    k, d = x.shape
    x = x - x.mean(0)
    x = x / np.linalg.norm(x)
    r = np.linalg.norm(x[:, None] - x[None], axis=2)
    u = np.where(r > 0, r**2 * 2 * np.log(np.where(r > 0, r, 1)), 0) if d == 2 else -r
    q = np.hstack([np.ones((k, 1)), x])
    full = np.block([[u, q], [q.T, np.zeros((d + 1, d + 1))]])
    return np.linalg.inv(full)[:k, :k]


def slid(y, template, sliders):
    k, d = y.shape
    big = np.kron(np.eye(d), bending(template))
    u = np.zeros((k * d, len(sliders)))
    for column, (before, slides, after) in enumerate(sliders):
        t = y[after] - y[before]
        t = t / np.linalg.norm(t)
        for axis in range(d):
            u[axis * k + slides, column] = t[axis]
    v = y.T.ravel()
    steps = -np.linalg.solve(u.T @ big @ u, u.T @ big @ v)
    return (v + u @ steps).reshape(d, k).T


def symmetric(x, partner):
    x = x - x.mean(0)
    m = x[partner] * np.array([-1.0] + [1.0] * (x.shape[1] - 1))
    m = m - m.mean(0)
    rotation, _ = orthogonal_procrustes(m, x)
    assert np.linalg.det(rotation) > 0
    return (x + m @ rotation) / 2


def of_made_up():
    for d in (2, 3):
        template, y = made_up(10, d, 0.0), made_up(10, d, 0.0) + 0.3 * made_up(10, d, 1.3)
        points = made_up(4, d, 2.5)
        show("spline", d, spline(template, y)(points))
        lost, there = [2, 7], [0, 1, 3, 4, 5, 6, 8, 9]
        show("filled", d, spline(template[there], y[there])(template[lost]))
        show("slid", d, slid(y, template, [(0, 1, 2), (1, 2, 3), (2, 3, 4), (6, 7, 8)]))
        show("symmetric", d, symmetric(y, [0, 2, 1, 3, 5, 4, 6, 8, 7, 9]))
        disparity = procrustes(template, y)[2]
        show("distance", d, [np.sqrt(disparity)])


def tps(path):
    shapes = []
    for block in re.split(r"(?m)^LM=", open(path).read())[1:]:
        lines = block.splitlines()
        shapes.append([[float(c) for c in line.split()] for line in lines[1 : int(lines[0]) + 1]])
    return np.array(shapes)


def preshapes(shapes):
    shapes = shapes - shapes.mean(1, keepdims=True)
    return shapes / np.linalg.norm(shapes, axis=(1, 2), keepdims=True)


def turned(x, y):
    """x rotated onto y, and the trace."""
    rotation, _ = Rotation.align_vectors(y, x)
    x = rotation.apply(x)
    return x, np.sum(x * y)


def mean_in_plane(shapes):
    z = shapes[:, :, 0] + 1j * shapes[:, :, 1]
    _, vectors = np.linalg.eigh(np.einsum("ni,nj->ij", z, z.conj()))
    m = vectors[:, -1]
    phase = np.vdot(m, z[0])
    m = m * phase / abs(phase)
    t = np.abs(z.conj() @ m)
    return np.stack([m.real, m.imag], axis=1), t


def mean_in_space(shapes):
    m = shapes[0]
    for _ in range(2000):
        fitted = [turned(x, m) for x in shapes]
        new = sum(t * x for x, t in fitted)
        new = new / np.linalg.norm(new)
        moved = np.linalg.norm(new - m)
        m = new
        if moved < 1e-15:
            break
    m, _ = turned(m, shapes[0])
    return m, np.array([turned(x, m)[1] for x in shapes])


def of_data():
    root = os.environ["VISARD_DATA"]
    for folder, read in (("landmarks2d", tps), ("landmarks3d", np.load)):
        for name in sorted(os.listdir(f"{root}/{folder}")):
            if name.endswith((".tps", ".npy")):
                shapes = preshapes(read(f"{root}/{folder}/{name}"))
                mean, t = (mean_in_plane if folder == "landmarks2d" else mean_in_space)(shapes)
                squares = 1 - t**2
                show(f"{folder}/{name}", "mean", mean)
                show(f"{folder}/{name}", "largest", [np.sqrt(squares.max())])
                show(f"{folder}/{name}", "squares", [squares.sum()])


{"made_up": of_made_up, "data": of_data}[sys.argv[1]]()
