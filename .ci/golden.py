#!/usr/bin/env python3
"""The golden list: `python3 .ci/golden.py VISARD LIST` runs seeded studies, help texts, refusals and the quick reproduction, and writes a
digest of everything that came of each. A change that only moves code leaves the list of the old program and of the new one equal: `diff`.
`python3 .ci/golden.py VISARD LIST face` runs the studies and refusals whose lines begin so, and nothing else.

What belongs to the ledger of a run (its id, the checksum of its line) is taken out of certificates and pages; every other byte counts.
"""
import base64
import csv
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

STUDIES = """
shape demo
face mean --manifest all.csv --mu 3
face mean --manifest all.csv --mu 3 --band
face mean --manifest all.csv --mu 3 --size
face mean --manifest all.csv --mu 3 --mechanism curves
face mean --manifest all.csv --mu 3 --mechanism pointwise
face mean --manifest all.csv --mu 3 --registration srnf
face mean --manifest all.csv --mu 3 --with mean,modes
face modes --manifest all.csv --mu 3
face compare --manifest all.csv --mu 3
face regress --manifest all.csv --mu 3 --bounds age=20:60
shape mean demo/outlines.tps --mu 1
shape mean demo/outlines.tps --mechanism kng --radius 0.2 --center demo/atlas.tps --epsilon 1
shape mean demo/outlines.tps --mechanism riemannian-gaussian --radius 0.2 --center demo/atlas.tps --mu 1
shape modes demo/outlines.tps --outline --center demo/atlas.tps --mu 1
shape regress demo/outlines.tps --allometry --size-bounds 0.5:2 --mu 1
hyperbolic mean p.csv --radius 1 --mu 1
hyperbolic mean p.csv --radius 1 --epsilon 1 --mechanism laplace
face mean --manifest all.csv --mechanism none
face mean --prepared faces.npy --curves 4 --samples 8 --mu 2
face mean --prepared faces.npy --curves 4 --samples 8 --mechanism paper --mu 2
face mean --prepared faces.npy --curves 4 --samples 8 --epsilon 1 --delta 1e-6
face modes --prepared faces.npy --curves 4 --samples 8 --mu 8 --modes 2
shape mean demo/outlines.tps --mechanism laplace --radius 0.2 --center demo/atlas.tps --epsilon 1
shape mean demo/outlines.tps --mechanism tangent-gaussian --radius 0.2 --center demo/atlas.tps --mu 1
shape mean demo/outlines.tps --mechanism tangent-laplace --radius 0.2 --center demo/atlas.tps --epsilon 1
shape mean demo/outlines.tps --mechanism pointwise --radius 0.2 --center demo/atlas.tps --epsilon 1
shape mean demo/outlines.tps --outline --mu 1
shape modes demo/outlines.tps --mu 1
shape compare demo/outlines.tps --groups outlines.csv --mu 1
shape mean demo/outlines.tps --mechanism none
hyperbolic mean p.csv --radius 1 --mu 1 --mechanism riemannian-gaussian
hyperbolic mean p.csv --radius 1 --epsilon 1 --mechanism kng
hyperbolic mean p.csv --radius 1 --mu 1 --mechanism tangent-gaussian
sphere mean s.csv --radius 0.5 --center private --mu 5
sphere mean s.csv --radius 0.5 --center north.csv --mu 1
sphere mean s.csv --radius 0.5 --center north.csv --epsilon 1 --mechanism kng
sphere mean s.csv --radius 0.5 --center north.csv --epsilon 1 --mechanism laplace
spd mean m.npy --radius 1 --mu 1
spd mean m.npy --radius 1 --metric affine-invariant --mu 1 --mechanism tangent-gaussian
spd mean m.npy --radius 1 --epsilon 1 --mechanism laplace
function mean f.npy --domain circle --bound 1 --mu 1
function mean f.npy --domain interval --bound 1 --band --mu 1
function modes f.npy --domain circle --bound 1 --mu 3
spd modes m.npy --radius 1 --mu 3
spd regress m.npy --radius 1 --covariates ages100.csv --bounds age=0:60 --mu 3
spd compare m.npy --radius 1 --metric affine-invariant --groups groups100.csv --mu 3
sphere modes s.csv --radius 0.5 --center north.csv --mu 3
hyperbolic compare p.csv --radius 1 --groups groups200.csv --mu 3
face compare --prepared faces.npy --groups groups30.csv --curves 4 --samples 8 --mu 8
face regress --prepared faces.npy --covariates ages30.csv --bounds age=0:60 --levels sex=F|M --spline age=3 --curves 4 --samples 8 --mu 9
face modes --prepared faces.npy --curves 4 --samples 8 --mu 8 --modes 2 --with mean,modes
optimize frechet-mean m.npy --method rgd --space affine-invariant --steps 5 --clip-radius 1 --mu 1
optimize eigenvector s.npy --method rsgd --steps 5 --batch 50 --clip-radius 1 --epsilon 2 --delta 1e-6
optimize subspace s.npy --method moment --rank 2 --clip-radius 1 --mu 1
""".strip().splitlines()

