"""Whether a job got the least rate that it asks for: fio's `ratemin` and `rate_iops_min`.

fio looks each `ratecycle` and kills the job; here the job runs on, the whole of its measured time is looked at, and a rate below
the least one makes the answer a no.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.results import JobResult
from plimsoll.facts import Check

_OPS = ("read", "write")


def rate_checks(jobs: Sequence[Job], results: Iterable[JobResult]) -> Iterator[Check]:
    """A verdict for each least rate that was asked for."""
    for job, result in zip(jobs, results, strict=True):
        asked = (("bytes", job.byte_rates_min), ("I/Os", job.rates_min))
        for unit, pair in asked:
            for op, least in zip(_OPS, pair or (), strict=False):
                if least is not None and any(io.op == op for io in result.classes):
                    yield _check(job, result, op, unit, least)


def _check(job: Job, result: JobResult, op: str, unit: str, least: int) -> Check:
    own = [io for io in result.classes if io.op == op]
    found = sum(io.mb_per_s * 1e6 if unit == "bytes" else io.iops for io in own) / job.numjobs
    passed = found >= least
    each = " of each clone" if job.numjobs > 1 else ""
    verdict = "at least" if passed else "less than"
    words = f"job {job.label}: {found:,.0f} {unit} a second of {op}s{each}, {verdict} the {least:,} asked for"
    return Check(
        name="rate_min",
        passed=passed,
        reason=words,
        figures={"least_per_s": float(least), "found_per_s": found},
    )
