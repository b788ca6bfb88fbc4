#!/usr/bin/env python3
"""Both stages of a study under dask.distributed or Ray.

    study.py all.csv study --shards 64 --workers 8 -- --mu 1
    study.py all.csv study --shards 64 --scheduler tcp://host:8786 -- --mu 1 --ledger hospital.jsonl
    study.py all.csv study --shards 64 --engine ray --scheduler auto -- --mu 1

Without --scheduler a cluster on this machine is made, or the one that --jobqueue names (dask_jobqueue.SLURMCluster and the like, set up in
dask's own configuration files). Each task is one shard; a task whose worker dies is run again by the engine. What follows -- goes to
`visard face mean` (or the --statistic).
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import sys

import engine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest")
    parser.add_argument("out")
    parser.add_argument("--statistic", default="mean", choices=["mean", "modes", "regress", "compare"])
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--threads", type=int, default=1, help="of each shard")
    engine.options(parser)
    # What follows `--` is for visard.
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1 :]
    if shutil.which("visard") is None:
        parser.error("visard is not on the PATH")
    manifest, out = (str(pathlib.Path(path).absolute()) for path in (arguments.manifest, arguments.out))
    records, of = out + ".records", arguments.shards
    second = ["face", arguments.statistic, "--records", records, "--manifest", manifest, "--out", out, *options]
    # The ledger and its ceilings, before hours of work.
    engine.visard(*second, "--dry-run")
    first = ["face", "prepare", "--manifest", manifest, "--out", records, "--threads", str(arguments.threads)]
    lost = 0
    with engine.workers(arguments) as run:
        for k, done in run([[*first, "--shard", f"{k}/{of}"] for k in range(1, of + 1)]):
            if isinstance(done, Exception):
                lost += 1
                print(f"shard {k + 1}/{of} is lost: {done}", file=sys.stderr)
            else:
                print(f"shard {done['shard']}: {done['made']} of {done['rows']} records", file=sys.stderr)
    if lost:
        # They would count as the template: that is for people to decide.
        print(f"{lost} shards are lost: run this again, it goes on where it stopped; nothing was charged", file=sys.stderr)
        return 1
    print(json.dumps(engine.visard(*second)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