# Each is refused; what is said counts.
REFUSED = """
face mean --manifest nothing.csv --mu 3
face mean --manifest all.csv
face mean --manifest all.csv --mu -1
face mean --prepared faces.npy --mu 3
face modes --manifest all.csv --mu 3 --modes 0
face compare --prepared faces.npy --curves 4 --samples 8 --mu 3
face regress --manifest all.csv --mu 3
shape mean demo/outlines.tps --mechanism kng --epsilon 1
shape mean p.csv --mu 1
shape compare demo/outlines.tps --groups all.csv --mu 1
hyperbolic mean p.csv --mu 1
hyperbolic mean s.csv --radius 1 --mu 1
spd mean s.csv --radius 1 --mu 1
function mean f.npy --domain circle --mu 1 --mechanism kng
optimize subspace s.npy --clip-radius 1 --mu 1
""".strip().splitlines()

EMBEDDED = re.compile(rb"application/json;base64,([A-Za-z0-9+/=]*)")


def npy(path, shape, numbers):
    """An array of doubles, without any package."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}d", *numbers))


def noise(i, k=0):
    """A number in (-1, 1), always the same."""
    return ((i * 7919 + k * 104729 + 12345) * 2654435761 % 2**32) / 2**31 - 1


def inputs(room, run):
    """All files that the studies read."""
    run("demo", "--scans", "12", "--seed", "5", "--out", "d1")
    run("shape", "demo", "--seed", "1", "--out", "demo")
    run("face", "prepare", *[f"d1/scans/person-{i:04d}.ply" for i in range(1, 13)], "--curves", "4", "--samples", "8", "--out", "ready")

    def table(name, heading, rows):
        with open(os.path.join(room, name), "w") as file:
            file.write(heading + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    people = range(1, 13)
    table("all.csv", "file,group,age", [(f"d1/scans/person-{i:04d}.ply", "AB"[i % 2], 20 + i * 7 % 40) for i in people])
    table("p.csv", "x,y", [((i * 37 % 199 - 99) / 600, (i * 61 % 197 - 98) / 600) for i in range(200)])
    npy(os.path.join(room, "f.npy"), (60, 16), [noise(i, j) / 4 + j / 32 for i in range(60) for j in range(16)])
    directions = [(noise(i) / 3, noise(i, 1) / 3) for i in range(200)]
    directions = [(x, y, (1 - x * x - y * y) ** 0.5) for x, y in directions]
    table("s.csv", "x,y,z", directions)
    table("north.csv", "x,y,z", [(0, 0, 1)])
    npy(os.path.join(room, "s.npy"), (200, 3), [x for direction in directions for x in direction])
    matrices = []
    for i in range(100):
        a, b, c = 1 + noise(i, 2) / 3, noise(i, 3) / 3, 1 + noise(i, 4) / 3
        matrices += [a, b, b, c]
    npy(os.path.join(room, "m.npy"), (100, 2, 2), matrices)
    with open(os.path.join(room, "demo/outlines.tps")) as file:
        names = re.findall(r"^ID=(.*)$", file.read(), re.M)
    table("ages100.csv", "record,age", [(i, i * 7 % 60) for i in range(100)])
    table("ages30.csv", "record,age,sex", [(i, i * 7 % 60, "FM"[i % 2]) for i in range(30)])
    table("groups30.csv", "record,group", [(i, "ABC"[i % 3]) for i in range(30)])
    for n in (100, 200):
        table(f"groups{n}.csv", "record,group", [(i, "AB"[i % 2]) for i in range(n)])
    table("outlines.csv", "record,group", [(name, "AB"[i % 2]) for i, name in enumerate(names)])
    # Faces: a flat disk of four curves, each a little different.
    from math import cos, pi, sin

    at = [((k + 1) / 8, 2 * pi * j / 4) for j in range(4) for k in range(8)]
    faces = [x for i in range(30) for r, t in at for x in (0.56 * r * cos(t), 0.56 * r * sin(t), noise(i) / 20)]
    npy(os.path.join(room, "faces.npy"), (30, 4, 8, 3), faces)


def plain(text, ledger):
    """Without what belongs to a ledger."""
    for word in ledger:
        text = text.replace(word.encode(), b"LEDGER")
    return text


def digest(data):
    return hashlib.sha256(data).hexdigest()[:20]


def of_file(path, ledger):
    """A released file's digest."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith((".json", ".html")):
        data = EMBEDDED.sub(lambda found: b"JSON" + plain(base64.b64decode(found[1]), ledger), data)
        data = plain(data, ledger)
        if path.endswith("certificate.json"):
            certificate = json.loads(data)
            for one in certificate["files"]:
                if one["name"].endswith(".html"):
                    one.pop("sha256")
            data = json.dumps(certificate, sort_keys=True).encode()
        else:
            data = re.sub(rb"[0-9a-f]{64}", b"SUM", data)
    return digest(data)


