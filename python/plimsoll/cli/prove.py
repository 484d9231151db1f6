"""What the verbs of `prove` share: their options, and how a finished proof is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.base.units import parse_seconds
from plimsoll.cli import options

if TYPE_CHECKING:
    from plimsoll.cli.session import Session
    from plimsoll.flows.prove import Against as Storage


def count(name: str, help: str, default: str, metavar: str = "N") -> Any:
    """An option that takes a whole number and is None unless given."""
    return typer.Option(f"--{name}", metavar=metavar, help=help, show_default=default)


Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="postgresql://user@host/name, or embedded; slob also mysql://user@host/name.",
        show_default="embedded",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="DIR",
        readable=False,
        help="Where an embedded database lies.",
        show_default="PLIMSOLL_SCRATCH",
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="TARGET",
        help="Then find this storage's line at the same mix, and state the error.",
        show_default=False,
    ),
]
Slo = Annotated[
    str | None,
    typer.Option("--slo", help="The objective of --against.", show_default=DEFAULT_SLO),
]
RunTime = Annotated[
    float | None,
    typer.Option(
        "--run-time",
        parser=options.positive(parse_seconds),
        metavar="TIME",
        help="Measured time.",
        show_default="5m; order-entry 1m",
    ),
]
WarmUp = Annotated[
    float | None,
    typer.Option(
        "--warm-up",
        parser=options.positive(parse_seconds, above_zero=False),
        metavar="TIME",
        help="Time before it, left out.",
        show_default="5s",
    ),
]


def chosen_database(given: str | None) -> str:
    """The database that was named, else the environment's, else the embedded one."""
    from plimsoll.base import settings
    from plimsoll.base.errors import UsageError
    from plimsoll.flows.prove import EMBEDDED

    if given == "":
        raise UsageError(
            "database-missing", "the name of the database is empty", "Write --database embedded, or a URL."
        )
    return given or settings.read(settings.DATABASE) or EMBEDDED


def refuse_idle_of(
    typed: typer.Context, action: str, heeded: Mapping[str, frozenset[str]], database: str
) -> None:
    """Refuses options that this action does not heed, and those that are for an embedded database beside another one.

    Raises UsageError `option-idle`.
    """
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.flows.prove import EMBEDDED

    names = {option.name for option in typed.command.params if option.name}
    idle = names - heeded[action] - _ALWAYS if action in heeded else set()
    refuse_idle(typed, f"on {action}", *idle)
    if typed.params.get("against") is None:
        refuse_idle(typed, "without --against", "slo")
    if database != EMBEDDED and action not in _LASTING:
        refuse_idle(typed, "on a database of your own, which setup has loaded", *_OF_EMBEDDED)


def storage_beside(target: str | None, slo: str | None) -> Storage | None:
    """What `--against` and `--slo` say together; None without a target."""
    from plimsoll.flows.prove import Against as Storage

    if target is None:
        return None
    return Storage(target, slo or DEFAULT_SLO)


def carried_out(
    here: Session, action: str, act: Callable[..., Any], asked: Any, told: Callable[..., int]
) -> int:
    """Does what an action says: proofs are finished as such, what becomes of tables is `told(here, asked, found, done)`."""
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.prove_data import finish_proof

    found = act(here.ctx, asked, ask_password)
    return told(here, asked, found, _DONE[action]) if action in _DONE else finish_proof(here, found)


_ALWAYS = frozenset({"action", "database", "json", "events", "store", "help"})
_LASTING = frozenset({"setup", "status", "drop", "verify"})
_OF_EMBEDDED = ("folder", "load_parallel", "items", "customers")
"""What says how an embedded database is made and loaded."""
_DONE = {"setup": "made", "status": "there", "drop": "dropped", "verify": "verified"}
"""Actions on tables, and what has become of these."""
