"""Time. Flows take a Clock, so that a test can run hours of them in a moment."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Wall time for records, monotonic time for durations."""

    def now(self) -> datetime:
        """The current instant, with zone."""
        ...

    def unix_ns(self) -> int:
        """The current instant in nanoseconds since 1970, for moments that hosts have in common."""
        ...

    def monotonic_s(self) -> float:
        """Seconds since some fixed moment, those in which the machine slept among them; never goes back."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let that much time pass; not at all if it is negative."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def unix_ns(self) -> int:
        return time.time_ns()

    def monotonic_s(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


class VirtualClock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self, start: datetime = datetime(2000, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

    def unix_ns(self) -> int:
        return round(self.now().timestamp() * 1e9)

    def monotonic_s(self) -> float:
        return self._elapsed_s

    def sleep(self, seconds: float) -> None:
        self._elapsed_s += max(0.0, seconds)
