"""How a command ends when somebody asks it to.

The first Ctrl-C or TERM asks all loops to end and keeps what was measured; the second ends at once. Whoever sends TERM does not
wait for long: a command that has not ended by then is interrupted wherever it is, and at last it is ended by force. What it had
made outside the store is in the scratch journal, and the next command takes it back.

HUP, which comes when the terminal or the connection that the command was started from is gone, asks as TERM does. Kernel and shell
may both send it, so that it never counts as a second time, and is told of once. Under nohup it stays ignored.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from plimsoll.base.errors import ExitStatus
from plimsoll.base.limits import TERM_END_S, TERM_INTERRUPT_S
from plimsoll.context import Cancel
from plimsoll.ports.processes import leave_lost_terminal, talk_past_buffers

_BY_SOMEBODY = (signal.SIGINT, signal.SIGTERM)
_SOON = (signal.SIGTERM, signal.SIGHUP)
_ENDING = "\nending; what was measured, if anything was, is kept"
_ONCE_MORE = "(once more to end at once)"
_LAST_WORDS = """
error: interrupted: it did not end in time, and was ended
hint: What it has left behind on this host is taken back by the next command; a scratch file on an NFS server stays there.
"""


@contextmanager
def watched(cancel: Cancel, last: Callable[[], None], *, tells: bool = True) -> Iterator[None]:
    """Ctrl-C, TERM and HUP set `cancel` while the block lasts. `last` is called before the process is ended by force. `tells`:
    somebody reads what is said of it."""
    deadline = _Deadline(last)
    hung_up = False

    def asked(number: int, frame: FrameType | None) -> None:
        nonlocal hung_up
        if number in _SOON:
            deadline.begin()
        if number == signal.SIGHUP:
            leave_lost_terminal()
            if cancel.is_set:
                return
            hung_up = True
        elif cancel.is_set and (deadline.is_over or not hung_up):
            raise KeyboardInterrupt
        else:
            hung_up = False
        cancel.set()
        if not tells:
            return
        # The signal may have come in the middle of a line of ours, and then this one cannot be written.
        with suppress(RuntimeError, OSError):
            print(_ENDING if number == signal.SIGHUP else f"{_ENDING} {_ONCE_MORE}", file=sys.stderr)

    signals = (*_BY_SOMEBODY, *(() if _outlives_its_terminal() else (signal.SIGHUP,)))
    before = {number: signal.signal(number, asked) for number in signals}
    try:
        yield
    finally:
        deadline.end()
        for number, handler in before.items():
            signal.signal(number, handler)


def _outlives_its_terminal() -> bool:
    """Whether HUP is ignored already, as nohup has it."""
    return signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


class _Deadline:
    """Two moments after TERM or HUP: when the main thread is interrupted, and when the process is ended."""

    def __init__(self, last: Callable[[], None]) -> None:
        self._last = last
        self._timers: list[threading.Timer] = []
        self.is_over = False
        """Whether the command was to have ended by now."""

    def begin(self) -> None:
        if self._timers:
            return
        moments = ((TERM_INTERRUPT_S, self._interrupt), (TERM_END_S, self._end_process))
        for seconds, action in moments:
            timer = threading.Timer(seconds, action)
            timer.daemon = True
            timer.start()
            self._timers.append(timer)

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _interrupt(self) -> None:
        """As a second Ctrl-C would: it reaches system calls that wait, too."""
        self.is_over = True
        main = threading.main_thread()
        if main.ident is not None:
            signal.pthread_kill(main.ident, signal.SIGINT)

    def _end_process(self) -> None:
        with suppress(Exception):
            self._last()
        with suppress(OSError):
            talk_past_buffers(_LAST_WORDS)
        os._exit(ExitStatus.INTERRUPTED)
