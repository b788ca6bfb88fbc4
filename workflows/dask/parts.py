#!/usr/bin/env python3
"""One mean of very many prepared faces under dask.distributed: every part of a pass is a task.

    parts.py people.npy study --mu 1 --parts 64 --workers 8 -- --people persons.csv
    parts.py people.npy study --mu 1 --parts 64 --scheduler tcp://host:8786 --release "--ledger hospital.jsonl"

What follows -- goes to `visard sum`. What was ended goes on with its last pass: it was paid for with the first.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import sys

from dask.distributed import Client
from study import cluster, visard


def add_up(words: list[str]) -> dict:
    """One part, on a worker: needs `visard` there and the same files."""
    return visard("sum", *words)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records")
    parser.add_argument("out")
    parser.add_argument("--mu", required=True)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--release", default="", help="options of `visard release`")
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--jobqueue", help="a class of dask_jobqueue, as in SLURMCluster")
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1 :]
    if shutil.which("visard") is None:
        parser.error("visard is not on the PATH")
    out, sums = pathlib.Path(arguments.out), pathlib.Path(arguments.out + ".sums")
    sums.mkdir(mode=0o700, parents=True, exist_ok=True)
    said = {"released": False}
    with Client(cluster(arguments)) as client:
        # Workers need what this file imports.
        client.upload_file(str(pathlib.Path(__file__).with_name("study.py")))
        while said.get("released") is False:
            drawn = [k for k in (1, 2) if (out / f"round-{k}.json").exists()]
            about = ["--about", str(out / f"round-{drawn[-1]}.json")] if drawn else []
            files = [str(sums / f"pass-{len(drawn) + 1}-{k}.json") for k in range(1, arguments.parts + 1)]
            tasks = []
            for k, file in enumerate(files, 1):
                line = [arguments.records, "--part", f"{k}/{arguments.parts}", "--mu", arguments.mu, "--out", file, "--force"]
                # Not pure: a part is added up again whatever ran before. Dask tries a failed one twice more.
                tasks.append(client.submit(add_up, [*line, "--threads", "1", *about, *options], pure=False, retries=2))
            for task in tasks:
                print(f"part {task.result()['part']}, pass {len(drawn) + 1}", file=sys.stderr)
            said = visard("release", *files, "--mu", arguments.mu, "--out", str(out), *arguments.release.split())
    shutil.rmtree(sums)
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
