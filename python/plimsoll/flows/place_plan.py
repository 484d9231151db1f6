"""The plan that a verb below `place` is about: a stored run of it, or a file that it printed."""

from __future__ import annotations

from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import Placement
from plimsoll.placement.moves.plan_file import read_plan
from plimsoll.placement.scripts.moves import Move, moves_of, spaces_of

FILE_END = ".json"


def plan_of(ctx: Context, word: str) -> Placement:
    """Raises UsageError `plan-missing`, and what a file or the store raises."""
    if word.endswith(FILE_END):
        return read_plan(Path(word))
    run = ctx.store.load(word)
    found = run.results.get("placement")
    if not isinstance(found, Placement):
        hint = "plimsoll place makes one; `plimsoll store list` names the runs with what each found."
        raise UsageError("plan-missing", f"run {run.id} is not a placement", hint)
    return found


def spaces_in(plan: Placement, words: tuple[str, ...]) -> dict[str, str]:
    """The tablespaces of tiers that were named."""
    return spaces_of(words, [tier.name for tier in plan.tiers])


def moves_in(plan: Placement, words: tuple[str, ...], *, reverse: bool) -> tuple[Move, ...]:
    """What the plan moves. Raises UsageError `plan-moves-nothing`."""
    found = moves_of(plan.plan, spaces_in(plan, words), reverse=reverse)
    if not found:
        raise UsageError(
            "plan-moves-nothing", f"the plan moves nothing: {plan.reason}", "Everything stays where it is."
        )
    return found
