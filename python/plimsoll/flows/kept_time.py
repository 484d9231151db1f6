"""How old kept snapshots are, by more than the word of one clock: what is old is thinned and removed.

A clock that is years ahead would make all of a series old at once. So what is old by a clock has to be old by the snapshots that
followed it, too: a time in which none was taken counts no more than a part of the age that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from plimsoll.base import limits
from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context

_HOP_SHARE = 0.25
"""Of an age: snapshots are looked for in steps of so much of it, and no time without any counts more than two of these."""
_HOP_S_MIN = 1.0
"""No collector takes more than one in a second."""
_SPAN = timedelta(minutes=10)
"""What is asked for first where the next snapshot is looked for: a store reads many of a longer time at once."""
_SPAN_GROWTH = 4
_DAY_S = 86_400.0
_TOLD_S_MIN = _DAY_S
"""By less than a day clocks and series differ for good reasons."""


class KeptTime:
    """The times in which snapshots of a series were taken, up to `end` by the server's clock."""

    def __init__(self, ctx: Context, series: str, end: datetime) -> None:
        self._ctx = ctx
        self._series = series
        self._end = end
        self._seen: dict[float, tuple[datetime, ...]] = {}

    def before(self, age_s: float, passed_s: float = 0.0) -> datetime:
        """Before which moment snapshots are so old, where so much time has passed since the end for sure."""
        left_s = age_s - passed_s
        if left_s <= 0:
            return self._end - timedelta(seconds=left_s)
        hops = self._hops(age_s)
        for begin, end in reversed([*pairwise((*hops, self._end))]):
            whole_s = max(0.0, (end - begin).total_seconds())
            counted_s = min(whole_s, 2 * _hop_s(age_s))
            if counted_s >= left_s:
                return end - timedelta(seconds=left_s) if counted_s == whole_s else begin
            left_s -= counted_s
        return hops[0] if hops else self._end

    def doubt(self, age_s: float, by_clock: datetime, passed_s: float = 0.0) -> str | None:
        """Why not all goes that is so old by a clock, by which it was taken before `by_clock`; None where all does."""
        hops, stays_from = self._hops(age_s), self.before(age_s, passed_s)
        if not hops or hops[0] >= by_clock or (by_clock - stays_from).total_seconds() < _TOLD_S_MIN:
            return None
        return (
            f"snapshots of {self._series} from {stays_from.isoformat(timespec='seconds')} on stay as they are: they are older than"
            f" {_age_in_words(age_s)} only if the clock is right about a time in which none was taken"
        )

    def _hops(self, age_s: float) -> tuple[datetime, ...]:
        hop_s = _hop_s(age_s)
        if hop_s not in self._seen:
            self._seen[hop_s] = tuple(self._looked_for(timedelta(seconds=hop_s)))
        return self._seen[hop_s]

    def _looked_for(self, hop: timedelta) -> Iterator[datetime]:
        """The oldest, and the first that is a hop later than the one before."""
        moment = self._next(None)
        while moment is not None and moment < self._end:
            self._ctx.cancel.check()
            yield moment
            moment = self._next(moment + hop)

    def _next(self, since: datetime | None) -> datetime | None:
        """The first from then on. It is looked for in spans that grow: few are read, and a time without any costs few questions."""
        if since is None:
            return self._first(None, self._end)
        span = _SPAN
        while since < self._end:
            until = since + min(span, self._end - since)
            found = self._first(since, until)
            if found is not None:
                return found
            since, span = until, span * _SPAN_GROWTH
        return None

    def _first(self, since: datetime | None, until: datetime) -> datetime | None:
        try:
            found = next(self._ctx.store.snapshots(self._series, since, until), None)
        except UsageError as error:
            if error.id != "store-missing":
                raise
            return None
        return None if found is None else found.snapshot.taken_at


def _hop_s(age_s: float) -> float:
    return max(_HOP_S_MIN, min(limits.UNWATCHED_S_MAX / 2, _HOP_SHARE * age_s))


def _age_in_words(age_s: float) -> str:
    return format_seconds(age_s) if age_s < 2 * _DAY_S else f"{age_s / _DAY_S:,.0f} days"
