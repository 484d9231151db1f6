"""`plimsoll prove tpch`: load eight tables, run 22 queries, judge the answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plimsoll.context import Context
from plimsoll.databases import AskPassword
from plimsoll.demand.local import is_here
from plimsoll.facts import Run
from plimsoll.flows.prove import (
    Against,
    check_against,
    kept,
    lasting_database,
    proof_database,
    proof_folder,
)
from plimsoll.flows.prove_host import beside, data_folder
from plimsoll.proof import tpch
from plimsoll.proof.tpch import TpchRequest, TpchStatus
from plimsoll.requests.proofs import EMBEDDED, chosen_database
from plimsoll.requests.prove_tpch import ProveTpchRequest

_SPARE_CONNECTIONS = 20


@dataclass(frozen=True)
class TpchProof:
    """What is to be asked, and of what. `folder` is where an embedded database lies."""

    database: str
    tpch: TpchRequest
    folder: Path | None = None
    against: Against | None = None


def tpch_proof(asked: ProveTpchRequest) -> TpchProof:
    """What a request means, before anything is opened. Raises UsageError where its words do not fit together."""
    return TpchProof(
        database=chosen_database(asked.database),
        tpch=TpchRequest(
            scale=asked.scale,
            layout=asked.layout,
            streams=asked.streams,
            repeats=asked.repeats,
            plans=asked.plans,
            seed=asked.seed,
        ),
        folder=proof_folder(asked.folder),
        against=Against.of(asked.against, asked.slo, asked.while_in_use),
    )


def prove_tpch(ctx: Context, asked: TpchProof, ask_password: AskPassword | None = None) -> Run:
    """Runs the queries, stores and returns the run; an embedded database is made and loaded first."""
    check_against(asked.against)
    started_at = ctx.clock.now()
    settings = {"max_connections": str(asked.tpch.streams + _SPARE_CONNECTIONS)}
    with proof_database(ctx, asked.database, ask_password, asked.folder, settings) as connection:
        if asked.database == EMBEDDED:
            tpch.setup(ctx, connection, asked.tpch)
        with beside(ctx) as host:
            folder = data_folder(connection) if is_here(connection) else None
            found = tpch.run_tpch(ctx, connection, asked.tpch, folder)
            proof = host.added(found.proof, connection)
        title = f"tpch at scale {asked.tpch.scale_text} on {connection.database.location}"
        return kept(
            ctx,
            connection,
            title,
            started_at,
            proof,
            snapshots=found.snapshots,
            looks=found.looks,
            against=asked.against,
        )


def set_up(ctx: Context, asked: TpchProof, ask_password: AskPassword | None = None) -> TpchStatus:
    """Loads the tables into a database that stays."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        return tpch.setup(ctx, connection, asked.tpch)


def look(ctx: Context, asked: TpchProof, ask_password: AskPassword | None = None) -> TpchStatus:
    """What is there."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        found = tpch.status(connection)
        if found.state == "foreign":
            raise tpch.foreign()
        return found


def take_away(ctx: Context, asked: TpchProof, ask_password: AskPassword | None = None) -> TpchStatus:
    """Drops the tables; returns what was there."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        return tpch.drop(connection)
