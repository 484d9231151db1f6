"""From jobs that run at once to what the engine is asked: targets, clients, and when the run ends.

What our engine does otherwise than fio is said in a note of the job that it belongs to; see docs/fio.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.facts import Arrivals, Flush, IoClass, Note, SizeShare, Target, Workload
from plimsoll.facts.workload import Op
from plimsoll.supply.engine import Client, Plan
from plimsoll.supply.fio.job_file import Job
from plimsoll.supply.fio.phases import Phase, rate_per_s, read_share
from plimsoll.supply.fio.places import parts, paths
from plimsoll.supply.fio.values import Split

_BLOCKING = ("sync", "psync")
_SAME_SCHEDULER = {"noop": "none"}
"""Kernels since 5.0 call the scheduler `none` that was `noop`."""


@dataclass(frozen=True)
class Load:
    """One phase, ready for the engine."""

    targets: tuple[Target, ...]
    clients: tuple[Client, ...]
    plan: Plan
    notes: tuple[Note, ...]


def load(phase: Phase, opened: Mapping[str, Target], seed: int) -> Load:
    """What to run. `seed` is for jobs that name none and may repeat nothing. Raises UsageError `target-too-small`."""
    targets: list[Target] = []
    clients = []
    for job, name in zip(phase, _names(phase), strict=True):
        own = parts(job, opened)
        first = len(targets)
        targets += own
        indexes = tuple(range(first, first + len(own)))
        clients.append(_client(job, name, own, indexes, alone=len(phase) == 1))
    notes = tuple(note for job in phase for note in _notes(job, opened))
    return Load(tuple(targets), tuple(clients), _plan(phase, targets, seed), notes)


def ios_per_clone(job: Job, targets: Sequence[Target]) -> int:
    """I/Os after which a clone has moved its size; of several block sizes, those that do it on average.

    As fio counts: whole blocks of each file, or where blocks come again and again anyway one more for what is left over.
    """
    # Shares such as 0.7 and 0.3 make a mean that misses a whole number by a hair, and then a block would be lost.
    mean = round(_workload(job, job.label, alone=True).mean_bytes, 6)
    own = [target.span_bytes for target in (targets if job.filenames else targets[:1])]
    if _pattern(job) in ("sequential", "shuffled"):
        return sum(int(span // mean) for span in own)
    return ceil(sum(own) / mean) if min(own) >= mean else 0


def _names(phase: Phase) -> list[str]:
    """Jobs' names, told apart where two are equal."""
    names: list[str] = []
    for job in phase:
        count = sum(other.label == job.label for other in phase[: len(names)])
        names.append(f"{job.label} ({count + 1})" if count else job.label)
    return names


def _plan(phase: Phase, targets: Sequence[Target], seed: int) -> Plan:
    first = phase[0]
    runtime_s = first.runtime_us / 1e6 or None
    repeatable = 1 if first.randrepeat else seed
    return Plan(
        direct=first.direct,
        runtime_s=runtime_s,
        ios_max=None if first.time_based else _ios_max(first, targets),
        warm_up_s=first.ramp_us / 1e6,
        window_s=1.0 if runtime_s is None else max(WINDOW_S_MIN, min(1.0, runtime_s / 10)),
        seed=repeatable if first.randseed is None else first.randseed,
    )


def _ios_max(job: Job, targets: Sequence[Target]) -> int:
    ios = ios_per_clone(job, targets) * job.numjobs
    if not ios:
        raise job.refuse("has a size of less than one block", "Use a larger size, or a smaller bs.")
    return ios


def _client(job: Job, name: str, own: Sequence[Target], indexes: tuple[int, ...], alone: bool) -> Client:
    rate = rate_per_s(job)
    return Client(
        name=name,
        workload=_workload(job, name, alone),
        engine=_engine(job, own),
        jobs=job.numjobs,
        depth=1 if job.ioengine in _BLOCKING or job.think_us else job.iodepth,
        arrivals=Arrivals() if rate is None else Arrivals(kind=job.arrivals, rate_per_s=rate),  # type: ignore[arg-type]
        think_us=float(job.think_us),
        targets=indexes,
    )


def _engine(job: Job, own: Sequence[Target]) -> str:
    if own[0].kind == "simulated":
        return "sim"
    return "psync" if job.ioengine in _BLOCKING else job.ioengine


