"""`plimsoll prove order-entry`: load warehouses, drive their transactions, check what they left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.units import counted
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection
from plimsoll.facts import Condition, Note, Proof, Run
from plimsoll.flows.prove import Against, check_against, kept, lasting_database, proof_database, proof_folder
from plimsoll.flows.prove_host import beside
from plimsoll.flows.prove_hosts import ProofHosts, hosts_if_any, location_here
from plimsoll.proof import order_entry
from plimsoll.proof.order_entry import Found, Options, Scale, schema
from plimsoll.proof.statements import folder_of
from plimsoll.requests.proofs import EMBEDDED, chosen_database
from plimsoll.requests.prove_order_entry import ProveOrderEntryRequest

_SPARE_CONNECTIONS = 20
_TITLE = "order entry on "
_LOOKED_AT_MAX = 200
"""Stored runs that are looked through for the one that began a ledger, from the newest."""


@dataclass(frozen=True)
class OrdersProof:
    """What is to be driven, and how. `folder` is where an embedded database lies."""

    database: str
    scale: Scale
    options: Options
    folder: Path | None = None
    against: Against | None = None
    run: str | None = None
    """Of `verify`: the stored run whose ledger it is; None: the newest one whose ledger is the one that is there."""
    hosts: ProofHosts | None = None
    """From where sessions are driven; None from here."""
    location: str = ""
    """As the database was named: with a place for the host's name where each reaches it by a way of its own."""


@dataclass(frozen=True)
class Verified:
    """What a database holds of what it had acknowledged to the sessions of a run."""

    run: Run
    conditions: tuple[Condition, ...]

    @property
    def holds(self) -> bool | None:
        """Nothing that was acknowledged is missing, and the data fulfils its conditions; None where that cannot be told."""
        found = [one.holds for one in self.conditions]
        return False if False in found else None if None in found else True


def orders_proof(asked: ProveOrderEntryRequest) -> OrdersProof:
    """What a request means, before anything is opened. Raises UsageError where its words do not fit together, and what
    `ProofHosts.of` and `ProofHosts.check` raise.
    """
    hosts = ProofHosts.of(asked)
    database = chosen_database(asked.database)
    if hosts is not None:
        hosts.check(database)
        if asked.sessions < len(hosts.names):
            message = f"{counted(asked.sessions, 'session')} cannot be driven from {len(hosts.names)} hosts"
            raise UsageError("proof-options", message, "Raise --sessions: all hosts share them.")
    sizes = {"items": asked.items, "customers_per_district": asked.customers}
    times = {"run_s": asked.run_time_s, "warm_up_s": asked.warm_up_s}
    return OrdersProof(
        database=location_here(database, hosts),
        location=database,
        scale=Scale(warehouses=asked.warehouses, seed=asked.seed, **_given(sizes)),
        options=Options(
            sessions=asked.sessions,
            think_factor=asked.think,
            client_commits=asked.client_commits,
            ledger=asked.ledger,
            seed=asked.seed,
            **_given(times),
        ),
        folder=proof_folder(asked.folder),
        against=Against.of(asked.against, asked.slo, asked.while_in_use),
        run=asked.run,
        hosts=hosts,
    )


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def prove_orders(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None = None) -> Run:
    """Drives the database, stores and returns the run; an embedded database is made and loaded first.

    A host that is lost makes it one in part; what it had told is kept.
    """
    check_against(asked.against)
    started_at = ctx.clock.now()
    opened = partial(_prepared, ctx, asked)
    with hosts_if_any(ctx, asked.hosts, asked.location, ask_password, opened) as (connection, at_work):
        with beside(ctx) as host:
            hire = None if at_work is None else at_work.hire
            found = order_entry.prove(ctx, connection, asked.options, hire)
            proof = host.added(found.proof, connection)
        if asked.hosts is not None:
            names = {"hosts": ", ".join(asked.hosts.names)}
            proof = proof.model_copy(update={"settings": {**proof.settings, **names}})
        notes = (*(() if at_work is None else at_work.notes), *_other_size(asked.scale, proof.settings))
        return kept(
            ctx, connection, _title(connection, asked), started_at, proof,
            snapshots=found.drove.snapshots, against=asked.against, failure=found.drove.failure, notes=notes,
        )  # fmt: skip


