"""From jobs that run at once to what the engine is asked: targets, clients, and when the run ends.

What our engine does otherwise than fio is said in a note of the job that it belongs to; see docs/fio.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from plimsoll.base.limits import WINDOW_S_MIN
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.phases import Phase, has_logs, rate_per_s, read_share
from plimsoll.dialects.fio.places import engine_of, moves_nothing, parts, paths
from plimsoll.dialects.fio.values import Split
from plimsoll.facts import Arrivals, Flush, IoClass, Note, Plan, PlanGroup, SizeShare, Target, Workload
from plimsoll.facts.workload import Op
from plimsoll.native import engine as native

_SAME_SCHEDULER = {"noop": "none"}
"""Kernels since 5.0 call the scheduler `none` that was `noop`."""


@dataclass(frozen=True)
class Load:
    """One phase, ready for the engine."""

    targets: tuple[Target, ...]
    plan: Plan
    notes: tuple[Note, ...]


def load(phase: Phase, opened: Mapping[str, Target], seed: int) -> Load:
    """What to run. `seed` is for jobs that name none and may repeat nothing. Raises UsageError `target-too-small`."""
    targets: list[Target] = []
    groups = []
    for job, name in zip(phase, _names(phase), strict=True):
        own = parts(job, opened)
        first = len(targets)
        targets += own
        indexes = tuple(range(first, first + len(own)))
        groups.append(_group(job, name, own, indexes, phase))
    notes = tuple(note for job in phase for note in _notes(job, opened))
    plan = _plan(phase, targets, seed).on(*targets).doing(groups)
    return Load(tuple(targets), plan, notes)


def ios_per_clone(job: Job, targets: Sequence[Target]) -> int:
    """I/Os after which a clone has moved its size, so many times as `loops` says; of several block sizes, those that do it on
    average.

    As fio counts: whole blocks of each file, or where blocks come again and again anyway one more for what is left over.
    """
    # Shares such as 0.7 and 0.3 make a mean that misses a whole number by a hair, and then a block would be lost.
    mean = round(_workload(job, job.label, alone=True).mean_bytes, 6)
    own = [target.span_bytes for target in targets[: job.files_per_clone]]
    moved = _bytes_per_loop(job, sum(own))
    if min(own) < mean:
        ios = 0
    elif moved == sum(own) and _pattern(job) in ("sequential", "shuffled"):
        ios = sum(int(span // mean) for span in own)
    else:
        ios = ceil(moved / mean)
    return ios * job.loops


def _bytes_per_loop(job: Job, span_bytes: int) -> int:
    """What a clone moves at a time: `io_size`, or all of its stretch; with `filesize` no more than `size`."""
    whole = span_bytes
    if job.file_bytes is not None and job.size is not None and job.size.bytes is not None:
        whole = min(whole, job.size.bytes)
    return whole if job.io_size is None else job.io_size.of(whole)


def _names(phase: Phase) -> list[str]:
    """Jobs' names, told apart where two are equal."""
    names: list[str] = []
    for job in phase:
        count = sum(other.label == job.label for other in phase[: len(names)])
        names.append(f"{job.label} ({count + 1})" if count else job.label)
    return names


def _plan(phase: Phase, targets: Sequence[Target], seed: int) -> Plan:
    first = phase[0]
    runtime_s = _runtime_s(phase)
    repeatable = 1 if first.randrepeat else seed
    return Plan(
        direct=first.direct,
        runtime_s=runtime_s,
        ios_max=None if first.time_based or len(phase) > 1 else _ios_max(first, targets),
        warm_up_s=first.ramp_us / 1e6,
        window_s=_window_s(phase, runtime_s),
        seed=repeatable if first.randseed is None else first.randseed,
    )


def _window_s(phase: Phase, runtime_s: float | None) -> float:
    """As long as a line of the logs stands for, or a tenth of the time and at most a second."""
    logged_ms = max((job.log_ms for job in phase if has_logs(job)), default=0)
    if logged_ms:
        return logged_ms / 1e3
    return 1.0 if runtime_s is None else max(WINDOW_S_MIN, min(1.0, runtime_s / 10))


def _runtime_s(phase: Phase) -> float | None:
    """Until the last of the jobs is over at the latest; None where one of them ends by its size alone."""
    if not all(job.runtime_us for job in phase):
        return None
    return max(job.delay_us + job.runtime_us for job in phase) / 1e6 - first_delay_us(phase) / 1e6


