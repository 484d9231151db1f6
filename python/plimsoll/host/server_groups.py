"""A database server that is moved out of its control groups and back: the same server in its slice, and without one.

All of its processes are moved, and those that it starts are where it is. Their own groups are written down before, so that the next
command puts them back where this one is killed. A process of ours stays in each of these groups meanwhile: one that is empty may
be removed by whoever made it, as systemd does with scopes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plimsoll.base.errors import WorldError, world_error
from plimsoll.context import Scratch
from plimsoll.host.control_groups import put_inside
from plimsoll.host.database_servers import server_processes
from plimsoll.host.server_homes import Home, home_of
from plimsoll.ports import affinity, control_groups, files, processes

_PASSES = 50
"""A server starts processes all the time; who is started while others are moved is where its parent was."""
_NAMED_MAX = 3
_KEEPER = ("sleep", "infinity")
_KIND = "keeper"
_FLAGS, _EXITING = 6, 0x4
"""Place of the field behind the program's name, and its bit of a process that is ending (PF_EXITING)."""


_BACK = (
    "Each command of Plimsoll tries it again when it begins, and says so: clear what is in the way, and run "
    "`plimsoll host slice verify`."
)


class Look(NamedTuple):
    """Processes that are not in groups aside, and those that are not where they belong."""

    at_work: list[int]
    outside: list[int]


