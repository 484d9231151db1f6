"""The verdict of one truth check on a measurement: whether it is valid, and why."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Text


class Check(Fact):
    """One check. `passed` None: it could not be made, and `reason` says why. A failed one makes the answer a no."""

    name: str
    """Stable: steady, cached, tool_bound, host_noise, coverage …"""
    passed: bool | None
    """None: it could not be made."""
    reason: Text
    """One sentence, with the figures."""
    figures: dict[str, float] = {}
    """Those figures for machines, by name with the unit last."""
