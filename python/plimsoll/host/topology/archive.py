"""A recorded topology in a tar archive, packed with gzip, bzip2 or xz, or not at all; read once, and never unpacked to disk.

An archive is somebody else's: its size bounds what comes out of it, and none of its names and links leads out.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import posixpath
import tarfile
import zlib
from tarfile import ReadError
from typing import IO, Any, Self, cast

from plimsoll.base.errors import UnreadableError
from plimsoll.base.limits import (
    ARCHIVE_HEADER_BYTES_MAX,
    TOPOLOGY_FILE_BYTES_MAX,
    TOPOLOGY_KEPT_BYTES_MAX,
    TOPOLOGY_MEMBERS_MAX,
    TOPOLOGY_UNPACKED_BYTES_MAX,
)
from plimsoll.base.printable import encodable
from plimsoll.base.units import format_bytes
from plimsoll.host.topology.tree import Problems, leaves, too_large

_BROKEN = (
    EOFError,
    MemoryError,
    OSError,
    OverflowError,
    RecursionError,
    ValueError,
    lzma.LZMAError,
    tarfile.TarError,
    zlib.error,
)
"""What Python's own readers raise for archives that are not what they claim to be."""
_DAMAGED = (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError)  # type: ignore[attr-defined]
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_LINKS_MAX = 40
"""As the kernel has it (path_resolution(7))."""
_HEADER_TYPES = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_BZIP2, _GZIP, _XZ = b"BZh", b"\x1f\x8b", b"\xfd7zXZ\0"


def is_archive(content: bytes) -> bool:
    """Whether a file begins as such an archive does."""
    packed = content.startswith((_BZIP2, _GZIP, _XZ))
    return packed or content[_TAR_MARK_AT : _TAR_MARK_AT + len(_TAR_MARK)] == _TAR_MARK


