"""One root for every error that a user can cause or meet, and the exit status each kind ends with.

A message is one lower-case line with the reason and the value; the hint is sentences that name the next command.
"Could not" may work next time, "cannot" never will. Our own defects are plain exceptions and end with status 70.
"""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """How a command ended; the contract of the command line (docs/cli-contract.md)."""

    DONE = 0
    ANSWER_IS_NO = 1
    USAGE = 2
    REFUSED_FOR_SAFETY = 3
    WORLD_FAILED = 4
    DONE_IN_PART = 5
    OWN_DEFECT = 70
    INTERRUPTED = 130


class PlimsollError(Exception):
    """The root. `id` names the error for good (`target-missing`), so that tests and users can refer to it."""

    status: ExitStatus = ExitStatus.WORLD_FAILED

    def __init__(self, id: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.hint = hint


class UsageError(PlimsollError):
    """The words of the command are off."""

    status = ExitStatus.USAGE


class SafetyError(PlimsollError):
    """What was asked could destroy data that is not ours."""

    status = ExitStatus.REFUSED_FOR_SAFETY


class WorldError(PlimsollError):
    """A device, a database, a file system or the network did not do what it was asked."""

    status = ExitStatus.WORLD_FAILED


class Interrupted(PlimsollError):
    """Ctrl-C or a stop button; what was measured so far is kept by whoever raises this."""

    status = ExitStatus.INTERRUPTED

    def __init__(self, message: str = "interrupted", hint: str | None = None) -> None:
        super().__init__("interrupted", message, hint)


def world_error(id: str, doing: str, error: OSError, hint: str | None = None) -> WorldError:
    """A refusal of the operating system as one line: what could not be done, and the system's own reason."""
    reason = (error.strerror or str(error)).lower()
    return WorldError(id, f"could not {doing}: {reason}", hint)
