"""`plimsoll prove slob`: its options, and its actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from plimsoll.base.limits import SWEEP_SESSIONS_MAX
from plimsoll.base.units import parse_rate
from plimsoll.cli import options, prove
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.session import Session
    from plimsoll.facts import Note
    from plimsoll.flows.prove_slob import SlobRequest

_SIZE = "BLOCKS|SIZE"
_SET_BY_A_SWEEP = ("threads", "rate_per_s")
_HEEDED = {
    "setup": frozenset({"conf", "more", "schemas", "scale", "load_parallel", "seed"}),
    "status": frozenset[str](),
    "drop": frozenset[str](),
}
"""Options of the actions on tables; a run or a sweep heeds the others as well."""


def _blocks(text: Any) -> Any:
    """Blocks, or a size in them; a value that is parsed already is left alone."""
    from plimsoll.base.errors import UsageError
    from plimsoll.proof.slob.parameters import blocks_of

    if not isinstance(text, str):
        return text
    if (blocks := blocks_of(text)) < 1:
        raise UsageError(
            "size-unreadable", f"'{text}' is less than a block", "Write blocks, or a size such as 256M."
        )
    return blocks


Action = Annotated[
    Literal["run", "sweep", "setup", "status", "drop"],
    typer.Argument(help="What to do; an embedded database is set up, run and removed in one go."),
]
FocusOption = Annotated[
    Literal["physical", "logical", "redo"],
    typer.Option(
        "--focus", help="physical: a small cache; logical: all data cached; redo: cached, updates alone."
    ),
]
Conf = Annotated[
    Path | None,
    typer.Option(
        "--conf",
        metavar="FILE",
        readable=False,
        help="A slob.conf or pgio.conf; options win over it.",
        show_default=False,
    ),
]


def slob(
    typed: typer.Context,
    action: Action = "run",
    database: prove.Database = None,
    focus: FocusOption = "physical",
    conf: Conf = None,
    schemas: Annotated[
        int | None, prove.count("schemas", "Tables, each with sessions of its own.", "1")
    ] = None,
    threads: Annotated[int | None, prove.count("threads", "Sessions for each schema.", "1")] = None,
    scale: Annotated[
        int | None,
        typer.Option(
            "--scale", parser=_blocks, metavar=_SIZE, help="Blocks of each table.", show_default="80M"
        ),
    ] = None,
    update_pct: Annotated[
        int | None, prove.count("update-pct", "Updates among all operations, in percent.", "10")
    ] = None,
    scan_pct: Annotated[
        int | None, prove.count("scan-pct", "Scans among the reads, in percent.", "0")
    ] = None,
    work_unit: Annotated[int | None, prove.count("work-unit", "Blocks of one operation.", "64")] = None,
    update_work_unit: Annotated[
        int | None, prove.count("update-work-unit", "Blocks of one update.", "as --work-unit")
    ] = None,
    run_time: prove.RunTime = None,
    warm_up: prove.WarmUp = None,
    redo_stress: Annotated[
        Literal["lite", "heavy"] | None,
        typer.Option(
            "--redo-stress", help="lite: an update changes 2 columns; heavy: all 19.", show_default="lite"
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            parser=options.positive(parse_rate),
            metavar="N",
            help="Operations per second of all sessions, due whatever became of earlier ones.",
            show_default="as fast as they can",
        ),
    ] = None,
    sessions_max: Annotated[
        int | None,
        typer.Option(
            "--sessions-max",
            min=1,
            max=4096,
            help="Where a sweep ends at the latest.",
            show_default=str(SWEEP_SESSIONS_MAX),
        ),
    ] = None,
    load_parallel: Annotated[int | None, prove.count("load-parallel", "Sessions that load.", "2")] = None,
    more: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any parameter under SLOB's or pgio's name.",
            show_default=False,
        ),
    ] = [],  # noqa: B006 - typer copies it
    folder: prove.Folder = None,
    against: prove.Against = None,
    slo: prove.Slo = None,
    seed: Annotated[int | None, prove.count("seed", "Of keys, kinds of operations and pauses.", "1")] = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Drive a database with random block reads and updates, as SLOB does.

    Sessions loop inside the server and commit each operation. Their own counts and the server's must agree, or the run says so.
    """
    from plimsoll.cli.idle import refuse_idle
    from plimsoll.cli.session import session
    from plimsoll.flows import prove_slob as flow

    prove.refuse_idle_of(typed, action, _HEEDED, prove.chosen_database(database))
    if action == "run":
        refuse_idle(typed, "on run, which is no sweep", "sessions_max")
    given = {
        "schemas": schemas, "threads": threads, "scale": scale, "update_pct": update_pct, "scan_pct": scan_pct,
        "work_unit": work_unit, "update_work_unit": update_work_unit, "run_time_s": run_time, "warm_up_s": warm_up,
        "redo_stress": redo_stress and redo_stress.upper(), "rate_per_s": rate, "load_parallel": load_parallel, "seed": seed,
    }  # fmt: skip
    asked = _request(action, database, focus, conf, more, given, folder, against, slo, sessions_max)
    with session(json, events, store) as here:
        acts = {
            "run": flow.prove_slob, "sweep": flow.sweep_slob, "setup": flow.set_up, "status": flow.look,
            "drop": flow.take_away,
        }  # fmt: skip
        return prove.carried_out(here, action, acts[action], asked, _told)


