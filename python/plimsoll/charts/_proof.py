"""What charts and sections read out of a proof, so that a figure is found the same way wherever it is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.facts import Proof, Scalability, SweepPoint

COMMIT = "commit"
"""A part of an operation: it is timed, but it is none of its own and adds nothing to their number."""


def main_operation(proof: Proof) -> str | None:
    """The operation that was done most often; None where there is none."""
    found = [operation for operation in proof.operations if operation.name != COMMIT]
    return max(found, key=lambda operation: operation.operations).name if found else None


def lane_device(proof: Proof) -> str | None:
    """The device whose seconds to show: the database's own where it is known, else the busiest of the machine."""
    own = proof.origin.device if proof.origin is not None else None
    ios: Counter[str] = Counter()
    for second in proof.device_seconds:
        ios[second.device] += round((second.reads_per_s + second.writes_per_s) * second.duration_s)
    if own in ios:
        return own
    return ios.most_common(1)[0][0] if ios else None


@dataclass(frozen=True)
class OriginPart:
    """Where a part of the blocks came from. None means that it is not known."""

    name: str
    role: str
    per_s: float | None
    share: float | None


def origin_parts(proof: Proof) -> list[OriginPart]:
    """From the nearest to the farthest. Reads of which nobody knows whether the device was asked are a part of their own."""
    origin = proof.origin
    if origin is None:
        return []
    parts: list[tuple[str, str, float | None]] = [
        ("the database's own buffer", "held", origin.buffer_hits_per_s),
        ("the operating system's cache", "demand", origin.system_cache_per_s),
        ("the device", "middle", origin.device_per_s),
    ]
    left = _left_over(proof)
    if left is not None:
        parts.append(("cache or device (unknown)", "void", left))
    total = sum(per_s for _, _, per_s in parts if per_s is not None)
    return [
        OriginPart(name, role, per_s, per_s / total if per_s is not None and total else None)
        for name, role, per_s in parts
    ]


def _left_over(proof: Proof) -> float | None:
    """Blocks read from outside the buffer that are counted neither for the cache nor for the device."""
    origin = proof.origin
    if origin is None or proof.physical_reads_per_s is None:
        return None
    if origin.system_cache_per_s is not None and origin.device_per_s is not None:
        return None
    rest = proof.physical_reads_per_s - (origin.system_cache_per_s or 0.0) - (origin.device_per_s or 0.0)
    return rest if rest > 0 else None


def error_text(share: float) -> str:
    """How far a prediction was off: `5.2 % too high`, `3 % too low`, `right to within 0.1 %`."""
    if abs(share) < 0.001:
        return "right to within 0.1 %"
    return f"{100 * abs(share):.1f} % too {'high' if share > 0 else 'low'}"


def peak_words(law: Scalability, points: Sequence[SweepPoint]) -> str:
    """Where throughput is highest by the law, or how to find out: beyond what was measured it says nothing."""
    tried = max(point.sessions for point in points)
    if law.peak_sessions is not None:
        return f"{law.peak_sessions:,.0f} sessions{_peak_interval(law, tried)}"
    if law.coherency == 0:
        return f"nothing bends the curve down up to {tried} sessions"
    return f"not within the {tried} sessions that were tried; try {2 * tried}"


def _peak_interval(law: Scalability, tried: int) -> str:
    """From the ends of both intervals, so rather too wide than too narrow; cut off where nothing was measured."""
    if law.contention_ci95 is None or law.coherency_ci95 is None:
        return ""
    (s_low, s_high), (k_low, k_high) = law.contention_ci95, law.coherency_ci95
    low = ((1 - s_high) / k_high) ** 0.5 if k_high > 0 else 1.0
    high = ((1 - s_low) / k_low) ** 0.5 if k_low > 0 else float("inf")
    end = f"more than {tried}, the most that were tried" if high > tried else f"{high:,.0f}"
    return f" ({max(1.0, low):,.0f} to {end})"
