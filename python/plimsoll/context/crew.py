"""Processes apart, as many as threads ask at once. Where no more start, those that did do all; where none did, the threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context.apart import Pieces, Worker, pieces

Item = TypeVar("Item")
Result = TypeVar("Result")


class Crew:
    """Asked by several threads, and ended by the one that started them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._workers: list[Worker] = []
        """All of them, also those that are being started."""
        self._idle: list[Worker] = []
        self._why_no_more: str | None = None
        self._news: str | None = None
        self._is_told = False
        self._is_over = False

    def pieces(
        self, function: Callable[[Sequence[Item]], Result], group: Sequence[Item]
    ) -> Pieces[Item, Result]:
        """What the function makes of the group in one of the processes, or here where there is none."""
        worker = self._taken()
        if worker is None:
            return [(group, function(group))]
        try:
            return pieces(lambda some: worker.ask(function, some), group)
        finally:
            with self._changed:
                self._idle.append(worker)
                self._changed.notify()

    def news(self) -> str | None:
        """Once, when work was done here: why no process was started."""
        with self._changed:
            news, self._news = self._news, None
        return news

    def kill(self) -> None:
        """Ends all of them at once, whatever they do."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.kill()

    def close(self) -> None:
        """Ends them, when nobody asks any more."""
        for worker in self._workers:
            worker.close()

    def _taken(self) -> Worker | None:
        """An idle one, or a new one; None where none started."""
        with self._changed:
            self._changed.wait_for(self._is_settled)
            if self._is_over:
                raise Interrupted
            if self._idle:
                worker = self._idle.pop()
            elif self._why_no_more is not None:
                self._tell(self._why_no_more)
                return None
            else:
                worker = Worker()
                self._workers.append(worker)
        # One that was ended starts again before it is given anything.
        return worker if worker.is_started or self._starts(worker) else self._taken()

    def _is_settled(self) -> bool:
        """Whether who asks needs not wait for one that is at work or being started."""
        return self._is_over or bool(self._idle) or self._why_no_more is None or not self._workers

    def _starts(self, worker: Worker) -> bool:
        try:
            worker.start()
        except WorldError as error:
            with self._changed:
                self._workers.remove(worker)
                self._why_no_more = error.message
                self._changed.notify_all()
            return False
        return True

    def _tell(self, why: str) -> None:
        if not self._is_told:
            self._is_told = True
            self._news = f"{why}; all is done in this process, and what ends it ends the command"
