"""Everything that may be a report, one at a time: files as they are, members of archives, and what cannot be read, with the reason.

Opening happens where the work is shared out, and reading of plain files where it is done: see `Source.take`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from plimsoll.base.errors import PlimsollError, WorldError, world_error
from plimsoll.base.limits import REPORT_BYTES_MAX
from plimsoll.base.printable import encodable
from plimsoll.base.units import format_bytes
from plimsoll.ports import files
from plimsoll.reports import archives, contents
from plimsoll.reports.archives import Growth
from plimsoll.reports.limits import FLEET_PACKED_GROWTH
from plimsoll.reports.walk import Entry, shown

_HINT = "Name a file that you can read."
_ISIZE_BYTES = 4
_LATER = "Read it again when whoever writes it has finished."


@dataclass(frozen=True)
class Source:
    """Something that may be a report. `weight_bytes` is its part of the bytes on disk, for progress."""

    file: str
    member: str | None = None
    weight_bytes: int = 0
    path: str | None = None
    """Where it is read from when its turn comes; None for members, whose content is here. As text, which crosses soonest."""
    content: bytes = b""
    grown_bytes: int = 0
    """What a packed file takes when it is unpacked, as far as is known before; 0 of what is not packed."""
    error: PlimsollError | None = None
    unopened: bool = False
    """Whether a name in the command led to nothing that the system would open."""
    passed_over: bool = False
    """Left alone on purpose."""
    refused: list[str] | None = field(default=None, repr=False, compare=False)
    """Takes the name, where somebody wants to know it, when the system refuses to open or to read it."""
    seen: tuple[int, int] | None = field(default=None, repr=False, compare=False)
    """Length and time of the file on the host of the command, where another host reads it."""
    found: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    """How the file was when it was looked at, see `state_of`; None where it was not."""

    @property
    def name(self) -> str:
        """The file, and the member in it."""
        return self.file if self.member is None else f"{self.file}/{self.member}"

    def part(self, number: int) -> Source:
        """One of several reports that stand in it, by its number from 1. The first one has the weight of all."""
        name = f"{self.file if self.member is None else self.member}#{number}"
        weight_bytes = self.weight_bytes if number == 1 else 0
        if self.member is None:
            return replace(self, file=name, weight_bytes=weight_bytes)
        return replace(self, member=name, weight_bytes=weight_bytes)

    def take(self) -> bytes:
        """The content, which may be a report. Raises PlimsollError with the reason why it cannot be one."""
        if self.error is not None:
            raise self.error
        content = self.content if self.path is None else _plain(self._read(self.path), self.name)
        contents.check_text(content, self.name)
        return content

    def _read(self, path: str) -> bytes:
        try:
            return read_file(path)
        except PlimsollError as error:
            if self.refused is not None and isinstance(error.__cause__, OSError):
                self.refused.append(self.name)
            raise


def sources(entries: Iterable[Entry], piped: bytes | None = None) -> Iterator[Source]:
    """What the entries hold, in order. `piped` is what came in through standard input, where it was read before."""
    for entry in entries:
        if entry.error is not None:
            yield Source(shown(entry.path), error=entry.error, unopened=entry.unopened)
        elif entry.is_input:
            yield from _of_input(piped)
        else:
            yield from _of_file(entry)


def state_of(state: os.stat_result) -> tuple[int, ...]:
    """By what a file is known again. The last one is the time of the change itself, which nobody puts back."""
    return state.st_size, state.st_mtime_ns, state.st_ino, state.st_dev, state.st_ctime_ns


def _of_file(entry: Entry) -> Iterator[Source]:
    # Of a path its text, which each call of the system would ask it for.
    path = str(entry.path)
    name = encodable(path)
    try:
        head, state = files.first_bytes(path, contents.HEAD_BYTES)
        kind = contents.archive_kind(head)
        if kind is not None:
            yield from _of_packed(entry, name, kind, state_of(state))
        elif contents.is_never_meant(head) and not entry.named:
            yield Source(name, weight_bytes=entry.size_bytes, passed_over=True)
        else:
            yield Source(name, weight_bytes=entry.size_bytes, path=path, found=state_of(state))
    except OSError as error:
        unopened = entry.named and not isinstance(error, files.NotRegularError)
        yield Source(name, error=_unopenable(name, error), unopened=unopened)


def _of_packed(entry: Entry, name: str, kind: str, found: tuple[int, ...]) -> Iterator[Source]:
    path = str(entry.path)
    with files.open_regular(path) as stream:
        if _is_packed_file(stream, kind, name):
            weight_bytes, grown_bytes = entry.size_bytes, _grown_bytes(stream)
            yield Source(name, weight_bytes=weight_bytes, path=path, grown_bytes=grown_bytes, found=found)
        else:
            yield from _of_archive(stream, kind, name, os.fstat(stream.fileno()).st_size)


def _of_input(piped: bytes | None) -> Iterator[Source]:
    """What comes in through standard input: as a file of that name, be it an archive or a report."""
    name = files.STANDARD_INPUT
    try:
        content = files.read_standard_input(REPORT_BYTES_MAX) if piped is None else piped
        if len(content) > REPORT_BYTES_MAX:
            raise files.TooLargeError(len(content), REPORT_BYTES_MAX)
    except files.TooLargeError as error:
        yield Source(name, error=archives.too_large(name, error.size_bytes))
        return
    except OSError as error:
        yield Source(name, error=_unopenable(name, error), unopened=True)
        return
    stream = io.BytesIO(content)
    kind = contents.archive_kind(content[: contents.HEAD_BYTES])
    if kind is None:
        yield Source(name, content=content)
    elif _is_packed_file(stream, kind, name):
        yield _unpacked(content, name)
    else:
        yield from _of_archive(stream, kind, name, len(content))


def _unpacked(content: bytes, name: str) -> Source:
    try:
        return Source(name, content=_plain(content, name))
    except PlimsollError as error:
        return Source(name, error=error)


def _is_packed_file(stream: IO[bytes], kind: str, name: str) -> bool:
    """Whether it is one file, packed, that can be unpacked by whoever reads it."""
    if kind != contents.GZIP:
        return False
    try:
        head = archives.gzip_head(stream, name)
    except (PlimsollError, *archives.BROKEN):
        return True
    return contents.archive_kind(head) is None


def _grown_bytes(stream: IO[bytes]) -> int:
    """At the end of a gzip file stands how much its last part was before, modulo 4 GiB (RFC 1952, ISIZE)."""
    size_bytes = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size_bytes - _ISIZE_BYTES))
    return max(int.from_bytes(stream.read(_ISIZE_BYTES), "little"), size_bytes * FLEET_PACKED_GROWTH)


def _plain(content: bytes, name: str) -> bytes:
    """The content, unpacked where it is packed."""
    if contents.archive_kind(content) is None:
        return content
    growth = Growth(name, len(content))
    members = list(archives.unpacked(io.BytesIO(content), contents.GZIP, name, growth))
    if len(members) != 1:
        raise WorldError("report-changed", f"{name} was replaced while it was read", _LATER)
    if members[0].error is not None:
        raise members[0].error
    return members[0].content


def _of_archive(stream: IO[bytes], kind: str, name: str, size_bytes: int) -> Iterator[Source]:
    done_bytes, count = 0, 0
    growth = Growth(name, size_bytes)
    for member in archives.unpacked(stream, kind, name, growth):
        position = 0 if stream.closed else stream.tell()
        weight = max(0, position - done_bytes)
        done_bytes, count = done_bytes + weight, count + 1
        yield Source(
            name,
            member.name or None,
            weight,
            content=member.content,
            error=member.error,
            passed_over=member.hidden or _is_passed_over(member),
        )
    if count == 0:
        empty = WorldError("archive-empty", f"there is no file in {name}", "Pack the reports again.")
        yield Source(name, error=empty)


def _is_passed_over(member: archives.Member) -> bool:
    return member.error is None and contents.is_never_meant(member.content[: contents.HEAD_BYTES])


def read_file(path: str | Path) -> bytes:
    """A file as it was when it was opened.

    Raises WorldError `report-too-large`, `report-changed`, `report-unopenable`.
    """
    name = shown(path)
    try:
        with files.open_regular(path) as stream:
            size_bytes = os.fstat(stream.fileno()).st_size
            if size_bytes > REPORT_BYTES_MAX:
                raise archives.too_large(name, size_bytes)
            content = archives.read_bounded(stream, name, chunk_bytes=size_bytes + 1)
    except OSError as error:
        raise _unopenable(name, error) from error
    if len(content) != size_bytes:
        message = f"{name} changed from {format_bytes(size_bytes)} to {format_bytes(len(content))} while it was read"
        raise WorldError("report-changed", message, _LATER)
    return content


def _unopenable(name: str, error: OSError) -> PlimsollError:
    if isinstance(error, files.NotRegularError):
        message = f"{name} is {error.what}, and is not opened"
        return WorldError("report-not-a-file", message, "Save what comes out of it as a file, and name that.")
    if isinstance(error, FileNotFoundError):
        message = f"{name} vanished before it could be read"
        return WorldError("report-changed", message, _LATER)
    return world_error("report-unopenable", f"read {name}", error, _HINT)
