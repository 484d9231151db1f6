"""`plimsoll advise`: what databases wait for, of files, folders and archives of reports, on all CPUs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.facts import Advice, Note, Report, Run
from plimsoll.flows.named import status_of_unopened
from plimsoll.flows.read_progress import Pace
from plimsoll.flows.record import make_run, saved
from plimsoll.predict.faster_storage import TIERS, Then
from plimsoll.reports import intervals
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Walk
from plimsoll.requests.advise import AdviseRequest
from plimsoll.rules import KINDS, Advised, Storage, advice_of, advise, interval_of

_OTHER = "tells no waits of an interval, and is left out"


@dataclass(frozen=True)
class AdviceOfReports:
    """What was found. `unread` are the reports that could not be read, each with its problems."""

    advice: Advice
    unread: tuple[Report, ...] = ()
    unopened: int = 0
    missing: int = 0
    """Of those that were not opened, the names under which nothing is there."""
    left_out: int = 0
    """Reports of kinds that tell no waits."""
    interrupted: bool = False

    @property
    def status(self) -> ExitStatus:
        """Done only when each report could be advised on, and told enough."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        unopened = status_of_unopened(len(self.unread), self.unopened, self.missing)
        if unopened is not None and not self.advice.verdicts:
            return unopened
        whole = bool(self.advice.verdicts) and not self.unread and not self.left_out
        return ExitStatus.DONE if whole else ExitStatus.DONE_IN_PART


@dataclass(frozen=True)
class _Read:
    """One report, in short, with what was found in it; None of one that could not be read, or tells no waits."""

    reading: Reading
    advised: Advised | None


def advise_on_reports(ctx: Context, asked: AdviseRequest) -> AdviceOfReports:
    """Advice on whatever was named. What cannot be read is named with its reason, and stops nothing."""
    if not asked.paths:
        hint = "Name files, folders or archives of reports."
        raise UsageError("nothing-named", "no report was named", hint)
    entries = list(Walk([Path(path) for path in asked.paths]).entries())
    pace = Pace(ctx, sum(entry.size_bytes for entry in entries))
    wanted = takewhile(lambda _: not ctx.cancel.is_set, sources(entries))
    read: list[_Read] = []
    for one in chain.from_iterable(ctx.executor.map(partial(_read, storage_of(asked)), wanted)):
        pace.step(one.reading)
        if not one.reading.passed_over:
            read.append(one)
    pace.finish(len(read))
    return _gathered(read, ctx.cancel.is_set)


def storage_of(asked: AdviseRequest) -> Storage:
    """What was said of the storage, of now and that is thought of; flash where nothing was said of the latter."""
    flash = TIERS["flash"]
    is_stated = asked.read_latency_s is not None or asked.log_latency_s is not None
    then = Then(
        name="the storage that was stated" if is_stated else flash.name,
        read_us=flash.read_us if asked.read_latency_s is None else 1e6 * asked.read_latency_s,
        log_us=flash.log_us if asked.log_latency_s is None else 1e6 * asked.log_latency_s,
        source=f"stated; otherwise {flash.source}" if is_stated else flash.source,
    )
    return Storage(None if asked.storage is None else TIERS[asked.storage], then, asked.spindles)


def _read(storage: Storage, source: Source) -> tuple[_Read, ...]:
    """Runs where the work is shared out; of the reports, only what is needed comes back."""
    return tuple(_advised(storage, reading) for reading in read_all(source))


def _advised(storage: Storage, reading: Reading) -> _Read:
    report, content = reading.report, reading.content
    short = replace(
        reading, report=report.model_copy(update={"sections": (), "problems": report.problems[:3]}), part=None
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
    notes = (*_unread_notes(unread, len(read)), *_left_out(other), *_twice(twice))
    return AdviceOfReports(
        advice=advice_of(once, notes),
        unread=tuple(reading.report for reading in unread),
        unopened=sum(reading.unopened for reading in unread),
        missing=sum(reading.missing for reading in unread),
        left_out=len(other),
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
