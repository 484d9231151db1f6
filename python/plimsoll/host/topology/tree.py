"""What a topology is read of: `sys` and `proc` of the running system, of a recorded folder, or of an archive.

Paths are relative to the root, as `sys/devices/system/cpu`. A recorded tree is somebody else's: no link leads out of it, no file
is longer than those of the kernel, and what is off becomes a problem by name, while the rest is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from plimsoll.base.errors import reason_of
from plimsoll.base.limits import TOPOLOGY_FILE_BYTES_MAX, TOPOLOGY_SETS_CPUS_MAX
from plimsoll.base.units import format_bytes
from plimsoll.facts import TopologyProblem
from plimsoll.host.topology.values import parse_list, parse_mask
from plimsoll.ports import files

T = TypeVar("T")
_SYSTEM = "sys/devices/system"
_PROBLEMS_MAX = 500
"""A damaged recording could have one for each of its files; nobody reads more."""
_VALUE_SHOWN_MAX = 40
_NO_NAMES = ("", ".", "..")
"""What names no file of a folder."""


class Problems:
    """What is off, each once."""

    def __init__(self) -> None:
        self._found: dict[TopologyProblem, None] = {}

    def add(self, code: str, place: str, message: str) -> None:
        """Keeps it, up to as many as anybody reads."""
        if len(self._found) < _PROBLEMS_MAX:
            self._found[TopologyProblem(code=code, path=place, message=message)] = None

    def knows(self, place: str) -> bool:
        """Whether it is told already what is wrong with that file or folder."""
        return any(one.path == place or one.path.endswith(f"/{place}") for one in self._found)

    def all(self) -> tuple[TopologyProblem, ...]:
        """In the order in which they were met."""
        return tuple(self._found)


class Tree(Protocol):
    """Files and folders below a root."""

    problems: Problems

    def content(self, path: str) -> bytes | None:
        """Of a file; None where there is none, or it cannot be read, which is then a problem."""
        ...

    def names(self, folder: str) -> list[str]:
        """What is in a folder, sorted; nothing where there is none."""
        ...

    def resolved(self, path: str) -> str | None:
        """Where a path leads, without links; None where to nothing, or out of the tree."""
        ...


class FolderTree:
    """A folder on disk: `/`, or a recorded one."""

    def __init__(self, root: Path, problems: Problems) -> None:
        self.problems = problems
        self._root = os.path.realpath(root)
        self._inside = self._root if self._root == os.sep else self._root + os.sep
        self._folders: dict[str, str] = {}

    def content(self, path: str) -> bytes | None:
        """Of a file; None where there is none, or it cannot be read, which is then a problem."""
        real = self._real(path)
        if real is None:
            return None
        try:
            return files.read_input(real, TOPOLOGY_FILE_BYTES_MAX)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except files.TooLargeError as error:
            self.problems.add("topology-file-large", path, too_large(path, error.size_bytes))
        except OSError as error:
            message = f"{path} could not be read: {reason_of(error)}"
            self.problems.add("topology-file-unread", path, message)
        return None

    def names(self, folder: str) -> list[str]:
        """What is in a folder, sorted; nothing where there is none."""
        real = self._real(folder)
        if real is None:
            return []
        try:
            return sorted(os.listdir(real))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            message = f"{folder} could not be listed: {reason_of(error)}"
            self.problems.add("topology-file-unread", folder, message)
            return []

    def resolved(self, path: str) -> str | None:
        """Where a path leads, without links; None where to nothing, or out of the tree."""
        real = self._real(path)
        return None if real is None or not os.path.exists(real) else real[len(self._inside) :]

    def _real(self, path: str) -> str | None:
        """The path without links, if it stays below the root."""
        folder, _, name = path.rpartition("/")
        real = os.path.join(self._real_folder(folder), name)
        if name in _NO_NAMES or os.path.islink(real):
            real = os.path.realpath(real)
        if (real + os.sep).startswith(self._inside):
            return real
        self.problems.add("topology-link-leaves", path, leaves(path))
        return None

    def _real_folder(self, folder: str) -> str:
        """The same of a folder, wherever it leads; looked for once, as most have many files that are read."""
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(os.path.join(self._root, folder))
        return real


def too_large(path: str, size_bytes: int | None) -> str:
    """Why a file was not read."""
    size = "more" if size_bytes is None else format_bytes(size_bytes)
    return f"{path} holds {size}, and no such file holds more than {format_bytes(TOPOLOGY_FILE_BYTES_MAX)}"


def leaves(path: str) -> str:
    """Why a link was not followed."""
    return f"{path} is a link that leaves what was recorded, and was not followed"


class Reader:
    """Values of a tree. What cannot be read as what it should be is a problem, and None."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.problems = tree.problems
        self._sets: dict[frozenset[int], frozenset[int]] = {}
        self._room = TOPOLOGY_SETS_CPUS_MAX
        self._is_full = False

    def text(self, path: str) -> str | None:
        """A file's text, without the zeros that some recordings end with; None where there is none."""
        content = self.tree.content(path)
        return None if content is None else content.decode(errors="replace").strip("\0 \t\r\n")

    def value(self, path: str, parse: Callable[[str], T]) -> T | None:
        """A file's value, as `parse` makes it; None where there is none, or the file is empty."""
        text = self.text(path)
        if not text:
            return None
        try:
            return parse(text)
        except ValueError:
            shown = text if len(text) <= _VALUE_SHOWN_MAX else f"{text[:_VALUE_SHOWN_MAX]}…"
            message = f"{path} holds {shown!r}, which is not what such a file holds"
            self.problems.add("topology-value-unread", path, message)
            return None

    def numbers(
        self, lists: tuple[str, ...], masks: tuple[str, ...], within: frozenset[int] | None = None
    ) -> frozenset[int] | None:
        """CPUs of the first of these files that is there and can be read, those `within`. None: of none.

        Old kernels have masks alone. A list of no CPUs is an empty file. Equal sets are one object: thousands of CPUs say the same.
        """
        for paths, parse in () if self._is_full else ((lists, parse_list), (masks, parse_mask)):
            for path in paths:
                is_empty = parse is parse_list and self.text(path) == ""
                found = frozenset() if is_empty else self.value(path, parse)
                if found is not None:
                    return self._kept(found if within is None else found & within)
        return None

    def _kept(self, found: frozenset[int]) -> frozenset[int] | None:
        """The set as it is kept; None, and a problem, where sets out of all proportion would take all memory."""
        known = self._sets.get(found)
        if known is not None:
            return known
        if len(found) > self._room:
            message = "CPUs are said to share cores, caches and nodes in more ways than any host has: not all were read"
            self.problems.add("topology-sets-many", _SYSTEM, message)
            self._is_full = True
            return None
        self._room -= len(found)
        self._sets[found] = found
        return found

    def numbered(self, folder: str, prefix: str) -> list[int]:
        """The numbers of `cpu0`, `cpu1` and so on in a folder."""
        rests = (name.removeprefix(prefix) for name in self.tree.names(folder) if name.startswith(prefix))
        return sorted(int(rest) for rest in rests if rest.isascii() and rest.isdigit() and len(rest) < 6)
