"""Sorts what happened in an interval into classes of I/O. Which counters say it is a matter of each database, in its own file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plimsoll.base.errors import WorldError
from plimsoll.demand import innodb_classes, postgresql_classes
from plimsoll.demand.deltas import Delta
from plimsoll.facts import ClassDemand, Database, Note
from plimsoll.facts.demand import DemandClassName

NAMES: tuple[DemandClassName, ...] = (
    "small_read",
    "large_read",
    "small_write",
    "large_write",
    "redo_write",
    "temp_read",
    "temp_write",
)


@dataclass(frozen=True)
class Sorting:
    """How one kind of database is read. `commits` and `cache_hits` count those of an interval, None where nobody does."""

    by_class: Callable[[Delta, Database], dict[DemandClassName, ClassDemand]]
    notes: Callable[[Database, float], Iterator[Note]]
    commits: Callable[[Delta], float | None]
    cache_hits: Callable[[Delta], float | None]
    temp_bytes: Callable[[Delta], float]
    told: Callable[[Delta, Database], Delta]
    """Without the times that the server did not take, which it counts as 0."""
    hands_in_late: bool
    """Whether sessions keep their counters for a while before the server has them."""


_POSTGRESQL = Sorting(
    postgresql_classes.by_class, postgresql_classes.notes, postgresql_classes.commits, postgresql_classes.cache_hits,
    postgresql_classes.temp_bytes, postgresql_classes.told, hands_in_late=True,
)  # fmt: skip
_INNODB = Sorting(
    innodb_classes.by_class, innodb_classes.notes, innodb_classes.commits, innodb_classes.cache_hits,
    innodb_classes.temp_bytes, innodb_classes.told, hands_in_late=False,
)  # fmt: skip
_SORTINGS = {"postgresql": _POSTGRESQL, "mariadb": _INNODB, "mysql": _INNODB}


def sorting(database: Database) -> Sorting:
    """The one of that kind of database. Raises WorldError `demand-unsupported`."""
    found = _SORTINGS.get(database.kind)
    if found is None:
        message = f"cannot compare snapshots of a live {database.kind} database: they are not sorted into classes yet"
        hint = "Watch it with plimsoll demand --database URL --runtime 10m, or read its reports: plimsoll demand FILE."
        raise WorldError("demand-unsupported", message, hint)
    return found


def is_sorted(database: Database) -> bool:
    """Whether snapshots of that kind of database are sorted into classes."""
    return database.kind in _SORTINGS


def by_class(delta: Delta, database: Database) -> dict[DemandClassName, ClassDemand]:
    """Every class, with None where this server does not count it."""
    return sorting(database).by_class(delta, database)


def notes(database: Database, temp_bytes: float) -> Iterator[Note]:
    """What a reader must know of the classes on this server. `temp_bytes` went to temporary files in the whole span."""
    return sorting(database).notes(database, temp_bytes)
