"""A host that is far away and has a clock of its own: `python far_host.py AHEAD_S THERE_S BACK_S STEP_S -- COMMAND`.

Stands between a client and its agent as a slow link does. What is said to the agent arrives THERE_S later, what it says BACK_S
later, and every moment by its clock is told AHEAD_S late, STEP_S more once it has told of what it measured, as if its clock were
set then. The truth is known to the nanosecond in this way: behind it both clocks are one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from queue import Queue
from typing import IO, Any

_NS_PER_S = 1_000_000_000
_MOMENTS = ("at_ns", "shown_ns", "started_ns", "first_ns")
"""The members of messages that are moments by the agent's clock."""


class Clock:
    """How far the clock is ahead."""

    def __init__(self, ahead_s: float, step_s: float) -> None:
        self._ahead_ns, self._step_ns = round(ahead_s * _NS_PER_S), round(step_s * _NS_PER_S)

    def shown(self, line: bytes) -> bytes:
        """A line of the agent, its moments by this clock."""
        told = _moved(line, self._ahead_ns)
        if b'"say":"slice"' in line:
            self._ahead_ns, self._step_ns = self._ahead_ns + self._step_ns, 0
        return told

    def meant(self, line: bytes) -> bytes:
        """A line to the agent, its moments by the clock that both sides have."""
        return _moved(line, -self._ahead_ns)


def _moved(line: bytes, by_ns: int) -> bytes:
    if not line.startswith(b'{"say"'):
        return line
    message: dict[str, Any] = json.loads(line)
    for name in _MOMENTS:
        if message.get(name) is not None:
            message[name] += by_ns
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _later(source: IO[bytes], to: IO[bytes], delay_s: float, changed: Callable[[bytes], bytes]) -> None:
    """Passes lines on, each as much later as it takes on the way; as many may be under way as there are."""
    under_way: Queue[tuple[float, bytes]] = Queue()

    def arrive() -> None:
        while (sent := under_way.get())[1]:
            time.sleep(max(0.0, sent[0] + delay_s - time.monotonic()))
            try:
                to.write(sent[1])
                to.flush()
            except OSError:
                return

    arriving = threading.Thread(target=arrive)
    arriving.start()
    for line in source:
        under_way.put((time.monotonic(), changed(line)))
    under_way.put((0.0, b""))
    arriving.join()
    to.close()


def main() -> int:
    """Runs the agent behind the link, until it ends."""
    ahead_s, there_s, back_s, step_s = map(float, sys.argv[1:5])
    clock = Clock(ahead_s, step_s)
    with subprocess.Popen(sys.argv[6:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        there = (sys.stdin.buffer, agent.stdin, there_s, clock.meant)
        threading.Thread(target=_later, args=there, daemon=True).start()
        _later(agent.stdout, sys.stdout.buffer, back_s, clock.shown)
    return agent.returncode


if __name__ == "__main__":
    sys.exit(main())
