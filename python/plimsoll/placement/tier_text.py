"""Tiers as `tiers.toml` has them: what `tier_file` reads back as the same tiers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from plimsoll.facts import Tier, TierLatency
from plimsoll.placement.tier_file import LATENCIES, STATED


def as_toml(tiers: Sequence[Tier]) -> str:
    """The file's text; what is not known of a tier is left out."""
    return "\n".join("\n".join(("[[tier]]", *_lines(tier), "")) for tier in tiers)


def _lines(tier: Tier) -> Iterator[str]:
    for key in STATED:
        value = getattr(tier, key)
        if value is not None:
            # A string, a number, a truth value and a list are written alike in JSON and in TOML.
            yield f"{key} = {json.dumps(_points(value) if key in LATENCIES else _plain(value))}"


def _plain(value: object) -> object:
    """A whole number without a fraction, as sizes want it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _points(points: Sequence[TierLatency]) -> float | list[list[float]]:
    if len(points) == 1 and points[0].load_per_s == 0:
        return points[0].latency_us
    return [[point.load_per_s, point.latency_us] for point in points]
