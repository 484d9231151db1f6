"""A run of a job file as JSON in fio's shape, for programs that read fio's.

Members are those of fio 3.33 that we can fill with what was measured: `_ns` are nanoseconds, `bw` is KiB a second, `runtime` and
`job_runtime` are milliseconds, `usr_cpu` and `sys_cpu` are hundredths of one CPU. What we do not know is left out.
`lat_ns` runs from submission to completion. Submission is not timed apart, so `slat_ns` counts nothing and `clat_ns`, where most
programs look for percentiles, holds the same times as `lat_ns`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean, stdev
from typing import Any

from plimsoll import __version__
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.logs import Piece
from plimsoll.dialects.fio.results import JobResult
from plimsoll.facts import ClassResult, LatencyUs
from plimsoll.native.latency import latency, quantiles_us, share_above

_PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
"""Those that fio lists when it is not told otherwise."""
_STEPS = {
    "ns": (1, (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)),
    "us": (1_000, (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)),
    "ms": (1_000_000, (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)),
}
"""Nanoseconds of each unit, and the ends of its steps."""
_EIO = 5
_ABOUT = (
    "made by plimsoll: clat_ns holds total latency like lat_ns, because submission is not timed apart;"
    " CPU times are left out for jobs that ran beside others"
)


FIO_JSON_START = '{\n  "fio version": "plimsoll-'
"""By this a file of ours is known from one of fio's own, which is not replaced."""


Samples = Mapping[tuple[int, str], Sequence[Piece]]
"""By phase and class: what it did in each window."""


