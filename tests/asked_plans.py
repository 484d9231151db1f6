"""What the engine is asked for while it does it."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.facts import Plan
from plimsoll.supply import engine


def asked_plans(monkeypatch: pytest.MonkeyPatch, module: str) -> list[Plan]:
    """The plan of each cell that this module of `plimsoll.supply` measures from now on."""
    seen: list[Plan] = []

    def measure(plan: Plan, *rest: Any) -> Any:
        seen.append(plan)
        return engine.measure(plan, *rest)

    monkeypatch.setattr(f"plimsoll.supply.{module}.measure", measure)
    return seen
