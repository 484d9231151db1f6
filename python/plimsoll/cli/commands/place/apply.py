"""`plimsoll place apply`: a plan carried out on a PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.flows.place_apply import Applied
    from plimsoll.requests.place_apply import PlaceApplyRequest


@asks("place_apply.PlaceApplyRequest")
def apply(asked: PlaceApplyRequest, place: Place) -> int:
    """Carry out a plan on a PostgreSQL, or take it back.

    It shows each statement with its lock and log, and moves nothing until the database is confirmed by its name. It may be
    ended at any moment: the same command goes on, as the server's catalog says how far it came.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.place_apply import apply_plan

    with session(place) as here:
        found = apply_plan(here.ctx, asked, ask_password)
        return here.finish("place-apply", found.data(), lambda: _show(found), found.notes, found.status)


def _show(found: Applied) -> None:
    from plimsoll.flows.place_apply import told_steps

    for line in told_steps(found.steps):
        say(line)
    states = [step.state for step in found.steps]
    counts = ", ".join(f"{states.count(state):,} {word}" for state, word in _WORDS.items() if state in states)
    say(f"{found.database} at {found.location}: {counts}.")
    if not found.confirmed:
        say(f"Nothing was moved. Confirm it by the name of the database: --confirm {found.to_confirm}")


_WORDS = {"done": "in place", "to do": "to do", "left": "left where they are"}
