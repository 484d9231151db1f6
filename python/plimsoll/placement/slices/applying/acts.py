"""What is done to a host, one act after the other: each can be done once, and undone from what the journal has of it.

An act looks at what is there before it is written down (`seen`), says what came of it when it is done, and is undone in a way that
may be begun again: whatever is as it was before is left alone. What somebody has changed meanwhile is theirs, and named (`left`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Self

from plimsoll.base.errors import SafetyError, WorldError, world_error
from plimsoll.placement.slices.cost_model import COST_OFF
from plimsoll.placement.slices.layout import PREFIX
from plimsoll.placement.slices.writes import COST_MODEL, COST_SERVICE, PARTITION, SUBTREE
from plimsoll.ports import control_groups, files, processes

Learned = dict[str, int | str]
"""What came of an act, as the journal keeps it."""
_NEUTRAL = {COST_SERVICE: COST_OFF, COST_MODEL: "ctrl=auto"}
"""What takes a disk out of a file of the top."""


class BusyError(Exception):
    """It cannot be undone now; the text says why."""


@dataclass(frozen=True)
class Act(ABC):
    """One of the kinds below."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def words(self) -> str:
        """As a person is told, with the exact value."""

    @property
    def back(self) -> str:
        """The same of what takes it back; empty: nothing does, or needs to."""
        return ""

    def seen(self) -> Self:
        """The same, with what is there before. Raises PlimsollError where that stands against it."""
        return self

    @abstractmethod
    def do(self) -> Learned:
        """Raises WorldError `slices-refused`."""

    @property
    def is_gone(self) -> bool:
        """Whether what it made is there no more."""
        return False

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        """What somebody has changed meanwhile, in words; None: nothing. `learned` None: it may not have been done.

        `going` are groups of ours that go before this is undone. Changes nothing.
        """
        return None

    def undo(self, learned: Learned | None) -> str | None:
        """As `left`, once all else is as it was before. Raises BusyError."""
        said = self.left(learned)
        if said is None:
            self.take_back(learned)
        return said

    def take_back(self, learned: Learned | None) -> None:
        """Makes it as it was before, where it is not. Raises BusyError."""
        return


@dataclass(frozen=True)
class MakeGroup(Act):
    """A new control group."""

    path: str
    kind: ClassVar[str] = "group"

    @property
    def words(self) -> str:
        return f"mkdir {self.path}"

    @property
    def back(self) -> str:
        return f"rmdir {self.path}"

    def seen(self) -> Self:
        if control_groups.identity(Path(self.path)) is not None:
            raise taken(f"the control group {self.path}")
        return self

    def do(self) -> Learned:
        _tried(f"make the control group {self.path}", lambda: control_groups.make(Path(self.path)), self.path)
        return {"made": control_groups.identity(Path(self.path)) or 0}

    @property
    def is_gone(self) -> bool:
        return control_groups.identity(Path(self.path)) is None

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        if self.is_gone or learned is None:
            return None
        is_ours = control_groups.identity(Path(self.path)) == learned.get("made")
        return None if is_ours else f"{self.path} is another group by now, and is left as it is"

    def take_back(self, learned: Learned | None) -> None:
        path = Path(self.path)
        if self.is_gone:
            return
        why = why_busy(path)
        if why is not None:
            raise BusyError(why)
        # A partition gives its CPUs back by itself when it goes, but not at once.
        partition = path / PARTITION
        if (files.read_text(partition) or "member") != "member":
            _put(str(partition), "member")
        if not control_groups.remove(path):
            raise BusyError(f"{path} could not be removed")


def why_busy(group: Path) -> str | None:
    """Who is in a group, so that it cannot be removed; None: nobody."""
    below = control_groups.below(group)
    if below:
        return f"{group} has groups below it, such as {below[0].name}"
    inside = control_groups.members(group)
    if not inside:
        return None
    names = ", ".join(
        f"{files.read_text(f'/proc/{one}/comm') or 'a process that is gone'} ({one})" for one in inside[:3]
    )
    return f"{group} has processes in it: {names}{' and others' if len(inside) > 3 else ''}"


@dataclass(frozen=True)
class PutOwn(Act):
    """A value in a group of ours, which goes with it."""

    path: str
    value: str
    kind: ClassVar[str] = "own"

    @property
    def words(self) -> str:
        return f"echo '{self.value}' > {self.path}"

    def do(self) -> Learned:
        _put(self.path, self.value)
        return {"after": files.read_text(self.path) or ""}

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        """Whoever has changed it is told that it goes."""
        now = files.read_text(self.path)
        if now is None or learned is None or set(str(learned["after"]).splitlines()) <= set(now.splitlines()):
            return None
        return f"{self.path} was changed to '{now}' meanwhile, and goes with its group"