def _request(
    action: str, database: str | None, focus: Any, conf: Path | None, more: list[str], given: dict[str, Any], folder: Path | None,
    against: str | None, slo: str | None, sessions_max: int | None,
) -> SlobRequest:  # fmt: skip
    from plimsoll.facts import Note
    from plimsoll.flows.prove_slob import SlobRequest
    from plimsoll.proof.slob.conf import parse_settings, read_conf
    from plimsoll.proof.slob.parameters import focused, parameters

    read = read_conf(conf) if conf is not None else None
    given_there, notes = (read.given, list(read.notes)) if read else ({}, [])
    named = {name: value for name, value in given.items() if value is not None}
    chosen = focused(focus, parse_settings(more).given | named)
    if action == "sweep":
        notes += _for_a_sweep(chosen, given_there, conf, against)
    if focus == "redo" and given_there.get("update_pct", 100) != 100:
        notes.append(
            Note(code="slob-focus", message=f"{conf}: UPDATE_PCT is passed over: --focus redo updates only")
        )
    return SlobRequest(
        database=prove.chosen_database(database),
        parameters=parameters(**(given_there | chosen)),
        focus=focus,
        folder=folder,
        against=prove.storage_beside(against, slo),
        sessions_max=sessions_max,
        notes=tuple(notes),
    )


def _for_a_sweep(
    chosen: dict[str, Any], given_there: dict[str, Any], conf: Path | None, against: str | None
) -> list[Note]:
    """A sweep tries numbers of sessions, each as fast as it can: what says otherwise is refused, a file's passed over."""
    from plimsoll.base.errors import UsageError
    from plimsoll.facts import Note
    from plimsoll.proof.slob.parameters import BY_FIELD

    for name in _SET_BY_A_SWEEP:
        if name in chosen:
            hint = "Leave it out, or use: plimsoll prove slob run."
            raise UsageError("slob-parameter", f"a sweep takes no {BY_FIELD[name].shown}", hint)
    if against is not None:
        hint = "Hold a single proof against it: plimsoll prove slob run --against TARGET."
        raise UsageError("slob-parameter", "a sweep takes no --against", hint)
    passed = [name for name in _SET_BY_A_SWEEP if given_there.pop(name, None)]
    return [
        Note(
            code="slob-sweep",
            message=f"{conf}: {BY_FIELD[name].shown} is passed over: a sweep sets it itself",
        )
        for name in passed
    ]


def _told(here: Session, asked: SlobRequest, loaded: Any, done: str) -> int:
    """What tables were made, are there, or were dropped; 1 when they are not as they should be."""
    from dataclasses import asdict

    from plimsoll.base.errors import ExitStatus

    usable = loaded is not None and loaded.state == "loaded" and loaded.one_row_per_block
    status = ExitStatus.DONE if usable or done == "dropped" else ExitStatus.ANSWER_IS_NO

    def show() -> None:
        if loaded is None:
            say("There are no tables of Plimsoll's." if done != "dropped" else "There was nothing to drop.")
            return
        say(
            f"{loaded.schemas} schemas of {loaded.scale:,} blocks, {loaded.state}, by {loaded.made_by}: {done}."
        )
        for table in loaded.tables:
            say(f"  {table.table}: {table.rows:,} rows in {table.blocks:,} blocks")

    data = {"action": done, "tables": None if loaded is None else asdict(loaded)}
    return here.finish("prove-slob", data, show, asked.notes, status)
