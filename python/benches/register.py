"""Registration by visard and by its peers: error and time, in one session, of the same scans, on one thread.

    python python/benches/register.py DATA [--methods visard,meshmonk,nricp,bcpd,gbcpd] [--levels clean,std,hard] [--most N]

DATA holds a folder for each population: template.ply, template_landmarks.csv and LEVEL/SCAN/ with scan.ply, landmarks.csv and truth.npz (truth,
mask, scale). visard starts from the scan's file alone; every peer from the similarity transform of the landmarks, as it asks for. Peers:

- meshmonk: MeshMonk's wheel, rigid and pyramid with its defaults (White et al. 2019);
- nricp: optimal-step non-rigid ICP (Amberg et al. 2007), of trimesh, with the landmarks, its default stiffness steps;
- bcpd: Bayesian coherent point drift (Hirose 2021), the authors' program; ohirose/bcpd (0.95) must be on PATH as `bcpd`;
- gbcpd: the same program with its geodesic kernel on the template's mesh (Hirose 2022).

Printed by cell: mean and 95th percentile of the distance to the true place, in millimetres of the person, and processor seconds a scan.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

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


class Task:
    """A scan and the template laid on it by landmarks; in units of the scan's scale, so that peers' settings in millimetres hold."""

    def __init__(self, folder, population):
        self.path = folder / "scan.ply"
        self.scan = visard.read_scan(self.path)
        own = np.loadtxt(population.folder / "template_landmarks.csv", delimiter=",")
        marks = np.loadtxt(folder / "landmarks.csv", delimiter=",")
        self.scale, rotation, shift = similarity(own, marks)
        self.population = population
        placed = self.scale * population.shape.vertices @ rotation.T + shift
        self.source, self.target = placed / self.scale, self.scan.vertices / self.scale
        self.marks = (np.argmin(((population.shape.vertices[None] - own[:, None]) ** 2).sum(2), 1), marks / self.scale)


class Population:
    def __init__(self, folder):
        self.folder = folder
        self.template, self.shape = visard.Template(folder / "template.ply"), visard.read_scan(folder / "template.ply")


def ours(task):
    with tempfile.TemporaryDirectory() as alone:
        # Without the landmark file beside it.
        shutil.copy(task.path, alone)
        return visard.register(Path(alone) / "scan.ply", task.population.template).mesh.vertices


def meshmonk(task):
    import meshmonk

    def features(vertices, triangles):
        return meshmonk.features_from_vertices(vertices.astype(np.float32), triangles.astype(np.int32))

    shape = task.population.shape
    found = meshmonk.pyramid_register(
        floating_features=features(task.source, shape.triangles),
        target_features=features(task.target, task.scan.triangles),
        floating_faces=shape.triangles.astype(np.int32),
        target_faces=task.scan.triangles.astype(np.int32),
        floating_flags=np.ones(len(task.source), np.float32),
        target_flags=np.ones(len(task.target), np.float32),
        rigid_params={},
    )
    return np.asarray(found.aligned_features)[:, :3] * task.scale


def nricp(task):
    import trimesh

    source = trimesh.Trimesh(task.source, task.population.shape.triangles, process=False)
    target = trimesh.Trimesh(task.target, task.scan.triangles, process=False)
    vertices, marks = task.marks
    found = trimesh.registration.nricp_amberg(source, target, source_landmarks=vertices, target_positions=marks)
    return np.asarray(found) * task.scale


def bcpd(task, kernel=("-l100", "-K150", "-c1e-7")):
    program = shutil.which("bcpd")
    if program is None:
        raise SystemExit("bcpd is not on PATH: build github.com/ohirose/bcpd")
    with tempfile.TemporaryDirectory() as folder:
        # The names it reads and writes unless told others.
        for name, rows in (("X", task.target), ("Y", task.source), ("triangles", task.population.shape.triangles)):
            np.savetxt(Path(folder) / f"{name}.txt", rows, fmt="%.9g", delimiter="\t")
        options = ["-w0", "-b2", *kernel, "-g.1", "-J300", "-p", "-ux", "-n500", "-r1", "-q"]
        subprocess.run([program, *options], cwd=folder, check=True)
        return np.loadtxt(Path(folder) / "output_y.txt") * task.scale


def gbcpd(task):
    return bcpd(task, ("-l200", "-K200", "-c1e-6", "-Ggeodesic,0.5,triangles.txt"))


METHODS = {"visard": ours, "meshmonk": meshmonk, "nricp": nricp, "bcpd": bcpd, "gbcpd": gbcpd}


def processor():
    """Seconds of this process and of the programs it ran."""
    return sum(os.times()[:4])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--methods", default="visard,meshmonk")
    arguments.add_argument("--levels", default="clean,std,hard")
    arguments.add_argument("--most", type=int, default=1000, help="scans of a cell")
    asked = arguments.parse_args()
    print(f"{'population':12} {'level':6} {'method':10} {'scans':>5} {'mean':>7} {'95 %':>7} {'seconds':>8}")
    for folder in sorted(p.parent for p in asked.data.glob("*/template.ply")):
        population = Population(folder)
        for level in asked.levels.split(","):
            tasks = [Task(scan, population) for scan in sorted((folder / level).glob("*"))[: asked.most]]
            for name in asked.methods.split(","):
                errors, seconds = [], 0.0
                for task in tasks:
                    begin = processor()
                    places = METHODS[name](task)
                    seconds += processor() - begin
                    truth = np.load(task.path.parent / "truth.npz")
                    off = np.linalg.norm(places - truth["truth"], axis=1)[truth["mask"]]
                    errors.append(off / truth["scale"])
                each = np.concatenate(errors)
                print(
                    f"{folder.name:12} {level:6} {name:10} {len(tasks):>5} {each.mean():>7.3f} "
                    f"{np.percentile(each, 95):>7.2f} {seconds / len(tasks):>8.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
