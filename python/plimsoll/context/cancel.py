"""One wish to stop, asked for by Ctrl-C, a button or a test, and looked at by every loop."""

from __future__ import annotations

import threading

from plimsoll.base.errors import Interrupted


class Cancel:
    """Set once, never unset. Loops ask `is_set` where they can keep what they have, `check` where they cannot."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Ask everything that shares this object to end."""
        self._event.set()

    @property
    def is_set(self) -> bool:
        """Whether somebody asked."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Lets so much time pass; ends at once when somebody asks, and says whether somebody did."""
        return self._event.wait(seconds)

    def check(self) -> None:
        """Raises Interrupted when somebody asked."""
        if self.is_set:
            raise Interrupted


class EitherCancel(Cancel):
    """Set where it was asked for itself, or `other` was: of a part that may end alone, and ends with the whole."""

    _LOOKS_S = 0.02

    def __init__(self, other: Cancel) -> None:
        super().__init__()
        self._other = other

    @property
    def is_set(self) -> bool:
        """Whether somebody asked either."""
        return super().is_set or self._other.is_set

    def wait(self, seconds: float) -> bool:
        """Lets so much time pass; ends soon when somebody asks either, and says whether somebody did."""
        left_s = seconds
        while not self.is_set and left_s > 0:
            super().wait(min(left_s, self._LOOKS_S))
            left_s -= self._LOOKS_S
        return self.is_set
