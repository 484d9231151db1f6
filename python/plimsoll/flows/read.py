"""`plimsoll read`: reports from files, folders and archives, to a summary of each, to datasets, and into the store.

Reports are read on all CPUs and taken in one by one in the order in which they were found, so that the result does not
depend on which was ready first. Of each, only its summary is kept: memory is bounded by the largest report, not their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.facts import Note, Report, ReportProblem
from plimsoll.facts.slim import SlimFacts
from plimsoll.flows.named import status_of_unopened
from plimsoll.flows.read_groups import ReadGroup, Wants, read_apart, read_here
from plimsoll.flows.read_outputs import Outputs
from plimsoll.flows.read_progress import Pace
from plimsoll.native.allocator import keeping_freed
from plimsoll.reports import intervals
from plimsoll.reports.collection import ReportCollection
from plimsoll.reports.fleet import Tally, each, is_fleet
from plimsoll.reports.limits import READ_FREED_KEPT_MS
from plimsoll.reports.reader import views
from plimsoll.reports.schema import GENERIC
from plimsoll.reports.walk import Walk
from plimsoll.requests.read import ReadRequest

_EXAMPLES_MAX = 3


@dataclass(frozen=True)
class ReadOutcome:
    """What was read, sorted by database, instance and interval."""

    collection: ReportCollection
    passed_over: int = 0
    unopened: int = 0
    missing: int = 0
    """Of those, the names under which nothing is there."""
    """Names in the command that led to nothing."""
    interrupted: bool = False
    unreached: int = 0
    """Files that were not read, or of which not all members were, since it was interrupted."""
    written: tuple[Path, ...] = ()
    runs: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    """About the reading as a whole."""
    doubts: tuple[Note, ...] = ()
    """About reports: flags, and checks that failed; a note for each kind, with the first few places."""
    rows: dict[str, list[bytes]] = field(default_factory=dict)
    """Rows of the tables that were asked for and are not written to files, packed, by table; see `unpacked`."""

    @property
    def reports(self) -> Sequence[Report]:
        """Without their lists of sections, which the collection has."""
        return self.collection.reports

    @property
    def status(self) -> ExitStatus:
        """Done only when there was something to read and all of it was read whole."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        if (unopened := status_of_unopened(len(self.reports), self.unopened, self.missing)) is not None:
            return unopened
        whole = bool(self.reports) and all(report.status == "ok" for report in self.reports)
        whole = whole and all(self.rows.values())
        return ExitStatus.DONE if whole else ExitStatus.DONE_IN_PART


def read_reports(
    ctx: Context, request: ReadRequest, until: ExitStack | None = None, lists: bool = True
) -> ReadOutcome:
    """Reads everything that was named. What cannot be read is in the outcome with its reason, and stops nothing.

    Without `lists` nobody may ask the outcome's collection for lists of sections, which take their time to make.
    For `until` see `each`; without it what is kept is forgotten once all outputs have their names.

    Raises UsageError `nothing-named`, `section-unknown`, `out-folder-foreign`; WorldError `out-refused`.
    """
    if not request.paths:
        raise UsageError(
            "nothing-named", "no report was named", "Name files, folders or archives of reports."
        )
    _check_sections(request)
    with (
        Outputs(
            ctx,
            None if request.out is None else Path(request.out),
            request.file_format,
            request.keep,
            frozenset(request.sections),
            request.escape_formulas,
        ) as outputs,
        ExitStack() as own,
    ):
        return _read(ctx, request, outputs, until or own, lists)


def _check_sections(request: ReadRequest) -> None:
    if not request.sections:
        return
    names = [*(view.name for view in views()), *GENERIC]
    for name in request.sections:
        if name not in names:
            from difflib import get_close_matches

            near = get_close_matches(name, names, n=4, cutoff=0.4) or names[:4]
            hint = f"Nearest: {', '.join(near)}. See them all with plimsoll read --schema."
            raise UsageError("section-unknown", f"no table is called '{name}'", hint)


def _read(ctx: Context, request: ReadRequest, outputs: Outputs, until: ExitStack, lists: bool) -> ReadOutcome:
    walk = Walk([Path(path) for path in request.paths])
    entries = list(walk.entries())
    pace = Pace(ctx, sum(entry.size_bytes for entry in entries))
    collection, counts, tally = ReportCollection(), _Counts(), Tally()
    file_format, named = request.out and request.file_format, tuple(sorted(request.sections))
    wants = Wants(file_format, named, request.keep, lists or request.keep)
    apart, here = partial(read_apart, wants), partial(read_here, wants)
    # Of thousands of files the memory is in the processes that read them.
    with keeping_freed(None if is_fleet(entries) else READ_FREED_KEPT_MS):
        for group in each(ctx, apart, entries, here=here, until=until, tally=tally):
            outputs.add(group, collection.take(group.shorts))
            counts.take(group)
            pace.steps(group.count, group.weight_bytes)
    pace.finish(len(collection.reports))
    collection.sort()
    collection.flag(intervals.flags(collection.reports))
    written = outputs.finish(collection.reports)
    unreached = len(entries) - tally.whole
    return ReadOutcome(
        collection=collection,
        passed_over=walk.passed_over + counts.passed_over,
        unopened=counts.unopened,
        missing=counts.missing,
        interrupted=ctx.cancel.is_set,
        unreached=unreached,
        written=tuple(written),
        runs=tuple(outputs.runs),
        notes=(*outputs.notes, *(() if unreached else _nothing(collection.reports))),
        doubts=tuple(_doubts(collection.reports)),
        rows=outputs.rows,
    )


@dataclass
class _Counts:
    passed_over: int = 0
    unopened: int = 0
    missing: int = 0

    def take(self, group: ReadGroup) -> None:
        """One more."""
        self.passed_over += group.shorts.passed_over
        self.unopened += group.unopened
        self.missing += group.missing


def _nothing(reports: Sequence[Report]) -> Iterator[Note]:
    """An empty result is said. Not where files were left: what they hold is unknown."""
    if all(report.status == "unreadable" for report in reports):
        yield Note(code="nothing-read", message="no report was found in what was named")


def _doubts(reports: Sequence[Report]) -> Iterator[Note]:
    """One note for each kind of doubt; all of them stand with their reports."""
    found = _Examples()
    # Of thousands each report is made anew when it is asked for.
    few = ("file", "member", "flags", "problems")
    for report in reports.parts(*few) if isinstance(reports, SlimFacts) else reports:
        for flag in report.flags:
            found.add(flag, report)
        for problem in report.problems:
            if not problem.loses:
                found.add(problem, report, problem.line)
    yield from found.notes()


class _Examples:
    """The first few of each kind, and how many there are."""

    def __init__(self) -> None:
        self._first: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, doubt: Note | ReportProblem, report: Report, line: int | None = None) -> None:
        self._counts[doubt.code] += 1
        if self._counts[doubt.code] <= _EXAMPLES_MAX:
            at = "" if line is None else f":{line}"
            message = f"{intervals.place_of(report)}{at}: {doubt.message}"
            self._first.setdefault(doubt.code, []).append(message)

    def notes(self) -> Iterator[Note]:
        for code, messages in self._first.items():
            more = self._counts[code] - _EXAMPLES_MAX
            shown = "; ".join(messages)
            yield Note(code=code, message=f"{shown}; and {more:,} more" if more > 0 else shown)
