"""The parameters that a request of `plimsoll prove slob` means: SLOB's defaults, the file over them, the words over both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.facts import Note
from plimsoll.proof.slob.conf import parse_settings, read_conf
from plimsoll.proof.slob.parameters import BY_FIELD, SlobParameters, focused, parameters
from plimsoll.requests.prove_slob import ProveSlobRequest

_NAMED = (
    "schemas", "threads", "scale", "update_pct", "scan_pct", "work_unit", "update_work_unit", "run_time_s", "warm_up_s",
    "rate_per_s", "load_parallel", "seed",
)  # fmt: skip
"""Parameters that are fields of the request as well."""
_SET_BY_A_SWEEP = ("threads", "rate_per_s")


def parameters_of(asked: ProveSlobRequest) -> tuple[SlobParameters, tuple[Note, ...]]:
    """The parameters, and what of the file was passed over. Raises UsageError `slob-parameter`, `slob-conf`, WorldError."""
    read = None if asked.conf is None else read_conf(Path(asked.conf))
    given_there, notes = (dict(read.given), list(read.notes)) if read else ({}, [])
    chosen = focused(asked.focus, parse_settings(asked.more).given | _named(asked))
    if asked.action == "sweep":
        notes += _for_a_sweep(asked, chosen, given_there)
    if asked.focus == "redo" and given_there.get("update_pct", 100) != 100:
        message = f"{asked.conf}: UPDATE_PCT is passed over: --focus redo updates only"
        notes.append(Note(code="slob-focus", message=message))
    return parameters(**(given_there | chosen)), tuple(notes)


def _named(asked: ProveSlobRequest) -> dict[str, Any]:
    values = {name: getattr(asked, name) for name in _NAMED}
    values["redo_stress"] = asked.redo_stress and asked.redo_stress.upper()
    return {name: value for name, value in values.items() if value is not None}


def _for_a_sweep(asked: ProveSlobRequest, chosen: dict[str, Any], given_there: dict[str, Any]) -> list[Note]:
    """A sweep tries numbers of sessions, each as fast as it can: what says otherwise is refused, a file's passed over."""
    for name in _SET_BY_A_SWEEP:
        if name in chosen:
            hint = "Leave it out, or use: plimsoll prove slob run."
            raise UsageError("slob-parameter", f"a sweep takes no {BY_FIELD[name].shown}", hint)
    if asked.against is not None:
        hint = "Hold a single proof against it: plimsoll prove slob run --against TARGET."
        raise UsageError("slob-parameter", "a sweep takes no --against", hint)
    passed = [name for name in _SET_BY_A_SWEEP if given_there.pop(name, None)]
    return [
        Note(
            code="slob-sweep",
            message=f"{asked.conf}: {BY_FIELD[name].shown} is passed over: a sweep sets it itself",
        )
        for name in passed
    ]
