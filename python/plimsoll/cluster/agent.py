"""The agent's side of the talk: it answers after the time and after files at once, whatever it does meanwhile, and ends
with the client.

Its client may vanish with or without a word: an end of the stream is one, and so is a silence, as of a link that was
cut. Either ends the agent, so that nothing goes on loading storage that nobody watches.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, Queue
from typing import IO, Any

from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.cluster.limits import AGENT_ALIVE_S, AGENT_SILENCE_S, AGENT_STOP_S
from plimsoll.cluster.wire import Message, TalkError, encoded, greeting, messages
from plimsoll.context import Cancel, EitherCancel
from plimsoll.ports.clock import Clock

CLIENT_GONE = "client-gone"
BY_HAND = (
    "By hand there is nothing to start: plimsoll io /mnt/shared --hosts db1,db2 starts an agent on each host."
)

Look = Callable[[Sequence[str]], list[Any]]


class AgentEnd:
    """What an agent hears and says. `stop` is asked for by the client, `gone` is called when there is none any more, and some time
    after its farewell where this process is there still."""

    def __init__(
        self,
        heard: IO[bytes],
        said: IO[bytes],
        clock: Clock,
        cancel: Cancel,
        look: Look,
        gone: Callable[[], None],
    ) -> None:
        self._heard, self._said, self._clock = heard, said, clock
        self._cancel, self._look, self._gone = cancel, look, gone
        self._lock = threading.Lock()
        self._orders: Queue[Message] = Queue()
        self._last_s = self._clock.monotonic_s()
        self._ended = threading.Event()
        self._is_stopped = False
        self.trial = EitherCancel(cancel)
        """The wish to end what is measured now; a new one for each begin."""
        self._left_idle = False
        """Whether the client went before it had asked for anything, and so nothing of it goes on."""
        self._is_idle = True

    def begin(self, version: str, **members: Any) -> None:
        """Greets, and listens from now on."""
        self._write(greeting(version, **members))
        for work in (self._listen, self._watch):
            threading.Thread(target=work, name="plimsoll-agent", daemon=True).start()

    def say(self, word: str, **members: Any) -> None:
        """Tells the client."""
        self._write(encoded(word, **members))

    def orders(self) -> Iterator[Message]:
        """Each order to begin, or to open something beside it, until the client says that there is none left, or wishes to end once
        something was measured.

        Raises Interrupted where it wishes so before, WorldError `client-gone`.
        """
        measured = False
        while True:
            try:
                order = self.order("begin", "also", "finish")
            except Interrupted:
                if not measured:
                    raise
                return
            if order["say"] == "finish":
                return
            measured = measured or order["say"] == "begin"
            yield order

    def order(self, *words: str) -> Message:
        """Waits for an order of these words; others are passed over.

        Raises Interrupted where the client stops or goes, WorldError `client-gone` where it goes without any order.
        """
        while not self._cancel.is_set:
            with suppress(Empty):
                order = self._orders.get(timeout=0.02)
                if order["say"] in words:
                    return order
            if self._left_idle:
                message = "whoever started this agent went, or was silent, before it said what to measure"
                raise WorldError(CLIENT_GONE, message, BY_HAND)
        raise Interrupted

    def until_finished(self) -> None:
        """Answers until the client has read what belongs to it, also where it stopped the work, or until either of both goes."""
        while not self._ended.is_set() and (self._is_stopped or not self._cancel.is_set):
            with suppress(Empty):
                if self._orders.get(timeout=0.02)["say"] == "finish":
                    return

    def until_bye(self) -> None:
        """Answers until the client says farewell, or is gone."""
        self._ended.wait()

    def end(self) -> None:
        """Nothing is said or watched any more."""
        self._ended.set()

    def _write(self, line: bytes) -> None:
        try:
            with self._lock:
                while line:
                    # A stream without a buffer may take a part of it.
                    line = line[self._said.write(line) or len(line) :]
                self._said.flush()
        except (OSError, ValueError):
            self._leave()

    def _listen(self) -> None:
        with suppress(TalkError, OSError, ValueError):
            for message in messages(self._heard):
                self._last_s = self._clock.monotonic_s()
                self._hear(message)
        self._leave()

    def _hear(self, message: Message) -> None:
        word = message["say"]
        if word == "clock":
            self.say("clock", number=message.get("number"), shown_ns=self._clock.unix_ns())
        elif word == "look":
            self.say("looked", files=self._look(message.get("paths", ())))
        elif word == "alive":
            pass
        elif word == "halt":
            self.trial.set()
        elif word == "stop":
            self._is_stopped = True
            self._cancel.set()
        elif word == "bye":
            self.end()
            self._cancel.set()
            self._leave_later()
        else:
            self._is_idle = False
            if word == "begin":
                self.trial = EitherCancel(self._cancel)
            self._orders.put(message)

    def _watch(self) -> None:
        """Says that it is there, and leaves where nothing was heard for long."""
        while not self._ended.wait(AGENT_ALIVE_S):
            self.say("alive")
            if self._clock.monotonic_s() - self._last_s > AGENT_SILENCE_S:
                self._leave()

    def _leave_later(self) -> None:
        """What is at work after a farewell may hang, as in a call of a server that does not answer, and nobody else ends it."""
        timer = threading.Timer(AGENT_STOP_S, self._gone)
        timer.daemon = True
        timer.start()

    def _leave(self) -> None:
        if self._ended.is_set():
            return
        self._ended.set()
        if self._is_idle:
            self._left_idle = True
        else:
            self._gone()
