"""Intervals of many reports as one demand: in order, the busiest found, and as a demand that storage can be held against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, islice

from plimsoll.base.errors import UsageError
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.facts import (
    ClassDemand,
    Database,
    Demand,
    DemandInterval,
    Note,
    ReportedDemand,
    ReportedInterval,
    ReportedSeries,
)
from plimsoll.facts.demand import LOCAL_TIMES, LOWER_BOUND, DemandClassName
from plimsoll.facts.slim import SlimFacts

_EXAMPLES_MAX = 3
LOG_PAGE_BYTES = 4096
"""Sizes of redo writes are rounded to this, which every device takes, though logs are written in blocks of 512 bytes on most."""

Key = tuple[str, ...]


def demand_of(intervals: Sequence[ReportedInterval]) -> ReportedDemand:
    """All intervals by database, instance and time, with the busiest one."""
    in_order = sorted(intervals, key=_place)
    usable = [one for one in in_order if one.gap is None]
    lengths = [one.duration_s for one in usable if one.duration_s is not None]
    return ReportedDemand(
        resolution_s=max(lengths, default=None),
        intervals=tuple(in_order),
        peak=max(usable, key=_busyness, default=None),
        series=tuple(_series(in_order)),
        notes=tuple(_notes(in_order)),
    )


@dataclass(frozen=True)
class PlacedIntervals:
    """All intervals by database, instance and time; of thousands each is made anew when it is asked for."""

    intervals: Sequence[ReportedInterval]
    notes: tuple[Note, ...] = ()


def placed(intervals: SlimFacts[ReportedInterval]) -> PlacedIntervals:
    """These, in their order from now on, with what `demand_of` would say of them."""
    intervals.sort(_place, *_PLACE_FIELDS)
    return PlacedIntervals(intervals, tuple(_notes(intervals)))


def key_of(interval: ReportedInterval) -> Key:
    """What tells databases, their containers and their instances apart."""
    parts = (
        interval.db_name,
        interval.db_id,
        interval.container,
        interval.scope,
        interval.instance,
        interval.instance_number,
    )
    return tuple("" if part is None else str(part) for part in parts)


_PLACE_FIELDS = (
    "db_name", "db_id", "container", "scope", "instance", "instance_number", "begin_time", "end_time", "file", "member",
)  # fmt: skip
"""What `_place` and `key_of` look at."""


def _place(interval: ReportedInterval) -> tuple[object, ...]:
    return (
        interval.db_name is None,
        key_of(interval),
        interval.begin_time or "~",
        interval.end_time or "~",
        interval.file,
        interval.member or "",
    )


def _busyness(interval: ReportedInterval) -> tuple[float, float]:
    return interval.iops or 0.0, interval.mb_per_s or 0.0


def _series(placed: Sequence[ReportedInterval]) -> Iterator[ReportedSeries]:
    for _, group in groupby((one for one in placed if one.db_name is not None), key=key_of):
        intervals = list(group)
        usable = [one for one in intervals if one.gap is None]
        peak = max(usable, key=_busyness, default=None)
        first = intervals[0]
        begins = [one.begin_time for one in intervals if one.begin_time is not None]
        ends = [one.end_time for one in intervals if one.end_time is not None]
        yield ReportedSeries(
            db_name=first.db_name,
            db_id=first.db_id,
            container=first.container,
            instance=first.instance,
            scope=first.scope,
            interval_count=len(intervals),
            gap_count=len(intervals) - len(usable),
            begin_time=min(begins, default=None),
            end_time=max(ends, default=None),
            peak_iops=None if peak is None else peak.iops,
            peak_mb_per_s=None if peak is None else peak.mb_per_s,
            peak_begin_time=None if peak is None else peak.begin_time,
        )


def _notes(placed: Sequence[ReportedInterval]) -> Iterator[Note]:
    """One note for each kind of doubt, with the first few places."""
    said: dict[str, dict[str, None]] = {}
    keys: set[Key] = set()
    for one in placed:
        keys |= {key_of(one)} if one.gap is None else set()
        for code, message in _doubts(one):
            said.setdefault(code, {})[f"{place_of(one)}: {message}"] = None
    for code, messages in said.items():
        more = len(messages) - _EXAMPLES_MAX
        shown = "; ".join(islice(messages, _EXAMPLES_MAX))
        yield Note(code=code, message=f"{shown}; and {more:,} more" if more > 0 else shown)
    if len(keys) > 1:
        message = (
            f"the intervals are of {len(keys)} databases or instances: the peak is that of one of them, and what they ask "
            "for together is not known"
        )
        yield Note(code="several-databases", message=message)


def _doubts(interval: ReportedInterval) -> Iterator[tuple[str, str]]:
    if interval.gap is not None:
        yield "gap", interval.gap
    for flag in interval.flags:
        yield flag.code, flag.message
    for doubt in interval.doubts:
        yield doubt.code, doubt.message
    if any(one.at_least for one in interval.classes.values()):
        yield LOWER_BOUND, "requests are only counted in part, so the demand is at least this"
    if interval.scope == "container":
        yield (
            "container-share",
            "the figures are of one database in a container, and not all that its storage is asked for",
        )
    if interval.scope == "instance":
        yield (
            "instance-share",
            "the figures are of one instance of a cluster, and not all that its storage is asked for",
        )


def place_of(interval: ReportedInterval) -> str:
    """The file, and the member in it."""
    return interval.file if interval.member is None else f"{interval.file}/{interval.member}"


def busiest_series(demand: ReportedDemand) -> ReportedDemand:
    """The part of a demand that is of the database and instance of its peak."""
    if demand.peak is None:
        return demand
    wanted = key_of(demand.peak)
    return demand_of([one for one in demand.intervals if key_of(one) == wanted]).model_copy(
        update={"burst_factor": demand.burst_factor}
    )


def check_single(demand: ReportedDemand) -> None:
    """That it is about one database. Raises UsageError `demand-several`."""
    names: dict[Key, str] = {
        key_of(one): f"{one.full_name or 'unknown'} {one.instance or one.scope}"
        for one in demand.intervals
        if one.gap is None
    }
    if len(names) > 1:
        shown = ", ".join(list(names.values())[:_EXAMPLES_MAX]) + (" …" if len(names) > _EXAMPLES_MAX else "")
        raise UsageError(
            "demand-several",
            f"the reports are about {len(names)} databases or instances: {shown}",
            "What they ask for together cannot be told from their peaks; name the reports of one of them, or of the cluster.",
        )


def as_demand(reported: ReportedDemand) -> Demand:
    """The demand as it is held against storage: intervals with a length and a time, classes that are not counted twice."""
    timed = [one for one in reported.intervals if one.begin_time and one.end_time and one.duration_s]
    made = {id(one): _interval(one) for one in timed}
    peak = next((made[id(one)] for one in timed if one == reported.peak), None)
    first = reported.peak or next(iter(reported.intervals))
    held = held_back(list(made.values()))
    return Demand(
        database=_database(first),
        resolution_s=reported.resolution_s or 0.0,
        intervals=tuple(made.values()),
        peak=peak,
        mean=None,
        burst_factor=reported.burst_factor,
        held_back=held,
        notes=(*held_back_note(held), *reported.notes, *_converted(reported, first)),
    )


def _interval(one: ReportedInterval) -> DemandInterval:
    """Times of a clock without a zone are kept as if they were UTC; a note says so."""
    assert one.begin_time is not None, "the caller has looked"
    assert one.end_time is not None, "the caller has looked"
    assert one.duration_s is not None, "the caller has looked"
    gap = one.gap
    return DemandInterval(
        begin_time=datetime.fromisoformat(one.begin_time).replace(tzinfo=UTC),
        end_time=datetime.fromisoformat(one.end_time).replace(tzinfo=UTC),
        duration_s=one.duration_s,
        classes={} if gap else _classes(one),
        iops=None if gap else one.iops,
        mb_per_s=None if gap else one.mb_per_s,
        commits_per_s=None if gap else one.commits_per_s,
        gap=gap,
    )


def _classes(one: ReportedInterval) -> dict[DemandClassName, ClassDemand]:
    names = ClassDemand.model_fields.keys()
    return {
        name: ClassDemand.model_validate(found.model_dump(include=set(names)))
        for name, found in one.classes.items()
        if not found.counted_in
    }


def _database(one: ReportedInterval) -> Database:
    release = one.release or "unknown"
    return Database(
        kind="oracle",
        version=release,
        version_number=_version_number(release),
        location=one.host or one.file,
        name=one.full_name or "unknown",
        system_identifier=None if one.db_id is None else str(one.db_id),
        block_bytes=one.block_bytes,
        settings={"wal_block_size": str(LOG_PAGE_BYTES)},
    )


def _version_number(release: str) -> int:
    """19.24.0.0.0 is 192400: two digits for each of the first three parts."""
    parts = [int(part) if part.isdigit() else 0 for part in release.split(".")[:3]]
    major, minor, patch = (*parts, 0, 0, 0)[:3]
    return major * 10_000 + min(minor, 99) * 100 + min(patch, 99)


def _converted(reported: ReportedDemand, first: ReportedInterval) -> Iterator[Note]:
    message = "times are those of the reported host's own clock, whose zone reports do not print; they are kept as if it were UTC"
    yield Note(code=LOCAL_TIMES, message=message)
    estimated = [
        name
        for name, found in first.classes.items()
        if found.bytes_per_s_min is not None and found.bytes_per_s_min != found.bytes_per_s_max
    ]
    if estimated:
        names = " and ".join(name.replace("_", " ") for name in estimated)
        message = f"bytes of {names} are parted from a sum, and are an estimate"
        yield Note(code="bytes-parted", message=message)
    untimed = sum(1 for one in reported.intervals if not (one.begin_time and one.end_time and one.duration_s))
    if untimed:
        have = "1 report has" if untimed == 1 else f"{untimed:,} reports have"
        message = f"{have} no interval that is known, and cannot be held against storage"
        yield Note(code="reports-left-out", message=message)