class ArchiveTree:
    """Files, folders and links of an archive, below `root`, a folder in it."""

    def __init__(self, name: str, content: bytes, problems: Problems) -> None:
        """Raises UnreadableError `topology-archive` for what is no archive at all, or out of all proportion."""
        self.problems = problems
        self.root = ""
        self._files: dict[str, bytes | None] = {}
        self._links: dict[str, str] = {}
        self._folders: dict[str, set[str]] = {"": set()}
        self._kept_bytes = 0
        self._read(name, content)

    def content(self, path: str) -> bytes | None:
        """Of a file; None where there is none."""
        place = self._place(path)
        return None if place is None else self._files.get(place)

    def names(self, folder: str) -> list[str]:
        """What is in a folder, sorted; nothing where there is none."""
        place = self._place(folder)
        return [] if place is None else sorted(self._folders.get(place, ()))

    def resolved(self, path: str) -> str | None:
        """Where a path leads, without links, relative to the root; None where to nothing, or out of the tree."""
        place = self._place(path)
        if place is None or not (place in self._files or place in self._folders):
            return None
        return place[len(self.root) :].lstrip("/")

    def _place(self, path: str) -> str | None:
        """The path within the archive, all links on the way followed; None where it would leave the tree."""
        left, at, links = _parts(f"{self.root}/{path}")[::-1], "", 0
        while left:
            at, target = self._step(at, left.pop())
            if target is None:
                continue
            links += 1
            if links > _LINKS_MAX or target.startswith("/"):
                return self._leaves(path)
            at = posixpath.dirname(at)
            for part in _parts(target)[::-1]:
                left.append(part)
            if not self._is_inside(at, left):
                return self._leaves(path)
        return at

    def _step(self, at: str, part: str) -> tuple[str, str | None]:
        """One part further, and the target where that is a link."""
        if part == "..":
            return posixpath.dirname(at), None
        further = f"{at}/{part}" if at else part
        return further, self._links.get(further)

    def _is_inside(self, at: str, left: list[str]) -> bool:
        """Whether the rest of the way stays below the root."""
        depth, least = len(_parts(at)), len(_parts(self.root))
        for part in reversed(left):
            depth += -1 if part == ".." else 1
            if depth < least:
                return False
        return True

    def _leaves(self, path: str) -> None:
        self.problems.add("topology-link-leaves", path, leaves(path))

    def _read(self, name: str, content: bytes) -> None:
        counted = _Counted(_unpacked(content), name)
        try:
            with tarfile.TarFile.open(None, "r|", cast(IO[bytes], counted), tarinfo=_Header) as archive:
                self._take_all(archive, name)
        except _BROKEN as error:
            reason = " ".join(str(error).split()).lower().rstrip(".") or type(error).__name__.lower()
            if not self._files:
                raise UnreadableError(
                    "topology-archive",
                    f"{name} is a broken archive: {reason}",
                    "Fetch or pack it again: tar cjf topology.tar.bz2 FOLDER.",
                ) from error
            message = f"the archive breaks off, and what would follow is missing: {reason}"
            self.problems.add("topology-archive-broken", name, message)

    def _take_all(self, archive: tarfile.TarFile, name: str) -> None:
        for number, member in enumerate(iter(archive.next, None), 1):
            vars(archive)["members"] = []  # it would remember all of them
            if number > TOPOLOGY_MEMBERS_MAX:
                raise _out_of_proportion(name, f"more than {TOPOLOGY_MEMBERS_MAX:,} files")
            self._take(archive, member, name)

    def _take(self, archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> None:
        place = encodable(posixpath.normpath(member.name))
        if place.startswith(("/", "../")) or place == "..":
            message = f"{place} lies outside of what was recorded, and was left out"
            self.problems.add("topology-link-leaves", place, message)
        elif member.issym():
            self._links[place] = encodable(member.linkname)
            self._enter(place)
        elif member.isdir():
            self._folders.setdefault("" if place == "." else place, set())
            self._enter(place)
        elif member.islnk():
            self._files[place] = self._files.get(posixpath.normpath(encodable(member.linkname)))
            self._enter(place)
        elif member.isreg():
            self._files[place] = self._content(archive, member, place, name)
            self._enter(place)

    def _content(
        self, archive: tarfile.TarFile, member: tarfile.TarInfo, place: str, name: str
    ) -> bytes | None:
        if member.issparse() or member.size > TOPOLOGY_FILE_BYTES_MAX:
            self.problems.add("topology-file-large", place, too_large(place, member.size))
            return None
        self._kept_bytes += member.size
        if self._kept_bytes > TOPOLOGY_KEPT_BYTES_MAX:
            raise _out_of_proportion(name, f"files of more than {format_bytes(TOPOLOGY_KEPT_BYTES_MAX)}")
        stream = archive.extractfile(member)
        content = b"" if stream is None else stream.read()
        if len(content) < member.size:
            raise EOFError(f"{place} ends early")
        return content

    def _enter(self, place: str) -> None:
        """Puts a name into its folder, and that into its own."""
        while place and place != ".":
            folder, own = posixpath.split(place)
            known = folder in self._folders and own in self._folders[folder]
            self._folders.setdefault(folder, set()).add(own)
            if known:
                return
            place = folder


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _unpacked(content: bytes) -> IO[bytes]:
    packed = io.BytesIO(content)
    if content.startswith(_BZIP2):
        return cast(IO[bytes], bz2.BZ2File(packed))
    if content.startswith(_GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=packed))
    return cast(IO[bytes], lzma.LZMAFile(packed)) if content.startswith(_XZ) else packed


def _out_of_proportion(name: str, holds: str) -> UnreadableError:
    hint = "Unpack it yourself if you trust it, and name the folder."
    return UnreadableError("topology-archive", f"{name} holds {holds}, out of all proportion", hint)


class _Counted:
    """A stream whose bytes are counted as they come out of the unpacking."""

    def __init__(self, source: IO[bytes], name: str) -> None:
        self._source = source
        self._name = name
        self._bytes = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self._bytes += len(data)
        if self._bytes > TOPOLOGY_UNPACKED_BYTES_MAX:
            raise _out_of_proportion(self._name, f"more than {format_bytes(TOPOLOGY_UNPACKED_BYTES_MAX)}")
        return data


class _Header(tarfile.TarInfo):
    """A header that is checked before it is believed: names and attributes of a member could ask for all memory.

    Python takes a damaged one behind the first for the end of the archive, and what follows would be missing without a word.
    """

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except _DAMAGED as error:
            raise ReadError(f"a damaged header at byte {tarfile.offset:,}") from error

    def _proc_member(self, archive: tarfile.TarFile) -> Any:
        if self.type in _HEADER_TYPES and self.size > ARCHIVE_HEADER_BYTES_MAX:
            raise ReadError("a header of impossible length")
        return cast(Any, super())._proc_member(archive)
