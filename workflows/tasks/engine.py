"""Where tasks run: dask.distributed or Ray. Each task is one call of `visard`; one whose worker dies is run again by the engine."""

from __future__ import annotations

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator

Run = Callable[[list[list[str]]], Iterator[tuple[int, "dict | Exception"]]]


def visard(*words: str) -> dict:
    """Run the command; its result, or its error as an exception."""
    done = subprocess.run(["visard", *words, "--json"], capture_output=True, text=True, check=False, umask=0o077)
    lines = done.stdout.strip().splitlines()
    said = json.loads(lines[-1]) if lines else {}
    if done.returncode != 0:
        raise RuntimeError(said.get("error", {}).get("message") or done.stderr.strip() or f"exit code {done.returncode}")
    return said


def options(parser: argparse.ArgumentParser) -> None:
    """Which engine, and where it is."""
    parser.add_argument("--engine", default="dask", choices=["dask", "ray"])
    parser.add_argument("--workers", type=int, default=2, help="of a cluster that is made on this machine, or by --jobqueue")
    parser.add_argument("--scheduler", help="address of a running scheduler (Ray: cluster)")
    parser.add_argument("--jobqueue", help="with Dask: a class of dask_jobqueue, as in SLURMCluster")


@contextlib.contextmanager
def workers(arguments: argparse.Namespace) -> Iterator[Run]:
    """Workers, which need `visard` and the same folders, as a function that runs calls of `visard` on them: the number of each as it ends,
    and its result or what went wrong after three tries."""
    with (ray_workers if arguments.engine == "ray" else dask_workers)(arguments) as run:
        yield run


@contextlib.contextmanager
def dask_workers(arguments: argparse.Namespace) -> Iterator[Run]:
    from dask.distributed import Client, LocalCluster, as_completed

    if arguments.scheduler:
        cluster = arguments.scheduler
    elif arguments.jobqueue:
        import dask_jobqueue

        cluster = getattr(dask_jobqueue, arguments.jobqueue)()
        cluster.scale(arguments.workers)
    else:
        cluster = LocalCluster(n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        # Workers need what this file defines.
        client.upload_file(str(pathlib.Path(__file__)))

        def run(calls: list[list[str]]) -> Iterator[tuple[int, dict | Exception]]:
            # Not pure: a task is run again whatever ran before.
            tasks = {client.submit(visard, *words, pure=False, retries=2): k for k, words in enumerate(calls)}
            for task in as_completed(tasks):
                yield tasks[task], task.result() if task.status == "finished" else task.exception()

        yield run


@contextlib.contextmanager
def ray_workers(arguments: argparse.Namespace) -> Iterator[Run]:
    import ray

    # Workers need what this file defines.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    if arguments.scheduler:
        ray.init(address=arguments.scheduler, log_to_driver=False)
    else:
        ray.init(num_cpus=arguments.workers, include_dashboard=False, log_to_driver=False)
    task = ray.remote(max_retries=2, retry_exceptions=True, num_cpus=1)(visard)

    def run(calls: list[list[str]]) -> Iterator[tuple[int, dict | Exception]]:
        tasks = {task.remote(*words): k for k, words in enumerate(calls)}
        left = list(tasks)
        while left:
            [done], left = ray.wait(left)
            try:
                yield tasks[done], ray.get(done)
            except ray.exceptions.RayError as error:
                yield tasks[done], error

    try:
        yield run
    finally:
        ray.shutdown()