def fio_json(jobs: Sequence[Job], results: Iterable[JobResult], ended_at: datetime, samples: Samples) -> str:
    """The document. `results` are those of the first jobs, in their order: an interrupted run has fewer."""
    stamp_ms = int(ended_at.timestamp() * 1000)
    document = {
        "fio version": f"plimsoll-{__version__}",
        "timestamp": stamp_ms // 1000,
        "timestamp_ms": stamp_ms,
        "time": ended_at.strftime("%a %b %e %H:%M:%S %Y"),
        "global options": {},
        "jobs": [_job(job, result, samples) for job, result in zip(jobs, results, strict=False)],
        "plimsoll": {"about": _ABOUT},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _job(job: Job, result: JobResult, samples: Samples) -> dict[str, Any]:
    by_op = {op: [io for io in result.classes if io.op == op] for op in ("read", "write")}
    return {
        "jobname": job.label,
        "groupid": result.phase,
        "error": _EIO if any(io.errors for io in result.classes) else 0,
        "elapsed": max(1, round(result.runtime_s + result.cell.warm_up_s)),
        "job options": dict(job.options),
        **{
            op: _direction(by_op[op], result) | _sampled(by_op[op], result, samples) | _untimed(job)
            for op in by_op
        },
        "trim": _direction([], result),
        "job_runtime": round(result.runtime_s * 1000) * result.group.jobs,
        **_processor(result),
        **_shares(LatencyUs(count=0) if job.gtod_reduce or job.disable_clat else _spread(result.classes)),
    }


def _processor(result: JobResult) -> dict[str, Any]:
    """In fio's way: of the time of all clones together."""
    if not result.alone:
        return {}
    cell, seconds = result.cell, result.cell.runtime_s * result.group.jobs
    if not seconds:
        return {}
    found: dict[str, Any] = {
        "usr_cpu": round(100 * cell.cpu_s.user / seconds, 6),
        "sys_cpu": round(100 * cell.cpu_s.system / seconds, 6),
    }
    return found if cell.context_switches is None else {**found, "ctx": cell.context_switches}


def _direction(classes: Sequence[ClassResult], result: JobResult) -> dict[str, Any]:
    """Reads, writes or trims; a job that did none has zeros, as in fio."""
    seconds = result.runtime_s
    moved = sum(round(io.mb_per_s * 1e6 * seconds) for io in classes)
    per_second = moved / seconds if seconds else 0.0
    spread = _spread(classes)
    times = _times(spread)
    return {
        "io_bytes": moved,
        "io_kbytes": moved // 1024,
        "bw_bytes": round(per_second),
        "bw": int(per_second // 1024),
        "iops": round(sum(io.iops for io in classes), 6),
        "runtime": round(seconds * 1000) if classes else 0,
        "total_ios": sum(io.ios for io in classes),
        "slat_ns": _times(LatencyUs(count=0)),
        "clat_ns": {**times, **_percentiles(spread)},
        "lat_ns": {**times, **_percentiles(spread)},
    }


def _sampled(classes: Sequence[ClassResult], result: JobResult, samples: Samples) -> dict[str, Any]:
    """How the rates of windows spread; all zeros where there was none, as in fio."""
    known = [piece for io in classes for piece in samples.get((result.phase, io.name), ())]
    iops, bw = [piece.iops for piece in known], [piece.kib_per_s for piece in known]
    return {
        "bw_min": int(min(bw, default=0)),
        "bw_max": int(max(bw, default=0)),
        "bw_mean": round(fmean(bw), 6) if bw else 0.0,
        "bw_dev": round(stdev(bw), 6) if len(bw) > 1 else 0.0,
        "bw_samples": len(bw),
        "iops_min": int(min(iops, default=0)),
        "iops_max": int(max(iops, default=0)),
        "iops_mean": round(fmean(iops), 6) if iops else 0.0,
        "iops_stddev": round(stdev(iops), 6) if len(iops) > 1 else 0.0,
        "iops_samples": len(iops),
    }


def _shares(spread: LatencyUs) -> dict[str, dict[str, float]]:
    """Hundredths of all I/Os by latency: each member is named by the end of its step, and begins where the one before ends."""
    found: dict[str, dict[str, float]] = {}
    before = 0.0
    for unit, (ns, ends) in _STEPS.items():
        found[f"latency_{unit}"] = steps = {}
        for end in ends:
            below = _share_below(spread, end * ns / 1000)
            steps[str(end)] = round(100 * max(0.0, below - before), 6)
            before = max(before, below)
    found["latency_ms"][">=2000"] = round(100 * (1 - before), 6) if spread.count else 0.0
    return found


def _share_below(spread: LatencyUs, us: float) -> float:
    if spread.hdr is None or not spread.count:
        return 0.0
    return 1 - share_above(spread.hdr, us)


def _untimed(job: Job) -> dict[str, Any]:
    """Times that fio would not have taken: they count nothing."""
    left_out = {"lat_ns": job.disable_lat or job.gtod_reduce, "clat_ns": job.disable_clat or job.gtod_reduce}
    return {name: _times(LatencyUs(count=0)) for name, asked in left_out.items() if asked}


def _spread(classes: Sequence[ClassResult]) -> LatencyUs:
    """From submission to completion, which is what fio calls latency, also at a rate."""
    parts = [(io.service_us or io.latency_us).hdr for io in classes]
    known = [part for part in parts if part is not None]
    return latency(known) if known else LatencyUs(count=0)


def _times(spread: LatencyUs) -> dict[str, Any]:
    return {
        "min": round((spread.min or 0) * 1000),
        "max": round((spread.max or 0) * 1000),
        "mean": round((spread.mean or 0) * 1000, 6),
        "stddev": round((spread.stddev or 0) * 1000, 6),
        "N": spread.count,
    }


def _percentiles(spread: LatencyUs) -> dict[str, Any]:
    if spread.hdr is None or not spread.count:
        return {}
    found = quantiles_us(spread.hdr, [percent / 100 for percent in _PERCENTILES])
    return {
        "percentile": {
            f"{percent:.6f}": round(us * 1000) for percent, us in zip(_PERCENTILES, found, strict=True)
        }
    }
