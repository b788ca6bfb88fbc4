#!/usr/bin/env python3
"""One release of very many prepared faces under dask.distributed or Ray: every part of a pass is a task.

    parts.py people.npy study --mu 1 --parts 64 --workers 8 -- --people persons.csv
    parts.py people.npy study --mu 1 --parts 64 --scheduler tcp://host:8786 --release "--ledger hospital.jsonl"
    parts.py people.npy study --mu 1 --parts 64 --engine ray --scheduler auto

What follows -- goes to `visard sum`. What was ended goes on with its last pass: it was paid for with the first.
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
    parser.add_argument("records")
    parser.add_argument("out")
    parser.add_argument("--mu", required=True)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--release", default="", help="options of `visard release`")
    engine.options(parser)
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1 :]
    if shutil.which("visard") is None:
        parser.error("visard is not on the PATH")
    records, out = (pathlib.Path(path).absolute() for path in (arguments.records, arguments.out))
    sums = out.with_name(out.name + ".sums")
    sums.mkdir(mode=0o700, parents=True, exist_ok=True)
    said = {"released": False}
    with engine.workers(arguments) as run:
        while said.get("released") is False:
            drawn = len(list(out.glob("round-*.json")))
            about = ["--about", str(out / f"round-{drawn}.json")] if drawn else []
            files = [str(sums / f"pass-{drawn + 1}-{k}.json") for k in range(1, arguments.parts + 1)]
            line = ["sum", str(records), "--mu", arguments.mu, "--force", "--threads", "1", *about, *options]
            calls = [[*line, "--part", f"{k}/{arguments.parts}", "--out", file] for k, file in enumerate(files, 1)]
            for _, done in run(calls):
                if isinstance(done, Exception):
                    raise done
                print(f"part {done['part']}, pass {drawn + 1}", file=sys.stderr)
            said = engine.visard("release", *files, "--mu", arguments.mu, "--out", str(out), *arguments.release.split())
    shutil.rmtree(sums)
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    sys.exit(main())
