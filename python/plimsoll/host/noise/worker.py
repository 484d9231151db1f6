"""A process of a noise: it waits in its control group until it is to begin, loads what it is told to, says when it has
begun to, and what it did.

It ends when its input does, so that none is left where the command was killed, and by itself after the longest time, if any.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import IO

from plimsoll.host.noise.kinds import Order, load
from plimsoll.ports import processes
from plimsoll.ports.clock import Clock, SystemClock
from plimsoll.ports.own_python import own_ends

READY, GO, BEGUN, STOP = b"ready\n", b"go\n", b"begun\n", b"stop\n"


@dataclass
class _End:
    """Whether it is to end: somebody says so, nobody is there any more, or it took too long."""

    until_s: float
    clock: Clock
    _event: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> bool:
        return self._event.is_set() or self.clock.monotonic_s() > self.until_s

    @property
    def is_told(self) -> bool:
        """Whether somebody said so, or nobody is there any more."""
        return self._event.is_set()

    def follow(self, asked: IO[bytes]) -> None:
        """Whatever comes is the word to end, and so is the end of all words."""
        asked.readline()
        self._event.set()


@dataclass
class Course:
    """How far it came, and when: `begun` is called with the first that was done."""

    clock: Clock
    begun: Callable[[], object]
    most: float = 0.0
    last_s: float | None = None

    def __call__(self, done: float) -> None:
        if done > self.most:
            if self.last_s is None:
                self.begun()
            self.most, self.last_s = done, self.clock.monotonic_s()

    def ended(self, done: float, is_told: bool) -> bytes:
        """The line that says how it ended. `still_s`: how long before its end it did something for the last time."""
        still_s = None if self.last_s is None else self.clock.monotonic_s() - self.last_s
        return json.dumps({"done": done, "still_s": still_s, "told": is_told}).encode() + b"\n"


def main(arguments: Sequence[str]) -> int:
    """Makes noise once."""
    asked, answers = own_ends(arguments)
    processes.be_ended_first(1000)
    try:
        order = Order(**json.loads(asked.readline()))
        kind, clock = load(order.kind), SystemClock()
        answers.write(READY)
        if asked.readline() != GO:
            return 0
        longest_s = inf if order.seconds_max is None else order.seconds_max
        end = _End(clock.monotonic_s() + longest_s, clock)
        following = threading.Thread(target=end.follow, args=(asked,), daemon=True)
        following.start()
        course = Course(clock, lambda: answers.write(BEGUN))
        done = kind.work(order, end, course)
        answers.write(course.ended(done, end.is_told))
        # What the kernel has counted of it is read while it is there: until nobody asks any more.
        following.join()
        asked.readline()
    except OSError:
        return 1
    return 0