def _ios_max(job: Job, targets: Sequence[Target]) -> int:
    ios = ios_per_clone(job, targets) * job.numjobs
    if not ios:
        raise job.refuse("has a size of less than one block", "Use a larger size, or a smaller bs.")
    return ios


def _group(job: Job, name: str, own: Sequence[Target], indexes: tuple[int, ...], phase: Phase) -> PlanGroup:
    rate, alone = rate_per_s(job), len(phase) == 1
    return PlanGroup(
        name=name,
        classes=_workload(job, name, alone).classes,
        engine=_engine(job, own),
        jobs=job.numjobs,
        depth=1 if _blocks(job) or job.think_us else job.iodepth,
        arrivals=Arrivals() if rate is None else Arrivals(kind=job.arrivals, rate_per_s=rate),  # type: ignore[arg-type]
        think_us=float(job.think_us),
        targets=indexes,
        delay_s=(job.delay_us - first_delay_us(phase)) / 1e6,
        runtime_s=_own_runtime_s(job, phase),
        ios_max=None if alone or job.time_based else _ios_max(job, own),
    )


def _own_runtime_s(job: Job, phase: Phase) -> float | None:
    """When the job ends by its time; None where it has none, or ends with all of them."""
    begun_us = job.delay_us - first_delay_us(phase)
    if not job.runtime_us or (begun_us + job.runtime_us) / 1e6 == _runtime_s(phase):
        return None
    return job.runtime_us / 1e6


def first_delay_us(phase: Phase) -> int:
    """How long nothing of the phase begins."""
    return min(job.delay_us for job in phase)


def _engine(job: Job, own: Sequence[Target]) -> str:
    if own[0].kind == "simulated" and not moves_nothing(job):
        return native.that_simulates()
    return engine_of(job)


def _blocks(job: Job) -> bool:
    """Whether each clone waits for its I/O, so that a depth means nothing."""
    return native.blocks(engine_of(job))


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
    sizes = _sizes(job.sizes(side))
    block = max(size.bytes for size in sizes)
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
            if job.direct or moves_nothing(job)
            else "direct=0, fio's default: the page cache may have answered, faster than the storage",
        ),
        (
            "fio-null",
            "the null engine moves nothing: its figures are this tool's own" if moves_nothing(job) else "",
        ),
        ("fio-depth", _about_depth(job)),
        ("fio-regions", _about_regions(job)),
        ("fio-file-order", _about_order(job)),
        ("fio-sync", _about_sync(job)),
        ("fio-sizes", _about_sizes(job)),
        ("fio-byte-rate", _about_byte_rate(job)),
        ("fio-timed", _about_timing(job)),
    ]
    notes = [Note(code=code, message=f"job {job.label}: {words}") for code, words in said if words]
    asked = job.ioscheduler and not moves_nothing(job)
    schedulers = {path: _about_scheduler(job, opened[path]) for path in paths(job)} if asked else {}
    different = dict.fromkeys(words for words in schedulers.values() if words)
    return notes + [Note(code="fio-scheduler", message=f"job {job.label}: {words}") for words in different]


def _about_depth(job: Job) -> str:
    if job.iodepth > 1 and _blocks(job):
        return f"iodepth={job.iodepth} changes nothing with ioengine={job.ioengine}, as in fio: one I/O is in flight"
    if job.iodepth > 1 and job.think_us:
        return f"iodepth={job.iodepth} changes nothing with thinktime, as in fio: one I/O is in flight"
    return ""


def _about_regions(job: Job) -> str:
    if job.numjobs == 1 or not job.filenames or _pattern(job) not in ("sequential", "shuffled"):
        return ""
    return "each clone moves through a part of its own, where fio sends each of them through all blocks"


def _about_order(job: Job) -> str:
    if job.files_per_clone < 2 or job.rw.startswith("rand"):
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


def _about_byte_rate(job: Job) -> str:
    sides = [side for side, share in ((0, read_share(job)), (1, 1 - read_share(job))) if share]
    if job.byte_rates is None or all(len(job.sizes(side)) == 1 for side in sides):
        return ""
    return "its rate in bytes is kept on average: I/Os come alike whatever their size, where fio waits longer after a large one"


def _about_timing(job: Job) -> str:
    asked = [
        key
        for key in ("gtod_reduce", "disable_lat", "disable_clat", "disable_slat", "disable_bw")
        if getattr(job, key)
    ]
    if not asked:
        return ""
    return f"{', '.join(asked)}: times are taken all the same, and cost what they always do; --fio-json leaves out what fio would"


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