@dataclass(frozen=True)
class MakeExclusive(PutOwn):
    """A group of ours as a partition: no other group has its CPUs."""

    kind: ClassVar[str] = "exclusive"

    def do(self) -> Learned:
        learned = super().do()
        if learned["after"] != self.value:
            message = (
                f"the CPUs of {Path(self.path).parent} are not its own: the kernel says '{learned['after']}'"
            )
            raise WorldError("slices-refused", message, _HINT)
        return learned

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        """The kernel changes it by itself, as where a CPU goes offline."""
        return None


@dataclass(frozen=True)
class GiveAway(Act):
    """A group of ours, or one of its files, for an account."""

    path: str
    account: str
    kind: ClassVar[str] = "own-by"

    @property
    def words(self) -> str:
        return f"chown {self.account} {self.path}"

    def seen(self) -> Self:
        _user_id(self.account)
        return self

    def do(self) -> Learned:
        number = _user_id(self.account)
        give = partial(control_groups.give, Path(self.path), number)
        _tried(f"give {self.path} to {self.account}", give, self.path)
        return {}


def _user_id(account: str) -> int:
    found = processes.find_user(account)
    if found is None:
        hint = "Name an account of this host in slices.toml, and plan again."
        raise WorldError("slices-refused", f"there is no account {account} on this host", hint)
    return found.user_id


@dataclass(frozen=True)
class PassOn(Act):
    """A controller that the top of version 2 passes on to its groups."""

    path: str
    controller: str
    had: bool = False
    kind: ClassVar[str] = "controller"

    @property
    def words(self) -> str:
        return f"echo '+{self.controller}' > {self.path}"

    @property
    def back(self) -> str:
        return "" if self.had else f"echo '-{self.controller}' > {self.path}"

    def seen(self) -> Self:
        return replace(self, had=self._has())

    def _has(self) -> bool:
        return self.controller in (files.read_text(self.path) or "").split()

    def do(self) -> Learned:
        if not self.had:
            _put(self.path, f"+{self.controller}")
        return {}

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        if self.had or not self._has():
            return None
        others = (one for one in control_groups.below(Path(self.path).parent) if one not in going)
        user = next((one for one in others if _uses(one, self.controller)), None)
        if user is None:
            return None
        return f"{self.path} still passes {self.controller} on, as the group {user.name} uses it by now"

    def undo(self, learned: Learned | None) -> str | None:
        said = self.left(learned)
        if said is not None or self.had or not self._has():
            return said
        try:
            control_groups.put(Path(self.path), f"-{self.controller}")
        except OSError as error:
            return f"{self.path} still passes {self.controller} on: {error.strerror}"
        return None


_UNUSED = {
    "cpuset": {"cpuset.cpus": "", "cpuset.mems": "", "cpuset.cpus.exclusive": "", PARTITION: "member"},
    "memory": {
        **dict.fromkeys(("memory.min", "memory.low", "memory.oom.group"), "0"),
        **dict.fromkeys(("memory.high", "memory.max", "memory.swap.high", "memory.swap.max"), "max"),
        "memory.zswap.max": "max",
    },
    "io": {
        **dict.fromkeys(("io.max", "io.latency"), ""),
        **dict.fromkeys(("io.weight", "io.bfq.weight"), "default 100"),
        "io.prio.class": "no-change",
    },
}
"""What a group's files say where nobody has set them (cgroup-v2.rst), by controller."""


def _uses(group: Path, controller: str) -> bool:
    """Whether it has settings of that controller, which it would lose."""
    if controller in (files.read_text(group / SUBTREE) or "").split():
        return True
    unused = _UNUSED.get(controller, {})
    return any(files.read_text(group / name) not in (None, text) for name, text in unused.items())


