"""One order-entry run from beginning to end: sessions driven, rows counted, conditions checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session, reads_answers
from plimsoll.facts import Condition, Note, Proof
from plimsoll.proof.crew import LocalCrew
from plimsoll.proof.order_entry import conditions, far, ledger, schema
from plimsoll.proof.order_entry.ledger import Gained
from plimsoll.proof.order_entry.result import Ran, proof_of
from plimsoll.proof.order_entry.settings import DISTRICTS, KINDS, MIX, NEW_ORDER, Options, Scale
from plimsoll.proof.order_entry.worker import Acknowledged, OrderWorker, workers
from plimsoll.proof.server import Fetched, upkeep
from plimsoll.proof.sessions import Drove, Hire, Schedule, drive_crew
from plimsoll.proof.surroundings import Surroundings

LEDGER_BEGAN = "ledger_began"
"""The setting of a proof by which a ledger in a database is known again: no other one began at the same microsecond."""


@dataclass(frozen=True)
class Outcome:
    """The proof, and what each session knows to be committed: to be held against the data when the server crashed."""

    proof: Proof
    acknowledged: tuple[Acknowledged, ...]
    drove: Drove


def prove(ctx: Context, connection: Connection, options: Options, hire: Hire | None = None) -> Outcome:
    """Drives the loaded data. A run that is interrupted or breaks gives what was counted until then, and says so.

    `hire` gives the crew where the sessions are not to run here.

    Raises what `schema.check_loaded` and `drive_crew` raise, and WorldError `proof-busy`.
    """
    with schema.owned(connection, "run") as session:
        scale = schema.check_loaded(session)
        ledger.begin(session, options.sessions)
        began = ledger.began(session) if options.ledger else None
        server = _server_settings(session)
        notes = tuple(_notes(scale, options, server, _orders_before(session, scale)))
        made = workers(scale, options, ctx.clock)
        fetched, tended_before = Fetched(), upkeep(session, connection.dialect)
        around = Surroundings(ctx, connection, session)
        schedule = Schedule(options.warm_up_s, options.run_s)
        crew = hire(made, schedule) if hire else LocalCrew(ctx, connection, made, schedule.slices)
        drove = drive_crew(ctx, connection, crew, schedule, fetched, around)
        around.end()
        acknowledged = acknowledged_by(drove)
        tended = _tended_since(session, connection, tended_before)
        gained, checked = _afterwards(ctx, session, drove, made, acknowledged if options.ledger else ())
    settings = _settings(scale, options, server) | ({} if began is None else {LEDGER_BEGAN: began})
    ran = Ran(
        drove, made, acknowledged, gained, checked, settings, notes, options.think_factor > 0, fetched, tended,
        has_ledger=options.ledger, around=around,
    )  # fmt: skip
    return Outcome(proof_of(ran, connection), acknowledged, drove)


def ledger_began(connection: Connection) -> str | None:
    """When the ledger that is there began, as the settings of its proof have it (`LEDGER_BEGAN`); None where no run began one.

    Raises what `schema.check_loaded` raises, and `proof-busy`.
    """
    with schema.owned(connection, "check") as session:
        schema.check_loaded(session)
        return ledger.began(session)


def verify(
    ctx: Context, connection: Connection, acknowledged: Sequence[Acknowledged], began: str | None = None
) -> tuple[Condition, ...]:
    """What was acknowledged against the ledger, and all conditions against the data as it is now: for after a crash.

    Raises what `schema.check_loaded` raises, `proof-busy`, Interrupted, and WorldError `proof-ledger-other` when the ledger that is
    there did not begin when it should have.
    """
    with schema.owned(connection, "check") as session:
        schema.check_loaded(session)
        if began is not None and ledger.began(session) != began:
            raise other_ledger(began, ledger.began(session))
        return (*ledger.check(session, acknowledged), *conditions.check(ctx, session))


def other_ledger(wanted: str, there: str | None) -> WorldError:
    """The data was driven again since."""
    message = f"the ledger in {schema.SCHEMA} began at {there or 'no time'}, that of the run at {wanted}"
    hint = "Another run has driven the data since; its own ledger is the one to verify."
    return WorldError("proof-ledger-other", message, hint)


def acknowledged_by(drove: Drove) -> tuple[Acknowledged, ...]:
    """What each session was told to be committed, warm-up too."""
    return tuple(
        Acknowledged.of(number, [piece for _, piece in track.slices])
        for number, track in enumerate(drove.tracks)
    )


def acknowledged_in(proof: Proof) -> tuple[Acknowledged, ...]:
    """What the sessions of a stored proof knew to be committed; empty where it was driven without a ledger."""
    return tuple(
        Acknowledged(number, one.acknowledged, by_kind={NEW_ORDER: one.acknowledged_orders or 0})
        for number, one in enumerate(proof.sessions)
        if one.acknowledged is not None
    )


def _tended_since(session: Session, connection: Connection, before: int) -> int:
    """Tables that the server tended meanwhile; nothing is excused where it is gone."""
    try:
        return upkeep(session, connection.dialect) - before
    except PlimsollError:
        return 0


def _afterwards(
    ctx: Context,
    session: Session,
    drove: Drove,
    made: Sequence[OrderWorker],
    acknowledged: tuple[Acknowledged, ...],
) -> tuple[Gained | None, tuple[Condition, ...]]:
    """What the data says after the run; unknown where the server is gone or nobody wants to wait."""
    if drove.interrupted:
        return None, conditions.unchecked("the run was interrupted")
    try:
        if not far.end_lost(ctx, session, drove, made):
            return None, conditions.unchecked("sessions that were lost were still at work")
        gained = ledger.gained(session)
        checked = conditions.check(ctx, session)
        return gained, (*checked, *(ledger.check(session, acknowledged) if acknowledged else ()))
    except PlimsollError as error:
        return None, conditions.unchecked(error.message)


@reads_answers
def _server_settings(session: Session) -> dict[str, str]:
    names = ("synchronous_commit", "fsync", "full_page_writes")
    return {name: session.run("select current_setting(%s)", [name])[0][0] for name in names}


@reads_answers
def _orders_before(session: Session, scale: Scale) -> int:
    """Orders that earlier runs entered."""
    numbered = session.run("select sum(d_next_o_id - 1) from plimsoll_orders.run_start")[0][0]
    return int(numbered) - scale.warehouses * DISTRICTS * scale.customers_per_district


def _settings(scale: Scale, options: Options, server: dict[str, str]) -> dict[str, str]:
    return {
        "warehouses": str(scale.warehouses),
        "items": str(scale.items),
        "customers_per_district": str(scale.customers_per_district),
        "load_seed": str(scale.seed),
        "sessions": str(options.sessions),
        "run_s": f"{options.run_s:g}",
        "warm_up_s": f"{options.warm_up_s:g}",
        "mix": ", ".join(f"{kind} {options.mix.get(kind, 0.0):.4g}" for kind in KINDS),
        "seed": str(options.seed),
        "think_factor": f"{options.think_factor:g}",
        "ledger": "on" if options.ledger else "off",
        "commits_by": "client" if options.client_commits else "server",
        "isolation": "read committed",
        **server,
    }


def _notes(scale: Scale, options: Options, server: dict[str, str], orders_before: int) -> Iterator[Note]:
    yield Note(
        code="order-entry-own",
        message="an order-entry mix of TPC-C's shape, run by Plimsoll: no TPC-C result, and not comparable with published ones",
    )
    if not scale.is_specified:
        message = (
            f"{scale.items:,} items and {scale.customers_per_district:,} customers per district are not the specification's "
            "100,000 and 3,000: the data is smaller, and its hot keys are hotter or colder"
        )
        yield Note(code="order-entry-scale", message=message)
    if any(abs(options.mix.get(kind, 0.0) - share) > 1e-6 for kind, share in MIX.items()):
        yield Note(code="order-entry-mix", message="the mix of transactions is not the specification's")
    if scale.warehouses == 1:
        message = "with one warehouse no payment and no stock is remote"
        yield Note(code="order-entry-one-warehouse", message=message)
    if orders_before > 0:
        message = (
            f"earlier runs had entered {orders_before:,} orders, so the data was larger than after its load"
        )
        yield Note(code="order-entry-used", message=message)
    if server["fsync"] != "on" or server["synchronous_commit"] == "off":
        message = f"commits did not wait for the disk: fsync {server['fsync']}, synchronous_commit {server['synchronous_commit']}"
        yield Note(code="commit-not-durable", message=message)
