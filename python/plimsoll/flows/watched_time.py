"""Time in which processes are looked at again and again, until it is over or somebody ends it."""

from __future__ import annotations

from plimsoll.context import Context

_EACH_S = 0.05
"""Between two looks at all threads: a short time in one place is then seen, and looking takes little."""


class WatchedTime:
    """Lets time pass between looks; says no when it is over, or somebody wants it to end."""

    def __init__(self, ctx: Context, asked_s: float) -> None:
        self._ctx = ctx
        self._start_s = ctx.clock.monotonic_s()
        self._asked_s = asked_s

    @property
    def watched_s(self) -> float:
        """For how long it was, and no longer than was asked for."""
        return min(self._asked_s, self._ctx.clock.monotonic_s() - self._start_s)

    @property
    def is_cut(self) -> bool:
        """Whether somebody wants it to end."""
        return self._ctx.cancel.is_set

    def wait(self) -> bool:
        """Until the next look."""
        left_s = self._asked_s - self.watched_s
        if left_s <= 0 or self.is_cut:
            return False
        self._ctx.clock.sleep(min(_EACH_S, left_s))
        return True
