"""Which build of this package is installed here: two of the same release may read otherwise, as between two of its commits."""

from __future__ import annotations

import hashlib
from pathlib import Path

import plimsoll

_SUFFIXES = frozenset({".py", ".so"})


def build() -> str:
    """As it lies on disk now, which is what the next process that reads here loads."""
    return build_of(Path(plimsoll.__file__).parent)


def build_of(folder: Path) -> str:
    """A hash of all modules, in Python and compiled, by their names in the package and their contents."""
    made = hashlib.sha256()
    paths = [path for path in folder.rglob("*") if path.suffix in _SUFFIXES]
    for name, path in sorted((path.relative_to(folder).as_posix(), path) for path in paths):
        content = path.read_bytes()
        made.update(f"{name}\0{len(content)}\0".encode(errors="surrogateescape"))
        made.update(content)
    return made.hexdigest()
