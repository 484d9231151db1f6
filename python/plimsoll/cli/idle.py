"""Options that were typed and would be without effect. They are refused: whoever types one expects something of it."""

from __future__ import annotations

import typer

from plimsoll.base.errors import UsageError

_TYPED = "COMMANDLINE"


def refuse_idle(typed: typer.Context, when: str, *names: str) -> None:
    """Refuses those of the options that were typed, by their parameters' names; `when` follows "would have no effect".

    Raises UsageError `option-idle`.
    """
    idle = [
        max(option.opts, key=len)
        for option in typed.command.params
        if option.name in names and _source(typed, option.name) == _TYPED
    ]
    if idle:
        message = f"{' and '.join(idle)} would have no effect {when}"
        raise UsageError("option-idle", message, "Leave it out." if len(idle) == 1 else "Leave them out.")


def _source(typed: typer.Context, name: str) -> str:
    source = typed.get_parameter_source(name)
    return "" if source is None else source.name
