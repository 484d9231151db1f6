"""Which indexes we began to build, in a file of ours: an invalid index that somebody else left is never taken for one.

`REINDEX CONCURRENTLY` builds an index beside the old one and gives it a name of its own (`_ccnew`); ended in the middle, it
leaves that one, or the old one (`_ccold`). The number of the old one is written down before, that of the new one when the
server first shows it. What the file says is never believed alone: the number must be of an index that is invalid, on that
table, with such a name.

It also has where we sent temporary files last: a setting that was there before us is not taken back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from plimsoll.base import folders
from plimsoll.base.errors import world_error
from plimsoll.placement.moves.catalogue import Here, Invalid
from plimsoll.ports.folders import Folder, ensured_folder

_BYTES_MAX = 16 << 20
_NEW_NAME = re.compile(r"_ccnew\d*\Z")
_OLD_NAME = re.compile(r"_ccold\d*\Z")


@dataclass(frozen=True)
class Built:
    """A build of ours: the index that was there, its table, and the new one once the server has shown it."""

    table_oid: int
    index_oid: int
    made_oid: int = 0


@dataclass(frozen=True)
class TempSet:
    """Where we sent temporary files of the database; empty: to its default tablespace."""

    temp_space: str


class Journal:
    """The builds in one database, those of earlier commands too."""

    def __init__(self, where: Here) -> None:
        self._name = f"{where.system_identifier}-{where.oid}.journal"
        self._known: set[Built] = set()
        self._temp_space: str | None = None
        try:
            with self._folder() as folder:
                self._take(_read(folder, self._name))
        except OSError as error:
            raise self._refused("read", error) from error

    def _take(self, entries: Iterable[Built | TempSet]) -> None:
        for entry in entries:
            if isinstance(entry, TempSet):
                self._temp_space = entry.temp_space
            else:
                self._known.add(entry)

    def note(self, built: Built) -> None:
        """Writes it down, on disk when this returns. Raises WorldError `moves-journal`."""
        if built not in self._known:
            self._append(built)

    def note_temp(self, space: str) -> None:
        """Writes down where temporary files are sent, on disk when this returns. Raises WorldError `moves-journal`."""
        if space != self._temp_space:
            self._append(TempSet(space))

    def has_set_temp(self, space: str) -> bool:
        """Whether it was us who last sent temporary files there."""
        return space == self._temp_space

    def _append(self, entry: Built | TempSet) -> None:
        try:
            with self._folder() as folder:
                folder.append(self._name, json.dumps(asdict(entry)).encode() + b"\n")
                folder.settle()
        except OSError as error:
            raise self._refused("write", error) from error
        self._take([entry])

    def is_ours(self, left: Invalid) -> bool:
        """Whether this invalid index was left by a build of ours: the new one, or the old one after the new took its place."""
        mine = [one for one in self._known if one.table_oid == left.table_oid]
        is_new = _NEW_NAME.search(left.name) and left.oid in {one.made_oid for one in mine if one.made_oid}
        is_old = _OLD_NAME.search(left.name) and left.oid in {one.index_oid for one in mine}
        return bool(is_new or is_old)

    @staticmethod
    def _folder() -> Folder:
        return ensured_folder(folders.state_folder() / "moves", 0o700)

    def _refused(self, doing: str, error: OSError) -> Exception:
        hint = (
            "Without it an index that is half built could not be told "
            "from somebody else's. Set XDG_STATE_HOME to another folder."
        )
        return world_error(
            "moves-journal", f"{doing} {folders.state_folder() / 'moves' / self._name}", error, hint
        )


def _read(folder: Folder, name: str) -> Iterable[Built | TempSet]:
    """The lines that can be read; one that was cut off by a kill, or is none of ours, says nothing."""
    if folder.look(name) is None:
        return
    with folder.open_file(name) as file:
        for line in file.read(_BYTES_MAX).splitlines():
            try:
                yield _entry(json.loads(line))
            except (ValueError, TypeError, AttributeError, RecursionError):
                continue


def _entry(words: dict[str, object]) -> Built | TempSet:
    """Raises ValueError, TypeError, AttributeError."""
    if set(words) == {"temp_space"}:
        return TempSet(str(words["temp_space"]))
    return Built(**{key: int(str(value)) for key, value in words.items()})
