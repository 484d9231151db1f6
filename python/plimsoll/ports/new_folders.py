"""Folders that a command makes for what it writes, and takes back where it then wrote nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plimsoll.ports.folders import Folder, ensured_folder, open_folder


class NewFolders:
    """Which folders on the way to a path are not there yet; to be asked before they are made."""

    def __init__(self, path: Path) -> None:
        ways = [path, *path.parents]
        self._missing = [way for way in ways if way.name not in ("", "..") and not os.path.lexists(way)]

    def remove_empty(self) -> None:
        """Removes those in which nothing is, the deepest first; what cannot be removed stays."""
        for way in self._missing:
            with suppress(OSError), open_folder(way.parent) as parent:
                parent.remove_if_empty(way.name)


@contextmanager
def ensured_for_writing(path: Path, mode: int) -> Iterator[Folder]:
    """The folder at `path`, as `ensured_folder` has it; one that was made for this and is empty at the end goes again."""
    new = NewFolders(path)
    try:
        with ensured_folder(path, mode) as folder:
            yield folder
    finally:
        new.remove_empty()