@contextmanager
def _prepared(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None) -> Iterator[Connection]:
    """The database with its warehouses: an embedded one made and loaded now, another one as it is."""
    settings = {"max_connections": str(asked.options.sessions + _SPARE_CONNECTIONS)}
    with proof_database(ctx, asked.database, ask_password, asked.folder, settings) as connection:
        # Refused before any host is reached, where this database has none of it.
        folder_of(connection.dialect, order_entry.WORKLOAD)
        if asked.database == EMBEDDED:
            order_entry.load(ctx, connection, asked.scale)
        yield connection


def _title(connection: Connection, asked: OrdersProof) -> str:
    hosts = "" if asked.hosts is None else f" from {counted(len(asked.hosts.names), 'host')}"
    return f"{_TITLE}{connection.database.location}{hosts}"


def _other_size(wanted: Scale, settings: dict[str, str]) -> Iterator[Note]:
    """There are as many warehouses as were loaded."""
    there = settings["warehouses"]
    if wanted.warehouses != Scale().warehouses and there != str(wanted.warehouses):
        message = (
            f"{there} warehouses are there; --warehouses {wanted.warehouses} is for setup and was passed over"
        )
        yield Note(code="order-entry-warehouses", message=message)


def set_up(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None = None) -> Found:
    """Loads the warehouses into a database that stays."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        order_entry.load(ctx, connection, asked.scale)
        with schema.owned(connection, "look") as session:
            return order_entry.look(session)


def look(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None = None) -> Found:
    """What is there."""
    with (
        lasting_database(ctx, asked.database, ask_password) as connection,
        schema.owned(connection, "look") as session,
    ):
        found = order_entry.look(session)
        if found.state == "foreign":
            raise schema.refusal(found, "look at")
        return found


def verify(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None = None) -> Verified:
    """Holds the ledger, as the server has it now, against what a stored run was told to be committed, and checks the data.

    Raises UsageError `proof-no-ledger` for a run without one, WorldError `proof-ledger-unknown` where no stored run began the
    ledger that is there, `proof-ledger-other` where the named run did not.
    """
    with lasting_database(ctx, asked.database, ask_password) as connection:
        began = order_entry.ledger_began(connection)
        run = _driven_with(ctx, began) if asked.run is None else ctx.store.load(asked.run)
        proof = _with_ledger(run)
        wanted = proof.settings[order_entry.LEDGER_BEGAN]
        if wanted != began:
            raise order_entry.other_ledger(wanted, began)
        return Verified(run, order_entry.verify(ctx, connection, order_entry.acknowledged_in(proof), wanted))


def _with_ledger(run: Run) -> Proof:
    """The proof of a run that can be verified."""
    if run.proof is None or order_entry.LEDGER_BEGAN not in run.proof.settings:
        hint = "Drive the data with plimsoll prove order-entry run --ledger --client-commits, then verify that run."
        raise UsageError("proof-no-ledger", f"run {run.id} kept no ledger of its commits", hint)
    return run.proof


def _driven_with(ctx: Context, began: str | None) -> Run:
    """The stored run that began the ledger of the database."""
    driven = [one.id for one in ctx.store.summaries() if one.kind == "prove" and one.title.startswith(_TITLE)]
    for run_id in driven[:_LOOKED_AT_MAX] if began is not None else ():
        run = ctx.store.load(run_id)
        if run.proof is not None and run.proof.settings.get(order_entry.LEDGER_BEGAN) == began:
            return run
    there = "holds no ledger of a run" if began is None else f"holds a ledger that began at {began} UTC"
    message = f"the data {there}, and no stored run of order entry with --ledger began it"
    hint = (
        "Drive the data with --ledger --client-commits first; or name with --store where that run was kept."
    )
    raise WorldError("proof-ledger-unknown", message, hint)


def take_away(ctx: Context, asked: OrdersProof, ask_password: AskPassword | None = None) -> bool:
    """Drops the schema; False when there was none."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        return order_entry.drop(connection)
