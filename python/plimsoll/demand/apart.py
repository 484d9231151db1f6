"""What two kept snapshots have in common: whether their counters are of one life, and their times of one clock."""

from __future__ import annotations

from plimsoll.demand import deltas
from plimsoll.facts import KeptSnapshot, Snapshot

PUT_BACK = "the collector's machine was put back to an earlier state, and with it what it had counted"
_SET_S_MIN = 1.0
"""By less nobody sets a clock, and clocks are put right."""


def apart(before: KeptSnapshot, after: KeptSnapshot) -> str | None:
    """Why nothing is known of the time between two snapshots, whatever their counters say."""
    if before.boot is not None and before.boot == after.boot and before.reverts != after.reverts:
        return PUT_BACK
    step_s = _set_between_runs_s(before, after)
    return (
        None
        if step_s is None
        else f"the server's clock was set by {step_s:+.0f} s between two runs of the collector"
    )


def _set_between_runs_s(before: KeptSnapshot, after: KeptSnapshot) -> float | None:
    """Also where ours was set with it, as both are of one machine: then the two agree, and the length of the interval is wrong.

    Less than a second is no more than clocks are put right by, and our own tells the length of the interval.
    """
    if before.collector == after.collector or not _have_one_clock(before, after):
        return None
    step_s = deltas.clock_step_s(before.snapshot, after.snapshot)
    return None if step_s is None or abs(step_s) < _SET_S_MIN else step_s


def _have_one_clock(before: KeptSnapshot, after: KeptSnapshot) -> bool:
    """Whether the two readings of our monotonic clock can be compared."""
    if before.reverts != after.reverts:
        return False
    return before.collector == after.collector or (before.boot is not None and before.boot == after.boot)


def seen_from(before: KeptSnapshot, after: KeptSnapshot) -> Snapshot:
    """Without our monotonic clock where it was another one: of another machine, or of another start of it."""
    if _have_one_clock(before, after):
        return before.snapshot
    return before.snapshot.model_copy(update={"monotonic_s": None})


class PutBacks:
    """How often each machine was put back so far: one that another machine's snapshot follows tells it with its own next one."""

    def __init__(self) -> None:
        self._reverts: dict[str, int] = {}

    def is_next(self, kept: KeptSnapshot) -> bool:
        """Whether the machine of this one was put back since its last one."""
        if kept.boot is None:
            return False
        known = self._reverts.get(kept.boot, kept.reverts)
        self._reverts[kept.boot] = max(known, kept.reverts)
        return kept.reverts > known
