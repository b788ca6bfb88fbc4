#!/usr/bin/env python3
"""Whether the command, the Python module and the tests are built from the same libraries: `python3 .ci/units.py` fails where a crate below
would be compiled once for one of them and again for another, because a feature differs. Cargo's own list of what it would compile is compared;
it comes from an option that only RUSTC_BOOTSTRAP allows a stable Cargo."""
import json
import os
import subprocess
import sys

sys.setrecursionlimit(10_000)


def units(words):
    """Names of what a build compiles, by everything that makes two compilations the same."""
    command = ["cargo", "build", "--release", "-Z", "unstable-options", "--unit-graph", *words]
    graph = subprocess.run(command, env=dict(os.environ, RUSTC_BOOTSTRAP="1"), capture_output=True, check=True)
    found = json.loads(graph.stdout)["units"]
    keys = {}

    def key(index):
        if index not in keys:
            unit = found[index]
            below = tuple(sorted({key(d["index"]) for d in unit["dependencies"]}))
            name = (unit["pkg_id"], unit["target"]["name"], *unit["target"]["kind"], *unit["features"], unit["mode"])
            keys[index] = hash((name, below))
        return keys[index]

    return {key(index): f"{unit['pkg_id'].rsplit('/', 1)[-1]} [{' '.join(unit['features'])}]" for index, unit in enumerate(found)}


tests = units(["--workspace", "--lib", "--bins", "--tests", "--examples"])
again = {}
for words in (["--bin", "visard"], ["--package", "visard-python", "--lib"]):
    again |= {key: name for key, name in units(words).items() if key not in tests}
if again:
    sys.exit("compiled again:\n" + "\n".join(sorted(again.values())))
print("the command, the Python module and the tests are built from the same libraries")
