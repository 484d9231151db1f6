"""`plimsoll prove tpch`: its options, and its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from plimsoll.cli import options, prove
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove_tpch import TpchProofRequest

_HEEDED = {
    "setup": frozenset({"scale", "layout"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""Options of the actions on tables; a run heeds all of them."""
Action = Annotated[
    Literal["run", "setup", "status", "drop"],
    typer.Argument(help="What to do; an embedded database is set up, run and removed in one go."),
]


def tpch(
    typed: typer.Context,
    action: Action = "run",
    database: prove.Database = None,
    scale: Annotated[float, typer.Option("--scale", metavar="N", help="1 is a gigabyte of raw data.")] = 0.01,
    layout: Annotated[
        Literal["indexed", "clustered"],
        typer.Option(
            "--layout", help="indexed: rows lie as loaded; clustered: lines and orders lie by date."
        ),
    ] = "indexed",
    streams: Annotated[
        int,
        typer.Option(
            "--streams", min=0, help="Sessions that ask all questions at once, after the power run."
        ),
    ] = 0,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats",
            min=1,
            help="Power runs one after the other; a comparison has its interval from them.",
        ),
    ] = 1,
    plans: Annotated[
        Literal["none", "estimated", "analyzed"], typer.Option("--plans", help="Which plans are kept.")
    ] = "estimated",
    folder: prove.Folder = None,
    against: prove.Against = None,
    slo: prove.Slo = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the orders of streams beyond the specification's.")
    ] = 1,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Ask a database the 22 questions of TPC-H, and check the answers.

    Answers at scales 0.01, 0.1 and 1 are known. Derived from TPC-H, and not comparable to published TPC-H results.
    """
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_tpch as flow
    from plimsoll.proof.tpch import TpchRequest

    prove.refuse_idle_of(typed, action, _HEEDED, prove.chosen_database(database))
    if not streams:
        refuse_idle(typed, "without --streams", "seed")
    asked = flow.TpchProofRequest(
        database=prove.chosen_database(database),
        tpch=TpchRequest(
            scale=scale, layout=layout, streams=streams, repeats=repeats, plans=plans, seed=seed
        ),
        folder=folder,
        against=prove.storage_beside(against, slo),
    )
    with session(json, events, store) as here:
        acts = {"run": flow.prove_tpch, "setup": flow.set_up, "status": flow.look, "drop": flow.take_away}
        return prove.carried_out(here, action, acts[action], asked, _told)


def _told(here: Session, asked: TpchProofRequest, found: Any, done: str) -> int:
    """What was made, is there, or was dropped; 1 when what was asked for is not loaded data of ours."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus
    from plimsoll.base.units import format_bytes

    def show() -> None:
        scale = f" at scale {found.marker.scale}, {found.marker.layout}" if found.marker else ""
        size = f", {format_bytes(found.bytes)}" if found.bytes else ""
        word = "dropped" if done == "dropped" and found.marker else found.state
        say(f"Schema plimsoll_tpch: {word}{scale}{size}.")

    usable = found.state == "loaded" or done == "dropped"
    data = {"action": done, **asdict(found)}
    return here.finish("prove-tpch", data, show, (), ExitStatus.DONE if usable else ExitStatus.ANSWER_IS_NO)
