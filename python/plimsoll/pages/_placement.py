"""The few figures at the head of a page of a placement: what it saves, what it moves, how good it is and what it leaves out."""

from __future__ import annotations

from plimsoll.base.units import format_bytes, format_seconds, format_share
from plimsoll.facts import Placement
from plimsoll.pages._say import UNKNOWN
from plimsoll.results.placement import GAP_PROVED


def figures(found: Placement) -> list[tuple[str, str, str]]:
    """Name, value and what it is of."""
    share = "" if found.gain_share is None else f", {format_share(abs(found.gain_share))} of DB time"
    is_proved = found.gap <= GAP_PROVED
    unseen = UNKNOWN if found.unseen_share is None else format_share(found.unseen_share)
    return [
        (
            "Saves" if found.gain_s >= 0 else "Costs",
            format_seconds(abs(found.gain_s)),
            f"of waits for I/O{share}",
        ),
        ("Moves", format_bytes(found.moved_bytes), f"of {format_bytes(found.total_bytes)}"),
        (
            "Below the best",
            format_share(0.0 if is_proved else found.gap),
            "proved" if is_proved else "at most",
        ),
        ("Unseen", unseen, "of all I/Os belong to no object"),
    ]
