"""What CloudWatch and Performance Insights have in common: metrics of RDS and Aurora, and series with a period."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, nan
from typing import Any, NamedTuple

from plimsoll.dialects.exports._source import Found, OffError, moment_of, number, scaled


class Known(NamedTuple):
    """What a metric's name stands for, and in which unit."""

    metric: str
    unit: float = 1.0


_KIB_MB = 1024 / 1e6
KNOWN = {
    "ReadIOPS": Known("read_per_s"),
    "WriteIOPS": Known("write_per_s"),
    "ReadThroughput": Known("read_mb_per_s", 1e-6),
    "WriteThroughput": Known("write_mb_per_s", 1e-6),
    "ReadLatency": Known("read_latency_us", 1e6),
    "WriteLatency": Known("write_latency_us", 1e6),
    "CommitThroughput": Known("commits_per_s"),
    "FreeStorageSpace": Known("free_gb", 1e-9),
    "DBLoad": Known("db_load"),
    "DBLoadCPU": Known("db_load_cpu"),
    "DBLoadNonCPU": Known("db_load_waiting"),
    "CPUUtilization": Known("cpu_percent"),
    "DiskQueueDepth": Known("queue_depth"),
    "db.load.avg": Known("db_load"),
    "os.diskIO.rdsdev.readIOsPS.avg": Known("read_per_s"),
    "os.diskIO.rdsdev.writeIOsPS.avg": Known("write_per_s"),
    "os.diskIO.rdsdev.readKbPS.avg": Known("read_mb_per_s", _KIB_MB),
    "os.diskIO.rdsdev.writeKbPS.avg": Known("write_mb_per_s", _KIB_MB),
    "os.diskIO.rdsdev.await.avg": Known("io_latency_us", 1e3),
    "os.diskIO.rdsdev.util.avg": Known("busy_share", 0.01),
    "os.diskIO.rdsdev.avgQueueLen.avg": Known("queue_depth"),
    "os.diskIO.auroraStorage.readIOsPS.avg": Known("read_per_s"),
    "os.diskIO.auroraStorage.writeIOsPS.avg": Known("write_per_s"),
    "os.cpuUtilization.total.avg": Known("cpu_percent"),
    "db.Transactions.xact_commit.avg": Known("commits_per_s"),
}
"""Metrics that are the same thing as those of reports, or have another unit. All others keep their name and their unit."""


def add_series(
    found: Found, database: str, known: Known, times: Sequence[Any], values: Sequence[Any], *, begins: bool
) -> None:
    """Each value for its period, whose length the closest two times tell, and at whose beginning or end its time stands.

    A value that is not there makes none. What cannot be read is told, and left out. Raises OffError.
    """
    moments = [_seconds(time, place, found) for place, time in enumerate(times)]
    known_s = sorted({at_s for at_s in moments if at_s is not None})
    period_s = min((after - before for before, after in pairwise(known_s)), default=nan)
    if known_s and isnan(period_s) and not begins:
        raise OffError("it has one time alone, so that when its period began is not known")
    for place, (at_s, value) in enumerate(zip(moments, values, strict=True)):
        with found.part(f"value {place}"):
            figure = number({"value": value}, "value")
            if at_s is not None:
                begin_s = at_s if begins else at_s - period_s
                found.add(database, known.metric, begin_s, scaled(figure, known.unit), duration_s=period_s)


def _seconds(time: Any, place: int, found: Found) -> float | None:
    """None where it cannot be read, which is told."""
    with found.part(f"value {place}"):
        return found.seconds(moment_of(time))
    return None
