"""fio's JSON, of one job or of many, with whatever fio printed before it.

Each job becomes a cell. fio keeps percentiles of completion latency unless told otherwise; a note then says how long
submission took beside it, and each class keeps it. At a rate fio's latency counts from submission, so such a job is kept as
what it is, a closed loop with pauses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UnreadableError, input_error
from plimsoll.dialects.fio import values
from plimsoll.dialects.fio.json_read import MARK, Direction, FioJob, FioReport, read_all
from plimsoll.dialects.foreign import FIGURES_DIFFER, IOS_FAILED, Imported
from plimsoll.facts import Arrivals, Cell, ClassResult, Cpu, Group, IoClass, LatencyUs, Note, Workload
from plimsoll.native.latency import latency
from plimsoll.ports import files

_HEAD_BYTES = 1 << 16
_FILE_BYTES_MAX = 256 << 20
"""Hundreds of jobs with all their bins; a log of every I/O, which is longer, is another format."""
_ON = ("1", "")


class _FioJson:
    def recognises(self, path: Path) -> bool:
        return MARK in (files.read_head(path, _HEAD_BYTES) or "")

    def read(self, path: Path) -> Imported:
        found = read_all(path, _text(path))
        failures: list[PlimsollError] = [*found.failures]
        made: list[Imported] = []
        for report in found.reports:
            try:
                made.append(_imported(path, report))
            except UnreadableError as error:
                failures.append(error)
        if not made:
            raise failures[0]
        return replace(made[0], more=tuple(made[1:]), failures=tuple(failures))


def _imported(path: Path, report: FioReport) -> Imported:
    modified = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    written_at = report.written_at or modified
    counts = Counter(job.name for job in report.jobs)
    done = [job for job in report.jobs if job.runtime_s]
    if not done:
        did = "lasted a millisecond" if any(job.directions for job in report.jobs) else "did any I/O"
        raise UnreadableError("import-broken", f"{path}: no job of it {did}", "Look at it for fio's errors.")
    cells = tuple(_cell(job, counts[job.name], written_at) for job in done)
    return Imported(
        tool="fio",
        title=", ".join(dict.fromkeys(job.name for job in done)),
        files=(path,),
        tool_version=report.version,
        started_at=min(cell.started_at for cell in cells),
        ended_at=written_at,
        cells=cells,
        notes=_notes(report),
    )


READER = _FioJson()


def _text(path: Path) -> str:
    try:
        return files.read_input(path, _FILE_BYTES_MAX).decode(errors="replace")
    except files.TooLargeError as error:
        message = f"{path} is longer than any result of fio"
        raise UnreadableError("import-broken", message, "Name its JSON alone.") from error
    except OSError as error:
        raise input_error("import-unreadable", path, error, "Look at it with ls -l.") from error


def _cell(job: FioJob, namesakes: int, written_at: datetime) -> Cell:
    """`namesakes` are the entries of this name: several are the clones of one job, each reported by itself."""
    options = job.options or {}
    ios, cpu = sum(one.ios for one in job.directions), Cpu(user=job.cpu_user_s, system=job.cpu_system_s)
    classes = tuple(_result(job, one) for one in job.directions)
    group = Group(
        name=job.name,
        engine=options.get("ioengine", "psync" if job.options is not None else "unknown"),
        jobs=1 if namesakes > 1 else _number(options, "numjobs"),
        depth=_number(options, "iodepth"),
        arrivals=Arrivals(),
        classes=tuple(io.name for io in classes),
        memory=options.get("mem", options.get("iomem")),
    )
    return Cell(
        iops=sum(io.iops for io in classes),
        mb_per_s=sum(io.mb_per_s for io in classes),
        ios=ios,
        errors=job.errors,
        runtime_s=job.runtime_s,
        latency_us=_whole(job),
        cpu_us_per_io=(cpu.user + cpu.system) / ios * 1e6,
        cpu_s=cpu,
        engine=group.engine,
        direct=_is_direct(options),
        workload=Workload(name=job.name, classes=tuple(_io_class(job, one) for one in job.directions)),
        arrivals=group.arrivals,
        jobs=group.jobs,
        depth=group.depth,
        started_at=job.started_at or written_at - timedelta(seconds=job.runtime_s),
        warm_up_s=_seconds(options.get("ramp_time")),
        context_switches=job.context_switches,
        groups=(group,),
        classes=classes,
    )


def _result(job: FioJob, one: Direction) -> ClassResult:
    iops, mb_per_s = _rates(job, one)
    return ClassResult(
        name=one.op,
        op=one.op,  # type: ignore[arg-type]
        block_bytes=_mean_bytes(one),
        ios=one.ios,
        errors=job.errors if one is job.directions[0] else 0,
        iops=iops,
        mb_per_s=mb_per_s,
        latency_us=one.latency_us,
        submission_us=one.submission_us,
    )


def _rates(job: FioJob, one: Direction) -> tuple[float, float]:
    """I/Os and MB per second over the time of the job: fio's are over the time of the one side, and cannot be added up where the
    other took longer.
    """
    if one.runtime_s == job.runtime_s:
        return one.iops, one.mb_per_s
    return one.ios / job.runtime_s, one.bytes / job.runtime_s / 1e6


def _io_class(job: FioJob, one: Direction) -> IoClass:
    options = job.options or {}
    return IoClass(
        name=one.op,
        op=one.op,  # type: ignore[arg-type]
        pattern=_pattern(options),
        skew=_distribution(options).skew if _is_random(options) else None,
        block_bytes=_mean_bytes(one),
        weight=one.ios,
        sync=one.op == "write" and options.get("sync", "0") not in ("0", "none"),
    )


def _mean_bytes(one: Direction) -> int:
    """By what was moved: options may name several sizes."""
    return max(1, round(one.bytes / one.ios))


def _pattern(options: Mapping[str, str]) -> str:
    if not _is_random(options):
        return "sequential"
    named = _distribution(options).name
    if named != "random":
        return named
    return "random" if options.get("norandommap", "0") in _ON else "shuffled"


def _is_random(options: Mapping[str, str]) -> bool:
    return options.get("rw", options.get("readwrite", "read")).startswith("rand")


def _distribution(options: Mapping[str, str]) -> values.Distribution:
    """One that we have no name for is left at uniform."""
    try:
        return values.distribution(options.get("random_distribution", "random"), 1024)
    except ValueError:
        return values.Distribution()


def _is_direct(options: Mapping[str, str]) -> bool:
    return options["direct"] in _ON if "direct" in options else options.get("buffered") == "0"


def _number(options: Mapping[str, str], key: str) -> int:
    """What a key says; 1, as in fio, where it is not there or says something that only fio can work out."""
    try:
        return values.integer(options.get(key, "1"), 1024)
    except ValueError:
        return 1


def _seconds(text: str | None) -> float:
    try:
        return int(str(values.duration_us("s")(text or "0", 1024))) / 1e6
    except ValueError:
        return 0.0


def _whole(job: FioJob) -> LatencyUs:
    """Of reads and writes together: percentiles of two distributions cannot be merged, but bins can."""
    parts = [one.latency_us for one in job.directions]
    if len(parts) == 1:
        return parts[0]
    count = sum(part.count for part in parts)
    if not count:
        return LatencyUs(count=0)
    mean = sum(part.count * (part.mean or 0.0) for part in parts) / count
    square = sum(part.count * ((part.stddev or 0.0) ** 2 + (part.mean or 0.0) ** 2) for part in parts) / count
    moments = {
        "count": count,
        "mean": mean,
        "min": min(part.min for part in parts if part.min is not None),
        "max": max(part.max for part in parts if part.max is not None),
        "stddev": max(0.0, square - mean**2) ** 0.5,
    }
    bins = [part.hdr for part in parts if part.hdr is not None]
    merged = latency(bins) if len(bins) == len(parts) else LatencyUs(count=count)
    return merged.model_copy(update=moments)


def _has_rate(job: FioJob) -> bool:
    return any(key in (job.options or {}) for key in ("rate", "rate_iops"))


def _has_torn_errors(job: FioJob) -> bool:
    return job.errors > 0 and len(job.directions) > 1


def _is_instant(job: FioJob) -> bool:
    return bool(job.directions) and not job.runtime_s


_REMARKS: tuple[tuple[str, Callable[[FioJob], bool], str], ...] = (
    ("fio-rate", _has_rate, "went at a rate: latency counts from submission, not from when each I/O was due"),
    ("fio-trims", lambda job: job.trims > 0, "trimmed: trims are left out"),
    ("fio-idle", lambda job: not job.directions, "did no I/O and is left out"),
    (
        "fio-instant",
        _is_instant,
        "took less than a millisecond, so that fio tells no rate of it, and is left out",
    ),
    (
        "fio-errors",
        _has_torn_errors,
        "failed in part; fio does not tell whether reads or writes did, so all count as reads",
    ),
    (
        "fio-options",
        lambda job: job.options is None,
        "comes without its options: depth, pattern and engine are not known",
    ),
)


_DID = {"read": "read", "write": "wrote"}
_SAME_TIME_SHARE = 0.99
_RECKONED_S_MIN, _RECKONED_SHARE_MAX = 0.1, 0.25
"""fio counts in milliseconds, and sums clones that ended at different times."""


def _notes(report: FioReport) -> tuple[Note, ...]:
    """What a reader of these cells must know, each sentence once."""
    said = [
        (IOS_FAILED, _about_failures(report)),
        (FIGURES_DIFFER, _about_contradictions(report)),
        (
            "fio-short",
            _about_counts(report, lambda job: job.short, "short I/Os, which moved less than was asked"),
        ),
        (
            "fio-dropped",
            _about_counts(report, lambda job: job.dropped, "dropped I/Os, which were never answered"),
        ),
        ("fio-runtimes", _about_runtimes(report)),
        ("fio-clat", _about_latency(report)),
        ("fio-started", _about_time(report)),
        *((code, _about(report, holds, words)) for code, holds, words in _REMARKS),
    ]
    return tuple(Note(code=code, message=words) for code, words in said if words)


def _about_failures(report: FioReport) -> str:
    return _about_counts(report, lambda job: job.errors, "I/Os failed")


def _about_counts(report: FioReport, of: Callable[[FioJob], int], what: str) -> str:
    counted = [f"{of(job):,} of job {job.name}" for job in report.jobs if of(job)]
    return f"{what}: {', '.join(counted)}" if counted else ""


def _about_runtimes(report: FioReport) -> str:
    """Where reads and writes took different times, beyond what fio rounds away."""
    said = [
        f"job {job.name} {' and '.join(f'{_DID[one.op]} for {one.runtime_s:g} s' for one in job.directions)}"
        for job in report.jobs
        if job.runtime_s and min(one.runtime_s for one in job.directions) < _SAME_TIME_SHARE * job.runtime_s
    ]
    if not said:
        return ""
    return f"{'; '.join(said)}: rates are over the longer time, and were lower if one came behind the other"


def _about_contradictions(report: FioReport) -> str:
    """Where a rate is not what the I/Os and the time of the same job make; fio reckons it from them."""
    return "; ".join(
        f"job {job.name} says {said}" for job in report.jobs for one in job.directions for said in _odd(one)
    )


def _odd(one: Direction) -> Iterator[str]:
    """The rates of one direction that are not what it moved in its time."""
    if one.runtime_s < _RECKONED_S_MIN:
        return
    ios, mb = one.ios / one.runtime_s, one.bytes / one.runtime_s / 1e6
    if abs(one.iops / ios - 1) > _RECKONED_SHARE_MAX:
        yield f"{one.iops:,.0f} {one.op}s a second, and {one.ios:,} in {one.runtime_s:g} s are {ios:,.0f}"
    if abs(one.mb_per_s / mb - 1) > _RECKONED_SHARE_MAX:
        yield f"{one.mb_per_s:,.1f} MB/s of {one.op}s, and {one.bytes:,} bytes in {one.runtime_s:g} s are {mb:,.1f}"


def _about(report: FioReport, holds: Callable[[FioJob], bool], words: str) -> str:
    named = list(dict.fromkeys(job.name for job in report.jobs if holds(job)))
    return f"job {', '.join(named)} {words}" if named else ""


def _about_latency(report: FioReport) -> str:
    beside = [one.submission_us for job in report.jobs for one in job.directions if not one.is_total]
    means = [None if spread is None else spread.mean for spread in beside]
    known = [mean for mean in means if mean]
    if all(mean is None for mean in means) or not known:
        return ""
    return f"latency is completion latency (clat); submission took up to {max(known):.1f} µs more on average"


def _about_time(report: FioReport) -> str:
    if all(job.started_at is not None for job in report.jobs):
        return ""
    if report.written_at is None:
        return "fio did not say when it ran; the time of the file stands for its end"
    return "when each job began is reckoned back from the end of the report, and is too late for jobs before a stonewall"
