"""`plimsoll prove order-entry`: its options, and its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from plimsoll.cli import options, prove
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove_orders import OrdersRequest, Verified

_KIND = "prove-order-entry"
_HEEDED = {
    "setup": frozenset({"warehouses", "items", "customers", "seed"}),
    "verify": frozenset({"run"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""Options of the actions on data; a run heeds all others but --run."""
Action = Annotated[
    Literal["run", "setup", "verify", "status", "drop"],
    typer.Argument(
        help="What to do; an embedded database is set up, run and removed in one go. verify looks for lost commits."
    ),
]


def order_entry(
    typed: typer.Context,
    action: Action = "run",
    database: prove.Database = None,
    warehouses: Annotated[int, typer.Option("--warehouses", min=1, help="How much data there is.")] = 1,
    sessions: Annotated[int, typer.Option("--sessions", min=1, max=10_000, help="Terminals at work.")] = 4,
    run_time: prove.RunTime = None,
    warm_up: prove.WarmUp = None,
    think: Annotated[
        float,
        typer.Option(
            "--think", min=0.0, help="Keying and think times, as a multiple of the specification's."
        ),
    ] = 0.0,
    client_commits: Annotated[
        bool,
        typer.Option(
            "--client-commits", help="A call for each transaction, so that each commit is acknowledged."
        ),
    ] = False,
    ledger: Annotated[
        bool,
        typer.Option(
            "--ledger", help="Each transaction also writes its session's count, to be checked after a crash."
        ),
    ] = False,
    items: Annotated[int | None, prove.count("items", "Items; fewer only for a trial.", "100000")] = None,
    customers: Annotated[
        int | None, prove.count("customers", "Customers of each district; fewer only for a trial.", "3000")
    ] = None,
    folder: prove.Folder = None,
    against: prove.Against = None,
    slo: prove.Slo = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the data and of what each terminal asks for.")
    ] = 1,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="The stored run to verify: an id, its unique beginning, or latest.",
            show_default="the one that wrote the ledger",
        ),
    ] = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Drive a database with order entry: five transactions of TPC-C's shape.

    They run in the server's procedures; afterwards the data must fulfil thirteen conditions. It is no TPC-C result.
    """
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_orders as flow
    from plimsoll.proof.order_entry import Options, Scale

    if action != "verify":
        refuse_idle(typed, f"on {action}, which verifies no run", "run")
    prove.refuse_idle_of(typed, action, _HEEDED, prove.chosen_database(database))
    sizes = {"items": items, "customers_per_district": customers}
    times = {"run_s": run_time, "warm_up_s": warm_up}
    asked = flow.OrdersRequest(
        database=prove.chosen_database(database),
        scale=Scale(warehouses=warehouses, seed=seed, **_given(sizes)),
        options=Options(
            sessions=sessions,
            think_factor=think,
            client_commits=client_commits,
            ledger=ledger,
            seed=seed,
            **_given(times),
        ),
        folder=folder,
        against=prove.storage_beside(against, slo),
        run=run,
    )
    with session(json, events, store) as here:
        acts = {
            "run": flow.prove_orders,
            "setup": flow.set_up,
            "verify": flow.verify,
            "status": flow.look,
            "drop": flow.take_away,
        }
        return prove.carried_out(here, action, acts[action], asked, _told)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _told(here: Session, asked: OrdersRequest, found: Any, done: str) -> int:
    """What is there, what of it holds, or whether something was dropped; 1 when it is not loaded data of ours, or does not hold."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus

    if done == "verified":
        return _verified(here, found)

    if done == "dropped":
        words = "Dropped schema plimsoll_orders." if found else "There was nothing to drop."
        return here.finish(_KIND, {"action": done, "was_there": found}, lambda: say(words))

    def show() -> None:
        if found.scale is None:
            say(f"Schema plimsoll_orders: {found.state}.")
        else:
            scale = found.scale
            sizes = f"{scale.items:,} items, {scale.customers_per_district:,} customers per district, seed {scale.seed}"
            say(f"Warehouses: {scale.warehouses}; {sizes}; {found.state}.")

    data = {
        "action": done,
        "state": found.state,
        "scale": None if found.scale is None else asdict(found.scale),
    }
    status = ExitStatus.DONE if found.state == "loaded" else ExitStatus.ANSWER_IS_NO
    return here.finish(_KIND, data, show, (), status)


def _verified(here: Session, found: Verified) -> int:
    """Whether what was acknowledged is there; 1 when it is not, 5 when it cannot be told."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.tables import filled, show_table
    from plimsoll.pages import proof_tables, proof_words

    def show() -> None:
        say(f"{proof_words.verified(found.conditions)}.")
        table = proof_tables.conditions(found.conditions)
        show_table(filled(table.columns, table.rows, table.numeric))
        say(f"run {found.run.id}, {found.run.title}")

    data = {
        "action": "verified",
        "run": found.run.id,
        "holds": found.holds,
        "conditions": [one.model_dump(mode="json") for one in found.conditions],
    }
    statuses = {True: ExitStatus.DONE, False: ExitStatus.ANSWER_IS_NO, None: ExitStatus.DONE_IN_PART}
    return here.finish(_KIND, data, show, (), statuses[found.holds])
