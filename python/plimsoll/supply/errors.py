"""Turns the engine's refusals into our errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll import _core
from plimsoll.base.errors import ExitStatus, PlimsollError

_STATUS = {
    "spec-invalid": ExitStatus.USAGE,
    "block-misaligned": ExitStatus.USAGE,
    "span-too-small": ExitStatus.USAGE,
    "engine-unknown": ExitStatus.USAGE,
    "pattern-unknown": ExitStatus.USAGE,
    "write-not-permitted": ExitStatus.REFUSED_FOR_SAFETY,
    "internal": ExitStatus.OWN_DEFECT,
}


_SEE_HELP = "See plimsoll io --help for what each option takes."


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns the engine's refusals into our errors: same id, message and hint, with the exit status they deserve."""
    try:
        yield
    except _core.CoreError as error:
        status = _STATUS.get(error.id, ExitStatus.WORLD_FAILED)
        hint = error.hint or (_SEE_HELP if status is ExitStatus.USAGE else None)
        refused = PlimsollError(error.id, error.message, hint)
        refused.status = status
        raise refused from error
