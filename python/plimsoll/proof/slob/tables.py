"""SLOB's tables: made, verified, looked at and dropped. One row lies in each block, and neighbouring keys lie far apart.

All of it lives in one schema (a database, where those are the same) that carries a marker: which Plimsoll made it, with which
sizes, and whether the load was finished. What carries no marker is not ours and is never touched.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.jsontext import parse_json
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, reads_answers
from plimsoll.proof import belongings
from plimsoll.proof.belongings import Belongings
from plimsoll.proof.owner import check_owner
from plimsoll.proof.slob.parameters import SlobParameters
from plimsoll.proof.statements import has_statements, statement, statements

WORKLOAD = "slob"
SCHEMA = "plimsoll_slob"
COLUMNS = tuple(f"c{number}" for number in range(2, 21))
_ALL_COLUMNS = ("custid", *COLUMNS, "place", "room")
"""Two of them only MariaDB needs."""
LOADING, LOADED = "loading", "loaded"
_OWN_TABLE = re.compile(r"cf[12]_[0-9]+")
_MARKER = "plimsoll_marker"
_HELPERS = ("plimsoll_ready", "plimsoll_pairs")
_POLL_S = 0.25
_STAGE = "load"
_SETUP = "Make them with: plimsoll prove slob setup --database URL."
_DROP = "Drop them first: plimsoll prove slob drop --database URL."


@dataclass(frozen=True)
class TableBlocks:
    """What a table holds by the server's own words."""

    table: str
    rows: int
    blocks: int


@dataclass(frozen=True)
class Loaded:
    """The tables that are there. `state` is `loading` after a load that was cut short."""

    made_by: str
    state: str
    schemas: int
    scale: int
    scan_table: int
    seed: int
    tables: tuple[TableBlocks, ...] = ()

    @property
    def one_row_per_block(self) -> bool:
        """Whether each table has as many blocks as rows."""
        return all(table.rows == table.blocks for table in self.tables)

    @property
    def marker(self) -> str:
        """The words of the marker."""
        words = {
            "made_by": self.made_by, "state": self.state, "schemas": self.schemas, "scale": self.scale,
            "scan_table": self.scan_table, "seed": self.seed,
            "tables": [[table.table, table.rows, table.blocks] for table in self.tables],
        }  # fmt: skip
        return f"plimsoll slob {json.dumps(words)}"


@reads_answers
def status(session: Session, dialect: str) -> Loaded | None:
    """What is there; None for nothing. Raises WorldError `proof-foreign` for a schema of that name that is not ours."""
    rows = session.run(statement(dialect, WORKLOAD, "state"))
    if not rows:
        return None
    ((marker,),) = rows
    if not (marker or "").startswith("plimsoll slob {"):
        message = f"the schema {SCHEMA} is there, and Plimsoll did not make it"
        raise WorldError(
            "proof-foreign", message, "Use another database, or rename that schema; it is left as it is."
        )
    check_owner(session, dialect, SCHEMA)
    try:
        return _marked(parse_json(marker.removeprefix("plimsoll slob ")))
    except (ValueError, TypeError, KeyError) as error:
        message = f"the schema {SCHEMA} has a marker that no Plimsoll wrote"
        raise WorldError(
            "proof-foreign", message, "Drop or rename it yourself; nothing was changed."
        ) from error


def _marked(words: dict[str, Any]) -> Loaded:
    """What a marker says. Its numbers become a part of statements.

    Raises ValueError, TypeError, KeyError for one that is not ours.
    """
    state, made_by = words["state"], words["made_by"]
    numbers = {name: words[name] for name in ("schemas", "scale", "scan_table", "seed")}
    if state not in (LOADING, LOADED) or not isinstance(made_by, str) or not _are_counts(numbers.values()):
        raise ValueError("words that we never write")
    return Loaded(made_by, state, **numbers, tables=tuple(_table(row) for row in words["tables"]))


def _table(row: Any) -> TableBlocks:
    name, rows, blocks = row
    if not isinstance(name, str) or not _OWN_TABLE.fullmatch(name) or not _are_counts((rows, blocks)):
        raise ValueError("a table that we never made")
    return TableBlocks(name, rows, blocks)


def _are_counts(values: Iterable[Any]) -> bool:
    return all(type(value) is int and 0 <= value < 2**63 for value in values)


def checked(session: Session, dialect: str, wanted: SlobParameters) -> tuple[Loaded, SlobParameters]:
    """The tables for a run, and its parameters with their sizes.

    Raises WorldError `slob-missing`, `slob-partial`, `proof-foreign`.
    """
    found = status(session, dialect)
    if found is None:
        raise WorldError("slob-missing", "there are no tables to drive", _SETUP)
    if found.state != LOADED:
        raise WorldError(
            "slob-partial", "the load of the tables was cut short", f"{_DROP} Then set them up again."
        )
    if found.schemas < wanted.schemas:
        message = f"{wanted.schemas} schemas were asked for and {found.schemas} are there"
        raise UsageError("slob-missing", message, f"Use --schemas {found.schemas}, or drop and set up anew.")
    belongings.check_pure(session, dialect, _belongings(found))
    return found, replace(wanted, scale=found.scale, scan_table=found.scan_table)


def drop(session: Session, dialect: str) -> Loaded | None:
    """Drops our tables; None when there were none. Raises WorldError `proof-foreign` when anything there is not ours."""
    found = status(session, dialect)
    if found is not None:
        belongings.drop(session, dialect, _belongings(found))
    return found


