"""The intervals of a spool: each two snapshots of one database that follow each other, with what is known of the time between them.

An instance that was started in between counted from zero again, and one that is only in one of the two counted no interval: there
is no difference across that, and the interval has no tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

from plimsoll.facts import ReportInstance, ReportProblem
from plimsoll.reports.spool.gains import gains, names_apart, states
from plimsoll.reports.spool.page import page_of
from plimsoll.reports.spool.snapshots import ROOT, Instance, Snapshot, Spool
from plimsoll.reports.spool.tables import Interval, tables_of

SECONDS_MIN = 1.0
"""Moments that are nearer are one: the wait between them was refused."""
_PRINTED = (
    ("DB Name", "db_name"),
    ("DB Id", "db_id"),
    ("Release", "release"),
    ("Begin", "begin_time"),
    ("End", "end_time"),
)
"""What the page says of its interval, so that two with the same numbers are not the same."""
_LASTING = "SWBHJOFU"
"""Letters of which a name never goes; tablespaces and containers do."""
_AGAIN = "Run collect.sql again some minutes later: it appends to the same spool."


@dataclass(frozen=True)
class SpoolInterval:
    """One interval: what a report's head says, its page, how many lines stand before that, and its problems."""

    head: dict[str, Any]
    page: bytes
    lines_before: int
    problems: tuple[ReportProblem, ...]


def intervals_of(spool: Spool) -> list[SpoolInterval]:
    """In the order of the spool; one without a page where it holds no interval at all."""
    found = [one for pair in _pairs(spool) for one in _interval(*pair)]
    rest = tuple(spool.problems)
    if found:
        last = found[-1]
        return [*found[:-1], replace(last, problems=(*last.problems, *rest))]
    problems = (*(problem for one in spool.snapshots for problem in one.problems), *rest)
    return [SpoolInterval(_head_of_none(spool), b"", 0, (_none(spool), *problems))]


def _pairs(spool: Spool) -> Iterator[tuple[Snapshot, Snapshot]]:
    """Of one database each, and of AWR's history or not; a snapshot that does not say whose it is is in none."""
    by_database: dict[tuple[int, bool], list[Snapshot]] = {}
    for one in spool.snapshots:
        if one.database is not None and one.instances:
            by_database.setdefault((one.database.db_id, one.is_past), []).append(one)
    pairs = [pair for found in by_database.values() for pair in pairwise(found)]
    return iter(sorted(pairs, key=lambda pair: pair[1].line))


def _interval(first: Snapshot, last: Snapshot) -> Iterator[SpoolInterval]:
    elapsed_s = _elapsed_s(first, last)
    if 0.0 <= elapsed_s < SECONDS_MIN:
        return
    problems = [*first.problems, *last.problems]
    broken = list(_broken(first, last))
    if elapsed_s < 0.0:
        message = "this snapshot was taken before the one that stands before it"
        broken.append(ReportProblem(code="collector-order", line=last.line, message=message, loses=False))
    interval = Interval(first, last, elapsed_s)
    tables = [] if broken else tables_of(interval)
    head = _head(interval)
    page = page_of([(name, str(head[field])) for name, field in _PRINTED], tables, last.line)
    apart = [] if broken else _apart(first, last)
    yield SpoolInterval(head, page, last.line - 1, (*problems, *broken, *apart))


def _elapsed_s(first: Snapshot, last: Snapshot) -> float:
    return (_taken(last).taken_at - _taken(first).taken_at).total_seconds()


def _taken(snapshot: Snapshot) -> Instance:
    return snapshot.instances[min(snapshot.instances)]


def _broken(first: Snapshot, last: Snapshot) -> Iterator[ReportProblem]:
    """Why counts cannot be taken from each other."""
    for number in sorted(first.instances.keys() | last.instances.keys()):
        old, new = first.instances.get(number), last.instances.get(number)
        if old is None or new is None:
            when = "end" if new is None else "begin"
            message = f"instance {number} is not there at the {when} of the interval, so that what all counted is not known"
            yield ReportProblem(code="collector-instance-missing", line=last.line, message=message)
        elif old.started_at != new.started_at:
            message = (
                f"instance {number} was started at {new.started_at.isoformat()}: it counted from zero again"
            )
            yield ReportProblem(code="collector-restart", line=last.line, message=message)


