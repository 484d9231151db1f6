"""Members of .gz, .zip and .tar, one at a time in the order in which they lie, in bounded memory.

An archive is somebody else's data: what it says of itself is believed only as far as it is borne out. All that comes out of
one file on disk, archives within it included, is counted against that file's size, so that a bomb is noticed early.
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from tarfile import ReadError, TarFile
from typing import IO, Any, Protocol, Self, cast

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.limits import (
    ARCHIVE_DEPTH_MAX,
    ARCHIVE_DIRECTORY_BYTES_MAX,
    ARCHIVE_FREE_BYTES,
    ARCHIVE_HEADER_BYTES_MAX,
    ARCHIVE_MEMBERS_MAX,
    ARCHIVE_PARTS_MAX,
    ARCHIVE_RATIO_MAX,
    REPORT_BYTES_MAX,
)
from plimsoll.base.printable import encodable
from plimsoll.base.units import format_bytes
from plimsoll.reports import contents

BROKEN = (
    EOFError,
    NotImplementedError,
    OverflowError,
    OSError,
    RecursionError,
    UnicodeError,
    ValueError,
    struct.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What Python's own readers raise for archives that are not what they claim to be."""

_OFFICE = "[Content_Types].xml"
"""The member by which an Office document is known (ECMA-376, part 2)."""
_CHUNK_BYTES = 1 << 20
_READS_PAST_END_MAX = 8
"""A whole archive is read past its end two or three times."""
_BOMB_HINT = "Unpack it yourself if you trust it, and name the folder."
_BROKEN_HINT = "Fetch or pack it again; what could be unpacked was read."


@dataclass(frozen=True)
class Member:
    """One file of an archive: its content, or why there is none."""

    name: str
    content: bytes = b""
    error: PlimsollError | None = None
    hidden: bool = False
    """Left alone on purpose."""


class Readable(Protocol):
    """What can be read from its start to its end."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, at most so many; none at the end."""
        ...


class Growth:
    """Counts what comes out of one file on disk."""

    def __init__(self, name: str, packed_bytes: int) -> None:
        self._name = name
        self._allowed_bytes = max(ARCHIVE_FREE_BYTES, ARCHIVE_RATIO_MAX * packed_bytes)
        self._bytes, self._members, self._parts = 0, 0, 0

    def add_members(self, count: int) -> None:
        """Raises WorldError `archive-bomb`."""
        self._members += count
        if self._members > ARCHIVE_MEMBERS_MAX:
            raise too_many(self._name)

    def add_part(self) -> None:
        """A gzip may be many, one after the other; each takes its time, also when nothing is in it.

        Raises WorldError `archive-bomb`.
        """
        self._parts += 1
        if self._parts > ARCHIVE_PARTS_MAX:
            message = f"{self._name} is packed in more than {ARCHIVE_PARTS_MAX:,} parts"
            raise WorldError("archive-bomb", message, _BOMB_HINT)

    def add(self, count: int) -> None:
        """Raises WorldError `archive-bomb`."""
        self._bytes += count
        if self._bytes > self._allowed_bytes:
            message = f"{self._name} holds more than {format_bytes(self._allowed_bytes)}, out of all proportion to its size"
            raise WorldError("archive-bomb", message, _BOMB_HINT)


class _Counted:
    """A stream whose bytes are counted as they come out of the unpacking, and that does not let itself be read far past its end.

    Python skips a member by reading as many bytes as its header says, also when there is nothing left to read.
    """

    def __init__(self, source: Readable, growth: Growth) -> None:
        self._source = source
        self._growth = growth
        self._ends = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self._growth.add(len(data))
        self._ends += not data
        if self._ends > _READS_PAST_END_MAX:
            raise EOFError("it ends before its last file does")
        return data


def read_bounded(
    stream: Readable, name: str, growth: Growth | None = None, chunk_bytes: int = _CHUNK_BYTES
) -> bytes:
    """All of a stream; what one chunk holds is not copied. Raises WorldError `report-too-large`, `archive-bomb`."""
    parts, size = [], 0
    while data := stream.read(chunk_bytes):
        size += len(data)
        if growth is not None:
            growth.add(len(data))
        if size > REPORT_BYTES_MAX:
            raise too_large(name)
        parts.append(data)
    return b"".join(parts)


def too_many(name: str) -> PlimsollError:
    """The error for an archive of more files than anybody has reports."""
    return WorldError("archive-bomb", f"{name} holds more than {ARCHIVE_MEMBERS_MAX:,} files", _BOMB_HINT)


def too_large(name: str, size_bytes: int | None = None) -> PlimsollError:
    """The error for a file that is longer than any report."""
    size = "longer" if size_bytes is None else f"{format_bytes(size_bytes)}, more"
    message = f"{name} is {size} than the {format_bytes(REPORT_BYTES_MAX)} of the largest report"
    return WorldError(
        "report-too-large", message, "Name the reports alone; cut a file of several into its parts."
    )


