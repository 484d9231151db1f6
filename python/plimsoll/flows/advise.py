"""`plimsoll advise`: what databases wait for, of files, folders and archives of reports, on all CPUs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.filenames import file_name
from plimsoll.base.packing import Packer
from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import Advice, Demand, Note, Report, Run
from plimsoll.flows.demand import learn_demand, load_demand
from plimsoll.flows.named import status_of_unopened, unread_of
from plimsoll.flows.read_progress import Pace
from plimsoll.flows.record import make_run, saved
from plimsoll.flows.report import Page, write_report
from plimsoll.flows.taken_advice import AdvisedReport, TakenAdvice, packed
from plimsoll.predict.faster_storage import TIERS, Then
from plimsoll.reports import intervals
from plimsoll.reports.fleet import Tally, each
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Walk
from plimsoll.requests.advise import AdviseRequest
from plimsoll.rules import (
    KINDS,
    Storage,
    advice_of,
    advise,
    interval_of,
    interval_of_demand,
    without_waits,
)

Database = tuple[str | None, int | None]
"""Its name and its number."""

_SAMPLED = ("postgresql", "mariadb", "mysql")


@dataclass(frozen=True)
class AdviceOfReports:
    """What was found. `unread` are the reports that could not be read, each with its problems."""

    advice: Advice
    started_at: datetime
    """When it was asked for, before anything was read or watched."""
    unread: tuple[Report, ...] = ()
    unopened: int = 0
    missing: int = 0
    """Of those that were not opened, the names under which nothing is there."""
    interrupted: bool = False
    unreached: int = 0
    """Files that were not read, or of which not all members were, since it was interrupted."""

    @property
    def status(self) -> ExitStatus:
        """Done only when each report was read whole, and has a verdict."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        unopened = status_of_unopened(len(self.unread), self.unopened, self.missing)
        if unopened is not None and not self.advice.verdicts:
            return unopened
        return ExitStatus.DONE_IN_PART if self.advice.is_in_part else ExitStatus.DONE


def advise_on(
    ctx: Context,
    asked: AdviseRequest,
    ask_password: AskPassword | None = None,
    until: ExitStack | None = None,
) -> AdviceOfReports:
    """Advice on a live database, on stored runs, or on reports. For `until` see `each`."""
    started_at = ctx.clock.now()
    if asked.database is not None:
        run = learn_demand(ctx, asked.database, asked.watched_s, ask_password, relations=True)
        assert run.demand is not None, "a demand run has a demand"
        return _of_demands(ctx, [run.demand], asked, started_at, run.interrupted, run.notes)
    if asked.paths and all(_is_run(path) for path in asked.paths):
        return _of_demands(ctx, [load_demand(ctx, path) for path in asked.paths], asked, started_at)
    return advise_on_reports(ctx, asked, until)


def _is_run(path: str) -> bool:
    """Whether it can be no file: a run's id, or a word for one."""
    return "/" not in path and "." not in path and path != "-" and not os.path.exists(path)


