"""What is known of a report before its objects are looked at: totals of the interval, and how large its large reads are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from plimsoll.facts import Report
from plimsoll.native import reports as native
from plimsoll.reports.figures.counters import Counters
from plimsoll.reports.figures.evidence import Evidence, Row, plain
from plimsoll.reports.figures.latencies import latency

LARGE_BYTES_MAX = 1 << 20
"""Most platforms read no more than this at once."""
_BLOCK_BYTES = 8192


@dataclass(frozen=True)
class Waited:
    """What sessions spent, by the report's waits: DB time, the part of it in I/O, how busy the host was. None: not printed."""

    db_time_s: float | None = None
    io_s: float | None = None
    busy_share: float | None = None
    cpus: float | None = None


class Figures:
    """One report's numbers, by name."""

    def __init__(self, report: Report, content: native.Report, waited: Waited) -> None:
        self.report = report
        self.waited = waited
        self.evidence = Evidence(content, report.decimal)
        self.elapsed_s = report.elapsed_s if report.elapsed_s and report.elapsed_s > 0 else None
        self.clustered = report.kind == "awr-global"
        self.counters = Counters(self.evidence, self.elapsed_s, self.clustered)
        self.block_bytes = report.block_bytes or _BLOCK_BYTES

    def total(self, *statistics: str) -> float | None:
        """A count of the whole interval: the first of the statistics that is printed."""
        for name in statistics:
            found = self.counters.activity_total(name)
            if found is not None:
                return found.value
        return None

    def number(self, view: str, row: Row, column: str) -> float | None:
        """A number of a row; None where none is printed, or one below zero."""
        if row.get(column) is None:
            return None
        found = self.evidence.number(view, row, column)
        return None if found is None else found.value

    def over_interval(self, per_s: float | None) -> float | None:
        """A rate as a count of the interval."""
        return None if per_s is None or self.elapsed_s is None else per_s * self.elapsed_s

    @cached_property
    def blocks_read(self) -> float | None:
        """Of all files, those of temporary ones among them."""
        printed = self.total("physical reads")
        if printed is not None:
            return printed
        rate = self.counters.load("Physical reads", "Physical read (blocks)")
        return None if rate is None else self.over_interval(rate.value)

    @cached_property
    def blocks_written(self) -> float | None:
        """Of all files but the log."""
        printed = self.total("physical writes")
        if printed is not None:
            return printed
        rate = self.counters.load("Physical writes", "Physical write (blocks)")
        return None if rate is None else self.over_interval(rate.value)

    @cached_property
    def large_blocks_max(self) -> float:
        """Blocks of the largest read: db_file_multiblock_read_count where it is printed, else 1 MiB."""
        most = max(2.0, LARGE_BYTES_MAX / self.block_bytes)
        for row in self.evidence.labelled("parameters", "parameter", "db_file_multiblock_read_count"):
            said = str(row.get("begin_value") or "")
            if said.isdigit() and int(said) >= 2:
                return max(most, float(said))
        return most

    @cached_property
    def large_blocks(self) -> float | None:
        """Mean blocks of a large read of the whole database, by its multi-block requests."""
        large = self.total("physical read total multi block requests")
        every = self.total("physical read total IO requests")
        size = self.total("physical read total bytes")
        if not large or every is None or size is None:
            return None
        blocks = (size - (every - large) * self.block_bytes) / large / self.block_bytes
        return min(self.large_blocks_max, blocks) if blocks >= 2.0 else None

    @cached_property
    def small_us(self) -> float | None:
        """A small read of the whole database."""
        taken = latency(self.counters, "small_read").taken
        return None if taken is None else taken.value

    @cached_property
    def large_us(self) -> float | None:
        """A large read of the whole database."""
        taken = latency(self.counters, "large_read").taken
        return None if taken is None else taken.value

    @cached_property
    def cache_bytes(self) -> int | None:
        """The buffer cache at the end of the interval."""
        for row in self.evidence.rows("cache_sizes"):
            if plain(row["cache"] or "") == "buffer cache":
                found = row.get("end_bytes") or row.get("begin_bytes")
                if found:
                    return int(found)
        return None

    def wait(self, event: str) -> tuple[float | None, float | None]:
        """How often sessions waited for it, and the seconds."""
        for view in ("foreground_waits", "wait_events", "top_events"):
            waits = self.evidence.find(view, "event", event, "waits")
            seconds = self.evidence.find(view, "event", event, "total_wait_s")
            if waits is not None or seconds is not None:
                return (None if waits is None else waits.value), (None if seconds is None else seconds.value)
        return None, None
