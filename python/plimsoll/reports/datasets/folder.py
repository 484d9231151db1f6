"""The folder of `plimsoll read --out`: it is new, empty, or was written by an earlier read; anybody else's is refused.

All is written in a scratch folder inside it, which a kill leaves for the next command to take back. At the end the old files
go, the new ones come, and the mark says that it is finished; a folder whose mark says otherwise is to be made again.

The mark lists each file with its SHA-256. It is believed only of files with names and beginnings that we write, and of that
content; whatever else lies anywhere in the folder is somebody's, and ends the command before anything is written or removed.
A mark that a kill has left half written under its first name is known by that name, its owner and how it begins.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from plimsoll.base.errors import UsageError, world_error
from plimsoll.base.jsontext import parse_json
from plimsoll.base.limits import OUT_MARK_BYTES_MAX
from plimsoll.context import Scratch
from plimsoll.context.scratch import is_scratch_name
from plimsoll.ports.folders import Folder, Mark, ensured_folder
from plimsoll.ports.new_folders import NewFolders
from plimsoll.reports.datasets import json_files
from plimsoll.reports.datasets.table_files import CSV_FORM, PARQUET_FORM
from plimsoll.reports.walk import OWN_MARK

_HINT = "Name a new or empty folder with --out."
_FORMS = (PARQUET_FORM, CSV_FORM, json_files.FORM)
_START_BYTES = max(len(start) for form in _FORMS for start in form.starts)
_PIECE_BYTES = 1 << 20
_MARK_KEY = "plimsoll_reports"
_MARK = Mark(f'{{\n "{_MARK_KEY}": 1,\n'.encode())


class OutFolder:
    """One such folder, held open. `work` is where to write until `publish` gives everything its name."""

    def __init__(self, path: Path, scratch: Scratch) -> None:
        """Raises UsageError `out-folder-foreign`, WorldError `out-refused`."""
        self.path = path
        self._scratch = scratch
        self._new = NewFolders(path)
        try:
            self._folder = ensured_folder(path)
            try:
                self._check()
                self.work: Folder = scratch.new_child(self._folder, "read", 0o755)
            except BaseException:
                self._folder.close()
                self._new.remove_empty()
                raise
        except OSError as error:
            if os.path.lexists(path) and not os.path.isdir(path):
                raise _foreign(f"{path} is a file, and a folder is wanted") from error
            raise world_error("out-refused", f"use the folder {path}", error, _HINT) from error

    def close(self) -> None:
        """Takes back what was not published, also the folder where it is new and empty, and lets it go."""
        self.work.close()
        self._scratch.release(self.work.path)
        self._folder.close()
        self._new.remove_empty()

    def publish(self, about: dict[str, Any]) -> list[Path]:
        """Replaces what an earlier read had written; returns the new names.

        Raises WorldError `out-refused`; UsageError `out-folder-foreign` for what others put there meanwhile.
        """
        with self.writing():
            return self._publish(about)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around everything that writes there. Raises WorldError `out-refused`."""
        try:
            yield
        except OSError as error:
            raise world_error("out-refused", f"write {self.path}", error, _HINT) from error

    def _check(self) -> _Listed:
        """What an earlier read had written there. Raises UsageError `out-folder-foreign` when there is anything else."""
        listed = _listed(self._folder)
        foreign = next(_foreign_in(self._folder, listed), None)
        if foreign is not None:
            raise _foreign(f"{self.path} holds something else, which is left alone: {foreign}")
        return listed

    def _publish(self, about: dict[str, Any]) -> list[Path]:
        earlier, files = self._check(), dict(_hashes_in(self.work))
        names = self.work.names()
        for part in _begun_marks(self._folder):
            self._folder.remove_file(part)
        self._mark({"finished": False, "files": files, "earlier": earlier.pairs()})
        _remove_listed(self._folder, earlier)
        for name in names:
            self._give_name(name)
        self._folder.settle()
        self._mark({**about, "finished": True, "files": files})
        return [self.path / name for name in names]

    def _give_name(self, name: str) -> None:
        """Moves a file or folder of tables to where it is looked for. Raises OSError when something has taken the name."""
        state = self.work.look(name)
        if state is not None and stat.S_ISDIR(state.st_mode):
            self.work.move(name, self._folder, name)
        else:
            self.work.publish(name, name, self._folder)

    def _mark(self, content: dict[str, Any]) -> None:
        text = json.dumps({_MARK_KEY: 1, **content}, ensure_ascii=False, indent=1)
        self._folder.replace(OWN_MARK, text.encode() + b"\n", _MARK)


