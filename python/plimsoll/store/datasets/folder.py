"""The folder of `plimsoll read --out`: it is new, empty, or was written by an earlier read; anybody else's is refused.

All is written in a scratch folder inside it, which a kill leaves for the next command to take back. At the end the old names
go, the new ones come, and the mark says that it is finished; a folder whose mark says otherwise is to be made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, world_error
from plimsoll.context import Scratch
from plimsoll.context.scratch import PREFIX
from plimsoll.demand.reports.walk import OWN_MARK
from plimsoll.ports import files

_HINT = "Name a new or empty folder with --out."


class OutFolder:
    """One such folder. `work` is where to write until `publish` gives everything its name."""

    def __init__(self, path: Path, scratch: Scratch) -> None:
        """Raises UsageError `out-folder-foreign`, WorldError `out-refused`."""
        self.path = path
        self._scratch = scratch
        self._earlier = _earlier_names(path)
        try:
            files.ensure_folder(path)
        except OSError as error:
            raise world_error("out-refused", f"make the folder {path}", error, _HINT) from error
        self.work = scratch.new_folder(path, "read", 0o755)

    def publish(self, about: dict[str, Any]) -> list[Path]:
        """Replaces what an earlier read had written; returns the new names. Raises WorldError `out-refused`."""
        with self.writing():
            return self._publish(about)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around everything that writes there. Raises WorldError `out-refused`."""
        try:
            yield
        except OSError as error:
            raise world_error("out-refused", f"write {self.path}", error, _HINT) from error

    def _publish(self, about: dict[str, Any]) -> list[Path]:
        names = sorted(entry.name for entry in self.work.iterdir())
        self._mark({"finished": False, "names": sorted({*names, *self._earlier})})
        for name in self._earlier:
            files.remove(self.path / name)
        for name in names:
            files.move(self.work / name, self.path / name)
        files.settle(self.path)
        self._mark({**about, "finished": True, "names": names})
        self._scratch.release(self.work)
        return [self.path / name for name in names]

    def _mark(self, content: dict[str, Any]) -> None:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        files.write_text_atomically(self.path / OWN_MARK, text + "\n")


def _earlier_names(path: Path) -> list[str]:
    """What an earlier read had written there."""
    if path.exists() and not path.is_dir():
        raise UsageError("out-folder-foreign", f"{path} is a file, and a folder is wanted", _HINT)
    try:
        there = set(os.listdir(path)) if path.is_dir() else set()
    except OSError as error:
        raise world_error("out-refused", f"look into {path}", error, _HINT) from error
    names = _marked(path) if OWN_MARK in there else []
    foreign = sorted(
        name for name in there if name not in names and name != OWN_MARK and not name.startswith(PREFIX)
    )
    if foreign:
        message = f"{path} holds something else, which is left alone: {foreign[0]}"
        raise UsageError("out-folder-foreign", message, _HINT)
    return [name for name in names if name in there]


def _marked(path: Path) -> list[str]:
    try:
        found = json.loads((path / OWN_MARK).read_text(encoding="utf-8"))["names"]
        return [
            name
            for name in found
            if isinstance(name, str) and "/" not in name and name not in ("", ".", "..")
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
