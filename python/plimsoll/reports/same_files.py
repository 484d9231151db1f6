"""Whether another host that is to read files sees those that the host of the command sees: by name, length and time.

A worker that has another folder under the same name, or none, would else tell of other reports, or of unreadable ones.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from plimsoll.base.errors import WorldError, reason_of
from plimsoll.ports import files, processes
from plimsoll.reports.sources import Source

_HINT = (
    "Put the reports where all workers see them under the same name, as on a file server, or copy them there with "
    "their times (rsync --archive)."
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_REFUSED_HINT = "Let the user of the workers read it, or read these reports without --cluster."


@dataclass(frozen=True)
class Unseen:
    """In place of what was made of a group: this host sees a file of it otherwise than the host of the command."""

    error: WorldError


def as_seen_here(source: Source) -> Source:
    """For another host: the file's whole name, and how it is now. One that is not there any more is told there as such."""
    if source.path is None:
        return source
    return replace(source, path=os.path.abspath(source.path), seen=_state(source.path))


def changed_here(group: Sequence[Source]) -> bool:
    """Whether a file is no longer as the other host was told."""
    return any(source.path is not None and source.seen != _state(source.path) for source in group)


def unseen_here(group: Sequence[Source]) -> Unseen | None:
    """On the other host: the first file that is not as it was told; None where all are."""
    for source in group:
        if source.path is not None and source.seen is not None:
            error = _difference(source.path, source.seen)
            if error is not None:
                return Unseen(error)
    return None


def _state(path: str) -> tuple[int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns


def _difference(path: str, told: tuple[int, int]) -> WorldError | None:
    host = processes.host_name()
    try:
        with files.open_regular(path) as stream:
            state = os.fstat(stream.fileno())
    except (FileNotFoundError, NotADirectoryError):
        return WorldError("cluster-file-missing", f"a worker on {host} sees no {path}, which is here", _HINT)
    except OSError as error:
        if isinstance(error, files.NotRegularError) or error.errno == errno.ELOOP:
            message = f"a worker on {host} sees another {path}: {reason_of(error)}; here it is a file of {_told(told)}"
            return WorldError("cluster-file-differs", message, _HINT)
        message = (
            f"a worker on {host} could not open {path}, which this user may read here: {reason_of(error)}"
        )
        return WorldError("cluster-file-refused", message, _REFUSED_HINT)
    own = (state.st_size, state.st_mtime_ns)
    if own == told:
        return None
    message = f"a worker on {host} sees another {path}: {_told(own)}; here it is {_told(told)}"
    return WorldError("cluster-file-differs", message, _HINT)


def _told(state: tuple[int, int]) -> str:
    size_bytes, modified_ns = state
    return f"{size_bytes:,} bytes of {_when(modified_ns)}"


def _when(modified_ns: int) -> str:
    """To the nanosecond, as that much is compared; as seconds where no calendar here has that year."""
    seconds, rest_ns = divmod(modified_ns, 1_000_000_000)
    try:
        second = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return f"{seconds}.{rest_ns:09} s since 1970"
    return f"{second.replace(tzinfo=None).isoformat()}.{rest_ns:09}+00:00"
