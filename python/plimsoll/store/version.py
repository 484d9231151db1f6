"""Which revision of the schema a store has, and making it today's: created when empty, upgraded when older, refused when newer.

The question costs one short SELECT; SQLAlchemy and Alembic are imported only when there is something to do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.store.database import Database
from plimsoll.store.revisions import REVISIONS, VERSION_COLUMN, VERSION_TABLE, newest


def ensure_newest(database: Database, connection: Any, folder: Path = REVISIONS) -> None:
    """Makes the store today's. Raises WorldError `store-newer`, `store-foreign`."""
    if _found(database, connection) == newest(folder):
        return
    with database.transaction(connection, alone=True):
        found = _found(database, connection)
        if found is None:
            _create(database, connection, folder)
        elif found != newest(folder):
            _upgrade(database, connection, found, folder)


def _found(database: Database, connection: Any) -> str | None:
    """The revision written in the store; None when there is no store in this database."""
    if VERSION_TABLE not in database.table_names(connection):
        return None
    rows = connection.execute(f"SELECT {VERSION_COLUMN} FROM {VERSION_TABLE}").fetchall()
    return rows[0][0] if rows else None


def _create(database: Database, connection: Any, folder: Path) -> None:
    from plimsoll.store.schema import creation_script, metadata

    taken = database.table_names(connection) & {*metadata().tables, VERSION_TABLE}
    if taken or (database.is_ours_alone and database.table_names(connection)):
        raise WorldError(
            "store-foreign",
            f"{database.display} is a database of something else",
            "Name a new file, or an empty database, with --store.",
        )
    for statement in creation_script(database.dialect):
        connection.execute(statement)
    connection.execute(f"INSERT INTO {VERSION_TABLE} ({VERSION_COLUMN}) VALUES ('{newest(folder)}')")


def _upgrade(database: Database, connection: Any, found: str, folder: Path) -> None:
    known = {file.name.partition("_")[0] for file in folder.iterdir() if file.suffix == ".py"}
    if found not in known:
        raise WorldError(
            "store-newer",
            f"{database.display} was written by a newer plimsoll: its schema is {found}, this one knows {newest(folder)}",
            "Install the newer release with `pip install --upgrade plimsoll-storage`, or name another store with --store.",
        )
    from plimsoll.store.upgrade import upgrade

    upgrade(database.dialect, connection, folder)
