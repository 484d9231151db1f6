"""What databases and other tools have told: reports read, demand learnt, results taken in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import Tabular, frame_of, frame_of_rows, row
from plimsoll.api._results import Result
from plimsoll.api._shown import Shown, picked
from plimsoll.api._surroundings import keeps
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.until_safe import UntilSafe
from plimsoll.context import Context
from plimsoll.facts import Demand, Fact, ForeignBench, ForeignFigure, Note, Report, ReportedDemand, Run
from plimsoll.requests.demand import DemandRequest
from plimsoll.requests.imports import ImportRequest
from plimsoll.requests.read import ReadRequest
from plimsoll.requests.shared import WATCHED_S

if TYPE_CHECKING:
    import polars

    from plimsoll.flows.read import ReadOutcome

_REPORTS = "reports"


@dataclass(frozen=True, repr=False)
class Read(Shown, Tabular):
    """Reports that were read, by database, instance and interval. What could not be read is among them, and says why."""

    _outcome: ReadOutcome

    @property
    def reports(self) -> Sequence[Report]:
        """Each in short: without its list of sections, and with its first problems alone."""
        return self._outcome.reports

    @property
    def unread(self) -> tuple[Report, ...]:
        """Those of the files that are no report, or could not be opened; `problems` says why."""
        return tuple(report for report in self.reports if report.status == "unreadable")

    @property
    def notes(self) -> tuple[Note, ...]:
        """About the reading as a whole, and doubts about reports."""
        return (*self._outcome.notes, *self._outcome.doubts)

    @property
    def interrupted(self) -> bool:
        """Whether it was ended early; what was read until then is here."""
        return self._outcome.interrupted

    @property
    def runs(self) -> tuple[str, ...]:
        """Ids of the runs under which the reports are kept; none without `store`."""
        return self._outcome.runs

    @property
    def files(self) -> tuple[Path, ...]:
        """Tables that were written into the folder `out`."""
        return self._outcome.written

    def whole(self, place: int) -> Report:
        """The report at that place of `reports`, with all of its sections and problems."""
        return self._outcome.collection.whole(place)

    def frame(self, of: str = _REPORTS) -> polars.DataFrame:
        """A row per report; or the rows of a table that was named with `section`. Raises UsageError `section-unknown`."""
        if of in self._outcome.rows:
            return frame_of_rows(list(self._rows(of)))
        if of != _REPORTS:
            hint = f"Read it with section={of!r}, and without out."
            raise UsageError("section-unknown", f"the rows of '{of}' were not asked for", hint)
        return frame_of(self.reports)

    def _rows(self, of: str) -> Iterator[dict[str, Any]]:
        from plimsoll.flows.read_outputs import unpacked

        for rows in unpacked(self._outcome.rows[of]):
            yield from rows

    def _answer(self) -> str:
        whole = sum(report.status == "ok" for report in self.reports)
        return f"{len(self.reports):,} reports, {whole:,} read whole, {len(self.unread):,} unreadable"

    def _remarks(self) -> Sequence[str]:
        return [note.message for note in self.notes]

    def _table(self) -> Sequence[Mapping[str, Any]]:
        columns = ("file", "kind", "release", "db_name", "begin_time", "elapsed_s", "db_time_s", "status")
        return [picked(row(report), columns) for report in self.reports]


@dataclass(frozen=True, repr=False)
class Demanded(Shown, Tabular):
    """What a database asks of storage. `run` is None where reports say nothing of it that could be kept."""

    demand: Demand | ReportedDemand
    run: Run | None
    notes: tuple[Note, ...] = ()
    unread: tuple[Report, ...] = ()
    """Reports that could not be read; `problems` says why."""
    interrupted: bool = False

    def frame(self, of: Literal["intervals", "classes"] = "intervals") -> polars.DataFrame:
        """A row per interval, or per interval and class of I/O."""
        return frame_of(self.demand.intervals) if of == "intervals" else frame_of_rows(list(self._classes()))

    def _classes(self) -> Iterator[dict[str, Any]]:
        for interval in self.demand.intervals:
            for name, one in interval.classes.items():
                yield {"begin_time": str(interval.begin_time), "io_class": name, **row(one)}

    def _answer(self) -> str:
        peak = self.demand.peak
        if peak is None:
            return "no demand is known"
        rate = "an unknown number of" if peak.iops is None else f"{peak.iops:,.0f}"
        return f"at most {rate} I/Os per second, in {len(self.demand.intervals):,} intervals"

    def _about(self) -> str:
        return "" if self.run is None else f"run {self.run.id}, {self.run.title}"

    def _remarks(self) -> Sequence[str]:
        return [note.message for note in self.notes]

    def _table(self) -> Sequence[Mapping[str, Any]]:
        columns = ("begin_time", "duration_s", "iops", "mb_per_s", "commits_per_s", "gap")
        when = [{"begin_time": str(one.begin_time)} for one in self.demand.intervals]
        rows = [{**first, **row(one)} for first, one in zip(when, self.demand.intervals, strict=True)]
        return [picked(one, columns) for one in rows]


class Benchmarked(Result):
    """What another benchmark measured; the frame has a row per figure."""

    _columns: ClassVar[tuple[str, ...]] = ("name", "of", "value", "unit")

    @property
    def bench(self) -> ForeignBench:
        """Its figures, and the text that they stand in."""
        return self.run.results["foreign_bench"]

    def _parts(self) -> Sequence[ForeignFigure]:
        return self.bench.figures


@dataclass(frozen=True, repr=False)
class TakenIn(Shown, Tabular):
    """What other tools measured, a run for each file, or for each result of one."""

    taken: tuple[tuple[Path, Run], ...]
    failures: tuple[tuple[Path, PlimsollError], ...]
    """Files of several that could not be taken in, each with its error."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs, in the order of the files."""
        return tuple(run for _, run in self.taken)

    def frame(self) -> polars.DataFrame:
        """A row per job of fio, per point of ORION, or per figure of another benchmark, with its file and its run."""
        return frame_of_rows(list(self._rows()))

    def _rows(self) -> Iterator[dict[str, Any]]:
        for path, run in self.taken:
            for part in _parts(run):
                yield {"file": str(path), "run": run.id, **row(part)}

    def _answer(self) -> str:
        return f"{len(self.taken):,} results imported, {len(self.failures):,} files not"

    def _remarks(self) -> Sequence[str]:
        return [f"{path}: {error.message}" for path, error in self.failures]

    def _table(self) -> Sequence[Mapping[str, Any]]:
        from plimsoll.results import answer

        return [{"file": path.name, "run": run.id, "result": answer(run)} for path, run in self.taken]


