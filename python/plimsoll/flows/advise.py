"""`plimsoll advise`: what databases wait for, of files, folders and archives of reports, on all CPUs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import Advice, Demand, Note, Report, Run
from plimsoll.flows.demand import learn_demand, load_demand
from plimsoll.flows.named import status_of_unopened
from plimsoll.flows.read_progress import Pace
from plimsoll.flows.record import make_run, saved
from plimsoll.predict.faster_storage import TIERS, Then
from plimsoll.reports import intervals
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Walk
from plimsoll.requests.advise import AdviseRequest
from plimsoll.rules import KINDS, Advised, Storage, advice_of, advise, interval_of, interval_of_demand

_SAMPLED = ("postgresql", "mariadb", "mysql")
_OTHER = "tells no waits of an interval, and is left out"


@dataclass(frozen=True)
class AdviceOfReports:
    """What was found. `unread` are the reports that could not be read, each with its problems."""

    advice: Advice
    unread: tuple[Report, ...] = ()
    unopened: int = 0
    missing: int = 0
    """Of those that were not opened, the names under which nothing is there."""
    interrupted: bool = False

    @property
    def status(self) -> ExitStatus:
        """Done only when each report was read whole, and has a verdict."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        unopened = status_of_unopened(len(self.unread), self.unopened, self.missing)
        if unopened is not None and not self.advice.verdicts:
            return unopened
        return ExitStatus.DONE_IN_PART if self.advice.is_in_part else ExitStatus.DONE


@dataclass(frozen=True)
class _Read:
    """One report, in short, with what was found in it; None of one that could not be read, or tells no waits."""

    reading: Reading
    advised: Advised | None


def advise_on(ctx: Context, asked: AdviseRequest, ask_password: AskPassword | None = None) -> AdviceOfReports:
    """Advice on a live database, on stored runs, or on reports."""
    if asked.database is not None:
        run = learn_demand(ctx, asked.database, asked.watched_s, ask_password, relations=True)
        assert run.demand is not None, "a demand run has a demand"
        return _of_demands(ctx, [run.demand], asked, run.interrupted, run.notes)
    if asked.paths and all(_is_run(path) for path in asked.paths):
        return _of_demands(ctx, [load_demand(ctx, path) for path in asked.paths], asked)
    return advise_on_reports(ctx, asked)


def _is_run(path: str) -> bool:
    """Whether it can be no file: a run's id, or a word for one."""
    return "/" not in path and "." not in path and path != "-" and not os.path.exists(path)


def _of_demands(
    ctx: Context,
    demands: Sequence[Demand],
    asked: AdviseRequest,
    interrupted: bool = False,
    notes: Sequence[Note] = (),
) -> AdviceOfReports:
    for one in demands:
        if one.database.kind not in _SAMPLED:
            message = f"what sessions of {one.database.kind} wait for is not sampled, so that its demand tells no cause"
            raise UsageError(
                "advice-database",
                message,
                "Name a PostgreSQL, a MariaDB or MySQL, or reports of an Oracle database.",
            )
    storage = storage_of(ctx, asked)
    advised = [advise(interval_of_demand(one, storage), **_names(one)) for one in demands]
    return AdviceOfReports(advice_of(advised, notes), interrupted=interrupted)


def _names(demand: Demand) -> dict[str, str | None]:
    """What names the interval of a demand; its times are those of the server's clock."""
    mean = demand.mean
    times = (None, None) if mean is None else (mean.begin_time, mean.end_time)
    begin, end = (None if one is None else one.isoformat(timespec="seconds") for one in times)
    return {"db_name": demand.database.name, "begin_time": begin, "end_time": end}


def advise_on_reports(ctx: Context, asked: AdviseRequest) -> AdviceOfReports:
    """Advice on whatever was named. What cannot be read is named with its reason, and stops nothing."""
    if not asked.paths:
        hint = "Name files, folders or archives of reports."
        raise UsageError("nothing-named", "no report was named", hint)
    entries = list(Walk([Path(path) for path in asked.paths]).entries())
    pace = Pace(ctx, sum(entry.size_bytes for entry in entries))
    wanted = takewhile(lambda _: not ctx.cancel.is_set, sources(entries))
    read: list[_Read] = []
    for one in chain.from_iterable(ctx.executor.map(partial(_read, storage_of(ctx, asked)), wanted)):
        pace.step(one.reading)
        if not one.reading.passed_over:
            read.append(one)
    pace.finish(len(read))
    return _gathered(read, ctx.cancel.is_set)


def storage_of(ctx: Context, asked: AdviseRequest) -> Storage:
    """What is known of the storage, of now and that is thought of; of the latter what was stated comes before what was measured,
    and flash stands in for what was neither.
    """
    read_us, log_us, sources = _measured(ctx, asked.measured)
    if asked.read_latency_s is not None or asked.log_latency_s is not None:
        sources.insert(0, "stated")
    read_us = read_us if asked.read_latency_s is None else 1e6 * asked.read_latency_s
    log_us = log_us if asked.log_latency_s is None else 1e6 * asked.log_latency_s
    flash = TIERS["flash"]
    if read_us is None or log_us is None:
        sources.append(flash.source)
    then = Then(
        name="the storage that was named" if (read_us, log_us) != (None, None) else flash.name,
        read_us=flash.read_us if read_us is None else read_us,
        log_us=flash.log_us if log_us is None else log_us,
        source="; ".join(sources),
    )
    return Storage(None if asked.storage is None else TIERS[asked.storage], then, asked.spindles)