@dataclass(frozen=True)
class _Listed:
    """What the mark says that we wrote: paths within the folder, each with the SHA-256 of what it may hold."""

    files: dict[str, frozenset[str]]

    @cached_property
    def folders(self) -> frozenset[str]:
        """Those that the files lie in."""
        return frozenset(str(above) for path in self.files for above in PurePosixPath(path).parents)

    def pairs(self) -> list[tuple[str, str]]:
        """As the mark keeps them of an earlier result that is being replaced."""
        return [(path, one) for path, hashes in self.files.items() for one in sorted(hashes)]

    def has(self, folder: Folder, path: str) -> bool:
        """Whether the file in `folder` is one that we wrote at this path, and as we wrote it."""
        name = PurePosixPath(path).name
        state = folder.look(name)
        if state is None or not stat.S_ISREG(state.st_mode) or path not in self.files:
            return False
        with folder.open_file(name) as file:
            start = file.read(_START_BYTES)
            return any(form.is_of(path, start) for form in _FORMS) and _hash(file) in self.files[path]


def _foreign_in(folder: Folder, listed: _Listed, above: str = "") -> Iterator[str]:
    """Paths of what is not ours, or no longer as we wrote it."""
    begun = _begun_marks(folder) if above == "" else []
    for name in folder.names():
        path = f"{above}{name}"
        if above == "" and (name == OWN_MARK or name in begun or is_scratch_name(name)):
            continue
        if path in listed.folders and _is_folder(folder, name):
            with folder.child(name) as inner:
                yield from _foreign_in(inner, listed, f"{path}/")
        elif not listed.has(folder, path):
            yield f"{path}, which was changed since" if path in listed.files else path


def _begun_marks(folder: Folder) -> list[str]:
    """Marks that a kill has left before they had their name: each begins as a mark does, as far as it goes."""
    return [
        name for name in folder.parts() if _MARK.start.startswith(_beginning(folder, name, len(_MARK.start)))
    ]


def _beginning(folder: Folder, name: str, size_bytes: int) -> bytes:
    with folder.open_file(name) as file:
        return file.read(size_bytes)


def _remove_listed(folder: Folder, listed: _Listed, above: str = "") -> None:
    """Removes our files, and the folders that are empty then. What has come in between stays."""
    for name in folder.names():
        path = f"{above}{name}"
        if path in listed.folders and _is_folder(folder, name):
            with folder.child(name) as inner:
                _remove_listed(inner, listed, f"{path}/")
            folder.remove_if_empty(name)
        elif listed.has(folder, path):
            folder.remove_file(name)


def _is_folder(folder: Folder, name: str) -> bool:
    state = folder.look(name)
    return state is not None and stat.S_ISDIR(state.st_mode)


def _hash(file: BinaryIO) -> str:
    """Of the whole file."""
    file.seek(0)
    made = hashlib.sha256()
    while piece := file.read(_PIECE_BYTES):
        made.update(piece)
    return made.hexdigest()


def _hashes_in(folder: Folder, above: str = "") -> Iterator[tuple[str, str]]:
    """Each file that was written, with its SHA-256."""
    for name in folder.names():
        path = f"{above}{name}"
        state = folder.look(name)
        assert state is not None, f"{path} is in a folder of our own"
        if stat.S_ISDIR(state.st_mode):
            with folder.child(name) as inner:
                yield from _hashes_in(inner, f"{path}/")
        else:
            assert any(form.is_named(path) for form in _FORMS), f"{path} would not be known again"
            with folder.open_file(name) as file:
                yield path, _hash(file)


def _foreign(message: str) -> UsageError:
    return UsageError("out-folder-foreign", message, _HINT)


def _listed(folder: Folder) -> _Listed:
    """What the mark lists. One that is missing or not ours lists nothing. Raises UsageError `out-folder-foreign`, OSError."""
    try:
        folder.check_ours(OWN_MARK, _MARK)
        with folder.open_file(OWN_MARK) as file:
            found = parse_json(file.read(OUT_MARK_BYTES_MAX))
    except FileNotFoundError:
        return _Listed({})
    except (FileExistsError, IsADirectoryError):
        raise _foreign(
            f"{folder.path} holds something else, which is left alone: {OWN_MARK}, which no read has written"
        ) from None
    except ValueError:
        return _Listed({})
    return _Listed(_known_files(found))


def _known_files(found: Any) -> dict[str, frozenset[str]]:
    """The files that the mark names, as far as they have names that we give."""
    known: dict[str, set[str]] = {}
    files, earlier = found.get("files"), found.get("earlier")
    pairs = [
        *(files.items() if isinstance(files, dict) else ()),
        *(earlier if isinstance(earlier, list) else ()),
    ]
    for pair in pairs:
        path, sha256 = pair if isinstance(pair, list | tuple) and len(pair) == 2 else (None, None)
        if isinstance(path, str) and isinstance(sha256, str) and any(form.is_named(path) for form in _FORMS):
            known.setdefault(path, set()).add(sha256)
    return {path: frozenset(hashes) for path, hashes in known.items()}
