"""One root for every error that a user can cause or meet, and the exit status each kind ends with.

A message is one lower-case line with the reason and the value; the hint is sentences that name the next command.
"Could not" may work next time, "cannot" never will. Our own defects are plain exceptions and end with status 70.
"""

from __future__ import annotations

import errno
from enum import IntEnum
from typing import Any

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
"""Another name in the same folder would not help."""


class ExitStatus(IntEnum):
    """How a command ended; the contract of the command line (docs/cli-contract.md)."""

    DONE = 0
    """Done; for a question, the answer is yes."""
    ANSWER_IS_NO = 1
    """Done, and the answer is no: the storage does not carry the demand, the objective never held, or a check says that the number
    is not valid.
    """
    USAGE = 2
    """Usage: the command was called wrongly."""
    REFUSED_FOR_SAFETY = 3
    """Refused for safety."""
    WORLD_FAILED = 4
    """The world failed: a device, a database, a file system or the network."""
    DONE_IN_PART = 5
    """Done in part: something was unreadable or missing, and the output names it."""
    OWN_DEFECT = 70
    """A defect of Plimsoll itself, with the text to report."""
    INTERRUPTED = 130
    """Interrupted; what was measured is kept."""
    READER_LEFT = 141
    """The program that read standard output left before the end, as `head` does; what was measured is kept. A shell says so, too,
    of what SIGPIPE ended.
    """


class PlimsollError(Exception):
    """The root. `id` names the error for good (`target-missing`), so that tests and users can refer to it.

    Whatever a message quotes, of a driver's words or a user's, passes the redaction here, on its way to whoever shows it.
    """

    status: ExitStatus = ExitStatus.WORLD_FAILED

    def __init__(self, id: str, message: str, hint: str | None = None) -> None:
        # Imported when used: most commands end without an error.
        from plimsoll.base.redact import redact

        self.id = id
        self.message: str = redact(message)
        self.hint: str | None = None if hint is None else redact(hint)
        super().__init__(self.message)

    def append(self, text: str) -> None:
        """More of the message, as of what an error on its way out left behind; it is redacted together with what is there."""
        from plimsoll.base.redact import redact

        self.message = redact(self.message + text)
        self.args = (self.message,)

    def __reduce__(self) -> tuple[Any, ...]:
        """It crosses to other processes."""
        return type(self), (self.id, self.message, self.hint)


class UsageError(PlimsollError):
    """The command is used wrongly."""

    status = ExitStatus.USAGE


class UnreadableError(PlimsollError):
    """A file that was named does not hold what is wanted, or is broken; what else was named is read."""

    status = ExitStatus.DONE_IN_PART


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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint)


def world_error(id: str, doing: str, error: OSError, hint: str | None = None) -> WorldError:
    """A refusal of the operating system as one line: what could not be done, and the system's own reason."""
    if error.errno in _NO_SPACE:
        hint = "Free some space there, or name a place on another file system."
    return WorldError(id, f"could not {doing}: {reason_of(error)}", hint)


def input_error(
    id: str,
    path: object,
    error: OSError,
    hint: str = "Check its name and its folder, and that you may read it.",
) -> PlimsollError:
    """Why a file that was named could not be read: with nothing of that name the command is used wrongly."""
    if isinstance(error, FileNotFoundError):
        return UsageError("file-missing", f"there is no {path}", hint)
    return world_error(id, f"read {path}", error, hint)


def reason_of(error: OSError) -> str:
    """The system's own words, as they stand behind a colon."""
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]
