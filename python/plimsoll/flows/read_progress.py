"""How far a read is, in bytes on disk: it says so once it takes longer than a moment, and not more often than people look."""

from __future__ import annotations

from plimsoll.base.limits import POLL_PERIOD_S, PROGRESS_AFTER_S
from plimsoll.context import Context
from plimsoll.reports.reader import Reading

_STAGE = "read"
_SHARE_MIN = 0.01
"""A smaller one would be told as none."""
_SHARE_LEFT_MIN = 0.1
"""Of less nobody can tell how long the rest takes: the first groups waited for their processes to start, and of many that are
read at the same time only one was taken in.
"""


class Pace:
    """Counts what was taken in and tells of it."""

    def __init__(self, ctx: Context, total_bytes: int) -> None:
        self._ctx = ctx
        self._total_bytes = total_bytes
        self._done_bytes = 0
        self._count = 0
        self._started_s = ctx.clock.monotonic_s()
        self._next_s = PROGRESS_AFTER_S
        self._said = False

    def step(self, reading: Reading) -> None:
        """One more was taken in."""
        self.steps(1, reading.weight_bytes)

    def steps(self, count: int, weight_bytes: int) -> None:
        """So many more were, which are so much of the bytes on disk."""
        self._done_bytes += weight_bytes
        self._count += count
        elapsed_s = self._ctx.clock.monotonic_s() - self._started_s
        if elapsed_s >= self._next_s:
            self._next_s = elapsed_s + POLL_PERIOD_S
            self._said = True
            share = min(1.0, self._done_bytes / self._total_bytes) if self._total_bytes else None
            left_s = elapsed_s * (1 - share) / share if share and share >= _SHARE_LEFT_MIN else None
            told = share if share and share >= _SHARE_MIN else None
            self._ctx.progress(_STAGE, f"{self._count:,} read", told, left_s)

    def finish(self, count: int) -> None:
        """All were taken in; said only to those who were told before."""
        if self._said:
            self._ctx.progress(_STAGE, f"{count:,} read", 1.0, 0.0, finished=True)