def _measured(ctx: Context, runs: Sequence[str]) -> tuple[float | None, float | None, list[str]]:
    """Mean latency of a read and of a write of the log, in microseconds, and the runs that they are from."""
    read_us, log_us = None, None
    sources: list[str] = []
    for name in runs:
        run = ctx.store.load(name)
        is_log, mean_us = _latency(run)
        read_us, log_us = (read_us, mean_us) if is_log else (mean_us, log_us)
        sources.append(f"run {run.id}, {run.title}")
    return read_us, log_us, sources


def _latency(run: Run) -> tuple[bool, float]:
    """Whether a run is of log writes, and its mean latency in microseconds. Raises UsageError `measured-useless`."""
    cell = run.cell
    reads = (
        []
        if cell is None
        else [one for one in cell.classes if one.op == "read" and one.latency_us.mean is not None]
    )
    if cell is not None and all(one.op == "write" and one.sync for one in cell.workload.classes):
        reads = [one for one in cell.classes if one.latency_us.mean is not None]
    if cell is None or not reads:
        message = f"run {run.id}, of kind {run.kind}, measured neither reads nor durable writes of a log"
        hint = "Name runs of `plimsoll io TARGET --block 8k --depth 1`, or of `plimsoll io TARGET --rw log-write`."
        raise UsageError("measured-useless", message, hint)
    mean_us = reads[0].latency_us.mean
    assert mean_us is not None, "those without are left out"
    return reads[0].op == "write", mean_us


def _read(storage: Storage, source: Source) -> tuple[_Read, ...]:
    """Runs where the work is shared out; of the reports, only what is needed comes back."""
    return tuple(_advised(storage, reading) for reading in read_all(source))


def _advised(storage: Storage, reading: Reading) -> _Read:
    report, content = reading.report, reading.content
    # That a report is cut off stands last among its problems.
    problems = (*report.problems[:2], *report.problems[2:][-1:])
    short = replace(
        reading, report=report.model_copy(update={"sections": (), "problems": problems}), part=None
    )
    if content is None or report.status == "unreadable" or report.kind not in KINDS:
        return _Read(short, None)
    flagged = report.model_copy(update={"flags": intervals.flags([report]).get(0, ())})
    names = {name: getattr(report, name) for name in ("db_name", "instance", "begin_time", "end_time")}
    return _Read(short, advise(interval_of(flagged, content, storage), **names))


def _gathered(read: Sequence[_Read], interrupted: bool) -> AdviceOfReports:
    unread = [one.reading for one in read if one.reading.report.status == "unreadable"]
    other = [
        one.reading.report
        for one in read
        if one.advised is None and one.reading.report.status != "unreadable"
    ]
    once, twice = _each_once(read)
    partial = [one.reading.report for one in read if one.advised and one.reading.report.status == "partial"]
    notes = (*_unread_notes(unread, len(read)), *_partial(partial), *_left_out(other), *_twice(twice))
    return AdviceOfReports(
        advice=advice_of(once, notes),
        unread=tuple(reading.report for reading in unread),
        unopened=sum(reading.unopened for reading in unread),
        missing=sum(reading.missing for reading in unread),
        interrupted=interrupted,
    )


def _each_once(read: Sequence[_Read]) -> tuple[list[Advised], list[str]]:
    """Those of different bytes; the places of the others."""
    once: dict[str | None, Advised] = {}
    twice: list[str] = []
    for one in read:
        if one.advised is None:
            continue
        if one.reading.report.sha256 in once:
            twice.append(intervals.place_of(one.reading.report))
        else:
            once[one.reading.report.sha256] = one.advised
    return list(once.values()), twice


def _unread_notes(unread: Sequence[Reading], count: int) -> Iterator[Note]:
    if len(unread) == count:
        yield Note(code="nothing-read", message="no report was found in what was named")
    elif unread:
        first = unread[0].report
        why = f": {first.problems[0].message}" if first.problems else ""
        told = f"{len(unread):,} of {count:,} files could not be read, the first {intervals.place_of(first)}{why}"
        yield Note(code="report-unread", message=told)


def _partial(reports: Sequence[Report]) -> Iterator[Note]:
    """A verdict is no better than what was read: a wait that stands in what is missing is not there."""
    if reports:
        first = reports[0]
        more = f", and {len(reports) - 1:,} more were" if len(reports) > 1 else ""
        why = first.problems[-1].message if first.problems else "some of it is missing"
        told = f"{intervals.place_of(first)} was read in part{more}, and what is missing is not in the advice: {why}"
        yield Note(code="report-partial", message=told)


def _left_out(other: Sequence[Report]) -> Iterator[Note]:
    for report in other:
        yield Note(
            code="kind-tells-no-waits", message=f"{intervals.place_of(report)}: {report.kind} {_OTHER}"
        )


def _twice(places: Sequence[str]) -> Iterator[Note]:
    if places:
        more = f", and {len(places) - 1:,} more are copies" if len(places) > 1 else ""
        yield Note(code="report-twice", message=f"{places[0]} is a copy{more}; each is counted once")


def keep_advice(ctx: Context, found: AdviceOfReports) -> Run:
    """The advice as a run; stored where there is any."""
    count = len(found.advice.verdicts)
    title = f"advice on {count:,} interval{'' if count == 1 else 's'}"
    parts: dict[str, Any] = {
        "advice": found.advice,
        "notes": found.advice.notes,
        "interrupted": found.interrupted,
    }
    run = make_run(ctx, "advise", title, ctx.clock.now(), **parts)
    return saved(ctx, run) if count else run
