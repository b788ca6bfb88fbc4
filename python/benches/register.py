"""Times of a registration, ours and MeshMonk's, in one process on one thread, of the same scans.

    python python/benches/register.py POPULATION SCAN...

POPULATION holds template.ply and template_landmarks.csv, every SCAN is a folder with scan.ply, landmarks.csv and truth.npz (truth, mask, scale).
MeshMonk starts from the similarity transform of the landmarks, as it asks for; ours from the scan's file alone.
"""

import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import shutil
import tempfile
import time
from pathlib import Path

import meshmonk
import numpy as np

import visard


def similarity(a, b):
    """s, R, t with s R a + t near b (Umeyama)."""
    ma, mb = a.mean(0), b.mean(0)
    u, d, vt = np.linalg.svd((b - mb).T @ (a - ma))
    sign = np.diag([1, 1, np.sign(np.linalg.det(u @ vt))])
    rotation = u @ sign @ vt
    scale = (d * np.diag(sign)).sum() / ((a - ma) ** 2).sum()
    return scale, rotation, mb - scale * rotation @ ma


def features(vertices, triangles):
    return meshmonk.features_from_vertices(vertices.astype(np.float32), triangles.astype(np.int32))


def timed(call):
    cpu, wall = time.process_time(), time.perf_counter()
    found = call()
    return found, time.process_time() - cpu, time.perf_counter() - wall


def main():
    population = Path(sys.argv[1])
    template, shape = visard.Template(population / "template.ply"), visard.read_scan(population / "template.ply")
    own = np.loadtxt(population / "template_landmarks.csv", delimiter=",")
    print("scan: seconds of the processor (of the clock) and mean error in the scan's units over its scale")
    for folder in map(Path, sys.argv[2:]):
        scan = visard.read_scan(folder / "scan.ply")
        scale, rotation, shift = similarity(own, np.loadtxt(folder / "landmarks.csv", delimiter=","))
        placed = scale * shape.vertices @ rotation.T + shift

        def theirs():
            return meshmonk.pyramid_register(
                floating_features=features(placed / scale, shape.triangles),
                target_features=features(scan.vertices / scale, scan.triangles),
                floating_faces=shape.triangles.astype(np.int32),
                target_faces=scan.triangles.astype(np.int32),
                floating_flags=np.ones(len(placed), np.float32),
                target_flags=np.ones(len(scan.vertices), np.float32),
                rigid_params={},
            )

        truth = np.load(folder / "truth.npz")

        def error(places, truth=truth):
            return np.linalg.norm(places - truth["truth"], axis=1)[truth["mask"]].mean() / truth["scale"]

        with tempfile.TemporaryDirectory() as alone:
            # Without the landmark file beside it.
            shutil.copy(folder / "scan.ply", alone)
            ours, cpu, wall = timed(lambda: visard.register(Path(alone) / "scan.ply", template))
        print(f"{folder.name}: visard {cpu:.2f} ({wall:.2f}) s, {error(ours.mesh.vertices):.3f}", end="; ")
        found, cpu, wall = timed(theirs)
        places = np.asarray(found.aligned_features)[:, :3] * scale
        print(f"MeshMonk {cpu:.2f} ({wall:.2f}) s, {error(places):.3f}")


if __name__ == "__main__":
    main()
