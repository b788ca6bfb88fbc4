#!/usr/bin/env python3
"""Both stages of a study under dask.distributed.

    study.py all.csv study --shards 64 --workers 8 -- --mu 1
    study.py all.csv study --shards 64 --scheduler tcp://host:8786 -- --mu 1 --ledger hospital.jsonl

Without --scheduler a cluster on this machine is made, or the one that --jobqueue names (dask_jobqueue.SLURMCluster and the like, set up in
dask's own configuration files). Each task is one shard; a task whose worker dies is run again by dask. What follows -- goes to
`visard face mean` (or the --statistic).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys

from dask.distributed import Client, LocalCluster, as_completed


def visard(*words: str) -> dict:
    """Run the command; its result, or its error as an exception."""
    done = subprocess.run(["visard", *words, "--json"], capture_output=True, text=True, check=False, umask=0o077)
    lines = done.stdout.strip().splitlines()
    said = json.loads(lines[-1]) if lines else {}
    if done.returncode != 0:
        raise RuntimeError(said.get("error", {}).get("message") or done.stderr.strip() or f"exit code {done.returncode}")
    return said


def prepare(manifest: str, records: str, shard: int, of: int, threads: int) -> dict:
    """One shard, on a worker: needs `visard` there and the same folders."""
    return visard("face", "prepare", "--manifest", manifest, "--shard", f"{shard}/{of}", "--out", records, "--threads", str(threads))


def cluster(arguments: argparse.Namespace):
    """Where the work goes."""
    if arguments.scheduler:
        return arguments.scheduler
    if arguments.jobqueue:
        import dask_jobqueue

        made = getattr(dask_jobqueue, arguments.jobqueue)()
        made.scale(arguments.workers)
        return made
    return LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest")
    parser.add_argument("out")
    parser.add_argument("--statistic", default="mean", choices=["mean", "modes", "regress", "compare"])
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="of each shard")
    parser.add_argument("--scheduler", help="address of a running scheduler")
    parser.add_argument("--jobqueue", help="a class of dask_jobqueue, as in SLURMCluster")
    # What follows `--` is for visard.
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:cut]), words[cut + 1 :]
    if shutil.which("visard") is None:
        parser.error("visard is not on the PATH")
    manifest, out, records = arguments.manifest, arguments.out, arguments.out + ".records"
    second = ["face", arguments.statistic, "--records", records, "--manifest", manifest, "--out", out, *options]
    # The ledger and its ceilings, before hours of work.
    visard(*second, "--dry-run")
    lost = 0
    with Client(cluster(arguments)) as client:
        shards = range(1, arguments.shards + 1)
        # Not pure: a shard is run again whatever ran before. Dask tries a failed one twice more.
        tasks = {
            client.submit(prepare, manifest, records, k, arguments.shards, arguments.threads, pure=False, retries=2): k for k in shards
        }
        for task in as_completed(tasks):
            if task.status == "finished":
                done = task.result()
                print(f"shard {done['shard']}: {done['made']} of {done['rows']} records", file=sys.stderr)
            else:
                lost += 1
                print(f"shard {tasks[task]} is lost: {task.exception()}", file=sys.stderr)
    if lost:
        # They would count as the template: that is for people to decide.
        print(f"{lost} shards are lost: run this again, it goes on where it stopped; nothing was charged", file=sys.stderr)
        return 1
    print(json.dumps(visard(*second)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
