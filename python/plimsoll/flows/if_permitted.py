"""Opens a target with leave to write where that is given, and for reading only where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from plimsoll.base.errors import SafetyError
from plimsoll.context import Context
from plimsoll.supply.targets import Opened, Wish, opened


@contextmanager
def opened_if_permitted(ctx: Context, wish: Wish) -> Iterator[tuple[Opened, SafetyError | None]]:
    """The target, and why it may not be written to. A wish that insists on writing (`writes`) raises that instead."""
    with ExitStack() as stack:
        if wish.writes:
            yield stack.enter_context(opened(ctx, wish)), None
            return
        try:
            made, refusal = stack.enter_context(opened(ctx, replace(wish, writes=True))), None
        except SafetyError as error:
            made, refusal = stack.enter_context(opened(ctx, wish)), error
        yield made, refusal
