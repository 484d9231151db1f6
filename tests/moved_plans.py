"""Plans made for tests of scripts and moves: rows and tiers, and whatever else a placement has to have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.facts import Placement, PlanRow, Tier, TierLatency
from plimsoll.facts.placement import ObjectKind


def tier(name: str, us: float = 100.0, **more: Any) -> Tier:
    """With one latency for all."""
    flat = (TierLatency(load_per_s=0.0, latency_us=us),)
    given: dict[str, Any] = {
        "small_read_us": flat,
        "large_read_us": flat,
        "small_write_us": flat,
        "capacity_bytes": None,
    }
    return Tier(name=name, **{**given, **more})


def row(
    name: str,
    source: str,
    target: str,
    kind: ObjectKind = "table",
    size: int | None = 1 << 20,
    gain_s: float = 1.0,
) -> PlanRow:
    return PlanRow(
        object=name, kind=kind, from_tier=source, tier=target, bytes=size, gain_s=gain_s, gain_s_max=gain_s, wait_s=gain_s,
        reason="for a test",
    )  # fmt: skip


def placement(rows: Sequence[PlanRow], tiers: Sequence[Tier] = (), **more: Any) -> Placement:
    given: dict[str, Any] = {
        "answer": "move", "reason": "for a test", "plan": tuple(rows), "gain_s": 1.0, "gain_s_max": 1.0, "gain_share": None,
        "raw_gain_s": 1.0, "limited_by": "nothing", "bound_s": 1.0, "gap": 0.0, "greedy_s": 1.0, "lp_bound_s": 1.0, "rounds": 1,
        "settled": True, "moved_bytes": 0, "total_bytes": 0, "interval_s": None, "curve": (), "knee_bytes": None,
        "knee_gain_s": None, "unseen_share": None, "tiers": tuple(tiers) or (tier("pg_default"), tier("fast")), "tier_uses": (),
    }  # fmt: skip
    return Placement(**{**given, **more})
