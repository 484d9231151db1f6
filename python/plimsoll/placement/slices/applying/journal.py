"""What was done to this host for slices, in a file that only root writes: one act a line, before it is done and after it.

What the file says is done as root when slices are taken back. So it lies in a folder that nobody else can change, nor what leads to
it; a file of another owner, one that others may write, and one in whose place is a link are refused; links that lead to the folder
are followed where root made them. Each act in it must be one that a plan makes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError, WorldError, reason_of, world_error
from plimsoll.facts import SlicePlan
from plimsoll.placement.slices.applying.acts import (
    Act,
    GiveAway,
    Learned,
    MakeExclusive,
    MakeGroup,
    PassOn,
    PutOwn,
    PutShared,
    RaisePages,
)
from plimsoll.placement.slices.applying.hierarchy import WAYS, Hierarchy, mounted_tops
from plimsoll.placement.slices.applying.units import FOLDER, Command, MakeDropIns, WriteUnit
from plimsoll.placement.slices.layout import PREFIX
from plimsoll.placement.slices.words import check
from plimsoll.placement.slices.writes import COST_MODEL, COST_SERVICE, SUBTREE
from plimsoll.ports import processes
from plimsoll.ports.folders import (
    Folder,
    NotRegularError,
    UntrustedError,
    ensured_folder,
    open_trusted,
    user_name,
    why_untrusted,
)
from plimsoll.requests.host_slice_apply import JOURNAL_FOLDER

NAME = "slices.journal"
USUAL = Path(JOURNAL_FOLDER)
_OTHERS_WRITE = 0o022
_BYTES_MAX = 16 << 20
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_KINDS: Mapping[str, type[Act]] = {
    one.kind: one
    for one in (
        *(GiveAway, MakeExclusive, MakeGroup, PassOn, PutOwn, PutShared, RaisePages),
        *(Command, MakeDropIns, WriteUnit),
    )
}
_VERBS = ("daemon-reload", "disable", "stop")
_BY_HAND = (
    "Look for what is left, and remove it by hand: `find /sys/fs/cgroup /etc/systemd/system -name 'plimsoll*'`. "
    "Then remove the file."
)
_PAGES = re.compile(r"/sys/devices/system/node/node\d+/hugepages/hugepages-\d+kB/nr_hugepages")


@dataclass
class Entry:
    """An act that was begun; `learned` is what came of it, None where it may not have been done."""

    act: Act
    learned: Learned | None = None


@dataclass
class Applied:
    """What a journal tells."""

    hierarchy: Hierarchy
    plan: SlicePlan
    boot: str
    is_whole: bool = False
    """Whether all acts were done, and none was begun to be taken back."""
    is_taken_up: bool = False
    """Whether a command has begun to take it back, and did not come to its end."""
    entries: list[Entry] = field(default_factory=list[Entry])

    @property
    def is_of_this_boot(self) -> bool:
        """Control groups are gone with a boot."""
        return self.boot == processes.boot_id()


class Journal:
    """The journal in a folder, which is locked: one command at a time changes slices, or looks at them."""

    def __init__(self, folder: Path) -> None:
        self.path = folder.absolute() / NAME
        self._where = folder.absolute()
        self._is_forgotten = False
        self._made: list[Path] = []
        """Folders that this command made, the innermost first."""
        self._is_cut = False
        """Whether its last line may be cut off: that goes before another is added."""

    def command(self, verb: str) -> str:
        """The command of `plimsoll host slice` with that verb for what this journal tells, as it may be typed."""
        folder = "" if self._where == USUAL else f" --journal {shlex.quote(str(self._where))}"
        return f"plimsoll host slice {verb}{folder}"

    @contextmanager
    def locked(self, is_made: bool = False) -> Iterator[None]:
        """For as long as the block lasts; with `is_made` in a new folder where there is none.

        The usual folder goes at the end where no journal was written to it, or none is left in it, and so does another one that was
        made here: not before, as it is what is locked. Raises SafetyError `slices-journal-foreign`, WorldError `slices-journal`,
        `slices-busy`.
        """
        folder = self._opened(is_made)
        if folder is None:
            # Nothing was ever applied.
            yield
            return
        with folder:
            if not folder.lock() or not self._is_there(folder):
                hint = "Wait for it, and try again."
                raise WorldError("slices-busy", "another command changes the slices of this host now", hint)
            try:
                yield
            finally:
                if is_made or self._is_forgotten:
                    self._remove_empty()

    def _opened(self, is_made: bool) -> Folder | None:
        try:
            if is_made:
                self._make()
            return open_trusted(self._where)
        except OSError as error:
            self._take_back()
            if isinstance(error, FileNotFoundError) and not is_made:
                return None
            raise self._wrong("read", error) from error

    def _make(self) -> None:
        """Nothing in a folder of another user, or on the way through one. Raises OSError, `UntrustedError` among them."""
        reason = why_untrusted(self._where) if os.geteuid() == 0 else None
        if reason is not None:
            raise UntrustedError(reason)
        around = (self._where, *self._where.parents)
        self._made = [one for one in around if not os.path.lexists(one)]
        ensured_folder(self._where, _FOLDER_MODE).close()

    def _take_back(self) -> None:
        """The folders that were made, as they cannot be used."""
        for one in self._made:
            with suppress(OSError), open_trusted(one.parent) as parent:
                parent.remove_if_empty(one.name)
        self._made = []

    def _is_there(self, folder: Folder) -> bool:
        """Whether the folder still has its name: another command may have removed it."""
        try:
            return folder.state.st_ino == os.stat(self._where).st_ino
        except OSError:
            return False

    def _remove_empty(self) -> None:
        """Once nothing else is in it; a folder that was there before this command, and that the user has named, stays."""
        usual = (USUAL, USUAL.parent) if self._where == USUAL else ()
        try:
            for one in dict.fromkeys((*usual, *self._made)):
                if not os.path.islink(one):
                    with open_trusted(one.parent) as parent:
                        parent.remove_if_empty(one.name)
        except FileNotFoundError:
            # What it was in is gone.
            return
        except OSError as error:
            raise self._wrong("remove", error) from error

    def read(self) -> Applied | None:
        """None: nothing was applied. Raises SafetyError `slices-journal-foreign`, WorldError `slices-journal`."""
        try:
            with open_trusted(self._where) as folder:
                content = _content(folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._wrong("read", error) from error
        return None if content is None else self._told(content)

    def applied(self) -> Applied:
        """What was applied. Raises as `read` does, and UsageError `slices-none-applied`."""
        found = self.read()
        if found is None:
            hint = (
                "Apply a plan with `plimsoll host slice apply`, or name the journal's folder with --journal."
            )
            raise UsageError("slices-none-applied", f"no slices are applied: there is no {self.path}", hint)
        return found

    def _told(self, content: bytes) -> Applied:
        lines = content.split(b"\n")
        if len(lines) == 1:
            raise WorldError(
                "slices-journal",
                f"{self.path} is {_how(content)}, and does not tell what was applied",
                _BY_HAND,
            )
        # A kill may have cut the last line off: then its act was not begun.
        self._is_cut = lines[-1] != b""
        try:
            return _applied([json.loads(line) for line in lines[:-1]])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, PlimsollError) as error:
            message = f"{self.path} is not a journal of slices that can be read"
            raise WorldError("slices-journal", message, _BY_HAND) from error

    def begin(self, hierarchy: Hierarchy, plan: SlicePlan) -> None:
        """A new one. Raises SafetyError `slices-journal-foreign`, WorldError `slices-journal`."""
        head = {
            "journal": 1,
            "way": hierarchy.way,
            "tops": {name: str(top) for name, top in hierarchy.tops.items()},
            "boot": processes.boot_id(),
            "plan": plan.model_dump(mode="json"),
        }
        try:
            with open_trusted(self._where) as folder:
                folder.remove_parts()
                folder.add_whole(NAME, _line(head), _FILE_MODE)
            self._is_cut = False
        except OSError as error:
            raise self._wrong("write", error) from error

    def begun(self, act: Act) -> None:
        """An act that is about to be done."""
        self._add({"begin": act.kind, **asdict(act)})

    def done(self, learned: Learned) -> None:
        """What came of the act that was begun last."""
        self._add({"done": learned})

    def whole(self) -> None:
        """All acts are done."""
        self._add({"whole": True})

    def undoing(self) -> None:
        """From now on what is gone may be gone by us. Where no more can be written, it is taken back all the same."""
        with suppress(PlimsollError):
            self._add({"undoing": True})

    def _add(self, document: Mapping[str, Any]) -> None:
        try:
            with open_trusted(self._where) as folder:
                if self._is_cut:
                    _cut_back(folder)
                self._is_cut = True
                folder.append(NAME, _line(document), is_settled=True)
                self._is_cut = False
        except OSError as error:
            raise self._wrong("write", error) from error

    def forget(self) -> None:
        """All that it told is taken back."""
        try:
            with open_trusted(self._where) as folder:
                folder.remove_parts()
                folder.remove_file(NAME)
                folder.settle()
        except OSError as error:
            raise self._wrong("remove", error) from error
        self._is_forgotten = True

    def _wrong(self, doing: str, error: OSError) -> PlimsollError:
        if isinstance(error, UntrustedError | NotRegularError) or error.errno == errno.ELOOP:
            hint = "Only root may own it and what leads to it, and nobody else may write there. Name another folder with --journal."
            return SafetyError(
                "slices-journal-foreign", f"{self.path} is not believed: {reason_of(error)}", hint
            )
        hint = "Run it as root, or name another folder with --journal."
        return world_error("slices-journal", f"{doing} {self.path}", error, hint)


def _content(folder: Folder) -> bytes | None:
    if folder.look(NAME) is None:
        return None
    with folder.open_file(NAME) as file:
        state = os.fstat(file.fileno())
        if state.st_uid != os.geteuid():
            raise UntrustedError(f"it belongs to user {user_name(state.st_uid)}")
        if state.st_mode & _OTHERS_WRITE:
            raise UntrustedError("others may write to it")
        return file.read(_BYTES_MAX)


def _cut_back(folder: Folder) -> None:
    """To the end of the last whole line."""
    with folder.open_file(NAME, to_write=True) as file:
        end = file.read().rfind(b"\n") + 1
        file.truncate(end)
        os.fsync(file.fileno())


def _how(content: bytes) -> str:
    return "cut off in its first line" if content else "empty"


def _line(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document).encode() + b"\n"


def _applied(documents: list[dict[str, Any]]) -> Applied:
    head, *rest = documents
    if head["journal"] != 1 or head["way"] not in WAYS:
        raise ValueError("another journal")
    hierarchy = Hierarchy(head["way"], {name: Path(top) for name, top in head["tops"].items()})
    plan = SlicePlan.model_validate(head["plan"])
    check(plan)
    found = Applied(hierarchy, plan, str(head["boot"]))
    if found.is_of_this_boot and not set(hierarchy.tops.values()) <= mounted_tops():
        raise ValueError("another place than control groups")
    for one in rest:
        if "begin" in one:
            found.entries.append(Entry(_act(one, hierarchy)))
        elif "done" in one:
            found.entries[-1].learned = dict(one["done"])
        elif "undoing" in one:
            found.is_whole, found.is_taken_up = False, True
        else:
            found.is_whole = bool(one["whole"])
    return found


def _act(words: dict[str, Any], hierarchy: Hierarchy) -> Act:
    """Raises ValueError for what no plan makes."""
    kind = _KINDS[words["begin"]]
    if kind is Command:
        made = Command(tuple(words["there"]), tuple(words["way_back"]))
        return _checked(made, not made.way_back or made.way_back[0] in _VERBS)
    made = kind(**{one.name: words[one.name] for one in fields(kind)})
    path = Path(words["path"])
    return _checked(made, path == Path(os.path.normpath(path)) and _is_ours(made, path, hierarchy))


def _checked(act: Act, is_ours: bool) -> Act:
    if not is_ours:
        raise ValueError(f"{act.words} is nothing that slices need")
    return act


def _is_ours(act: Act, path: Path, hierarchy: Hierarchy) -> bool:
    tops = set(hierarchy.tops.values())
    if isinstance(act, RaisePages):
        return _PAGES.fullmatch(str(path)) is not None
    if isinstance(act, MakeDropIns):
        return path.parent == FOLDER and path.name.endswith(".d")
    if isinstance(act, WriteUnit):
        return path.is_relative_to(FOLDER) and path.name.removeprefix("50-").startswith(PREFIX)
    if isinstance(act, PassOn | PutShared):
        return path.parent in tops and path.name in (SUBTREE, COST_MODEL, COST_SERVICE)
    group = path if isinstance(act, MakeGroup) or path.parent in tops else path.parent
    return group.parent in tops and group.name.startswith(f"{PREFIX}-")