def _parts(run: Run) -> Sequence[Fact]:
    if (bench := run.results.get("foreign_bench")) is not None:
        return bench.figures
    return run.cells if run.calibration is None else run.calibration.points


@asks(ReadRequest)
def read(ctx: Context, asked: ReadRequest) -> Read:
    """Statspack and AWR reports as tables, as `plimsoll read`. A file that cannot be read stops nothing: see `unread`.

    Example:
        found = plimsoll.read("awr/", section="load_profile")
        found.frame("load_profile")
    """
    from plimsoll.flows.read import read_reports

    if asked.schema:
        raise UsageError("usage", "schema reads no report", "See it with: plimsoll read --schema.")
    if asked.keep and not keeps(ctx):
        raise UsageError("option-idle", "keep would have no effect without store", "Name a store.")
    with UntilSafe() as until:
        outcome = read_reports(ctx, replace(asked, keep=keeps(ctx)), until)
        until.look_at(outcome.notes)
    return Read(outcome)


@asks(DemandRequest)
def learn_demand(ctx: Context, asked: DemandRequest) -> Demanded:
    """What a database asks of storage, as `plimsoll demand`: a live one is watched, reports are read.

    With `every` snapshots are kept in `store`, and the demand is of those; `snapshots` makes a demand of a series that is kept.

    Example:
        found = plimsoll.learn_demand("awr/", out="demand.json")
        plimsoll.assess(target="/mnt/new", demand="demand.json")
    """
    from plimsoll.flows.demand import learn_demand as learn
    from plimsoll.flows.demand import write_demand
    from plimsoll.flows.snapshots import learn_of_snapshots

    if asked.collector is not None:
        raise UsageError(
            "usage", "a collector asks no database", "Print it with: plimsoll demand --collector oracle."
        )
    if asked.paths:
        return _of_reports(ctx, asked)
    if asked.every_s is not None:
        return _of_snapshots_now(ctx, asked)
    if asked.snapshots is not None:
        run = learn_of_snapshots(ctx, asked)
    else:
        run = learn(ctx, asked.database, asked.watched_s or WATCHED_S, licensed=asked.licensed is not None)
    assert run.demand is not None, "a demand run has a demand"
    if asked.out is not None:
        write_demand(run.demand, Path(asked.out))
    return Demanded(run.demand, run, run.notes, interrupted=run.interrupted)


def _of_snapshots_now(ctx: Context, asked: DemandRequest) -> Demanded:
    """The demand of what a collector kept until it was ended. Raises UsageError `series-short` where that is no interval."""
    from plimsoll.flows.snapshots import collect_snapshots, demand_of_series

    done = collect_snapshots(ctx, asked)
    demand = demand_of_series(ctx, done.series, done.first_at, None)
    return Demanded(demand, None, demand.notes, interrupted=done.interrupted)


def _of_reports(ctx: Context, asked: DemandRequest) -> Demanded:
    from plimsoll.flows.demand import write_demand
    from plimsoll.flows.demand_reports import demand_of_reports, keep_demand

    with UntilSafe() as until:
        found = demand_of_reports(ctx, [Path(path) for path in asked.paths], until=until)
        if asked.out is not None and found.demand.intervals:
            write_demand(found.demand, Path(asked.out))
        run = keep_demand(ctx, found)
        until.look_at(() if run is None else run.notes)
    return Demanded(found.demand, run, found.demand.notes, found.unread, found.interrupted)


@asks(ImportRequest)
def import_(ctx: Context, asked: ImportRequest) -> TakenIn:
    """Results of fio and ORION, as `plimsoll import`. Of several files one that cannot be read stops nothing: see `failures`.

    Example:
        plimsoll.import_(["old.json", "new.json"]).frame()
    """
    from plimsoll.flows.imports import import_files

    outcome = import_files(ctx, [Path(path) for path in asked.paths])
    return TakenIn(outcome.taken, tuple((one.path, one.error) for one in outcome.failures))
