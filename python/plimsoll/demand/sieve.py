"""Of which snapshots of a series intervals are made: those that count nothing twice, and lie no moment after another one.

A demand, the noted days that a trend reads, and thinning all look at a series through this one, so that they agree.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from datetime import datetime

from plimsoll.demand.apart import apart
from plimsoll.facts import KeptSnapshot, Note

_NEAR_SHARE = 0.5
"""Of a collector's steps: no snapshot of one is nearer to its last."""
_STEP_S_MIN = 1.0
"""No collector takes more than one in a second."""
_AHEAD = 16
"""So many snapshots are looked at before one is judged: several collectors show their steps within them."""
_STEPS_SEEN = 3
"""Of the last steps of a collector the shortest counts: others were longer, because some snapshots are missing."""
_BEHIND_S_MIN = 1.0
"""Two collectors of one machine may see the server within a moment, and then nobody knows which one was first."""


class Sieve:
    """Looks at the snapshots of one series in the order of the server's clock, each once."""

    def __init__(self) -> None:
        self._clocks = _Clocks()
        self._steps = _Steps()
        self._last: KeptSnapshot | None = None
        self._behind = 0
        self._too_near = 0

    def taken(self, series: Iterable[KeptSnapshot]) -> Iterator[KeptSnapshot]:
        """Those of which intervals are made."""
        waiting = deque[KeptSnapshot]()
        for kept in series:
            self._steps.follow(kept)
            waiting.append(kept)
            if len(waiting) > _AHEAD and self._takes(first := waiting.popleft()):
                yield first
        yield from filter(self._takes, waiting)

    def _takes(self, kept: KeptSnapshot) -> bool:
        """Whether an interval begins and ends with it."""
        if self._clocks.is_behind(kept):
            self._behind += 1
            return False
        if self._steps.is_too_near(self._last, kept):
            self._too_near += 1
            return False
        self._last = kept
        return True

    def notes(self) -> Iterator[Note]:
        """What was left out, and why."""
        if self._too_near:
            message = (
                f"{_snapshots_were(self._too_near)} taken by another collector, so near to the one before that no interval is made"
                " of it: more than one collector watches this server"
            )
            yield Note(code="collectors-several", message=message)
        if self._behind:
            message = (
                f"{_snapshots_were(self._behind)} taken in a time that the server's clock showed twice, because it was set back, or"
                " put back with its machine: what was asked for between them is known as a part of one longer interval, or of a gap"
            )
            yield Note(code="clock-set-back", message=message)


def taken(series: Iterable[KeptSnapshot], begin: datetime | None = None) -> Iterator[KeptSnapshot]:
    """Those that intervals are made of, from `begin` on; those before it only tell how far clocks and collectors had come."""
    found = Sieve().taken(series)
    return (kept for kept in found if begin is None or kept.snapshot.taken_at >= begin)


class _Clocks:
    """How far our own clocks had come, which nobody sets.

    Where the server's clock was set back it shows some time twice, and what lies in it in the order of that clock has happened in
    another. Of such snapshots those count that came later, so that nothing is counted twice. A machine that is put back to an
    earlier state has its clock put back with it: what was taken since then came later.
    """

    def __init__(self) -> None:
        self._newest: dict[str, tuple[int, float]] = {}

    def is_behind(self, kept: KeptSnapshot) -> bool:
        """Whether it was taken before one that went before it."""
        name, now_s = kept.boot or kept.collector, kept.snapshot.monotonic_s
        if now_s is None:
            return False
        now = kept.reverts, now_s
        newest = self._newest.get(name, now)
        self._newest[name] = max(newest, now)
        return now < (newest[0], newest[1] - _BEHIND_S_MIN)


class _Steps:
    """How far the snapshots of each collector are apart.

    Where two collectors watch one server, their snapshots lie a moment apart. What sessions hand in at once would look like many
    times the true rate there, so that of such a pair the first counts. Of a collector that was seen once, and of one whose
    snapshots were removed as they aged, the step is taken to be that of the others.
    """

    def __init__(self) -> None:
        self._seen: dict[str, datetime] = {}
        """When the last one of each was taken, where none was removed since."""
        self._last: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_STEPS_SEEN))
        self._usual_s = _STEP_S_MIN
        """The last step that is known of anyone."""

    def follow(self, kept: KeptSnapshot) -> None:
        """Learns the step of its collector, before it is judged."""
        name, at = kept.collector, kept.snapshot.taken_at
        if name in self._seen:
            self._last[name].append((at - self._seen[name]).total_seconds())
            self._usual_s = min(self._last[name])
        self._seen[name] = at
        if kept.removed_after:
            self._seen.clear()

    def is_too_near(self, before: KeptSnapshot | None, kept: KeptSnapshot) -> bool:
        """Whether it follows one of another collector sooner than its own ever would."""
        # Where others were removed as they aged, the two are no neighbours, or it is needed to say so.
        if before is None or before.collector == kept.collector or before.removed_after or kept.removed_after:
            return False
        apart_s = (kept.snapshot.taken_at - before.snapshot.taken_at).total_seconds()
        return apart_s < _NEAR_SHARE * self._step_s(kept, before) and not _are_apart(before, kept)

    def _step_s(self, kept: KeptSnapshot, before: KeptSnapshot) -> float:
        known = (self._last[one.collector] for one in (kept, before))
        return min(next((steps for steps in known if steps), (self._usual_s,)))


def _are_apart(before: KeptSnapshot, kept: KeptSnapshot) -> bool:
    """Whether nothing is known of the time between them anyway, and what is known begins with the second."""
    return before.snapshot.started_at != kept.snapshot.started_at or apart(before, kept) is not None


def _snapshots_were(count: int) -> str:
    return "1 snapshot was" if count == 1 else f"{count:,} snapshots were"
