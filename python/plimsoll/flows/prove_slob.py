"""`plimsoll prove slob`: make tables, drive them, hold the storage's line against the result."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import PROOF_MEMORY_SHARE_MAX
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, Session
from plimsoll.demand.snapshots import demand_of_snapshots
from plimsoll.facts import Note, Run
from plimsoll.flows.prove import EMBEDDED, Against, predicted, proof_database
from plimsoll.flows.record import record
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import Focus, SlobParameters
from plimsoll.proof.slob.run import run_slob
from plimsoll.supply.latency import latency_of_counts

_CACHE_FACTOR = 1.4
"""Indexes, maps of free space and new versions of rows beside the tables, where a cache is to hold everything."""


@dataclass(frozen=True)
class SlobRequest:
    """What `plimsoll prove slob` was asked. `folder` is where an embedded database lies."""

    database: str
    parameters: SlobParameters
    focus: Focus = "physical"
    folder: Path | None = None
    against: Against | None = None
    notes: tuple[Note, ...] = ()


def prove_slob(ctx: Context, asked: SlobRequest, ask_password: AskPassword | None = None) -> Run:
    """Drives the database, stores and returns the run; an embedded database is made and loaded first."""
    started_at = ctx.clock.now()
    own = asked.database == EMBEDDED
    settings = _server_settings(asked) if own else None
    with proof_database(ctx, asked.database, ask_password, asked.folder, settings) as connection:
        if own:
            tables.setup(ctx, connection, asked.parameters)
        found = run_slob(ctx, connection, asked.parameters, latency_of_counts, asked.focus != "physical")
        proof = found.proof.model_copy(update={"settings": {"focus": asked.focus, **found.proof.settings}})
        demand = demand_of_snapshots(connection.database, found.drove.snapshots)
        beside = None
        if asked.against is not None and not found.drove.interrupted and found.drove.failure is None:
            beside = predicted(ctx, asked.against, proof, demand)
        failure = found.drove.failure
        notes = (
            *asked.notes,
            *proof.notes,
            *((Note(code=failure.id, message=failure.message),) if failure else ()),
        )
        return record(
            ctx, "prove", f"slob on {connection.database.location}", started_at,
            interrupted=found.drove.interrupted, proof=proof, demand=demand,
            line=beside.line if beside else None, prediction=beside.prediction if beside else None,
            notes=(*notes, *(beside.notes if beside else ())),
        )  # fmt: skip


def set_up(ctx: Context, asked: SlobRequest, ask_password: AskPassword | None = None) -> tables.Loaded:
    """Makes and verifies the tables in a database that stays."""
    with _lasting(ctx, asked, ask_password) as connection:
        return tables.setup(ctx, connection, asked.parameters)


def look(ctx: Context, asked: SlobRequest, ask_password: AskPassword | None = None) -> tables.Loaded | None:
    """What tables are there."""
    return _with_session(ctx, asked, ask_password, tables.status)


def take_away(
    ctx: Context, asked: SlobRequest, ask_password: AskPassword | None = None
) -> tables.Loaded | None:
    """Drops our tables; returns what was there."""
    return _with_session(ctx, asked, ask_password, tables.drop)


def _with_session(
    ctx: Context,
    asked: SlobRequest,
    ask_password: AskPassword | None,
    what: Callable[[Session, str], tables.Loaded | None],
) -> tables.Loaded | None:
    with _lasting(ctx, asked, ask_password) as connection:
        session = connection.session("plimsoll slob")
        try:
            return what(session, connection.dialect)
        finally:
            session.close()


def _lasting(
    ctx: Context, asked: SlobRequest, ask_password: AskPassword | None
) -> AbstractContextManager[Connection]:
    if asked.database == EMBEDDED:
        message = "the embedded database lives only as long as one command"
        raise UsageError(
            "slob-embedded", message, "Leave the action out: it is set up, run and removed in one go."
        )
    return proof_database(ctx, asked.database, ask_password)


def _server_settings(asked: SlobRequest) -> dict[str, str]:
    """Of an embedded server: connections for all sessions, and for all but physical reads a cache that holds everything."""
    settings = {"max_connections": str(asked.parameters.sessions + 20)}
    if asked.focus == "physical":
        return settings
    wanted = int(asked.parameters.bytes_of_data * _CACHE_FACTOR) + (64 << 20)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > memory * PROOF_MEMORY_SHARE_MAX:
        data = format_bytes(asked.parameters.bytes_of_data)
        message = f"a cache for all of {data} does not fit into this machine's {format_bytes(memory)}"
        raise UsageError("slob-memory", message, "Lower --scale or --schemas, or use --focus physical.")
    return settings | {"shared_buffers": f"{wanted >> 20}MB"}
