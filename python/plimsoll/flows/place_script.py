"""`plimsoll place script`: a plan as a script that carries it out, or takes it back."""

from __future__ import annotations

from plimsoll.context import Context
from plimsoll.flows.place_plan import moves_in, plan_of, spaces_in
from plimsoll.placement.scripts import oracle, postgres
from plimsoll.placement.scripts.moves import kept
from plimsoll.requests.place_script import PlaceScriptRequest


def write_script(ctx: Context, asked: PlaceScriptRequest) -> str:
    """The text. Raises UsageError for what cannot be asked, and what `plan_of` raises."""
    plan = plan_of(ctx, asked.plan)
    moves = moves_in(plan, asked.tablespaces, reverse=asked.reverse)
    if asked.dialect == "postgres":
        spaces = spaces_in(plan, asked.tablespaces)
        return postgres.script(moves, plan.tiers, spaces, asked.name, reverse=asked.reverse)
    server = oracle.Server(
        oracle.release_of(asked.release),
        asked.edition,
        asked.platform,
        asked.flash_cache,
        asked.preferred_read,
    )
    return oracle.script(moves, kept(plan.plan, plan.keep_in_memory), server, reverse=asked.reverse)
