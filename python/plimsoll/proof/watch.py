"""Long statements that Ctrl-C can end: they run in a thread, and the thread that waits asks the server to end them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Session

Result = TypeVar("Result")

_POLL_S = 0.05
_AGAIN_S = 1.0
"""How long after a first request to end a statement the next one is sent: the first may have come between two statements."""


def run_watched(ctx: Context, session: Session, sql: str) -> None:
    """Executes statements; raises Interrupted when a cancel ended them, else as `Session.run`."""
    errors: list[PlimsollError] = []

    def work() -> None:
        try:
            session.run(sql)
        except PlimsollError as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="plimsoll-statement", daemon=True)
    thread.start()
    wait_for(ctx, [thread], [session.cancel])
    if errors:
        ctx.cancel.check()
        raise errors[0]


def wait_for(
    ctx: Context,
    threads: list[threading.Thread],
    cancels: list[Callable[[], None]],
    meanwhile: Callable[[], None] = lambda: None,
) -> None:
    """Until all threads have ended. After a cancel each of `cancels` is called, again and again until they have."""
    asked_s: float | None = None
    for thread in threads:
        while thread.is_alive():
            thread.join(_POLL_S)
            meanwhile()
            now_s = ctx.clock.monotonic_s()
            if ctx.cancel.is_set and (asked_s is None or now_s - asked_s >= _AGAIN_S):
                asked_s = now_s
                for cancel in cancels:
                    cancel()


def is_interruption(ctx: Context, error: PlimsollError) -> bool:
    """Whether a statement ended because we were asked to stop."""
    return isinstance(error, Interrupted) or (ctx.cancel.is_set and error.id == "database-cancelled")
