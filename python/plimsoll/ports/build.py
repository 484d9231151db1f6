"""Which build of this package is installed here: two of the same release may read otherwise, as between two of its commits."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import plimsoll

_SUFFIXES = (".py", ".so")
_BUFFER_BYTES = 1 << 18
_ELF = b"\x7fELF"
_HEADS_BYTES = 4096
"""Linkers put notes right behind the headers of a file."""
_BUILD_ID = re.compile(rb"\x04\0\0\0[\x10-\x40]\0\0\0\x03\0\0\0GNU\0")
"""The note NT_GNU_BUILD_ID (elf(5)): lengths of its name and of the ID, its kind, and its name; where bytes come in this order."""
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


def installed() -> str:
    """The same by names, lengths and times of its files, which takes a tenth of the time: installed anew it is another one."""
    state = _state(str(Path(plimsoll.__file__).parent))
    return hashlib.sha256(repr(state).encode(errors="surrogateescape")).hexdigest()


def build_of(folder: Path) -> str:
    """A hash of all modules by their names in the package and their contents; a compiled one has its linker's own hash of these."""
    return _build_of(str(folder), sorted(entry.path for entry in _modules(str(folder))))


def _build_of(folder: str, paths: list[str]) -> str:
    """Through one buffer that stays in the processor's cache: memory for each file would take half as long again."""
    made, begin = hashlib.sha256(), len(folder) + 1
    some = memoryview(bytearray(_BUFFER_BYTES))
    for path in paths:
        length = 0
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(some):
                if length == 0 and _is_named_by_linker(some[:count]):
                    made.update(some[:_HEADS_BYTES])
                    length = os.fstat(file.fileno()).st_size
                    break
                made.update(some[:count])
                length += count
        made.update(f"\0{length}\0{path[begin:]}\0".encode(errors="surrogateescape"))
    return made.hexdigest()


def _is_named_by_linker(begin: memoryview) -> bool:
    """Whether it is a compiled module with a build ID, which is the linker's own hash of all that it wrote (`ld --build-id`)."""
    return begin[: len(_ELF)] == _ELF and _BUILD_ID.search(begin[:_HEADS_BYTES]) is not None


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
