"""Demand of reports as people read it on a terminal: a line for each interval, the busiest one by class, what is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_us
from plimsoll.cli.data import DataTable, of_facts
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, filled, show_table, table
from plimsoll.demand.series import place_of
from plimsoll.facts import ReportedClass, ReportedDemand, ReportedInterval, ReportedSeries, Run

_UNKNOWN = "unknown"
INTERVALS_SHOWN_MAX = 40
"""Of more intervals, the busiest are shown; --json has them all."""
_FIGURES = {"ops_per_s": "rate", "bytes_per_s": "bytes"}


def show_reported(demand: ReportedDemand, run: Run | None) -> None:
    """Intervals, then the classes of the busiest one with where their figures are from."""
    if demand.intervals:
        show_table(_intervals(demand))
    left_out = len(demand.intervals) - INTERVALS_SHOWN_MAX
    if left_out > 0:
        say(f"the busiest {INTERVALS_SHOWN_MAX} are shown, {left_out:,} are left out")
    if demand.peak is None:
        say("no demand is known")
        return
    peak = demand.peak
    say(f"highest demand {_highest(peak)}, in {place_of(peak)}")
    show_table(_classes(peak))
    for line in _missing(peak):
        say(line)
    if run is not None:
        say_run(run)


def data_tables(demand: ReportedDemand) -> list[DataTable]:
    """Intervals, the classes of each of them, and the intervals in short by whose they are."""
    classes = [(one, name, found) for one in demand.intervals for name, found in one.classes.items()]
    place = ("file", "member", "db_name", "instance", "begin_time")
    of_class = of_facts("classes", ReportedClass, [found for _, _, found in classes])
    rows = [
        (*(getattr(one, field) for field in place), name, *row)
        for (one, name, _), row in zip(classes, of_class.rows, strict=True)
    ]
    return [
        of_facts("intervals", ReportedInterval, demand.intervals),
        replace(of_class, columns=(*place, "class", *of_class.columns), rows=rows),
        of_facts("series", ReportedSeries, demand.series),
    ]


def _highest(peak: ReportedInterval) -> str:
    if peak.iops is not None:
        return f"{'at least ' if peak.is_lower_bound else ''}{format_rate(peak.iops)} I/Os per second"
    return f"{peak.mb_per_s or 0.0:,.1f} MB per second of an unknown number of I/Os"


def _intervals(demand: ReportedDemand) -> Shown:
    made = table(
        "report", "database", "whose", "begin", "length", "I/Os per s", "MB per s", "commits per s", text_columns=4,
        spare=("whose", "commits per s", "length", "database", "begin"),
    )  # fmt: skip
    for one in _shown(demand.intervals):
        whose = one.scope if one.instance is None else f"{one.scope} {one.instance}"
        made.add_row(
            os.path.basename(place_of(one)),
            one.db_name or _UNKNOWN,
            whose,
            (one.begin_time or _UNKNOWN).replace("T", " "),
            _UNKNOWN if one.duration_s is None else format_seconds(one.duration_s),
            "none" if one.gap else format_rate(one.iops),
            "none" if one.gap or one.mb_per_s is None else f"{one.mb_per_s:,.1f}",
            _UNKNOWN if one.commits_per_s is None else f"{one.commits_per_s:,.1f}",
        )
    return made


def _shown(intervals: Sequence[ReportedInterval]) -> list[ReportedInterval]:
    """All, or the busiest, in their own order."""
    if len(intervals) <= INTERVALS_SHOWN_MAX:
        return list(intervals)
    ranked = sorted(range(len(intervals)), key=lambda place: -(intervals[place].iops or 0.0))
    return [intervals[place] for place in sorted(ranked[:INTERVALS_SHOWN_MAX])]


def _classes(peak: ReportedInterval) -> Shown:
    columns = ("class", "I/Os per s", "MB per s", "mean size", "mean latency", "from")
    made = filled(columns, (), (False, *(True,) * 4, False), spare=("from",))
    for name, found in peak.classes.items():
        size = found.mean_bytes
        made.add_row(
            name.replace("_", " ") + (" (in the above)" if found.counted_in else ""),
            ("≥ " if found.at_least else "") + format_rate(found.ops_per_s),
            _megabytes(found),
            _UNKNOWN if size is None else format_bytes(round(size)),
            format_us(found.latency_us_mean),
            found.source,
        )
    return made


def _megabytes(found: ReportedClass) -> str:
    """The estimate, with the bounds of it where they are apart."""
    if found.bytes_per_s is None:
        return _UNKNOWN
    low, high = found.bytes_per_s_min, found.bytes_per_s_max
    words = f"{found.bytes_per_s / 1e6:,.2f}"
    if low is None or high is None or high - low < 0.02 * found.bytes_per_s:
        return words
    return f"{words} ({low / 1e6:,.2f} to {high / 1e6:,.2f})"


def _missing(peak: ReportedInterval) -> Iterator[str]:
    for name, found in peak.classes.items():
        for figure, reason in found.unknown.items():
            if figure in _FIGURES:
                yield f"{name.replace('_', ' ')}: {_FIGURES[figure]} unknown: {reason}"
