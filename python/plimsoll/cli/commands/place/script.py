"""`plimsoll place script`: a plan as a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say_lines

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.place_script import PlaceScriptRequest


@asks("place_script.PlaceScriptRequest")
def script(asked: PlaceScriptRequest, place: Place) -> int:
    """Write a plan as a script that carries it out, or takes it back.

    For PostgreSQL 14 to 18, or for Oracle Database by release, edition and platform; nothing of the latter was run by us.
    With each statement stands which lock it takes and what it logs.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.place_script import write_script

    with session(place) as here:
        text = write_script(here.ctx, asked)
        return here.finish(
            "place-script", {"dialect": asked.dialect, "script": text}, lambda: say_lines(text.rstrip("\n"))
        )
