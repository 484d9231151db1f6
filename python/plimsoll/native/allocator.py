"""How long the extension keeps memory that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll import _core


@contextmanager
def keeping_freed(delay_ms: int | None) -> Iterator[None]:
    """Meanwhile the extension gives back to the system only what was not used for so long; None is as else."""
    _core.keep_freed_memory(delay_ms)
    try:
        yield
    finally:
        _core.keep_freed_memory()
