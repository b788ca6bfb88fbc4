#!/usr/bin/env python3
"""A folder of n simulated records, to measure how stage two grows: simulate.py FROM N OUT

FROM is a folder of records that `visard face prepare` made; each simulated record is a mixture of two of its faces. Writes OUT/records and
OUT/all.csv. Needs numpy.
"""

import hashlib
import json
import pathlib
import shutil
import sys

import numpy as np


def main() -> None:
    source, n, out = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    faces = np.stack([np.load(file) for file in sorted(source.glob("*.curves.npy"))])
    row = next(path for path in sorted(source.glob("*.json")) if path.name != "records.json").read_text()
    making = json.loads((source / "records.json").read_text())
    records = out / "records"
    records.mkdir(parents=True, mode=0o700)
    shutil.copy(source / "records.json", records)
    rng = np.random.default_rng(7)
    ident = hashlib.sha256(making["fingerprint"].encode()).hexdigest()[:16]
    with (records / "index-1-of-1.jsonl").open("w") as index, (out / "all.csv").open("w") as manifest:
        manifest.write("file,age,group\n")
        for i in range(n):
            a, b = rng.integers(len(faces), size=2)
            share = rng.uniform()
            face = np.ascontiguousarray(share * faces[a] + (1 - share) * faces[b])
            data = face.tobytes()
            curves = hashlib.sha256(data).hexdigest()
            name, file = curves[:32], f"scans/s{i}.ply"
            np.save(records / f"{name}.curves.npy", face)
            (records / f"{name}.json").write_text(row)
            scan = hashlib.sha256(file.encode()).hexdigest()
            line = {"row": i, "file": file, "record": name, "status": "ok", "scan": scan, "curves": curves, "making": ident}
            index.write(json.dumps(line) + "\n")
            manifest.write(f"{file},{20 + i % 40},{'ab'[i % 2]}\n")


if __name__ == "__main__":
    main()
