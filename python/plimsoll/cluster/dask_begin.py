"""A wait that ends when somebody asks, of what cannot be told to end: it goes on in a thread that nobody waits for."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Callable
from typing import TypeVar

from plimsoll.base.errors import Interrupted
from plimsoll.cluster.limits import CLUSTER_ASKED_S
from plimsoll.context import Cancel
from plimsoll.ports.clock import SystemClock

Result = TypeVar("Result")
_CLOCK = SystemClock()


def begun(
    work: Callable[[], Result], seconds: float, cancel: Cancel, undo: Callable[[Result], None]
) -> Result:
    """What comes of the work. What comes too late is undone.

    Raises TimeoutError, and Interrupted where somebody asked to end.
    """
    found: concurrent.futures.Future[Result] = concurrent.futures.Future()
    threading.Thread(target=_do, args=(work, found, undo), name="plimsoll-begin", daemon=True).start()
    until_s = _CLOCK.monotonic_s() + seconds
    try:
        while not concurrent.futures.wait([found], CLUSTER_ASKED_S).done:
            if cancel.is_set:
                raise Interrupted
            if _CLOCK.monotonic_s() >= until_s:
                raise TimeoutError
        return found.result()
    except BaseException:
        _let_go(found, undo)
        raise


def _let_go(found: concurrent.futures.Future[Result], undo: Callable[[Result], None]) -> None:
    """It may have come at this very moment."""
    if not found.cancel() and found.exception() is None:
        undo(found.result())


def _do(
    work: Callable[[], Result],
    found: concurrent.futures.Future[Result],
    undo: Callable[[Result], None],
) -> None:
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001  (it is raised where it is waited for)
        why = error
        _told(lambda: found.set_exception(why))
        return
    if not _told(lambda: found.set_result(result)):
        undo(result)


def _told(tell: Callable[[], None]) -> bool:
    """Whether somebody waits for it still."""
    try:
        tell()
    except concurrent.futures.InvalidStateError:
        return False
    return True
