"""How long memory is kept that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll import _core

give_back = _core.give_back_freed_memory
"""Gives what Python and the extension have freed back to the system at once, which takes some milliseconds: else most of it stays
with them. A process of one thread forgets the pages of programs' code as well, of which little is run again."""


@contextmanager
def keeping_freed(delay_ms: int | None) -> Iterator[None]:
    """Meanwhile the extension gives back to the system only what was not used for so long; None is as else."""
    _core.keep_freed_memory(delay_ms)
    try:
        yield
    finally:
        _core.keep_freed_memory()
