"""Which jobs run at once, and whether they can: everything that can be said before a file is opened.

Jobs between two stonewalls run in one measured window, so what the window has only once must be the same for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_share
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.places import moves_nothing

_ONCE = {
    "direct": "direct",
    "ramp_time": "ramp_us",
    "randseed": "randseed",
    "randrepeat": "randrepeat",
}
"""What all jobs of a phase share, by its key."""
_CLASSES_MAX = 64
"""As in the engine."""
_WAY_ON = "Give them the same, or write stonewall in the later job so that it waits for the earlier one."

Phase = tuple[Job, ...]


def phases(jobs: Sequence[Job]) -> tuple[Phase, ...]:
    """The jobs in groups that run at once. Raises UsageError `job-unsupported` naming file, line and the way on."""
    groups: list[list[Job]] = []
    for job in jobs:
        _check(job)
        if not groups or job.stonewall or _waits(job, groups):
            groups.append([])
        groups[-1].append(job)
    for group in groups:
        _check_together(group)
    _check_delays(groups)
    return tuple(map(tuple, groups))


def _check_delays(groups: Sequence[Sequence[Job]]) -> None:
    """That a delay opens no gate: fio passes over a job that is delayed, and looks at the stonewalls of those behind it."""
    for group, later in zip(groups, [*groups[1:], ()], strict=True):
        passed_over = all(job.delay_us for job in group) and bool(later) and later[0].stonewall
        opened = bool(group[0].delay_us and group[0].stonewall) and (len(group) > 1 or bool(later))
        if passed_over or opened:
            raise group[0].refuse(
                "begins with a delay, and fio would begin with jobs behind it meanwhile",
                "Leave out startdelay, or make this the last job.",
            )


def _waits(job: Job, groups: Sequence[Sequence[Job]]) -> bool:
    """Whether `wait_for` makes it begin a group. fio lets it wait for one job, while others may go on beside it."""
    current = groups[-1]
    if job.wait_for == current[0].wait_for:
        # They wait for the same job, or none of them waits.
        return False
    if not job.wait_for:
        raise job.refuse(
            f"would begin with the first ones, while {current[0].label} waits for {current[0].wait_for}",
            "Move it before the jobs that wait, or write stonewall in it.",
        )
    others = [other for other in current if other.label != job.wait_for]
    if not others:
        return True
    if len(others) < len(current):
        raise job.refuse(
            f"waits for {job.wait_for}, but {others[0].label} may go on beside it",
            "Write stonewall in place of wait_for: it then waits for both.",
        )
    raise job.refuse(
        f"waits for {job.wait_for}, which is not among the jobs just before it",
        "Write stonewall in place of wait_for, or move it behind the job that it waits for.",
    )


def read_share(job: Job) -> float:
    """Reads as a share of the job's I/Os, 0 to 1."""
    if job.rw in ("read", "randread"):
        return 1.0
    if job.rw in ("write", "randwrite"):
        return 0.0
    if asked_rates(job) is not None:
        reads, writes = _both_rates(job)
        return reads / (reads + writes)
    return (50 if job.read_percent is None else job.read_percent) / 100


def rate_per_s(job: Job) -> float | None:
    """I/Os a second of all clones together; None in a closed loop."""
    rates = asked_rates(job)
    if rates is None:
        return None
    share = read_share(job)
    if 0 < share < 1:
        rate = sum(_both_rates(job))
    else:
        rate = rates[0] if share else rates[1]
    return None if rate is None else float(rate * job.numjobs)


def asked_rates(job: Job) -> tuple[float | None, float | None] | None:
    """I/Os a second of one clone, for reads and for writes; bytes count as so many I/Os of the mean size."""
    if job.byte_rates is None:
        return job.rates
    reads, writes = (
        None if rate is None else rate / mean_bytes(job, side) for side, rate in enumerate(job.byte_rates)
    )
    return reads, writes


def mean_bytes(job: Job, side: int) -> float:
    """Of an I/O; `side` is 0 for reads and 1 for writes."""
    return sum(size * percent for size, percent in job.sizes(side)) / 100


