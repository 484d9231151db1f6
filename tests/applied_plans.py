"""Plans that a test makes, carried out by the flow, and the state of each object afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from moved_tables import Tables
from plimsoll.context import Context
from plimsoll.facts import Placement
from plimsoll.flows import place_apply
from plimsoll.flows.place_apply import Applied, apply_plan
from plimsoll.requests.place_apply import PlaceApplyRequest


def applied(
    ctx: Context, made: Tables, plan: Placement, monkeypatch: pytest.MonkeyPatch, **words: Any
) -> Applied:
    """The plan, confirmed by the database's name unless the words say otherwise."""
    monkeypatch.setattr(place_apply, "plan_of", lambda ctx, word: plan)
    asked = PlaceApplyRequest(**{"plan": "latest", "database": made.url, "confirm": made.name, **words})
    return apply_plan(ctx, asked)


def states(found: Applied) -> dict[str, str]:
    """By object."""
    return {step.move.object: step.state for step in found.steps}
