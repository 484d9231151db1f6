"""Brings an older store to today's revision with Alembic, inside the transaction of the caller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import alembic
import sqlalchemy
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import StaticPool

from plimsoll.databases._drivers import silenced
from plimsoll.store.revisions import REVISIONS, VERSION_TABLE

for _library in (alembic, sqlalchemy):
    silenced(_library)

_URLS = {"sqlite": "sqlite://", "postgresql": "postgresql+psycopg://"}


def upgrade(dialect: str, connection: Any, folder: Path = REVISIONS) -> None:
    """Runs the revisions that the store lacks on the driver's own connection, which stays open and uncommitted."""
    scripts = script_directory(folder)

    def steps(revision: Any, _: Any) -> Any:
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=on_driver(dialect, connection), version_table=VERSION_TABLE)
        environment.run_migrations()


def script_directory(folder: Path = REVISIONS) -> ScriptDirectory:
    """Alembic's view of the revisions in `folder`."""
    return ScriptDirectory(str(REVISIONS.parent), version_locations=[str(folder)])


def on_driver(dialect: str, connection: Any) -> Connection:
    """SQLAlchemy on a connection that is open already. It neither commits nor closes it."""
    options = {"use_native_hstore": False} if dialect == "postgresql" else {}
    engine = create_engine(
        _URLS[dialect], creator=lambda: _Borrowed(connection), poolclass=StaticPool, **options
    )
    return engine.connect()


class _Borrowed:
    """A driver's connection whose transaction belongs to somebody else."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        """Left to the owner."""

    def rollback(self) -> None:
        """Left to the owner, who sees the exception that asks for it."""

    def close(self) -> None:
        """Left to the owner."""
