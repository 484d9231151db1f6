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
from collections.abc import Callable, Sequence
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
    """The flow with so many processes. What it takes to load all, `start_cpu_s`, is in `client_share` and not in `steady_share`."""
    start_s = _cpu_s(resource.RUSAGE_SELF)
    found = _flow(folder, LocalExecutor(int(workers)), out)
    own, others = found.pop("client_cpu_s"), _cpu_s(resource.RUSAGE_CHILDREN)
    return {
        **found,
        "client_share": own / (own + others),
        "steady_share": (own - start_s) / (own - start_s + others),
        "start_cpu_s": start_s,
        "all_cpu_s": own + others,
    }


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
    """The scheduler's processor time counts as the client's in `client_share`: both read nothing. In `outside_share` that of the
    workers counts, too, but for the processes that they have read. Both have in them what it takes to begin, `start_cpu_s`: the
    client loads Dask and connects, and a worker that was asked for the first time loads this package. `steady_share` has not.
    """
    with (
        tempfile.TemporaryDirectory() as place,
        dask_cluster.cluster(Path(place), workers, environment=environment) as made,
    ):
        processes = [psutil.Process(one.process.pid) for one in (made.scheduler, *made.workers.values())]
        before = _outside_s(processes)
        before_read_s = _read_s(processes)
        with cluster_executor(address_of(made.address)) as executor:
            begun = _outside_s(processes)
            found = _flow(folder, executor, out)
            client_s = found.pop("client_cpu_s")
        ended = [client_s, *_outside_s(processes)[1:]]
        readers_s = _read_s(processes) - before_read_s
    whole = [one - past for one, past in zip(ended, before, strict=True)]
    steady_s = sum(one - past for one, past in zip(ended, begun, strict=True))
    all_cpu_s = sum(whole) + readers_s
    return {
        **found,
        "client_share": sum(whole[:2]) / all_cpu_s,
        "outside_share": sum(whole) / all_cpu_s,
        "steady_share": steady_s / (steady_s + readers_s),
        "start_cpu_s": sum(whole) - steady_s,
        "all_cpu_s": all_cpu_s,
    }


def _outside_s(processes: Sequence[psutil.Process]) -> list[float]:
    """Of the client, and of each of them by itself."""
    return [_cpu_s(resource.RUSAGE_SELF), *(sum(one.cpu_times()[:2]) for one in processes)]


def _read_s(processes: Sequence[psutil.Process]) -> float:
    """Of the processes that they had, and that have ended."""
    return sum(sum(one.cpu_times()[2:4]) for one in processes)


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
