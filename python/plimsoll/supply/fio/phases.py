"""Which jobs run at once, and whether they can: everything that can be said before a file is opened.

Jobs between two stonewalls run in one measured window, so what the window has only once must be the same for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.supply.fio.job_file import Job

_ONCE = {
    "direct": "direct",
    "runtime": "runtime_us",
    "ramp_time": "ramp_us",
    "randseed": "randseed",
    "randrepeat": "randrepeat",
}
"""What all jobs of a phase share, by its key."""
_WAY_ON = "Give them the same, or write stonewall in the later job so that it waits for the earlier one."

Phase = tuple[Job, ...]


def phases(jobs: Sequence[Job]) -> tuple[Phase, ...]:
    """The jobs in groups that run at once. Raises UsageError `job-unsupported` naming file, line and the way on."""
    groups: list[list[Job]] = []
    for job in jobs:
        _check(job)
        if job.stonewall or not groups:
            groups.append([])
        groups[-1].append(job)
    for group in groups:
        _check_together(group)
    return tuple(map(tuple, groups))


def read_share(job: Job) -> float:
    """Reads as a share of the job's I/Os, 0 to 1."""
    if job.rw in ("read", "randread"):
        return 1.0
    if job.rw in ("write", "randwrite"):
        return 0.0
    if job.rates is not None:
        reads, writes = _rates(job)
        return reads / (reads + writes)
    return (50 if job.read_percent is None else job.read_percent) / 100


def rate_per_s(job: Job) -> float | None:
    """I/Os a second of all clones together; None in a closed loop."""
    if job.rates is None:
        return None
    share = read_share(job)
    if 0 < share < 1:
        rate = sum(_rates(job))
    else:
        rate = job.rates[0] if share else job.rates[1]
    return None if rate is None else float(rate * job.numjobs)


def _rates(job: Job) -> tuple[int, int]:
    reads, writes = job.rates or (None, None)
    if reads is None or writes is None:
        raise job.refuse(
            "has a rate for one of reads and writes, but does both",
            "Give both: rate_iops=READS,WRITES; or leave rate_iops out.",
        )
    return reads, writes


def _check(job: Job) -> None:
    if job.time_based and not job.runtime_us:
        raise job.refuse("is time_based without a runtime", "Add runtime=30s, or drop time_based.")
    if job.fsync and job.fdatasync:
        raise job.refuse("has both fsync and fdatasync", "Keep one of them.")
    _check_rate(job)
    _check_paths(job)


def _check_rate(job: Job) -> None:
    rate = rate_per_s(job)
    if rate is not None and job.think_us:
        raise job.refuse("has both rate_iops and thinktime", "Keep one: a rate says when each I/O is due.")
    if rate is None or job.read_percent is None or job.rw not in ("rw", "readwrite", "randrw"):
        return
    share = read_share(job)
    if abs(share * 100 - job.read_percent) > 0.5:
        raise job.refuse(
            f"asks for {job.read_percent} % reads, but its rates make {share:.0%}",
            "Write rate_iops=READS,WRITES with the mix that is wanted, and leave rwmixread out.",
        )


def _check_paths(job: Job) -> None:
    if job.directory and any(name.startswith("/") for name in job.filenames):
        raise job.refuse(
            f"has directory={job.directory} and a file name that begins with /",
            "Leave out the directory, or write the name without its folder.",
        )


def _check_together(jobs: Sequence[Job]) -> None:
    """That one measured window can hold them all."""
    first = jobs[0]
    for job in jobs[1:]:
        for key, field in _ONCE.items():
            if getattr(job, field) != getattr(first, field):
                raise job.refuse(f"runs at once with {first.label}, but with another {key}", _WAY_ON)
    for job in jobs:
        if len(jobs) > 1 and not job.time_based:
            raise job.refuse(
                "runs beside others and would end when its size is done, while they go on without it",
                "Add runtime=30s and time_based, so that all end together; or write stonewall in the later job.",
            )
