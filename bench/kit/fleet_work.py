"""`python bench/kit/fleet_work.py WHAT …`: one run over a folder of many reports, with what it took of time, processors and memory.

`read FOLDER WORKERS` is the flow of `plimsoll read` with so many processes apart, and with a third word its tables, too.
`cluster FOLDER WORKERS` is the same over a Dask cluster of one scheduler and so many workers of one thread, started before, as
docs/read.md advises; their start is in none of the figures. `untuned FOLDER WORKERS` has them as Dask starts them.
`here FOLDER PROCESSES` has each of so many processes, independent of each other and without one apart, read everything: what the
machine can do, and what the reader itself costs. `peak VERB FOLDER` is a whole command with the memory of all its processes.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

import dask_cluster
from plimsoll.cli.main import look_for_garbage_seldom
from plimsoll.cluster.dask_address import address_of
from plimsoll.cluster.dask_executor import cluster_executor
from plimsoll.context import Cancel, Context, Executor, LocalExecutor, Scratch
from plimsoll.flows.read import read_reports
from plimsoll.ports.clock import SystemClock
from plimsoll.reports.reader import read_all
from plimsoll.reports.sources import sources
from plimsoll.reports.walk import Walk
from plimsoll.requests.read import ReadRequest
from plimsoll.store import open_store


def main() -> None:
    """Prints JSON."""
    what, *words = sys.argv[1:]
    look_for_garbage_seldom()
    print(json.dumps(WORK[what](*words)))


def read(folder: str, workers: str, out: str = "") -> dict[str, float]:
    """The flow with so many processes."""
    found = _flow(folder, LocalExecutor(int(workers)), out)
    own, others = found.pop("client_cpu_s"), _cpu_s(resource.RUSAGE_CHILDREN)
    return {**found, "client_share": own / (own + others), "all_cpu_s": own + others}


def _flow(folder: str, executor: Executor, out: str) -> dict[str, float]:
    """How fast it is, and the beginning of the SHA-256 over everything that came of it, as a number.

    That sum is the bench's own work, and stands in no other figure. Garbage is looked for as seldom as the command does.
    """
    begin_s = time.perf_counter()
    with tempfile.TemporaryDirectory() as place, Scratch(Path(place)) as scratch:
        os.environ["XDG_STATE_HOME"] = place
        store = open_store(str(Path(place) / "store.sqlite"))
        ctx = Context(SystemClock(), lambda _: None, Cancel(), scratch, executor, store)
        found = read_reports(ctx, ReadRequest((folder,), out=out or None, file_format="parquet"))
        took_s = time.perf_counter() - begin_s
    client_cpu_s = _cpu_s(resource.RUSAGE_SELF)
    told = hashlib.sha256("".join(found.collection.documents()).encode())
    for path in sorted(path for path in Path(out or place).rglob("*") if path.is_file()):
        told.update(path.read_bytes())
    return {
        "seconds": took_s,
        "reports_per_s": len(found.reports) / took_s,
        "client_cpu_s": client_cpu_s,
        "outcome": int(told.hexdigest()[:12], 16),
    }


def cluster(folder: str, workers: str, out: str = "") -> dict[str, float]:
    """The flow with so many workers of a cluster whose Dask does little by itself."""
    return _over_dask(folder, int(workers), out, dask_cluster.SELDOM)


def untuned(folder: str, workers: str) -> dict[str, float]:
    """The same as Dask starts it."""
    return _over_dask(folder, int(workers), "", {})


def _over_dask(folder: str, workers: int, out: str, environment: dict[str, str]) -> dict[str, float]:
    """The scheduler's processor time counts as the client's: both read nothing."""
    with (
        tempfile.TemporaryDirectory() as place,
        dask_cluster.cluster(Path(place), workers, environment=environment) as made,
    ):
        processes = [psutil.Process(one.process.pid) for one in (made.scheduler, *made.workers.values())]
        before = [_used_s(one) for one in processes]
        begin = _cpu_s(resource.RUSAGE_SELF)
        with cluster_executor(address_of(made.address)) as executor:
            found = _flow(folder, executor, out)
            client_s = found.pop("client_cpu_s") - begin
        scheduler_s, *readers_s = (_used_s(one) - past for one, past in zip(processes, before, strict=True))
    all_cpu_s = client_s + scheduler_s + sum(readers_s)
    return {**found, "client_share": (client_s + scheduler_s) / all_cpu_s, "all_cpu_s": all_cpu_s}


def _used_s(process: psutil.Process) -> float:
    """With that of the processes that it had, and that have ended."""
    return sum(process.cpu_times()[:4])


def here(folder: str, processes: str) -> dict[str, float]:
    """Each of so many processes reads everything, at the same time; per process."""
    begin_s = time.perf_counter()
    ids = [_forked(folder) for _ in range(int(processes))]
    for number in ids:
        if os.waitpid(number, 0)[1]:
            raise SystemExit("a process that reads failed")
    took_s = time.perf_counter() - begin_s
    files = len(os.listdir(folder)) * len(ids)
    all_cpu_s = sum(map(_cpu_s, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    return {"seconds": took_s, "reports_per_s": files / took_s, "all_cpu_s": all_cpu_s}


def _forked(folder: str) -> int:
    """A process that reads everything."""
    number = os.fork()
    if number == 0:
        os._exit(_read_all(folder))
    return number


def _read_all(folder: str) -> int:
    for source in sources(Walk([Path(folder)]).entries()):
        for reading in read_all(source):
            replace(reading, part=None)
    return 0


def peak(verb: str, folder: str) -> dict[str, float]:
    """A command within this process, whose children are its workers: the memory of each of them at its most."""
    from plimsoll.cli.main import run

    with (
        open(os.devnull, "w") as nowhere,
        tempfile.TemporaryDirectory(dir=Path(folder).parent) as place,
        redirect_stdout(nowhere),
    ):
        os.environ |= {"XDG_STATE_HOME": place, "XDG_DATA_HOME": place}
        begin_s = time.perf_counter()
        status = run([verb, folder, "--json"])
        took_s = time.perf_counter() - begin_s
    own, one = (
        resource.getrusage(who).ru_maxrss * 1024.0 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return {
        "seconds": took_s,
        "status": float(status),
        "client_peak_bytes": own,
        "worker_peak_bytes": one,
        "all_peak_bytes": own + len(os.sched_getaffinity(0)) * one,
    }


def _cpu_s(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


WORK: dict[str, Callable[..., dict[str, float]]] = {
    "read": read,
    "here": here,
    "peak": peak,
    "cluster": cluster,
    "untuned": untuned,
}


if __name__ == "__main__":
    main()