def _both_rates(job: Job) -> tuple[float, float]:
    reads, writes = asked_rates(job) or (None, None)
    if reads is None or writes is None:
        key = "rate_iops" if job.byte_rates is None else "rate"
        raise job.refuse(
            "has a rate for one of reads and writes, but does both",
            f"Give both: {key}=READS,WRITES; or leave {key} out.",
        )
    return reads, writes


def _check(job: Job) -> None:
    if job.time_based and not job.runtime_us:
        raise job.refuse("is time_based without a runtime", "Add runtime=30s, or drop time_based.")
    if job.fsync and job.fdatasync:
        raise job.refuse("has both fsync and fdatasync", "Keep one of them.")
    _check_rate(job)
    _check_sizes(job)
    _check_logs(job)
    _check_paths(job)


def _check_sizes(job: Job) -> None:
    if job.file_bytes is not None and job.size is not None and job.size.bytes is None:
        raise job.refuse(
            "has a filesize, and a size in percent", "Write size in bytes, or leave out filesize."
        )
    if job.file_bytes is not None and job.offset_bytes >= job.file_bytes:
        raise job.refuse(
            "begins at an offset beyond its filesize", "Use a smaller offset, or a larger filesize."
        )
    if job.io_size is not None and job.loops > 1:
        raise job.refuse(
            "has both loops and io_size, which fio does not multiply",
            "Keep io_size, which says how much is moved in all.",
        )
    if job.filenames and job.file_count not in (1, len(job.filenames)):
        raise job.refuse(
            f"has nrfiles={job.file_count}, but names {len(job.filenames)} files",
            "Leave out nrfiles: the names say how many there are.",
        )


def _check_logs(job: Job) -> None:
    if has_logs(job) and not job.log_ms:
        raise job.refuse(
            "asks for a log of single I/Os, which are not kept",
            "Add log_avg_msec=1000: each line is then of one second.",
        )


def has_logs(job: Job) -> bool:
    """Whether it asks for a log of rates or latencies."""
    return (job.bw_log, job.iops_log, job.lat_log) != (None, None, None)


def _check_rate(job: Job) -> None:
    if job.rates is not None and job.byte_rates is not None:
        raise job.refuse("has both rate and rate_iops", "Keep one of them.")
    rate = rate_per_s(job)
    if rate is None and job.submit_mode == "offload":
        raise job.refuse(
            "has io_submit_mode=offload and no rate", "Add rate_iops=N, or leave io_submit_mode out."
        )
    if rate is not None and job.think_us:
        raise job.refuse("has both a rate and thinktime", "Keep one: a rate says when each I/O is due.")
    if rate is None or job.read_percent is None or job.rw not in ("rw", "readwrite", "randrw"):
        return
    share = read_share(job)
    if abs(share * 100 - job.read_percent) > 0.5:
        raise job.refuse(
            f"asks for {job.read_percent} % reads, but its rates make {format_share(share)}",
            "Write rate_iops=READS,WRITES or rate=READS,WRITES with the mix that is wanted, and leave rwmixread out.",
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
    lengths = {job.log_ms: job for job in jobs if has_logs(job)}
    if len(lengths) > 1:
        raise first.refuse(
            f"and the jobs at once with it have logs of {' and '.join(map(str, sorted(lengths)))} ms",
            "Give them one log_avg_msec: jobs at once have the same windows.",
        )
    classes = sum(2 if 0 < read_share(job) < 1 else 1 for job in jobs)
    if classes > _CLASSES_MAX:
        raise first.refuse(
            f"and the jobs at once with it do {classes} kinds of I/O, and {_CLASSES_MAX} are the most",
            "Let some of them wait with stonewall, or use numjobs for jobs that are alike.",
        )
    if len({moves_nothing(job) for job in jobs}) > 1:
        raise first.refuse(
            "runs at once with one of the null engine", "Write stonewall in the later job so that it waits."
        )
    if len(jobs) > 1 and first.ramp_us and len({job.delay_us for job in jobs}) > 1:
        raise first.refuse(
            "warms up with others that begin at another time",
            "Leave out ramp_time or startdelay: all jobs of a group have one warm-up, before they are measured.",
        )