def unpacked(stream: IO[bytes], kind: str, name: str, growth: Growth, depth: int = 1) -> Iterator[Member]:
    """The members of an archive, those of archives within it included. Raises none of its troubles: each is a member's error."""
    if depth > ARCHIVE_DEPTH_MAX:
        message = f"{name} is packed more than {ARCHIVE_DEPTH_MAX} times over"
        yield Member(
            "", error=WorldError("archive-too-deep", message, "Unpack the outer one, and name its folder.")
        )
        return
    try:
        opened = {contents.GZIP: _of_gzip, contents.ZIP: _of_zip, contents.TAR: _of_plain_tar}[kind]
        yield from opened(stream, name, growth, depth)
    except PlimsollError as error:
        yield Member("", error=error)
    except BROKEN as error:
        yield Member("", error=broken(name, error))


def broken(name: str, error: Exception) -> PlimsollError:
    """The error for an archive that ends early, or is damaged."""
    reason = " ".join(str(error).split()).lower().rstrip(".") or type(error).__name__.lower()
    return WorldError("archive-broken", f"{name} is a broken archive: {reason}", _BROKEN_HINT)


def gzip_head(stream: IO[bytes], name: str) -> bytes:
    """The first bytes of what is packed; the stream is back at its start. Raises those of BROKEN, and WorldError `archive-bomb`."""
    try:
        with io.BufferedReader(_GzipParts(stream, Growth(name, 0))) as plain:
            return plain.read(contents.HEAD_BYTES)
    finally:
        stream.seek(0)


def _of_gzip(stream: IO[bytes], name: str, growth: Growth, depth: int) -> Iterator[Member]:
    """A packed tar is read through; anything else is one file, which may be an archive again."""
    head = gzip_head(stream, name)
    with io.BufferedReader(_GzipParts(stream, growth)) as plain:
        counted = _Counted(plain, growth)
        if contents.archive_kind(head) == contents.TAR:
            yield from _of_tar(counted, name, growth, depth)
            _drain(counted)
        else:
            yield from _nested("", read_bounded(counted, name), name, growth, depth)


class _GzipParts(gzip._GzipReader):
    """What is packed, with its parts counted."""

    def __init__(self, stream: IO[bytes], growth: Growth) -> None:
        super().__init__(stream)
        self._growth = growth

    def _init_read(self) -> None:
        self._growth.add_part()
        cast(Any, super())._init_read()


def _drain(stream: Readable) -> None:
    """Reads to the end, where gzip keeps the checksum of it all."""
    while stream.read(_CHUNK_BYTES):
        pass


def _of_zip(stream: IO[bytes], name: str, growth: Growth, depth: int) -> Iterator[Member]:
    with zipfile.ZipFile(cast(IO[bytes], _Directory(stream, name))) as archive:
        infos = archive.infolist()
        if any(info.filename == _OFFICE for info in infos):
            contents_hint = "Save the report as text or HTML."
            raise WorldError("report-binary", f"{name} is an Office document, not a report", contents_hint)
        growth.add_members(len(infos))
        for info in infos:
            if not info.filename.endswith("/"):  # `is_dir` fails for a member without a name
                yield from _zip_member(archive, info, name, growth, depth)


class _Directory:
    """A zip file whose directory is bounded before Python makes a list of it.

    Python asks for all of it at once, as long as the end of the file says that it is: nothing else is read in such pieces.
    """

    _ENTRY = b"PK\1\2"
    _ENTRY_BYTES_MIN = 46

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1, /) -> bytes:
        """Raises WorldError `archive-bomb`."""
        data = self._stream.read(ARCHIVE_DIRECTORY_BYTES_MAX + 1 if size < 0 else self._bounded(size))
        self._bounded(len(data))
        if (
            len(data) > ARCHIVE_MEMBERS_MAX * self._ENTRY_BYTES_MIN
            and data.count(self._ENTRY) > ARCHIVE_MEMBERS_MAX
        ):
            raise too_many(self._name)
        return data

    def _bounded(self, size: int) -> int:
        if size > ARCHIVE_DIRECTORY_BYTES_MAX:
            message = (
                f"the directory of {self._name} is longer than {format_bytes(ARCHIVE_DIRECTORY_BYTES_MAX)}"
            )
            raise WorldError("archive-bomb", message, _BOMB_HINT)
        return size


def _zip_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, growth: Growth, depth: int
) -> Iterator[Member]:
    own = encodable(info.filename)
    if _is_hidden(own):
        yield Member(own, hidden=True)
        return
    whole = f"{name}/{own}"
    try:
        if info.flag_bits & 1:
            raise WorldError(
                "archive-locked",
                f"{whole} is locked with a password",
                "Unpack it yourself, and name the file.",
            )
        with archive.open(info) as stream:
            content = read_bounded(stream, whole, growth)
    except PlimsollError as error:
        if error.id == "archive-bomb":
            raise
        yield Member(own, error=error)
    except BROKEN as error:
        yield Member(own, error=broken(whole, error))
    else:
        yield from _nested(own, content, whole, growth, depth)


def _of_plain_tar(stream: Readable, name: str, growth: Growth, depth: int) -> Iterator[Member]:
    return _of_tar(_Counted(stream, growth), name, growth, depth)