def _workload(job: Job, name: str, alone: bool) -> Workload:
    """Classes are named for what they do, and beside other jobs for the job too."""
    reads = read_share(job)
    ops: tuple[tuple[Op, int, float], ...] = (("read", 0, reads), ("write", 1, 1 - reads))
    classes = tuple(
        _io_class(job, op if alone else f"{name} {op}", op, side, share)
        for op, side, share in ops
        if share > 0
    )
    return Workload(name=name, classes=classes)


def _io_class(job: Job, name: str, op: Op, side: int, share: float) -> IoClass:
    sizes = _sizes(job.splits[side]) if job.splits is not None else ()
    block = max(size.bytes for size in sizes) if sizes else job.block_bytes[side]
    return IoClass(
        name=name,
        op=op,
        pattern=_pattern(job),
        skew=job.distribution.skew if job.rw.startswith("rand") else None,
        block_bytes=block,
        sizes=sizes if len(sizes) > 1 else (),
        flush=_flush(job) if op == "write" else None,
        weight=share,
        sync=op == "write" and job.sync != "none",
    )


def _sizes(split: Split) -> tuple[SizeShare, ...]:
    return tuple(SizeShare(bytes=size, weight=percent) for size, percent in split)


def _pattern(job: Job) -> str:
    if not job.rw.startswith("rand"):
        return "sequential"
    if job.distribution.name != "random":
        return job.distribution.name
    return "random" if job.norandommap else "shuffled"


def _flush(job: Job) -> Flush | None:
    if job.fsync:
        return Flush(every=job.fsync, call="fsync")
    return Flush(every=job.fdatasync, call="fdatasync") if job.fdatasync else None


def _notes(job: Job, opened: Mapping[str, Target]) -> list[Note]:
    """What a reader who knows fio must be told about this job."""
    said = [
        (
            "page-cache",
            ""
            if job.direct
            else "direct=0, fio's default: the page cache may have answered, faster than the storage",
        ),
        ("fio-depth", _about_depth(job)),
        ("fio-regions", _about_regions(job)),
        ("fio-file-order", _about_order(job)),
        ("fio-sync", _about_sync(job)),
        ("fio-sizes", _about_sizes(job)),
    ]
    notes = [Note(code=code, message=f"job {job.label}: {words}") for code, words in said if words]
    schedulers = {path: _about_scheduler(job, opened[path]) for path in paths(job)} if job.ioscheduler else {}
    different = dict.fromkeys(words for words in schedulers.values() if words)
    return notes + [Note(code="fio-scheduler", message=f"job {job.label}: {words}") for words in different]


def _about_depth(job: Job) -> str:
    if job.iodepth > 1 and job.ioengine in _BLOCKING:
        return f"iodepth={job.iodepth} changes nothing with ioengine={job.ioengine}, as in fio: one I/O is in flight"
    if job.iodepth > 1 and job.think_us:
        return f"iodepth={job.iodepth} changes nothing with thinktime, as in fio: one I/O is in flight"
    return ""


def _about_regions(job: Job) -> str:
    if job.numjobs == 1 or not job.filenames or _pattern(job) not in ("sequential", "shuffled"):
        return ""
    return "each clone moves through a part of its own, where fio sends each of them through all blocks"


def _about_order(job: Job) -> str:
    if len(job.filenames) < 2 or job.rw.startswith("rand"):
        return ""
    return "files are worked through one after the other, where fio takes a block of each in turn"


def _about_sync(job: Job) -> str:
    if job.sync != "sync" or read_share(job) == 1:
        return ""
    return "writes are made durable with RWF_DSYNC; O_SYNC would also wait for the file's times"


def _about_sizes(job: Job) -> str:
    classes = _workload(job, job.label, alone=True).classes
    sizes = {size for io in classes for size in (io.block_bytes, *(one.bytes for one in io.sizes))}
    if job.time_based or len(sizes) == 1:
        return ""
    return "of several block sizes, it ends after as many I/Os as make up its size on average"


def _about_scheduler(job: Job, target: Target) -> str:
    """Never set, only compared."""
    if target.device is None or target.device.scheduler is None:
        return f"whether its device uses the scheduler {job.ioscheduler} cannot be told; it is never set"
    wanted, found = job.ioscheduler, target.device.scheduler
    if _SAME_SCHEDULER.get(wanted, wanted) == found:
        return ""
    return (
        f"ioscheduler={wanted} was asked for, but {target.device.name} uses {found}, and it is never set;"
        f" root sets it with: echo {_SAME_SCHEDULER.get(wanted, wanted)} > /sys/block/{target.device.name}/queue/scheduler"
    )
