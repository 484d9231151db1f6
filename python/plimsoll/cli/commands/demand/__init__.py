"""The verb `demand`: what a database asks of storage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.flows.demand_reports import DemandOfReports
    from plimsoll.requests.demand import DemandRequest


task = "learn"


@asks("demand.DemandRequest")
def command(asked: DemandRequest, place: Place) -> int:
    """Learn what a database asks of storage.

    Counters of a live database are read each second, those of Oracle each minute, and turned into demand by class; a report
    gives one interval. With --every snapshots of the counters are kept in the store, for weeks and across restarts; --snapshots
    makes a demand of them.
    """
    if asked.collector is not None:
        return _collector(asked, place)
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.demand import learn_demand, write_demand
    from plimsoll.flows.snapshots import learn_of_snapshots
    from plimsoll.requests.shared import WATCHED_S

    with session(place) as here:
        if asked.paths:
            return _of_reports(here, asked)
        if asked.every_s is not None:
            return _collect(here, asked)
        if asked.snapshots is not None:
            run = learn_of_snapshots(here.ctx, asked)
        else:
            run = learn_demand(
                here.ctx,
                asked.database,
                asked.watched_s or WATCHED_S,
                ask_password,
                licensed=asked.licensed is not None,
            )
        assert run.demand is not None, "a demand run has a demand"
        if asked.out is not None:
            write_demand(run.demand, Path(asked.out))
        return here.finish_run(run)


def _collector(asked: DemandRequest, place: Place) -> int:
    from plimsoll.cli.output import envelope, print_document, say_lines
    from plimsoll.demand.collector import script

    assert asked.collector is not None, "the caller has looked"
    text = script(asked.collector, asked.licensed is not None)
    if place.json:
        print_document(envelope("demand-collector", {"name": asked.collector, "script": text}))
    else:
        say_lines(text.rstrip("\n"))
    return 0


def _collect(here: Session, asked: DemandRequest) -> int:
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.show import show_series
    from plimsoll.facts import Note, SnapshotSeries
    from plimsoll.flows.snapshots import collect_snapshots

    done = collect_snapshots(here.ctx, asked, ask_password)
    series = [one for one in here.ctx.store.snapshot_series() if one.series == done.series]
    status, notes = ExitStatus.INTERRUPTED if done.interrupted else ExitStatus.DONE, ()
    if done.unkept:
        message = f"{done.unkept:,} of {done.unkept + done.kept:,} snapshots could not be kept"
        notes = (Note(code="snapshots-not-kept", message=message),)
        status = ExitStatus.INTERRUPTED if done.interrupted else ExitStatus.DONE_IN_PART
    data = {"kept": done.kept, "series": [one.model_dump(mode="json") for one in series]}
    return here.finish(
        "demand-every", data, lambda: show_series(series), notes, status,
        lambda: [of_facts("series", SnapshotSeries, series)],
    )  # fmt: skip


def _of_reports(here: Session, asked: DemandRequest) -> int:
    from plimsoll.flows.demand_reports import demand_of_reports

    found = demand_of_reports(here.ctx, [Path(path) for path in asked.paths], until=here.until)
    return _told(here, asked, found)


def _told(here: Session, asked: DemandRequest, found: DemandOfReports) -> int:
    from plimsoll.base.until_safe import NOT_STORED
    from plimsoll.cli import output
    from plimsoll.cli.commands.demand.show import data_tables, show_reported
    from plimsoll.cli.results.report import unread
    from plimsoll.flows.demand import write_demand
    from plimsoll.flows.demand_reports import keep_demand
    from plimsoll.flows.named import unread_of
    from plimsoll.results import unread_data

    here.end_progress()
    run = keep_demand(here.ctx, found)
    for error in unread(found.unread):
        output.fail(error)
    if asked.out is not None and found.demand.intervals:
        write_demand(found.demand, Path(asked.out))
    stored = () if run is None else tuple(note for note in run.notes if note.code == NOT_STORED)
    front = {"run": None if run is None else run.id, **unread_data(unread_of(found.unread, found.unreached))}
    data = output.JsonFact(front, found.demand)
    notes = (*found.demand.notes, *stored)
    return here.finish(
        "demand", data, lambda: show_reported(found.demand, run), notes, found.status,
        lambda: data_tables(found.demand),
    )  # fmt: skip