def _of_tar(stream: Readable, name: str, growth: Growth, depth: int) -> Iterator[Member]:
    with _Tar.open(None, "r|", cast(IO[bytes], stream), tarinfo=_TarHeader) as archive:
        while (info := archive.next()) is not None:
            vars(archive)["members"] = []  # it would remember all of them
            growth.add_members(1)
            if info.isreg():
                yield from _tar_member(archive, info, name, growth, depth)


def _tar_member(
    archive: tarfile.TarFile, info: tarfile.TarInfo, name: str, growth: Growth, depth: int
) -> Iterator[Member]:
    own = encodable(info.name)
    whole = f"{name}/{own}"
    if _is_hidden(own):
        yield Member(own, hidden=True)
    elif info.issparse():
        # What was left out comes back as zeros, of which a few bytes here stand for gigabytes.
        message = f"{whole} is stored with holes, which no report has"
        yield Member(own, error=WorldError("archive-sparse", message, "Pack it again without --sparse."))
    elif info.size > REPORT_BYTES_MAX:
        yield Member(own, error=too_large(whole, info.size))
    else:
        stream = archive.extractfile(info)
        assert stream is not None, "a regular member has content"
        yield from _nested(own, read_bounded(stream, whole), whole, growth, depth)


_DAMAGED = (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError)  # type: ignore[attr-defined]
_GLOBAL = b"g"
"""A header for all members that follow (pax(1)): `git archive` writes its commit there."""
_HEADER_TYPES = (
    _GLOBAL,
    tarfile.XHDTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_CONTENT_TYPES = (*tarfile.REGULAR_TYPES, tarfile.DIRTYPE)
_EXTENDED_AT = 504
"""Where a block of GNU tar's old map says that another one follows."""


class _Tar(TarFile):
    """An archive that knows how long the headers before its next member are."""

    header_bytes = 0


class _TarHeader(tarfile.TarInfo):
    """A header that is checked before it is believed. Python takes a damaged one behind the first for the end of the archive.

    The map of a file with holes is never read: such a file is refused, and its map may be longer than anything else.
    """

    sparse: Any

    @classmethod
    def fromtarfile(cls, tarfile: TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except _DAMAGED as error:
            raise ReadError(f"a damaged header at byte {tarfile.offset:,}") from error

    def _proc_member(self, archive: _Tar) -> Any:
        """Any number of headers may stand before a member, and all of them are kept until it comes."""
        if self.type in _HEADER_TYPES:
            archive.header_bytes += tarfile.BLOCKSIZE + max(0, self.size)
        else:
            archive.header_bytes = 0 if self.type in _CONTENT_TYPES else self.size
        if archive.header_bytes > ARCHIVE_HEADER_BYTES_MAX:
            raise ReadError("a header of impossible length")
        return cast(Any, super())._proc_member(archive)

    def _proc_pax(self, archive: _Tar) -> Any:
        """What is said of all members is left out: nothing of a report is, and Python copies it to each."""
        if self.type != _GLOBAL:
            member = cast(Any, super())._proc_pax(archive)
            if any(keyword.startswith("GNU.sparse.") for keyword in member.pax_headers):
                member.sparse = []
            return member
        cast(Any, archive.fileobj).read(cast(Any, self)._block(self.size))
        try:
            return self.fromtarfile(archive)
        except tarfile.HeaderError as error:
            raise ReadError(str(error)) from error

    def _proc_sparse(self, archive: _Tar) -> Any:
        """The blocks of an old map lie before the file's content."""
        (_, is_extended, whole_bytes) = cast(Any, self)._sparse_structs
        while is_extended:
            archive.header_bytes += tarfile.BLOCKSIZE
            if archive.header_bytes > ARCHIVE_HEADER_BYTES_MAX:
                raise ReadError("a header of impossible length")
            is_extended = bool(cast(Any, archive.fileobj).read(tarfile.BLOCKSIZE)[_EXTENDED_AT])
        self.sparse = []
        own = cast(Any, self)
        self.offset_data = cast(Any, archive.fileobj).tell()
        cast(Any, archive).offset = self.offset_data + own._block(self.size)
        self.size = whole_bytes
        return self

    def _proc_gnusparse_00(self, member: Any, *_: object) -> None:
        """The map stands in the header."""
        member.sparse = []

    _proc_gnusparse_01 = _proc_gnusparse_00
    _proc_gnusparse_10 = _proc_gnusparse_00
    """Here it begins the content, and nothing tells beforehand how long it is."""


def _nested(member: str, content: bytes, whole: str, growth: Growth, depth: int) -> Iterator[Member]:
    """The member itself, or what is in it when it is an archive."""
    kind = contents.archive_kind(content[: contents.HEAD_BYTES])
    if kind is None:
        yield Member(member, content)
        return
    for inner in unpacked(io.BytesIO(content), kind, whole, growth, depth + 1):
        if inner.error is not None and inner.error.id == "archive-bomb":
            raise inner.error
        yield Member(_joined(member, inner.name), inner.content, inner.error, inner.hidden)


def _joined(*names: str) -> str:
    return "/".join(name for name in names if name)


def _is_hidden(name: str) -> bool:
    """Names that begin with a dot, and the folder in which macOS keeps what no other system has."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)
