"""Demand from reports of databases: of files, folders and archives, on all CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.demand.series import as_demand, busiest_series, demand_of
from plimsoll.facts import Note, Report, ReportedDemand, ReportedInterval, ReportProblem, Run
from plimsoll.facts.slim import SlimFacts
from plimsoll.flows.named import status_of_unopened, unread_of
from plimsoll.flows.read_progress import Pace
from plimsoll.flows.record import record
from plimsoll.flows.taken_intervals import ReadReport, TakenIntervals
from plimsoll.reports.figures.interval import intervals_of
from plimsoll.reports.fleet import Tally, each, one_by_one
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Walk

_CUT = "report-cut"
_REFUSED = "collector-refused"
_CUT_IN_WORDS = "the report is cut off: what its missing sections told is not in this demand"


@dataclass(frozen=True)
class DemandOfReports:
    """What was learnt. `unread` are the reports that could not be read, each with its problems."""

    demand: ReportedDemand
    started_at: datetime
    """When it was asked for, before anything was read."""
    unread: tuple[Report, ...] = ()
    unopened: int = 0
    """Names in the command that led to nothing."""
    missing: int = 0
    """Of those, the names under which nothing is there."""
    interrupted: bool = False
    notes: tuple[Note, ...] = ()
    """Of the reading; the demand has them too, so that whoever is given it is told what is not in it."""
    unreached: int = 0
    """Files that were not read, or of which not all members were, since it was interrupted."""

    @property
    def status(self) -> ExitStatus:
        """Done only when each report gave its demand."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        unopened = status_of_unopened(len(self.unread), self.unopened, self.missing)
        if unopened is not None and not self.demand.intervals:
            return unopened
        known = all(
            one.gap is None and one.iops is not None and _CUT not in {flag.code for flag in one.flags}
            for one in self.demand.intervals
        )
        whole = self.demand.peak is not None and known and not self.unread
        return ExitStatus.DONE if whole else ExitStatus.DONE_IN_PART


@dataclass(frozen=True)
class IntervalsOfReports:
    """The same with the intervals alone, in the order in which their reports were found."""

    intervals: SlimFacts[ReportedInterval]
    unread: tuple[Report, ...] = ()
    unopened: int = 0
    missing: int = 0
    interrupted: bool = False
    notes: tuple[Note, ...] = ()
    unreached: int = 0


def demand_of_reports(
    ctx: Context, paths: Sequence[Path], piped: bytes | None = None, until: ExitStack | None = None
) -> DemandOfReports:
    """The demand of whatever was named. What cannot be read is named with its reason, and stops nothing.

    `piped` is what came in through standard input, where it was read before; for `until` see `each`.
    """
    started_at = ctx.clock.now()
    found = intervals_of_reports(ctx, paths, read_source, piped, until)
    demand = demand_of(list(found.intervals))
    return DemandOfReports(
        demand=demand.model_copy(update={"notes": (*found.notes, *demand.notes)}),
        started_at=started_at,
        unread=found.unread,
        unopened=found.unopened,
        missing=found.missing,
        interrupted=found.interrupted,
        notes=found.notes,
        unreached=found.unreached,
    )


def intervals_of_reports(
    ctx: Context,
    paths: Sequence[Path],
    read_source: Callable[[Source], tuple[ReadReport, ...]],
    piped: bytes | None = None,
    until: ExitStack | None = None,
) -> IntervalsOfReports:
    """The intervals, of each source as `read_source` makes them: `read_source`, or without their cells `read_source_in_short`."""
    if not paths:
        raise UsageError(
            "nothing-named", "no report was named", "Name files, folders or archives of reports."
        )
    entries = list(Walk(tuple(paths)).entries())
    pace = Pace(ctx, sum(entry.size_bytes for entry in entries))
    taken = TakenIntervals()
    tally = Tally()
    made = each(ctx, partial(one_by_one, read_source), entries, piped, until=until, tally=tally)
    for read in chain.from_iterable(made):
        pace.step(read.reading)
        taken.take(read)
    pace.finish(len(taken))
    return IntervalsOfReports(
        intervals=taken.flagged(),
        unread=tuple(reading.report for reading in taken.unread),
        unopened=sum(reading.unopened for reading in taken.unread),
        missing=sum(reading.missing for reading in taken.unread),
        interrupted=ctx.cancel.is_set,
        notes=tuple(taken.remarks(len(entries) - tally.whole)),
        unreached=len(entries) - tally.whole,
    )


def read_source(source: Source) -> tuple[ReadReport, ...]:
    """Runs where the work is shared out; of the reports, only what is needed comes back."""
    return tuple(map(_demanded, read_all(source)))


def read_source_in_short(source: Source) -> tuple[ReadReport, ...]:
    """Of each interval the figures and the doubts, without the cells that they are from: a third of it."""
    return tuple(
        replace(read, intervals=tuple(map(_without_cells, read.intervals))) for read in read_source(source)
    )


def _without_cells(one: ReportedInterval) -> ReportedInterval:
    nothing = {"origins": (), "unknown": {}, "definition": None}
    classes = {name: found.model_copy(update=nothing) for name, found in one.classes.items()}
    doubts = tuple(doubt.model_copy(update={"cells": ()}) for doubt in one.doubts)
    return one.model_copy(update={"classes": classes, "doubts": doubts, "instances": ()})


def _demanded(reading: Reading) -> ReadReport:
    short = reading.report.model_copy(update={"sections": (), "problems": reading.report.problems[:3]})
    found = () if short.status == "unreadable" else intervals_of(short, reading.content)
    lacks = tuple(_lacking(reading.report.problems))
    if lacks:
        found = tuple(interval.model_copy(update={"flags": lacks}) for interval in found)
    return ReadReport(reading.without_content(short), found)


def _lacking(problems: Sequence[ReportProblem]) -> Iterator[Note]:
    """What a demand must tell of what could not be read: that the end is missing, and each view that was refused."""
    if any(problem.code == _CUT for problem in problems):
        yield Note(code=_CUT, message=_CUT_IN_WORDS)
    for message in dict.fromkeys(problem.message for problem in problems if problem.code == _REFUSED):
        yield Note(code=_REFUSED, message=message)


def keep_demand(ctx: Context, found: DemandOfReports) -> Run | None:
    """Stores the demand of the database that has the peak; None where there is nothing to keep."""
    if found.demand.peak is None:
        return None
    part = busiest_series(found.demand)
    demand = as_demand(part.model_copy(update={"notes": (*found.notes, *part.notes)}))
    count = len(part.intervals)
    title = f"demand of {demand.database.name} from {count:,} report{'' if count == 1 else 's'}"
    unread = unread_of(found.unread, found.unreached)
    return record(
        ctx,
        "demand",
        title,
        found.started_at,
        interrupted=found.interrupted,
        demand=demand,
        unread=unread,
        notes=demand.notes,
    )
