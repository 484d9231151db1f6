"""Whether a store is one that this plimsoll reads, and making it today's before a run is written into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import WorldError
from plimsoll.base.installing import upgrade_hint
from plimsoll.base.values import value
from plimsoll.results import RunColumn
from plimsoll.store.columns import run_columns
from plimsoll.store.database import Database
from plimsoll.store.schema import (
    SCHEMA_NO,
    TABLES,
    VERSION_TABLE,
    column_words,
    derived,
    fingerprint,
    snapshots_statements,
    table_statements,
    view_selects,
)

_TAKEN_NAMED_MAX = 5
_BEFORE_THE_FIRST_RELEASE = "plimsoll_version"


@value
class Found:
    """What a store says of itself: its tables, the newest plimsoll that wrote to it, and what that derived from facts.

    `derived` is a name of this, and behind a space one of the code that it came from.
    """

    schema_no: int
    written_by: str
    derived: str


def is_there(database: Database, connection: Any) -> bool:
    """Whether there is a store to read. Raises WorldError `store-newer`, `store-older`, `store-foreign`."""
    return _found(database, connection) is not None


def is_ready(database: Database) -> bool:
    """Whether a run can be written without `ensure_newest` making or changing anything; makes nothing.

    Raises WorldError where no run could be kept, as far as that is known without one.
    """
    database.check_place()
    if not database.exists():
        return False
    with database.connect() as connection:
        return _is_left(_found(database, connection))


def ensure_newest(database: Database, connection: Any, fill: Callable[[list[RunColumn]], None]) -> None:
    """Makes the store ready to be written; `fill` gives the runs in it their values of columns that are new.

    Raises WorldError as `is_there` does.
    """
    found = _found(database, connection)
    if _is_left(found):
        return
    if found is not None and not _is_behind(database, found):
        _sign_again(database, connection, found)
        return
    with database.transaction(connection, alone=True):
        found = _found(database, connection)
        if found is None:
            database.make_room(connection)
            _refuse_taken_names(database, connection)
            for statement in table_statements(database.dialect):
                connection.execute(statement)
            database.make_views(connection, view_selects(database.dialect))
        elif _is_behind(database, found):
            for statement in snapshots_statements(database.dialect):
                connection.execute(statement)
            fill(_add_columns(database, connection))
            _replace_views(database, connection)
        else:
            return
        _sign(database, connection)


def release_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, so that the newer one is greater."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _is_left(found: Found | None) -> bool:
    """Whether it is written into as it is."""
    return found is not None and (_is_of_this_code(found) or _is_of_a_newer(found))


def _is_of_this_code(found: Found) -> bool:
    """Whether the same files of ours made it what it is: told without what it takes to load them all."""
    return found.derived.endswith(f" {fingerprint()}")


def _is_of_a_newer(found: Found) -> bool:
    return release_of(found.written_by) > release_of(__version__)


def _is_behind(database: Database, found: Found) -> bool:
    differs = found.derived.partition(" ")[0] != derived(database.dialect)
    return differs and not _is_of_a_newer(found)


def _found(database: Database, connection: Any) -> Found | None:
    """What the store says; None when there is nothing here yet."""
    names = database.table_names(connection)
    if VERSION_TABLE in names:
        rows = connection.execute(f"SELECT schema_no, written_by, derived FROM {VERSION_TABLE}").fetchall()
        if len(rows) == 1:
            return _known(database, Found(*rows[0]))
    if _BEFORE_THE_FIRST_RELEASE in names:
        message = f"{database.display} was written by a plimsoll from before the first release, whose runs this one does not read"
        raise WorldError("store-older", message, "It was left as it is. Name a new file with --store.")
    if names & set(TABLES) or (database.is_ours_alone and names):
        raise WorldError(
            "store-foreign",
            f"{database.display} is a database of something else",
            "Name a new file, or an empty database, with --store.",
        )
    return None


def _known(database: Database, found: Found) -> Found:
    if found.schema_no != SCHEMA_NO:
        raise WorldError(
            "store-newer",
            f"{database.display} was written by plimsoll {found.written_by}: its schema is {found.schema_no}, "
            f"this one knows {SCHEMA_NO}",
            f"{upgrade_hint()}, or name another store with --store.",
        )
    return found


def _add_columns(database: Database, connection: Any) -> list[RunColumn]:
    there = database.column_names(connection, "runs")
    new = [column for column in run_columns() if column.name not in there]
    for column in new:
        connection.execute(f"ALTER TABLE runs ADD COLUMN {column_words(database.dialect, column)}")
    return new


def _refuse_taken_names(database: Database, connection: Any) -> None:
    """Raises WorldError `store-foreign`: to make a view is to drop the one of its name."""
    taken = sorted(database.taken_names(connection, [*view_selects(database.dialect)]))
    if taken:
        raise WorldError(
            "store-foreign",
            f"{database.display} has somebody else's {', '.join(taken[:_TAKEN_NAMED_MAX])} where views of ours would be",
            "It was left as it is. Name an empty database or schema with --store.",
        )


def _replace_views(database: Database, connection: Any) -> None:
    """What somebody else made since under the name of a view that is new stays, and the store is without this view."""
    selects = view_selects(database.dialect)
    taken = database.taken_names(connection, [*selects])
    for name, select in selects.items():
        if name not in taken:
            database.replace_view(connection, name, select)


def _sign_again(database: Database, connection: Any, found: Found) -> None:
    """Says that this code makes the same of facts. Who comes second, while another does so, changes nothing."""
    mark = database.mark
    with database.transaction(connection):
        connection.execute(
            f"UPDATE {VERSION_TABLE} SET written_by = {mark}, derived = {mark} WHERE derived = {mark}",
            [__version__, _signature(database), found.derived],
        )


def _signature(database: Database) -> str:
    return f"{derived(database.dialect)} {fingerprint()}"


def _sign(database: Database, connection: Any) -> None:
    """Says in the store who wrote it, and what that knew."""
    connection.execute(f"DELETE FROM {VERSION_TABLE}")
    values = [SCHEMA_NO, __version__, _signature(database)]
    marks = ", ".join([database.mark] * len(values))
    connection.execute(
        f"INSERT INTO {VERSION_TABLE} (schema_no, written_by, derived) VALUES ({marks})", values
    )
