"""Where the objects of a placement come from: a live database, outputs of our script for Oracle, listings of plans, or reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, CountsObjects, embedded, open_database
from plimsoll.demand.collect import collect
from plimsoll.demand.deltas import Gap, difference
from plimsoll.demand.local import is_here
from plimsoll.facts import Inventory, Note, Report
from plimsoll.flows.demand import EMBEDDED
from plimsoll.flows.load import under_pgbench
from plimsoll.host.sampler import CpuTicks, cpu_ticks
from plimsoll.placement.objects import oracle, oracle_listing, oracle_samples, postgres, reports
from plimsoll.placement.objects.joining import joined
from plimsoll.placement.objects.oracle_listing import Access
from plimsoll.placement.objects.oracle_samples import Sample
from plimsoll.placement.objects.reports import NoInventory, Waited
from plimsoll.ports import files
from plimsoll.reports import intervals
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Walk
from plimsoll.rules import KINDS, interval_of

_STAT = "/proc/stat"
_HEAD_BYTES = 1 << 16
"""What tells a script's output or a listing from a report stands at its top."""


@dataclass(frozen=True)
class Gathered:
    """Inventories in the order of time, and why other inputs gave none."""

    inventories: tuple[Inventory, ...]
    notes: tuple[Note, ...] = ()


def objects_of_database(
    ctx: Context, location: str, seconds: float, ask_password: AskPassword | None = None
) -> Inventory:
    """What a live database asks of its objects in the next `seconds`.

    Raises UsageError `objects-database`, WorldError `objects-gap`, and what the reading of a database raises.
    """
    if location == EMBEDDED:
        with under_pgbench(ctx, seconds) as server, embedded.connected(ctx, server) as connection:
            return _watched(ctx, connection, seconds)
    with open_database(ctx, location, ask_password) as connection:
        return _watched(ctx, connection, seconds)


def _watched(ctx: Context, connection: Connection, seconds: float) -> Inventory:
    if not isinstance(connection, CountsObjects):
        message = f"{connection.database.kind} does not say over a connection what each object was asked for"
        hint = "Name a PostgreSQL; of an Oracle Database what objects.sql prints, or its reports."
        raise UsageError("objects-database", message, hint)
    here = is_here(connection)
    before, ticks = connection.objects(), _ticks() if here else None
    with connection.watch_read_waits() as watch:
        demand = collect(ctx, connection, seconds)
    after = connection.objects()
    delta = difference(before.snapshot, after.snapshot)
    if isinstance(delta, Gap):
        message = f"could not tell what the objects were asked for: {delta.reason}"
        raise WorldError("objects-gap", message, "Repeat the command.")
    host = _host(ticks, _ticks()) if here else postgres.Host()
    waits = None if watch is None else watch.waits
    return postgres.inventory(
        connection.database, before, after, delta, demand.cached_read_share, host, waits
    )


def _ticks() -> CpuTicks | None:
    text = files.read_text(_STAT)
    return None if text is None else cpu_ticks(text)


def _host(before: CpuTicks | None, after: CpuTicks | None) -> postgres.Host:
    """How busy the CPUs of the server's host were."""
    cpus = sum(
        line[3:4].isdigit() for line in (files.read_text(_STAT) or "").splitlines() if line.startswith("cpu")
    )
    if before is None or after is None:
        return postgres.Host(cpus=cpus or None)
    idle = (after.idle - before.idle) + (after.iowait - before.iowait)
    busy = sum(getattr(after, name) - getattr(before, name) for name in ("user", "system", "steal"))
    return postgres.Host(busy / (busy + idle) if busy + idle > 0 else None, cpus or None)


@dataclass(frozen=True)
class _Input:
    """What one source was: one of them."""

    file: str
    sample: Sample | None = None
    listing: tuple[Access, ...] | None = None
    report: Report | None = None
    inventory: Inventory | None = None
    reason: str | None = None


