"""Demand as reports of a database print it: every figure with the cells that it came from, and the reason where there is none.

Times are those of the reported host's own clock, without a zone, as ISO 8601 text.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Several, Text
from plimsoll.facts.demand import CONTAINER_MARK, ByClass, ClassDemand, DemandClassName


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
    """The cells, as printed."""


class ReportedClass(ClassDemand):
    """One class's demand in a report's interval. Latencies are the report's own averages: evidence, and no part of the demand."""

    definition: str | None = None
    """What is counted in this class by the source that was used."""
    bytes_per_s_min: float | None = None
    """With `bytes_per_s_max`, where the source prints bytes of several classes together: the truth lies between the two."""
    bytes_per_s_max: float | None = None
    """See `bytes_per_s_min`."""
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
    """Bytes of redo per second."""
    unknown: dict[str, str] = {}
    origins: Several[Origin] = ()


class ReportedDoubt(Fact):
    """Two places of a report that disagree by more than rounding, or one that cannot be right."""

    code: str
    """Stable, for programs."""
    message: Text
    cells: Several[PrintedCell] = ()
    """The places, as printed."""


class ReportedInterval(Fact):
    """The demand of one report."""

    file: Text
    """Where the report was found."""
    member: Text | None = None
    """The name inside the archive `file`."""
    report_id: str | None = None
    """Names the report in every table that is written."""
    kind: str
    """What kind of report: statspack, awr …"""
    release: str | None = None
    db_name: str | None = None
    db_id: int | None = None
    instance: str | None = None
    instance_number: int | None = None
    container: str | None = None
    """Name of the pluggable database that the report is about; None: of all, or there are none."""
    host: str | None = None
    block_bytes: int | None = None
    """Size of the database's blocks, in bytes."""
    scope: Literal["database", "cluster", "instance", "container"] = "database"
    """Whose demand it is: all of a database, all instances of one, one instance of several, or one of several databases."""
    begin_time: str | None = None
    end_time: str | None = None
    duration_s: float | None = None
    """Its length in seconds; None where the report does not print it."""
    classes: ByClass[ReportedClass]
    """What each class of I/O asked for."""
    iops: float | None
    """I/Os per second of all classes whose rate is known, each counted once."""
    mb_per_s: float | None
    """Megabytes (10^6 bytes) per second of all classes whose bytes are known, each counted once."""
    commits_per_s: float | None = None
    db_time_s_per_s: float | None = None
    """Seconds that sessions spent in calls to the database, per second: sessions that were active in the mean."""
    db_cpu_s_per_s: float | None = None
    """Of these, seconds on CPUs: CPUs that were busy with them in the mean."""
    instances: Several[InstanceShare] = ()
    """What each instance of a cluster asked for."""
    gap: Text | None = None
    """Why no rate of this interval is known or may be used."""
    flags: Several[Note] = ()
    """A restart in the interval, an overlap with another report's, time that runs backwards."""
    doubts: Several[ReportedDoubt] = ()
    """Places of the report that disagree."""

    @property
    def full_name(self) -> str | None:
        """The database, with the container in it that the report is about."""
        return (
            self.db_name
            if self.container is None
            else f"{self.db_name or 'unknown'}{CONTAINER_MARK}{self.container}"
        )

    @property
    def is_lower_bound(self) -> bool:
        """Whether the true rate may be higher: that of a class which is in no other is unknown, or counted in part."""
        own = [one for one in self.classes.values() if not one.counted_in]
        return any(one.ops_per_s is None or one.at_least for one in own)


class ReportedSeries(Fact):
    """The intervals of one database or instance, in short."""

    db_name: str | None
    db_id: int | None = None
    container: str | None = None
    """The pluggable database that they are about; None: all, or there are none."""
    instance: str | None = None
    scope: str
    """Whose demand it is, as in its intervals."""
    interval_count: int
    """How many intervals."""
    gap_count: int = 0
    """How many of them tell no rate."""
    begin_time: str | None = None
    """When the first began, by the reported host's clock."""
    end_time: str | None = None
    """When the last ended."""
    peak_iops: float | None = None
    """I/Os per second of the busiest one; None where none is known."""
    peak_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) per second of that one."""
    peak_begin_time: str | None = None
    """When that one began."""


class ReportedDemand(Fact):
    """The demand of one or many reports, by database, instance and time. `peak` is the busiest interval of all."""

    source: Literal["reports"] = "reports"
    """Tells it from the demand of a live database."""
    resolution_s: float | None
    """The longest interval: a burst shorter than this is not seen."""
    intervals: Several[ReportedInterval]
    """By database, instance and time."""
    peak: ReportedInterval | None
    """None where no interval is known."""
    series: Several[ReportedSeries] = ()
    """The intervals of each database or instance, in short."""
    burst_factor: float | None = None
    """Given by the user: true peak divided by the busiest interval; None: none."""
    notes: Several[Note] = ()