def _belongings(plan: Loaded) -> Belongings:
    """Those of all databases: no other has anything of such a name."""
    tables = _names(plan)
    return Belongings(
        SCHEMA,
        (*tables, _MARKER),
        tuple(f"{table}_custid" for table in tables),
        routine=(*(f"operate_{number}" for number in range(1, plan.schemas + 1)), _MARKER, *_HELPERS),
        column=(*(f"{table}.{column}" for table in tables for column in _ALL_COLUMNS), f"{_MARKER}.nothing"),
    )


def setup(ctx: Context, connection: Connection, wanted: SlobParameters) -> Loaded:
    """Makes, loads and verifies the tables.

    Raises WorldError `slob-exists`, `proof-foreign`, what the server says (`database-full` …), or Interrupted; an interrupted load
    leaves the marker `loading`, by which `status` and `drop` know it.
    """
    dialect = connection.dialect
    plan = Loaded(
        f"plimsoll {__version__}",
        LOADING,
        wanted.schemas,
        wanted.scale,
        wanted.scan_table,
        wanted.seed,
    )
    with _session(connection, "load") as session:
        _claim(session, dialect, plan)
        _load(ctx, connection, plan, wanted.load_parallel)
        tables = tuple(_verified(session, dialect, name) for name in _names(plan))
        loaded = replace(plan, state=LOADED, tables=tables)
        for text in statements(dialect, WORKLOAD, "mark", {"marker": loaded.marker}):
            session.run(text)
        _rest(session, dialect)
    return loaded


def _rest(session: Session, dialect: str) -> None:
    """Waits for what a load leaves to be done in the background. The checkpoint is each run's own."""
    if has_statements(dialect, WORKLOAD, "ready"):
        for text in statements(dialect, WORKLOAD, "ready"):
            session.run(text)


def _claim(session: Session, dialect: str, plan: Loaded) -> None:
    found = status(session, dialect)
    if found is not None:
        what = (
            "tables of an earlier setup"
            if found.state == LOADED
            else "what a load that was cut short has left"
        )
        raise WorldError(
            "slob-exists", f"{what} are there: {found.schemas} schemas of {found.scale:,} blocks", _DROP
        )
    for text in statements(dialect, WORKLOAD, "create", {"marker": plan.marker}):
        session.run(text)


def _names(plan: Loaded) -> list[str]:
    return [f"cf{kind}_{number}" for number in range(1, plan.schemas + 1) for kind in (1, 2)]


def _load(ctx: Context, connection: Connection, plan: Loaded, parallel: int) -> None:
    """All tables, `parallel` at a time, each by a session of its own; watched from here."""
    waiting = list(reversed(_names(plan)))
    failures: list[PlimsollError] = []
    working: dict[int, Session] = {}
    lock = threading.Lock()

    def loader(index: int) -> None:
        try:
            with _session(connection, f"load {index}") as session:
                working[index] = session
                while not failures and not ctx.cancel.is_set:
                    with lock:
                        if not waiting:
                            return
                        name = waiting.pop()
                    _make(session, connection.dialect, plan, name)
        except PlimsollError as error:
            failures.append(error)
        finally:
            working.pop(index, None)

    threads = [
        threading.Thread(target=loader, args=(index,), daemon=True)
        for index in range(min(parallel, plan.schemas))
    ]
    for thread in threads:
        thread.start()
    _watch(ctx, connection, plan, threads, working, failures)
    ctx.cancel.check()
    if failures:
        raise failures[0]


def _watch(
    ctx: Context,
    connection: Connection,
    plan: Loaded,
    threads: Sequence[threading.Thread],
    working: dict[int, Session],
    failures: Sequence[PlimsollError],
) -> None:
    """Tells how far the load is until it ends; a cancel or a failure of one ends the others."""
    begun_s, total = ctx.clock.monotonic_s(), plan.schemas * (plan.scale + plan.scan_table)
    count = statement(connection.dialect, WORKLOAD, "progress")
    with _session(connection, "load progress") as session:
        while any(thread.is_alive() for thread in threads):
            ctx.clock.sleep(_POLL_S)
            if ctx.cancel.is_set or failures:
                for busy in list(working.values()):
                    busy.cancel()
                continue
            blocks = min(_blocks_made(session, count), total)
            spent_s = ctx.clock.monotonic_s() - begun_s
            left_s = spent_s * (total - blocks) / blocks if blocks else None
            ctx.progress(_STAGE, f"{blocks:,} of {total:,} blocks", blocks / total, left_s)


@reads_answers
def _blocks_made(session: Session, count: str) -> int:
    return int(session.run(count)[0][0])


def _make(session: Session, dialect: str, plan: Loaded, name: str) -> None:
    rows = plan.scale if name.startswith("cf1") else plan.scan_table
    words = {
        "table": name, "rows": rows, "seed": plan.seed,
        "columns": ", ".join(f"{column} char(128)" for column in COLUMNS),
        "plain": ", ".join(f"alter column {column} set storage plain" for column in COLUMNS),
        "values": ", ".join(f"md5('{column}' || key)" for column in COLUMNS),
    }  # fmt: skip
    for part in ("table", "fill", "index", "settle"):
        for text in (
            statements(dialect, WORKLOAD, part, words) if part != "index" or name.startswith("cf1") else ()
        ):
            session.run(text)


@reads_answers
def _verified(session: Session, dialect: str, name: str) -> TableBlocks:
    rows, blocks = session.run(statement(dialect, WORKLOAD, "verify", {"table": name}))[0]
    return TableBlocks(name, int(rows), int(blocks))


@contextmanager
def _session(connection: Connection, name: str) -> Iterator[Session]:
    session = connection.session(f"plimsoll slob {name}")
    try:
        yield session
    finally:
        session.close()