def _apart(first: Snapshot, last: Snapshot) -> Iterator[ReportProblem]:
    """Names of counters and events stay as long as an instance lives."""
    for letter in _LASTING:
        found = sorted(names_apart(first, last, letter), key=lambda one: one[1])
        if found:
            (name, *_), line = found[0]
            view = last.view(letter)
            message = (
                f"{view}: '{name[:80]}' is at one of two moments only, so that what it counted is not known"
            )
            more = f"; and {len(found) - 1:,} more" if len(found) > 1 else ""
            yield ReportProblem(
                code="collector-names-differ", line=line, section=view, message=message + more
            )


def _head(interval: Interval) -> dict[str, Any]:
    first, last = interval.first, interval.last
    database = last.database
    assert database is not None, "snapshots that do not say whose they are make no pair"
    begin, end = (_local(_taken(one)) for one in (first, last))
    lone = None if interval.is_clustered else _taken(last)
    times = gains(first, last, "J")
    return {
        "db_id": database.db_id,
        "db_name": database.name,
        "platform": database.platform,
        "cdb": database.is_container,
        "container": last.here if database.is_container else None,
        "block_bytes": database.block_bytes,
        "release": _taken(last).release,
        "rac": _taken(last).is_clustered,
        "instance": None if lone is None else lone.name,
        "instance_number": None if lone is None else min(last.instances),
        "host": None if lone is None else lone.host,
        "startup_time": None if lone is None else lone.started_at.isoformat(),
        "begin_time": begin,
        "end_time": end,
        "elapsed_s": interval.elapsed_s,
        "cpus": _cpus(last),
        "db_time_s": _of_model(times, "DB time"),
        "db_cpu_s": _of_model(times, "DB CPU"),
        "instances": tuple(_instances(first, last)) if interval.is_clustered else (),
    }


def _local(instance: Instance) -> str:
    """As the host's clock says, without its zone."""
    return instance.taken_at.replace(tzinfo=None).isoformat(timespec="seconds")


def _cpus(last: Snapshot) -> int | None:
    """Of all hosts together."""
    found = [row.values[0] for _, (name, *_), row in states(last, "O") if name == "NUM_CPUS"]
    known = [int(one) for one in found if one is not None]
    return sum(known) if known and len(known) == len(last.instances) else None


def _of_model(times: Any, name: str) -> float | None:
    found = times.get((name,))
    value: Decimal | None = None if found is None else found.values[0]
    return None if value is None or value < 0 else float(value) / 1e6


def _instances(first: Snapshot, last: Snapshot) -> Iterator[ReportInstance]:
    for number, one in sorted(last.instances.items()):
        before = first.instances.get(number)
        length: timedelta | None = None if before is None else one.taken_at - before.taken_at
        yield ReportInstance(
            instance_number=number,
            instance=one.name,
            host=one.host,
            release=one.release,
            startup_time=one.started_at.isoformat(),
            begin_time=None if before is None else _local(before),
            end_time=_local(one),
            elapsed_s=None if length is None else length.total_seconds(),
        )


def _head_of_none(spool: Spool) -> dict[str, Any]:
    """What is known of a spool without an interval."""
    database = next((one.database for one in spool.snapshots if one.database is not None), None)
    return {} if database is None else {"db_id": database.db_id, "db_name": database.name}


def _none(spool: Spool) -> ReportProblem:
    count = len(spool.snapshots)
    known = [one for one in spool.snapshots if one.database is not None and one.instances]
    if count == 0:
        message = "the spool holds no snapshot that can be read"
    elif len(known) < 2:
        message = f"of {count} snapshots {len(known)} say whose they are and when: an interval needs two of one database"
    else:
        message = "all snapshots were taken at the same moment, or are of different databases: there is no interval between them"
    return ReportProblem(code="collector-no-interval", message=message, hint=_AGAIN)


def is_container(container: str | None) -> bool:
    """Whether a container is one of several databases, and not the root of all."""
    return container is not None and container != ROOT
