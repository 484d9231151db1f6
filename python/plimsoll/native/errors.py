"""Turns the engine's refusals into our errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll import _core
from plimsoll.base.errors import ExitStatus, PlimsollError, SafetyError, UsageError, WorldError
from plimsoll.facts import Note

_STATUS = {
    "spec-invalid": ExitStatus.USAGE,
    "block-misaligned": ExitStatus.USAGE,
    "span-too-small": ExitStatus.USAGE,
    "engine-unknown": ExitStatus.USAGE,
    "pattern-unknown": ExitStatus.USAGE,
    "nfs-url": ExitStatus.USAGE,
    "nfs-too-deep": ExitStatus.USAGE,
    "nfs-path-twice": ExitStatus.USAGE,
    "nfs-no-file": ExitStatus.USAGE,
    "nfs-unfit": ExitStatus.USAGE,
    "write-not-permitted": ExitStatus.REFUSED_FOR_SAFETY,
    "internal": ExitStatus.OWN_DEFECT,
}

_KINDS = {kind.status: kind for kind in (UsageError, SafetyError, WorldError)}
"""Who goes on without what was refused catches the kind, as of refusals that are made here."""

STORAGE_FAILED = "storage-failed"
"""Code of the note that says that the storage failed in the middle of a run, which keeps what was measured until then."""

_SEE_HELP = "See plimsoll io --help for what each option takes."


def storage_failed(before: str, error: PlimsollError) -> Note:
    """The note of a run that ended before `before` because the storage failed. Raises the error where that is not its kind."""
    if error.status is not ExitStatus.WORLD_FAILED:
        raise error
    return Note(code=STORAGE_FAILED, message=f"the storage failed before {before}: {error.message}")


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns the engine's refusals into our errors: same id, message and hint, with the exit status they deserve."""
    try:
        yield
    except _core.CoreError as error:
        status = _STATUS.get(error.id, ExitStatus.WORLD_FAILED)
        hint = error.hint or (_SEE_HELP if status is ExitStatus.USAGE else None)
        refused = _KINDS.get(status, PlimsollError)(error.id, error.message, hint)
        refused.status = status
        raise refused from error