def objects_of_files(ctx: Context, paths: Sequence[str], sizes: Mapping[str, int]) -> Gathered:
    """The inventories of whatever was named: outputs of objects.sql, listings of plans, or reports, of one database.

    Raises UsageError `objects-none`, `objects-several`, and what a damaged output raises.
    """
    entries = Walk([Path(path) for path in paths]).entries()
    found = list(chain.from_iterable(ctx.executor.map(partial(_read, dict(sizes)), sources(list(entries)))))
    samples = [one.sample for one in found if one.sample is not None]
    listings = {one.file: one.listing for one in found if one.listing is not None}
    made = oracle.inventories(samples) if samples else []
    made += [oracle_listing.inventory(listings, sizes)] if listings else []
    made += _of_reports([one for one in found if one.inventory is not None])
    reasons = [one for one in found if one.reason is not None]
    if not made:
        why = f"{reasons[0].file}: {reasons[0].reason}" if reasons else "nothing was named"
        hint = "Name what objects.sql printed, or Statspack or AWR reports with I/O by segment, tablespace or type of file."
        raise UsageError("objects-none", f"no object was found: {why}", hint)
    return Gathered(tuple(made), tuple(_left_out(reasons)))


def _read(sizes: Mapping[str, int], source: Source) -> tuple[_Input, ...]:
    if source.passed_over:
        return ()
    try:
        data = source.take()
    except PlimsollError as error:
        return (_Input(source.name, reason=error.message),)
    head = data[:_HEAD_BYTES].decode(errors="replace")
    if oracle_samples.is_sample(head):
        return (
            _Input(
                source.name, sample=oracle_samples.read_sample(data.decode(errors="replace"), source.name)
            ),
        )
    if oracle_listing.is_listing(head):
        return (
            _Input(source.name, listing=tuple(oracle_listing.read_listing(data.decode(errors="replace")))),
        )
    return tuple(_of_report(reading, sizes) for reading in read_all(source))


def _of_report(reading: Reading, sizes: Mapping[str, int]) -> _Input:
    report, content = reading.report, reading.content
    place = intervals.place_of(report)
    if report.status == "unreadable" or content is None:
        why = report.problems[0].message if report.problems else "it could not be read"
        return _Input(place, reason=why)
    waited = Waited()
    if report.kind in KINDS:
        flagged = report.model_copy(update={"flags": intervals.flags([report]).get(0, ())})
        interval = interval_of(flagged, content)
        if interval.spoilt is not None:
            return _Input(place, reason=interval.spoilt.message)
        waited = Waited(
            db_time_s=None if interval.db_time is None else interval.db_time.value,
            io_s=interval.io_waited_s,
            busy_share=None if interval.busy is None else interval.busy.value,
            cpus=interval.cpus,
        )
    found = reports.inventory(report, content, waited, sizes)
    if isinstance(found, NoInventory):
        return _Input(place, reason=found.reason)
    return _Input(place, report=report.model_copy(update={"sections": ()}), inventory=found)


def _of_reports(found: Sequence[_Input]) -> list[Inventory]:
    """Each interval of the database once; instances of a cluster together. Raises UsageError `objects-several`."""
    names = sorted({one.report.db_name or "" for one in found if one.report is not None})
    if len(names) > 1:
        message = f"the reports are of several databases: {', '.join(names)}"
        raise UsageError("objects-several", message, "Plan one database at a time.")
    groups: dict[object, dict[object, Inventory]] = {}
    for one in found:
        if one.report is not None and one.inventory is not None:
            report = one.report
            times = (
                (report.begin_snap, report.end_snap) if report.rac else (report.begin_time, report.end_time)
            )
            groups.setdefault((report.kind, *times), {}).setdefault(report.instance, one.inventory)
    inventories = [joined(list(group.values())) for group in groups.values()]
    return sorted(inventories, key=lambda one: one.begin_time or "")


def _left_out(reasons: Sequence[_Input]) -> Iterator[Note]:
    for one in reasons:
        yield Note(code="no-objects", message=f"{one.file}: {one.reason}")
