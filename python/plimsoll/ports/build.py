"""Which build of this package is installed here: two of the same release may read otherwise, as between two of its commits."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import plimsoll

_SUFFIXES = (".py", ".so")
_BUFFER_BYTES = 1 << 18
_State = tuple[tuple[str, int, int, int, int], ...]
_known: tuple[_State, str] | None = None
"""The last one, and how its files were then."""


def build() -> str:
    """As it lies on disk now, which is what the next process that reads here loads. What did not change is not read again."""
    global _known
    folder = str(Path(plimsoll.__file__).parent)
    state = _state(folder)
    known = _known
    if known is None or known[0] != state:
        known = _known = (state, _build_of(folder, [name for name, *_ in state]))
    return known[1]


def build_of(folder: Path) -> str:
    """A hash of all modules, in Python and compiled, by their names in the package and their contents."""
    return _build_of(str(folder), sorted(entry.path for entry in _modules(str(folder))))


def _build_of(folder: str, paths: list[str]) -> str:
    """Through one buffer that stays in the processor's cache: memory for each file would take half as long again."""
    made, begin = hashlib.sha256(), len(folder) + 1
    some = memoryview(bytearray(_BUFFER_BYTES))
    for path in paths:
        length = 0
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(some):
                made.update(some[:count])
                length += count
        made.update(f"\0{length}\0{path[begin:]}\0".encode(errors="surrogateescape"))
    return made.hexdigest()


def _state(folder: str) -> _State:
    """Of each its length and times; nobody puts back that of the change itself."""
    found = []
    for entry in _modules(folder):
        state = os.stat(entry.path)
        found.append((entry.path, state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino))
    return tuple(sorted(found))


def _modules(folder: str) -> Iterator[os.DirEntry[str]]:
    """Without `pathlib`, which takes as long to find them as it takes to read them."""
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(_SUFFIXES):
                    yield entry
