"""Reports beside each other: their order, and doubts about their intervals that no single one of them shows."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from plimsoll.facts import Note, Report, ReportProblem
from plimsoll.facts.slim import SlimFacts
from plimsoll.reports.backwards import backwards

OVERLAP, SAME, RESTART, NEGATIVE = (
    "interval-overlap",
    "interval-twice",
    "instance-restart",
    "interval-negative",
)


ORDER_FIELDS = (
    "db_name", "db_id", "container", "instance", "instance_number", "begin_time", "end_time", "file", "member",
)  # fmt: skip
"""What `order` looks at."""
_FLAG_FIELDS = (*ORDER_FIELDS, "kind", "duplicate_of", "startup_time", "elapsed_s", "instances")


def order(report: Report) -> tuple[object, ...]:
    """Database, container, instance, interval, then the place; what has none of these comes last."""
    return (
        report.db_name is None,
        report.db_name or "",
        report.db_id or 0,
        report.container or "",
        report.instance or "",
        report.instance_number or 0,
        report.begin_time or "~",
        report.end_time or "~",
        report.file,
        report.member or "",
    )


def flags(reports: Sequence[Report]) -> dict[int, tuple[Note, ...]]:
    """Position → doubts, for those reports that have any. Duplicates are left out: their content is judged once."""
    found: dict[int, tuple[Note, ...]] = {}
    # Of thousands each report is made anew when it is asked for.
    few = list(reports.parts(*_FLAG_FIELDS)) if isinstance(reports, SlimFacts) else reports
    for places in _by_series(few):
        before: list[Report] = []
        for _, place in sorted((order(few[place]), place) for place in places):
            report = few[place]
            doubts = tuple(_doubts(report, before, lambda place=place: reports[place].problems))
            if doubts:
                found[place] = doubts
            before = _kept(before, report)
    return found


def _by_series(reports: Sequence[Report]) -> Iterable[Sequence[int]]:
    """Positions of those that have an interval."""
    by_names: dict[tuple[object, ...], array[int]] = {}
    for place, one in enumerate(reports):
        if _has_interval(one):
            by_names.setdefault(_names(one), array("L")).append(place)
    of_series: dict[tuple[str, ...], array[int]] = {}
    for names, places in by_names.items():
        of_series.setdefault(_as_texts(names), array("L")).extend(places)
    return (places for _, places in sorted(of_series.items()))


def beside_others(reports: Iterable[Report]) -> list[int]:
    """Positions of reports that are of one kind and about one instance or container with others; maybe of one or another more.

    Of tens of thousands of databases with a report each it takes little room.
    """
    numbers = array("q", (hash(_series(one)) for one in reports))
    several = {number for number, after in pairwise(sorted(numbers)) if number == after}
    return [place for place, number in enumerate(numbers) if number in several]


def _has_interval(report: Report) -> bool:
    return report.duplicate_of is None and report.begin_time is not None and report.end_time is not None


def _series(report: Report) -> tuple[str, ...]:
    """Reports of one kind about one instance or container: only they count the same thing twice when they overlap."""
    return _as_texts(_names(report))


def _names(report: Report) -> tuple[object, ...]:
    return (
        report.kind,
        report.db_name,
        report.db_id,
        report.container,
        report.instance,
        report.instance_number,
    )


def _as_texts(names: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(map(str, names))


def _kept(before: list[Report], report: Report) -> list[Report]:
    """The one that reaches furthest, then the last one: a later report can overlap only with these or with what they cover."""
    furthest = before[0] if before else report
    return [report if (report.end_time or "") > (furthest.end_time or "") else furthest, report]


def _doubts(
    report: Report, before: Sequence[Report], problems: Callable[[], Sequence[ReportProblem]]
) -> Iterator[Note]:
    begin, end = report.begin_time or "", report.end_time or ""
    if (why := backwards(report)) is not None:
        yield Note(code=NEGATIVE, message=why)
    restarts = list(_restarts(report, begin, end))
    # Unless the report itself was found to tell of one.
    if restarts and all(problem.code != RESTART for problem in problems()):
        yield from restarts
    if before:
        yield from _beside(report, before[0], before[-1])


def _restarts(report: Report, begin: str, end: str) -> Iterator[Note]:
    """Restarts inside the interval."""
    starts = [(None, report.startup_time), *((one.instance, one.startup_time) for one in report.instances)]
    for name, started in starts:
        if started is not None and begin < started <= end:
            what = f"the instance {name}" if name else "the instance"
            yield Note(code=RESTART, message=f"{what} was started at {started}, inside the interval")


def _beside(report: Report, furthest: Report, last: Report) -> Iterator[Note]:
    begin, end = report.begin_time or "", report.end_time or ""
    if (last.begin_time, last.end_time) == (begin, end):
        yield Note(code=SAME, message=f"{place_of(last)} is about the same interval")
        return
    if (furthest.end_time or "") > begin and end > begin:
        interval = f"{furthest.begin_time} to {furthest.end_time}"
        yield Note(
            code=OVERLAP, message=f"the interval overlaps with that of {place_of(furthest)}, {interval}"
        )
    started, earlier = report.startup_time, last.startup_time
    if started is not None and earlier is not None and started > earlier and started <= begin:
        message = f"the instance was started anew at {started}, after the interval of {place_of(last)}"
        yield Note(code=RESTART, message=message)


def place_of(report: Report) -> str:
    """The file, and the member in it."""
    return report.file if report.member is None else f"{report.file}/{report.member}"
