"""`plimsoll prove order-entry`: load warehouses, drive their transactions, check what they left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.facts import Note, Run
from plimsoll.flows.prove import EMBEDDED, Against, check_against, kept, lasting_database, proof_database
from plimsoll.flows.prove_host import beside
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Found, Options, Scale, schema
from plimsoll.supply.latency import latency_of_counts

_SPARE_CONNECTIONS = 20


@dataclass(frozen=True)
class OrdersRequest:
    """What `plimsoll prove order-entry` was asked. `folder` is where an embedded database lies."""

    database: str
    scale: Scale
    options: Options
    folder: Path | None = None
    against: Against | None = None


def prove_orders(ctx: Context, asked: OrdersRequest, ask_password: AskPassword | None = None) -> Run:
    """Drives the database, stores and returns the run; an embedded database is made and loaded first."""
    check_against(asked.against)
    started_at = ctx.clock.now()
    settings = {"max_connections": str(asked.options.sessions + _SPARE_CONNECTIONS)}
    with proof_database(ctx, asked.database, ask_password, asked.folder, settings) as connection:
        if asked.database == EMBEDDED:
            order_entry.load(ctx, connection, asked.scale)
        with beside(ctx) as host:
            found = order_entry.prove(ctx, connection, asked.options, latency_of_counts)
            proof = host.added(found.proof, connection)
        there = proof.settings["warehouses"]
        message = f"{there} warehouses are there; --warehouses {asked.scale.warehouses} is for setup and was passed over"
        others = asked.scale.warehouses != Scale().warehouses and there != str(asked.scale.warehouses)
        notes = (Note(code="order-entry-warehouses", message=message),) if others else ()
        return kept(
            ctx, connection, f"order entry on {connection.database.location}", started_at, proof,
            snapshots=found.drove.snapshots, against=asked.against, failure=found.drove.failure, notes=notes,
        )  # fmt: skip


def set_up(ctx: Context, asked: OrdersRequest, ask_password: AskPassword | None = None) -> Found:
    """Loads the warehouses into a database that stays."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        order_entry.load(ctx, connection, asked.scale)
        with schema.owned(connection, "look") as session:
            return order_entry.look(session)


def look(ctx: Context, asked: OrdersRequest, ask_password: AskPassword | None = None) -> Found:
    """What is there."""
    with (
        lasting_database(ctx, asked.database, ask_password) as connection,
        schema.owned(connection, "look") as session,
    ):
        found = order_entry.look(session)
        if found.state == "foreign":
            raise schema.refusal(found, "look at")
        return found


def take_away(ctx: Context, asked: OrdersRequest, ask_password: AskPassword | None = None) -> bool:
    """Drops the schema; False when there was none."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        return order_entry.drop(connection)