@dataclass
class ServerGroups:
    """A server by its first process, and the groups of the slice that it belongs into.

    `aside` are groups that some of its processes may be in as well, such as a slice of log writers.
    """

    scratch: Scratch
    leader: int
    folders: tuple[Path, ...]
    aside: tuple[Path, ...]
    keepers_in: Path
    """Folder for the scratch folder in which the processes work that keep groups."""
    _homes: dict[processes.Identity, Home] = field(default_factory=dict["processes.Identity", Home])
    _kept: set[tuple[Path, ...]] = field(default_factory=set[tuple[Path, ...]])
    _keeper_folder: Path | None = None
    _trees: dict[Path, control_groups.Tree | None] = field(
        default_factory=dict["Path", "control_groups.Tree | None"]
    )
    """The hierarchy of each group that was asked for: there are many looks, and the host's mounts stay as they are."""

    def family(self) -> list[int]:
        """All of its processes, as they are now."""
        return server_processes(self.leader)

    def look(self, folders: Sequence[Path] | None = None) -> Look:
        """One look at where they are. They belong into these very groups, or without any named into the slice's or one below."""
        told = {one: control_groups.groups_told(one) for one in self.family()}
        at_work = [one for one, groups in told.items() if not self._is_aside(groups)]
        elsewhere = [one for one, groups in told.items() if not self._is_in(groups, folders)]
        return Look(at_work, [one for one in elsewhere if _is_alive(one)])

    def at_work(self) -> list[int]:
        """Those that are not in groups aside."""
        return self.look().at_work

    def outside(self, folders: Sequence[Path] | None = None) -> list[int]:
        """Those that are not where they belong; see `look`."""
        return self.look(folders).outside

    def check(self, name: str) -> None:
        """Raises WorldError `server-not-in-slice` where it is not in the slice of that name."""
        found = self.outside()
        if not found:
            return
        named = ", ".join(
            f"{files.read_text(f'/proc/{one}/comm') or 'gone'} ({one})".replace("\n", "")
            for one in found[:_NAMED_MAX]
        )
        more = f" and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
        message = f"the server was not in its slice: {named}{more} outside of {name}"
        hint = (
            f"Restart its service, or put each process into the slice, as with `echo {found[0]} > {self.folders[0]}/cgroup.procs`;"
            " see the rest with `plimsoll host slice verify`."
        )
        raise WorldError("server-not-in-slice", message, hint)

    def _is_elsewhere(self, process: int, folders: Sequence[Path]) -> bool:
        return not self._is_in(control_groups.groups_told(process), folders) and _is_alive(process)

    def _is_in(self, told: str, folders: Sequence[Path] | None) -> bool:
        if folders is not None:
            return all(self._beside(one, told) == one for one in folders)
        return all(self._is_below(one, told) for one in self.folders) or self._is_aside(told)

    def _is_aside(self, told: str) -> bool:
        return any(self._is_below(one, told) for one in self.aside)

    def _is_below(self, folder: Path, told: str) -> bool:
        home = self._beside(folder, told)
        return home is not None and home.is_relative_to(folder)

    def _beside(self, folder: Path, told: str) -> Path | None:
        """The group in the hierarchy of `folder` of whoever's list of groups that is."""
        if folder not in self._trees:
            self._trees[folder] = control_groups.tree_of(folder)
        tree = self._trees[folder]
        return None if tree is None else tree.home(told)

    @contextmanager
    def away(self, folders: Sequence[Path], cpus: frozenset[int]) -> Iterator[None]:
        """All of it is in these groups until the end of the block, bound to `cpus`, whatever it was bound to before.

        Raises WorldError `server-stays`, `scratch-refused`, `control-group-refused`.
        """
        for process in self.family():
            self._remember(process, folders)
        try:
            self._move(lambda one: tuple(folders), lambda one: cpus)
            yield
        finally:
            self._back()

    def _back(self) -> None:
        """Raises WorldError `server-stays`: then the scratch tries again at its end, and the next command does."""
        try:
            self._move(lambda one: self._home(one).folders, lambda one: self._home(one).cpus)
        except WorldError as error:
            if not self.family():
                raise
            message = f"the server could not be put back into its groups: {error.message}"
            raise WorldError("server-stays", message, _BACK) from error

    def _remember(self, process: int, target: Sequence[Path]) -> None:
        """Before it is moved, its home in each hierarchy in which it is: the slice's, and those that are left for others' sake."""
        known = processes.identity(process)
        home = None if known is None else home_of(process, (*self.folders, *target))
        if known is None or home is None or self._homes.get(known) == home:
            return
        self._keep(home.folders)
        self._homes[known] = home
        self.scratch.moving(known, home.folders, home.cpus)

    def _home(self, process: int) -> Home:
        """That of who was started meanwhile is that of the first process."""
        known = processes.identity(process)
        first = processes.identity(self.leader)
        found = self._homes.get(known) if known is not None else None
        found = self._homes.get(first) if found is None and first is not None else found
        if found is None:
            raise WorldError(
                "server-stays",
                f"the server has ended meanwhile (process {self.leader})",
                "See its log, and start it again in its slice.",
            )
        return found

    def _keep(self, folders: tuple[Path, ...]) -> None:
        if folders in self._kept:
            return
        if self._keeper_folder is None:
            self._keeper_folder = self.scratch.new_folder(self.keepers_in, _KIND)
        try:
            keeper = self.scratch.start(_KEEPER, folder=self._keeper_folder, is_keeper=True)
        except OSError as error:
            raise world_error(
                "control-group-refused", "start a process that keeps the control group", error
            ) from error
        put_inside(folders, keeper.pid)
        self._kept.add(folders)

    def _move(self, target: Callable[[int], Sequence[Path]], bound: Callable[[int], frozenset[int]]) -> None:
        left: list[int] = []
        for _ in range(_PASSES):
            left = [one for one in self.family() if _is_alive(one) and self._is_elsewhere(one, target(one))]
            if not left:
                return
            for one in left:
                _put(one, target(one), bound(one))
        raise WorldError(
            "server-stays",
            f"processes of the server could not be moved to {target(left[0])[0]}, such as {left[0]}",
            "See whether something else moves them; its groups are in /proc/PID/cgroup.",
        )


def _put(process: int, folders: Sequence[Path], cpus: frozenset[int]) -> None:
    """One that ends meanwhile is passed over. Raises WorldError `control-group-refused`."""
    for folder in folders:
        try:
            control_groups.write(folder, "cgroup.procs", str(process))
        except ProcessLookupError:
            return
        except OSError as error:
            what = f"move process {process} of the server into {folder}"
            raise world_error("control-group-refused", what, error) from error
    with suppress(OSError):
        affinity.bind(process, cpus)


def _is_alive(process: int) -> bool:
    """One that is about to end is in no group any more (proc_pid_stat(5), `state` and `flags`)."""
    fields = (files.read_text(f"/proc/{process}/stat") or "").rpartition(")")[2].split()
    return len(fields) > _FLAGS and fields[0] not in "ZX" and not int(fields[_FLAGS]) & _EXITING
