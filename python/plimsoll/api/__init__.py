"""Plimsoll in a Python process: what the command line measures, as facts and as Polars frames.

Sizes, times and rates are numbers or those of the command line: 8192 or "8k", 0.5 or "500ms", 20000 or "20k". Nothing is
printed, and nothing is stored unless `store` names a place. Python's lock is free while a measurement runs.
Errors are `plimsoll.PlimsollError` with id, message and hint. KeyboardInterrupt ends the measurement, removes scratch files and
is raised; to end early and keep what was measured, set a `plimsoll.Cancel` from another thread.
"""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.api._advising import Advisory, advise
from plimsoll.api._committing import CommitsWatched, commits
from plimsoll.api._dialects import OrionTest, fio, orion
from plimsoll.api._hosting import (
    CpuMeasured,
    HostAudited,
    HostShown,
    HostSlicesPlanned,
    HostSlicesWritten,
    LadderMeasured,
    MemoryMeasured,
    NetworkMeasured,
    host_audit,
    host_bench_cpu,
    host_bench_ladder,
    host_bench_memory,
    host_bench_network,
    host_show,
    host_slice_plan,
    host_slice_write,
)
from plimsoll.api._learning import Demanded, Read, TakenIn, import_, learn_demand, read
from plimsoll.api._measuring import (
    assess,
    calibrate,
    calibrate_io,
    ladder,
    line,
    measure,
    settle,
    shapes,
    working_sets,
)
from plimsoll.api._placing import (
    FlashCompared,
    Moved,
    Placed,
    Script,
    place,
    place_apply,
    place_flash,
    place_query,
    place_script,
)
from plimsoll.api._proving import prove_order_entry, prove_slob, prove_tpch
from plimsoll.api._redacting import RedactedFile, RedactedReports, redact
from plimsoll.api._repeating import Page, again, report
from plimsoll.api._results import (
    Added,
    Calibrated,
    CalibratedIo,
    Found,
    Jobs,
    Judged,
    Measured,
    Proved,
    Result,
    Settled,
    Together,
    Visited,
)
from plimsoll.api._slicing import (
    HostSliceProved,
    HostSlicesApplied,
    HostSlicesReverted,
    HostSlicesVerified,
    host_slice_apply,
    host_slice_prove,
    host_slice_revert,
    host_slice_verify,
)
from plimsoll.api._stored import StoredRun, compare, load, tag
from plimsoll.api._trending import Trended, trend
from plimsoll.api._watching import Watched, watch
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.context import Cancel
from plimsoll.facts import Bucket, LatencyUs
from plimsoll.native.latency import buckets as _buckets
from plimsoll.native.latency import latency as _merged
from plimsoll.native.latency import quantile_us

__all__ = [
    "Added",
    "Advisory",
    "Calibrated",
    "CalibratedIo",
    "Cancel",
    "CommitsWatched",
    "CpuMeasured",
    "Demanded",
    "FlashCompared",
    "Found",
    "HostAudited",
    "HostShown",
    "HostSliceProved",
    "HostSlicesApplied",
    "HostSlicesPlanned",
    "HostSlicesReverted",
    "HostSlicesVerified",
    "HostSlicesWritten",
    "Jobs",
    "Judged",
    "LadderMeasured",
    "Measured",
    "MemoryMeasured",
    "Moved",
    "NetworkMeasured",
    "OrionTest",
    "Page",
    "Placed",
    "PlimsollError",
    "Proved",
    "Read",
    "RedactedFile",
    "RedactedReports",
    "Result",
    "Script",
    "Settled",
    "StoredRun",
    "TakenIn",
    "Together",
    "Trended",
    "Visited",
    "Watched",
    "advise",
    "again",
    "assess",
    "buckets",
    "calibrate",
    "calibrate_io",
    "commits",
    "compare",
    "fio",
    "host_audit",
    "host_bench_cpu",
    "host_bench_ladder",
    "host_bench_memory",
    "host_bench_network",
    "host_show",
    "host_slice_apply",
    "host_slice_plan",
    "host_slice_prove",
    "host_slice_revert",
    "host_slice_verify",
    "host_slice_write",
    "import_",
    "ladder",
    "learn_demand",
    "line",
    "load",
    "measure",
    "merge",
    "orion",
    "place",
    "place_apply",
    "place_flash",
    "place_query",
    "place_script",
    "prove_order_entry",
    "prove_slob",
    "prove_tpch",
    "quantile_us",
    "read",
    "redact",
    "report",
    "settle",
    "shapes",
    "tag",
    "trend",
    "watch",
    "working_sets",
]


def merge(latencies: Iterable[LatencyUs]) -> LatencyUs:
    """One distribution of several, exact: quantiles of the whole, over classes, cells, hosts or days.

    Raises UsageError `no-distribution` where one of them has its figures alone.
    """
    parts = [_distribution(one) for one in latencies]
    return _merged(parts) if parts else LatencyUs(count=0)


def buckets(latency: LatencyUs, per_decade: int = 20) -> list[Bucket]:
    """A distribution in logarithmic steps, for a picture. Raises UsageError `no-distribution`."""
    return _buckets(_distribution(latency), per_decade)


def _distribution(latency: LatencyUs) -> bytes:
    if latency.hdr is None:
        message = "a latency without its distribution cannot be merged or drawn"
        raise UsageError("no-distribution", message, "Take it from a measurement of our own.")
    return latency.hdr