@dataclass(frozen=True)
class PutShared(Act):
    """A disk's line in a file of the top, behind its number; empty before: it had none."""

    path: str
    number: str
    value: str
    before: str = ""
    kind: ClassVar[str] = "shared"

    @property
    def words(self) -> str:
        return f"echo '{self.number} {self.value}' > {self.path}"

    @property
    def back(self) -> str:
        return f"echo '{self.number} {self._former}' > {self.path}"

    def seen(self) -> Self:
        return replace(self, before=self._line())

    def _line(self) -> str:
        lines = (line.partition(" ") for line in (files.read_text(self.path) or "").splitlines())
        return next((rest for number, _, rest in lines if number == self.number), "")

    def do(self) -> Learned:
        _put(self.path, f"{self.number} {self.value}")
        return {"after": self._line()}

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        if self._is_as_before or learned is None or self._line() == learned.get("after"):
            return None
        return f"{self.path}: the line of {self.number} was changed meanwhile, and is left as it is"

    def take_back(self, learned: Learned | None) -> None:
        if not self._is_as_before:
            _put(self.path, f"{self.number} {self._former}")

    @property
    def _is_as_before(self) -> bool:
        now = self._line()
        return now == self.before or self._is_neutral(now)

    @property
    def _former(self) -> str:
        return self._neutral or self.before

    def _is_neutral(self, line: str) -> bool:
        return self._neutral != "" and set(self._neutral.split()) <= set(line.split())

    @property
    def _neutral(self) -> str:
        """What is written in place of the line before, to which the kernel adds words of its own; empty: that line itself.

        Where the kernel chose the values (`ctrl=auto`) they are not written: it would take them as the user's.
        """
        if not self.before:
            return _NEUTRAL.get(Path(self.path).name, "")
        words = self.before.split()
        chosen = [one for one in words if one == "ctrl=auto" or one.startswith("enable=")]
        return " ".join(chosen) if "ctrl=auto" in words else ""


@dataclass(frozen=True)
class RaisePages(Act):
    """Huge pages of a node: never fewer than there are."""

    path: str
    pages: int
    before: int = 0
    kind: ClassVar[str] = "pages"

    @property
    def words(self) -> str:
        return f"echo '{self.pages}' > {self.path} # where it has fewer"

    @property
    def back(self) -> str:
        return "" if self.before >= self.pages else f"echo '{self.before}' > {self.path}"

    def seen(self) -> Self:
        found = self._now()
        if found is None:
            hint = "See which sizes the node has: `ls /sys/devices/system/node/node*/hugepages`."
            raise WorldError(
                "slices-refused", f"there are no huge pages of that node and size: {self.path}", hint
            )
        return replace(self, before=found)

    def _now(self) -> int | None:
        text = files.read_text(self.path) or ""
        return int(text) if text.isdigit() else None

    def do(self) -> Learned:
        if self.before < self.pages:
            _put(self.path, str(self.pages))
        after = self._now() or 0
        if after < self.pages:
            _put(self.path, str(self.before))
            message = f"the kernel has no room for {self.pages:,} huge pages, but for {after:,}: {self.path}"
            raise WorldError(
                "slices-refused", message, "Apply it early after a boot, as memory is in pieces later."
            )
        return {"after": after}

    def left(self, learned: Learned | None, going: Collection[Path] = ()) -> str | None:
        now = self._raised()
        if now is None or now == (self.pages if learned is None else learned.get("after")):
            return None
        if learned is None and self.before < now < self.pages:
            return None
        return f"{self.path} was changed to {now:,} meanwhile, and is left as it is"

    def take_back(self, learned: Learned | None) -> None:
        if self._raised() is not None:
            _put(self.path, str(self.before))

    def _raised(self) -> int | None:
        """How many there are where that is not as before; None: nothing is to be done."""
        now = self._now()
        return None if now == self.before or self.before >= self.pages else now


_HINT = (
    "See `cat /sys/fs/cgroup/cgroup.controllers /sys/fs/cgroup/cpuset.cpus.effective`: the group above must pass controllers on "
    "and have those CPUs; in a container, do it on the host."
)
_HINT_1 = (
    "See how control groups are mounted: `grep cgroup /proc/mounts`, and which CPUs and nodes there are: "
    "`cat /sys/fs/cgroup/cpuset/cpuset.effective_cpus /sys/fs/cgroup/cpuset/cpuset.effective_mems`; in a container, do it on the "
    "host."
)


def _hint(path: str) -> str:
    """Of the version that has that file or group: of version 1 none has `cgroup.controllers`."""
    return _HINT_1 if files.read_text(Path(path).parent / "cgroup.controllers") is None else _HINT


def taken(what: str) -> SafetyError:
    """Something has the name already, and is not ours."""
    hint = f"Look who made it; names of slices.toml are those of groups behind `{PREFIX}-`. Take another name, or remove it."
    return SafetyError("slices-group-taken", f"{what} is there already, and is left as it is", hint)


def _tried(doing: str, action: Callable[[], None], path: str) -> None:
    try:
        action()
    except OSError as error:
        raise world_error("slices-refused", doing, error, _hint(path)) from error


def _put(path: str, value: str) -> None:
    _tried(f"write '{value}' to {path}", lambda: control_groups.put(Path(path), value), path)