def _of_demands(
    ctx: Context,
    demands: Sequence[Demand],
    asked: AdviseRequest,
    started_at: datetime,
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
    return AdviceOfReports(advice_of(advised, notes), started_at, interrupted=interrupted)


def _names(demand: Demand) -> dict[str, str | None]:
    """What names the interval of a demand; its times are those of the server's clock."""
    mean = demand.mean
    times = (None, None) if mean is None else (mean.begin_time, mean.end_time)
    begin, end = (None if one is None else one.isoformat(timespec="seconds") for one in times)
    return {"db_name": demand.database.name, "begin_time": begin, "end_time": end}


def advise_on_reports(ctx: Context, asked: AdviseRequest, until: ExitStack | None = None) -> AdviceOfReports:
    """Advice on whatever was named. What cannot be read is named with its reason, and stops nothing. For `until` see `each`."""
    if not asked.paths:
        hint = "Name files, folders or archives of reports."
        raise UsageError("nothing-named", "no report was named", hint)
    started_at = ctx.clock.now()
    entries = list(Walk([Path(path) for path in asked.paths]).entries())
    pace = Pace(ctx, sum(entry.size_bytes for entry in entries))
    work = partial(_read, storage_of(ctx, asked))
    taken = TakenAdvice()
    tally = Tally()
    for one in chain.from_iterable(each(ctx, work, entries, until=until, tally=tally)):
        pace.step(one.reading)
        taken.take(one)
    pace.finish(len(taken))
    return _gathered(taken, started_at, ctx.cancel.is_set, len(entries) - tally.whole)


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


def _read(storage: Storage, group: Sequence[Source]) -> list[AdvisedReport]:
    """Runs where the work is shared out; of the reports, only what is needed comes back."""
    packer = Packer()
    return [_advised(storage, reading, packer) for source in group for reading in read_all(source)]


def _advised(storage: Storage, reading: Reading, packer: Packer) -> AdvisedReport:
    report, content = reading.report, reading.content
    # That a report is cut off stands last among its problems.
    problems = (*report.problems[:2], *report.problems[2:][-1:])
    short = reading.without_content(report.model_copy(update={"sections": (), "problems": problems}))
    if content is None or report.status == "unreadable":
        return AdvisedReport(short, None)
    names = {
        name: getattr(report, name) for name in ("db_name", "db_id", "instance", "begin_time", "end_time")
    }
    flagged = report.model_copy(update={"flags": intervals.flags([report]).get(0, ())})
    if report.kind not in KINDS:
        found = without_waits(intervals.place_of(report), report.kind, **names)
    else:
        found = advise(interval_of(flagged, content, storage), **names)
    return AdvisedReport(short, packed(found, packer))


def _gathered(taken: TakenAdvice, started_at: datetime, interrupted: bool, unreached: int) -> AdviceOfReports:
    once, notes = taken.once(unreached)
    return AdviceOfReports(
        advice=advice_of(once, notes),
        started_at=started_at,
        unread=tuple(reading.report for reading in taken.unread),
        unopened=sum(reading.unopened for reading in taken.unread),
        missing=sum(reading.missing for reading in taken.unread),
        interrupted=interrupted,
        unreached=unreached,
    )


def keep_advice(ctx: Context, found: AdviceOfReports) -> Run:
    """The advice as a run; stored where there is any."""
    count = len(found.advice.verdicts)
    title = f"advice on {count:,} interval{'' if count == 1 else 's'}"
    parts: dict[str, Any] = {
        "advice": found.advice,
        "unread": unread_of(found.unread, found.unreached),
        "notes": found.advice.notes,
        "interrupted": found.interrupted,
    }
    run = make_run(ctx, "advise", title, found.started_at, **parts)
    return saved(ctx, run) if count else run


def write_pages(run: Run, out: Path) -> list[Page]:
    """The advice as one page; in a folder that is there, one for each database. Raises what `write_report` does."""
    if not out.is_dir():
        return [write_report(run, out)]
    assert run.advice is not None, "only advice is asked for"
    databases = list(dict.fromkeys((one.db_name, one.db_id) for one in run.advice.verdicts))
    return [
        write_report(run.model_copy(update={"advice": advice}), out / name)
        for advice, name in zip(by_database(run.advice, databases), _page_names(databases), strict=True)
    ]


def _page_names(databases: Sequence[Database]) -> Iterator[str]:
    """A file for each; where two have one name, all but the first have their number behind."""
    taken: set[str] = set()
    for name, number in databases:
        plain = file_name(name or "unknown").lower()
        told = plain if plain not in taken else f"{plain}-{number or len(taken)}"
        taken.add(plain)
        yield f"{told}.html"


def by_database(advice: Advice, databases: Sequence[Database]) -> Iterator[Advice]:
    """Of each database what is about it; notes stay, since they may be. All is looked through once."""
    own = {database: _Places() for database in databases}
    of_file: dict[str, set[Database]] = {}
    for place, verdict in enumerate(advice.verdicts):
        own[verdict.db_name, verdict.db_id].verdicts.append(place)
        of_file.setdefault(verdict.file, set()).add((verdict.db_name, verdict.db_id))
    for place, finding in enumerate(advice.findings):
        for database in of_file.get(finding.file, ()):
            own[database].findings.append(place)
    for place, change in enumerate(advice.changes):
        for database in of_file.get(change.after, ()):
            own[database].changes.append(place)
    for place, recurring in enumerate(advice.recurring):
        own[recurring.db_name, recurring.db_id].recurring.append(place)
    for places in own.values():
        held = {name: getattr(advice, name) for name in vars(places)}
        yield advice.but(**{name: tuple(held[name][at] for at in vars(places)[name]) for name in held})


@dataclass
class _Places:
    """Where in lists of advice that stands which is about one database."""

    verdicts: list[int] = field(default_factory=list[int])
    findings: list[int] = field(default_factory=list[int])
    changes: list[int] = field(default_factory=list[int])
    recurring: list[int] = field(default_factory=list[int])
