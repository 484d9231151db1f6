"""The client's side of the talk with one agent: a program that was started, and what it says, in one queue with all others'."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from queue import Queue
from typing import Any

from plimsoll.base.printable import printable
from plimsoll.cluster import program_end
from plimsoll.cluster.wire import Message, TalkError, after_greeting, encoded
from plimsoll.ports import processes
from plimsoll.ports.clock import Clock

_LAST_WORDS_MAX = 20
_LINE_LETTERS_MAX = 300
_LINE_BYTES_SHOWN = 120
_END_S = 2.0
"""How long an agent may take to end by itself once it was told to."""


@dataclass(frozen=True)
class Heard:
    """One message, or the end of the talk where it is None, and when it was there by our clock."""

    link: Link
    at_ns: int
    message: Message | None


class Link:
    """One agent. What it says goes into the inbox from a thread of its own, so that its time of arrival is true."""

    def __init__(self, host: str, command: list[str], inbox: Queue[Heard], clock: Clock) -> None:
        self.host, self._clock = host, clock
        self.lost_because: str | None = None
        self.greeted = False
        self.first_line = ""
        """The first that was printed in place of a greeting, as by a launcher that starts another program."""
        self.heard_s = self._clock.monotonic_s()
        self._inbox = inbox
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS_MAX)
        self._talk_error: str | None = None
        self._program = command[0]
        self._saying = threading.Lock()
        self._process = processes.start_talking(command)
        self._threads = [
            threading.Thread(target=work, name=f"plimsoll-{host}", daemon=True)
            for work in (self._listen, self._overhear)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def program(self) -> str:
        """The launcher, or what else was started, by the name of its file."""
        return PurePath(self._program).name

    def is_agent(self, boot: object, pid: object) -> bool:
        """Whether the program that was started is the agent itself, which tells these; a launcher may run it in its own place."""
        return boot == processes.boot_id() and pid == self._process.pid

    @property
    def is_there(self) -> bool:
        """Whether more may come of it."""
        return self.lost_because is None

    def say(self, word: str, **members: Any) -> None:
        """Tells the agent; where it is gone, the end of what it says tells that."""
        assert self._process.stdin is not None, "it was started with pipes"
        with self._saying, suppress(OSError, ValueError):
            self._process.stdin.write(encoded(word, **members))
            self._process.stdin.flush()

    def part(self) -> None:
        """Says farewell: a word, and the end of its input."""
        self.say("bye")
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def close(self) -> None:
        """Waits for its end, and then ends it by force. Nothing of it is left on this host."""
        program_end.end(self._process, self._threads, _END_S)

    @property
    def exit_status(self) -> int | None:
        """Of the program that was started; None while it runs."""
        if self._talk_error is None:
            program_end.ends_within(self._process, _END_S)
        return self._process.returncode

    @property
    def talks_wrongly(self) -> bool:
        """Whether what it said is none of this talk."""
        return self._talk_error is not None

    @property
    def last_words(self) -> str:
        """The last line that it wrote to standard error, or what was wrong with the talk."""
        if self._talk_error is not None:
            return f"it said {self._talk_error}"
        self._threads[1].join(_END_S)
        return self._last_words[-1] if self._last_words else ""

    def _listen(self) -> None:
        assert self._process.stdout is not None, "it was started with pipes"
        try:
            for message in after_greeting(self._process.stdout, self._pass_over):
                self._put(message)
        except TalkError as error:
            self._talk_error = str(error)
        except (OSError, ValueError):
            pass
        self._put(None)

    def _pass_over(self, line: bytes) -> None:
        if not self.first_line:
            self.first_line = printable(line[:_LINE_BYTES_SHOWN].decode(errors="replace").strip())

    def _put(self, message: Message | None) -> None:
        at_ns, self.heard_s = self._clock.unix_ns(), self._clock.monotonic_s()
        self.greeted = self.greeted or message is not None
        self._inbox.put(Heard(self, at_ns, message))

    def _overhear(self) -> None:
        """Keeps the last of what goes to standard error, so that the pipe never fills up."""
        assert self._process.stderr is not None, "it was started with pipes"
        with suppress(OSError, ValueError):
            while line := self._process.stderr.readline(_LINE_LETTERS_MAX):
                if words := printable(line.decode(errors="replace").strip()):
                    self._last_words.append(words)