def of_table(path):
    """A table's digest, without columns of times."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    kept = [k for k, name in enumerate(rows[0]) if not re.search("second|ratio", name)]
    return digest(json.dumps([[row[k] for k in kept if k < len(row)] for row in rows]).encode())


def said(done, room):
    """What a command said, without checksums and times."""
    text = (done.stdout + done.stderr).replace(room, "ROOM")
    text = re.sub(r"[0-9a-f]{32,64}", "SUM", text)
    return digest(re.sub(r'"(seconds|unix_time)": ?[0-9.e-]+', "TIME", text).encode())


def helps(run, words, tell):
    """Help of a command and of all below it."""
    text = run(*words, "--help").stdout
    tell(f"{digest(text.encode())} {' '.join(words)} --help")
    commands = re.search(r"^Commands:\n(.*?)\n\n", text, re.S | re.M)
    for name in re.findall(r"^  ([a-z-]+) ", commands[1], re.M) if commands else []:
        if name != "help":
            helps(run, [*words, name], tell)


def main(visard, target, only=""):
    visard, target = os.path.abspath(visard), os.path.abspath(target)
    with tempfile.TemporaryDirectory() as room, open(target, "w") as file:

        def run(*words):
            return subprocess.run([visard, *words, "--threads", "1"], cwd=room, capture_output=True, text=True)

        def tell(line):
            file.write(line + "\n")
            file.flush()

        # Messages and help name the program as it was called.
        os.symlink(visard, os.path.join(room, "visard"))
        visard = os.path.join(room, "visard")
        inputs(room, run)
        for k, study in enumerate(STUDIES):
            if not study.startswith(only):
                continue
            # With --json, and as people see it.
            done = run(*study.split(), "--seed", "7", "--out", f"s{k}", *(["--json"] if k % 2 else []))
            lines = (done.stdout + done.stderr).replace(room, "ROOM").strip().splitlines() if done.returncode else [""]
            problem = lines[-1][:200]
            tell(f"# {study}: exit {done.returncode} {problem} {said(done, room) if k % 2 else ''}")
            folder = os.path.join(room, f"s{k}", "release")
            if not os.path.isdir(folder):
                continue
            with open(os.path.join(folder, "certificate.json")) as certificate:
                receipt = json.load(certificate)["ledger"]
            ledger = [str(receipt[word]) for word in ("id", "head")]
            for name in sorted(os.listdir(folder)):
                tell(f"{of_file(os.path.join(folder, name), ledger)} {name}")
        for k, line in enumerate(REFUSED):
            if not line.startswith(only):
                continue
            done = run(*line.split(), "--out", f"r{k}")
            tell(f"# {line}: exit {done.returncode} {said(done, room)}")
        if only:
            return
        helps(run, [], tell)
        done = run("reproduce", "all", "--quick", "--out", "papers")
        tell(f"# reproduce all --quick: exit {done.returncode}")
        for folder, _, names in sorted(os.walk(os.path.join(room, "papers"))):
            for name in sorted(name for name in names if name.endswith(".csv")):
                tell(f"{of_table(os.path.join(folder, name))} {os.path.relpath(os.path.join(folder, name), room)}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
