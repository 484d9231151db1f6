"""Demand as reports of a database print it: every figure with the cells that it came from, and the reason where there is none.

Times are those of the reported host's own clock, without a zone, as ISO 8601 text.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.demand import ByClass, ClassDemand, DemandClassName


class PrintedCell(Fact):
    """A cell of a report, as printed."""

    section: Text
    """The title of its table."""
    row: Text
    """The row's label."""
    column: str
    """The column's heading."""
    line: int | None = None
    """Where it stands, counted from 1."""
    value: Text
    """Its text."""


class Origin(Fact):
    """Where a figure comes from."""

    figure: str
    """The field that it explains, such as `ops_per_s`."""
    source: str
    """The section of the report, in its usual name."""
    how: str
    """What was done with the cells."""
    cells: Several[PrintedCell]


class ReportedClass(ClassDemand):
    """One class's demand in a report's interval. Latencies are the report's own averages: evidence, and no part of the demand."""

    definition: str | None = None
    """What is counted in this class by the source that was used."""
    bytes_per_s_min: float | None = None
    """With `bytes_per_s_max`, where the source prints bytes of several classes together: the truth lies between the two."""
    bytes_per_s_max: float | None = None
    at_least: bool = False
    """The true rate may be higher: the source counts only a part."""
    counted_in: Several[DemandClassName] = ()
    """Classes that hold this I/O already, so that it is not to be added to them."""
    unknown: dict[str, str] = {}
    """Figures that are None, each with the reason."""
    origins: Several[Origin] = ()


class InstanceShare(Fact):
    """What one instance of a cluster asked for."""

    instance_number: int
    elapsed_s: float | None = None
    reads_per_s: float | None = None
    read_bytes_per_s: float | None = None
    writes_per_s: float | None = None
    write_bytes_per_s: float | None = None
    redo_bytes_per_s: float | None = None
    unknown: dict[str, str] = {}
    origins: Several[Origin] = ()


class ReportedDoubt(Fact):
    """Two places of a report that disagree by more than rounding, or one that cannot be right."""

    code: str
    message: Text
    cells: Several[PrintedCell] = ()


class ReportedInterval(Fact):
    """The demand of one report."""

    file: Text
    member: Text | None = None
    """The name inside the archive `file`."""
    report_id: str | None = None
    kind: str
    release: str | None = None
    db_name: str | None = None
    db_id: int | None = None
    instance: str | None = None
    instance_number: int | None = None
    host: str | None = None
    block_bytes: int | None = None
    scope: Literal["database", "cluster", "instance", "container"] = "database"
    """Whose demand it is: all of a database, all instances of one, one instance of several, or one of several databases."""
    begin_time: str | None = None
    end_time: str | None = None
    duration_s: float | None = None
    classes: ByClass[ReportedClass]
    iops: float | None
    """I/Os per second of all classes whose rate is known, each counted once."""
    mb_per_s: float | None
    commits_per_s: float | None = None
    instances: Several[InstanceShare] = ()
    gap: Text | None = None
    """Why no rate of this interval is known or may be used."""
    flags: Several[Note] = ()
    """A restart in the interval, an overlap with another report's, time that runs backwards."""
    doubts: Several[ReportedDoubt] = ()

    @property
    def is_lower_bound(self) -> bool:
        """Whether the true rate may be higher: that of a class which is in no other is unknown, or counted in part."""
        own = [one for one in self.classes.values() if not one.counted_in]
        return any(one.ops_per_s is None or one.at_least for one in own)


class ReportedSeries(Fact):
    """The intervals of one database or instance, in short."""

    db_name: str | None
    db_id: int | None = None
    instance: str | None = None
    scope: str
    interval_count: int
    gap_count: int = 0
    begin_time: str | None = None
    end_time: str | None = None
    peak_iops: float | None = None
    peak_mb_per_s: float | None = None
    peak_begin_time: str | None = None


class ReportedDemand(Fact):
    """The demand of one or many reports, by database, instance and time. `peak` is the busiest interval of all."""

    source: Literal["reports"] = "reports"
    resolution_s: float | None
    """The longest interval: a burst shorter than this is not seen."""
    intervals: Several[ReportedInterval]
    peak: ReportedInterval | None
    series: Several[ReportedSeries] = ()
    burst_factor: float | None = None
    notes: Several[Note] = ()
