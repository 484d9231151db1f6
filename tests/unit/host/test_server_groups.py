"""A server that is moved out of its control groups and back, with all of its processes; a shell with children stands for one."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import command
from plimsoll.base.errors import WorldError
from plimsoll.context import Scratch
from plimsoll.context import scratch as scratch_module
from plimsoll.flows import host_slice_slob
from plimsoll.host.server_groups import ServerGroups
from plimsoll.ports import control_groups, files
from slice_groups import TOP

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
SCRIPT = "sleep 600 & sleep 600 & echo ready; read more; sleep 600 & echo more; wait"
VERSIONS = {"v1": ("cpuset", "memory"), "v2": ("unified",)}


class Shell:
    """Groups of the test, and a process with two children in one of them."""

    def __init__(self, name: str, controllers: tuple[str, ...]) -> None:
        self.controllers = controllers
        self.names = [f"moved-{os.getpid()}-{name}-{place}" for place in ("home", "aside", "away")]
        for controller in self.controllers:
            for one in self.names:
                group = TOP / controller / one
                group.mkdir()
                _settle(group)
        self.home, self.aside, self.away = (
            tuple(TOP / each / one for each in controllers) for one in self.names
        )
        self.process = subprocess.Popen(
            ["bash", "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._heard("ready")

    def starts_more(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self._heard("more")

    def _heard(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word
        # A child that has not come to its program yet has the shell's name.
        while any(Path(f"/proc/{one}/comm").read_text() != "sleep\n" for one in self.family()[1:]):
            pass

    def family(self) -> list[int]:
        pid = self.process.pid
        return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]

    def put(self, folders: tuple[Path, ...], *processes: int) -> None:
        for folder in folders:
            for one in processes:
                (folder / "cgroup.procs").write_text(str(one))

    def end(self) -> None:
        """With whoever a test that failed has left in its groups."""
        others = {one for group in (*self.home, *self.aside, *self.away) for one in _members(group)}
        for one in others - ({*self.family()} if self.process.poll() is None else set()):
            with suppress(ProcessLookupError):
                os.kill(one, 9)
        if self.process.poll() is None:
            for one in reversed(self.family()):
                os.kill(one, 9)
            self.process.communicate()

    def take_away(self) -> None:
        self.end()
        for controller in self.controllers:
            for one in self.names:
                # Children of the shell are buried by others, in their own time.
                while _members(TOP / controller / one):
                    pass
                (TOP / controller / one).rmdir()


def _settle(group: Path) -> None:
    """Of version 1 no process gets into a group without CPUs and nodes."""
    for name in ("cpuset.mems", "cpuset.cpus") if group.parent.name == "cpuset" else ():
        (group / name).write_text((group.parent / name).read_text())


def _members(group: Path) -> set[int]:
    return {int(word) for word in (group / "cgroup.procs").read_text().split()}


@pytest.fixture(params=sorted(VERSIONS))
def shell(request: pytest.FixtureRequest) -> Iterator[Shell]:
    controllers = VERSIONS[request.param]
    missing = [one for one in controllers if not (TOP / one / "cgroup.procs").exists()]
    if missing:
        pytest.skip(f"no control groups in {missing[0]}")
    made = Shell(f"{abs(hash(request.node.name)) % 10_000}", controllers)
    try:
        yield made
    finally:
        made.take_away()


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    with Scratch(tmp_path / "journals") as made:
        yield made


def _groups(shell: Shell, scratch: Scratch, tmp_path: Path) -> ServerGroups:
    return ServerGroups(scratch, shell.process.pid, shell.home, shell.aside, Path("/var/tmp"))


def test_all_go_and_each_comes_back_to_its_own_and_who_was_started_to_the_first_ones(
    shell: Shell, scratch: Scratch, tmp_path: Path
) -> None:
    leader, first, second = shell.family()
    shell.put(shell.home, leader, first)
    shell.put(shell.aside, second)
    cpus = os.sched_getaffinity(leader)
    only = frozenset({min(cpus)})
    groups = _groups(shell, scratch, tmp_path)
    groups.check("db1")
    assert groups.at_work() == [leader, first]
    with groups.away(shell.away, only):
        shell.starts_more()
        assert all(_members(one) == set(shell.family()) for one in shell.away)
        assert groups.outside(shell.away) == []
        assert set(groups.outside()) == set(shell.family())
        assert os.sched_getaffinity(first) == set(only)
        # Who keeps each of the two is there and none of the server's, so that nobody can remove it.
        for one in (*shell.home, *shell.aside):
            assert len(_members(one)) == 1
            with pytest.raises(OSError, match="busy"):
                one.rmdir()
    assert groups.outside() == []
    family = set(shell.family())
    assert len(family) == 4
    assert all(_members(one) & family == family - {second} for one in shell.home)
    assert all(_members(one) & family == {second} for one in shell.aside)
    assert {frozenset(os.sched_getaffinity(one)) for one in family} == {frozenset(cpus)}
    scratch.close()
    assert all(_members(one) == family - {second} for one in shell.home)


def _cpus_of(shell: Shell) -> set[frozenset[int]]:
    return {frozenset(os.sched_getaffinity(one)) for one in shell.family()}


def _narrow(group: Path, cpus: frozenset[int]) -> None:
    (group / "cpuset.cpus").write_text(",".join(map(str, sorted(cpus))))


@pytest.mark.parametrize("is_killed", [False, True])
def test_one_without_a_mask_of_its_own_gets_none_on_its_way_back(
    shell: Shell, scratch: Scratch, tmp_path: Path, is_killed: bool
) -> None:
    """A mask stays with a process: the second time away it would have no more CPUs than its slice, and so would its owner."""
    every = frozenset(os.sched_getaffinity(0))
    if shell.controllers[0] != "cpuset" or len(every) < 2:
        pytest.skip("groups of more than one CPU, and of version 1")
    _narrow(shell.home[0], frozenset({min(every)}))
    shell.put(shell.home, *shell.family())
    own = tuple(scratch.new_group(TOP / one, "prove") for one in shell.controllers)
    _settle(own[0])
    groups = _groups(shell, scratch, tmp_path)
    for _ in range(2):
        with groups.away(own, every):
            assert _cpus_of(shell) == {every}
        assert _cpus_of(shell) == {frozenset({min(every)})}
    if is_killed:
        groups.away(own, every).__enter__()
        scratch.close()
        assert _cpus_of(shell) == {frozenset({min(every)})}
    shell.put(tuple(TOP / one for one in shell.controllers), *shell.family())
    assert _cpus_of(shell) == {every}


def test_a_mask_of_its_own_holds_neither_meanwhile_nor_is_lost(
    shell: Shell, scratch: Scratch, tmp_path: Path
) -> None:
    every = frozenset(os.sched_getaffinity(0))
    if len(every) < 2:
        pytest.skip("one CPU")
    shell.put(shell.home, *shell.family())
    for one in shell.family():
        os.sched_setaffinity(one, {max(every)})
    groups = _groups(shell, scratch, tmp_path)
    for _ in range(2):
        with groups.away(shell.away, every):
            assert _cpus_of(shell) == {every}
        assert _cpus_of(shell) == {frozenset({max(every)})}


@pytest.mark.parametrize("is_killed", [False, True])
def test_it_comes_back_in_hierarchies_too_that_its_slice_is_not_in(
    shell: Shell, scratch: Scratch, tmp_path: Path, is_killed: bool
) -> None:
    """As with a cap on a disk that is of the slice of the noise alone."""
    shell.put(shell.home, *shell.family())
    own = tuple(scratch.new_group(TOP / one, "prove") for one in shell.controllers)
    _settle(own[0])
    groups = ServerGroups(scratch, shell.process.pid, shell.home[:1], (), Path("/var/tmp"))
    leaves = groups.away(own, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    assert all(_members(one) == set(shell.family()) for one in own)
    if is_killed:
        scratch.close()
    else:
        leaves.__exit__(None, None, None)
    assert all(set(shell.family()) <= _members(one) for one in shell.home)


def test_a_scratch_that_is_closed_meanwhile_puts_it_back(
    shell: Shell, scratch: Scratch, tmp_path: Path
) -> None:
    shell.put(shell.home, *shell.family())
    own = tuple(scratch.new_group(TOP / one, "prove") for one in shell.controllers)
    _settle(own[0])
    leaves = _groups(shell, scratch, tmp_path).away(own, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    assert all(_members(one) == set(shell.family()) for one in own)
    shell.starts_more()
    scratch.close()
    assert all(_members(one) == set(shell.family()) for one in shell.home)
    assert not any(one.exists() for one in own)


def test_who_keeps_its_groups_is_there_after_an_end_by_force_until_it_was_put_back(
    shell: Shell, tmp_path: Path
) -> None:
    """Its group may be a scope, which would be removed without anybody in it, and it could not be put back."""
    shell.put(shell.home, *shell.family())
    made = Scratch(tmp_path / "journals")
    own = tuple(made.new_group(TOP / one, "prove") for one in shell.controllers)
    _settle(own[0])
    leaves = _groups(shell, made, tmp_path).away(own, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    helper = made.start(["sleep", "600"], folder=made.new_folder(Path("/var/tmp"), "test"))
    made.end_helpers()
    helper.wait()
    assert all(len(_members(one)) == 1 for one in shell.home)
    made.close()
    assert all(_members(one) == set(shell.family()) for one in shell.home)


def test_one_whose_group_is_gone_stays_in_the_journal_until_somebody_has_put_it_elsewhere(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch_module, "_PATIENCE_S", 0.0)
    shell.put(shell.home, *shell.family())
    made = Scratch(tmp_path / "journals")
    leaves = _groups(shell, made, tmp_path).away(shell.away, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    # As one of ours in the journal, which is what groups of trials are.
    monkeypatch.setattr(scratch_module, "is_scratch_name", lambda name: True)
    monkeypatch.setattr(control_groups, "is_group", lambda group: group not in shell.home)
    made.close()
    assert len(list(tmp_path.rglob("*.journal"))) == 1
    shell.put(shell.aside, *shell.family())
    monkeypatch.setattr(scratch_module, "is_scratch_name", lambda name: name not in shell.names)
    assert made.close() == ()


def _refuse(monkeypatch: pytest.MonkeyPatch, homes: tuple[Path, ...]) -> None:
    """As the kernel does where a group takes nobody at the moment."""
    write = control_groups.write

    def refused(group: Path, setting: str, value: str) -> None:
        if group in homes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(group, setting, value)

    monkeypatch.setattr(control_groups, "write", refused)


def test_one_that_could_not_be_put_back_is_told_and_its_group_kept_until_it_is(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch_module, "_PATIENCE_S", 0.0)
    shell.put(shell.home, *shell.family())
    made = Scratch(tmp_path / "journals")
    own = tuple(made.new_group(TOP / one, "prove") for one in shell.controllers)
    _settle(own[0])
    leaves = _groups(shell, made, tmp_path).away(own, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    with monkeypatch.context() as patched:
        _refuse(patched, shell.home)
        with pytest.raises(
            WorldError, match="could not be put back into its groups: could not move"
        ) as raised:
            leaves.__exit__(None, None, None)
        assert (raised.value.id, "`plimsoll host slice verify`" in str(raised.value.hint)) == (
            "server-stays",
            True,
        )
        left = made.close()
        assert all("No space left on device" in one for one in left)
        assert len(left) == len(shell.home) * len(shell.family())
    assert all(_members(one) == set(shell.family()) for one in own)
    # Who keeps each group is there still: nobody can remove it, as systemd would a scope without anybody in it.
    for one in shell.home:
        assert len(_members(one)) == 1
        with pytest.raises(OSError, match="busy"):
            one.rmdir()
    assert made.close() == ()
    assert all(_members(one) == set(shell.family()) for one in shell.home)
    assert not any(one.exists() for one in own)


KILLED = """
import os, signal, sys
from pathlib import Path
from plimsoll.context import Scratch
from plimsoll.host.server_groups import ServerGroups
journals, leader, homes, own = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(":"), sys.argv[4].split(":")
made = Scratch(journals)
groups = [made.new_group(Path(one), "prove") for one in own]
for name in ("cpuset.mems", "cpuset.cpus"):
    if (groups[0] / name).exists() and (groups[0].parent / name).exists():
        (groups[0] / name).write_text((groups[0].parent / name).read_text())
found = ServerGroups(made, leader, tuple(map(Path, homes)), (), Path("/var/tmp"))
with found.away(groups, frozenset(os.sched_getaffinity(0))):
    print(*groups, sep=":", flush=True)
    signal.pause()
"""


RECLAIM = """
import errno, json, os, sys
from pathlib import Path
from plimsoll.context import scratch
from plimsoll.ports import control_groups
write = control_groups.write
def refused(group, setting, value):
    if str(group) in sys.argv[2].split(":"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    write(group, setting, value)
control_groups.write, scratch._PATIENCE_S = refused, 0.0 if sys.argv[2] else 8.0
found = scratch.reclaim(Path(sys.argv[1]))
print(json.dumps([found.taken, found.left]))
"""


def _reclaimed(journals: Path, refused: str = "") -> tuple[list[str], list[str]]:
    """As the next command does it: what it took back, and what it left."""
    said, errors = command.python(RECLAIM, journals, refused).communicate()
    assert errors == ""
    taken, left = json.loads(said)
    return taken, left


def test_after_a_kill_its_group_is_kept_until_a_command_could_put_it_back(
    shell: Shell, tmp_path: Path
) -> None:
    shell.put(shell.home, *shell.family())
    journals = tmp_path / "journals"
    homes, tops = ":".join(map(str, shell.home)), ":".join(str(TOP / one) for one in shell.controllers)
    with command.python(KILLED, journals, str(shell.process.pid), homes, tops) as child:
        assert child.stdout is not None
        own = [Path(one) for one in child.stdout.readline().strip().split(":")]
        child.kill()
    for _ in range(2):
        taken, left = _reclaimed(journals, homes)
        assert taken == []
        assert sum("could not be put back" in one for one in left) == len(shell.home) * len(shell.family())
        # Who keeps each group is there still.
        assert all(len(_members(one)) == 1 for one in shell.home)
        assert all(_members(one) == set(shell.family()) for one in own)
    taken, left = _reclaimed(journals)
    assert f"process {shell.process.pid} and what it started, out of a control group of ours" in taken
    assert left == []
    assert all(_members(one) == set(shell.family()) for one in shell.home)
    assert _reclaimed(journals) == ([], [])


def test_one_that_somebody_has_put_elsewhere_meanwhile_stays_there(
    shell: Shell, scratch: Scratch, tmp_path: Path
) -> None:
    shell.put(shell.home, *shell.family())
    leaves = _groups(shell, scratch, tmp_path).away(shell.away, frozenset(os.sched_getaffinity(0)))
    leaves.__enter__()
    shell.put(shell.aside, *shell.family())
    scratch.close()
    assert all(_members(one) == set(shell.family()) for one in shell.aside)


def test_one_that_is_elsewhere_is_named(shell: Shell, scratch: Scratch, tmp_path: Path) -> None:
    leader, first, second = shell.family()
    shell.put(shell.home, leader, first)
    # In the group of one controller, and not in that of the other.
    shell.put(shell.home[1:], second)
    with pytest.raises(WorldError, match="outside of db1") as raised:
        _groups(shell, scratch, tmp_path).check("db1")
    assert raised.value.id == "server-not-in-slice"
    assert f"sleep ({second})" in raised.value.message


def test_looks_read_the_mounts_once_and_the_groups_of_each_process_once_a_look(
    shell: Shell, scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made many times a second beside the measurement, of a server with hundreds of processes."""
    shell.put(shell.home, *shell.family())
    groups = _groups(shell, scratch, tmp_path)
    assert groups.look() == (shell.family(), [])
    read, seen = files.read_text, list[str]()

    def noted(path: Path | str) -> str | None:
        seen.append(str(path))
        return read(path)

    monkeypatch.setattr(files, "read_text", noted)
    assert groups.look() == (shell.family(), [])
    assert [one for one in seen if one.endswith("mountinfo")] == []
    assert sorted(one for one in seen if one.endswith("/cgroup")) == sorted(
        f"/proc/{one}/cgroup" for one in shell.family()
    )


def _lose(shell: Shell) -> None:
    shell.end()
    raise WorldError("database-lost", "the server has ended", "")


def test_a_server_that_ended_has_no_way_back(shell: Shell, scratch: Scratch, tmp_path: Path) -> None:
    shell.put(shell.home, *shell.family())
    groups = _groups(shell, scratch, tmp_path)
    with pytest.raises(WorldError) as raised, groups.away(shell.away, frozenset(os.sched_getaffinity(0))):
        _lose(shell)
    assert raised.value.id == "database-lost"
    groups._homes.clear()
    with pytest.raises(WorldError) as stays:
        groups._home(shell.process.pid)
    assert stays.value.id == "server-stays"


def test_a_server_that_is_not_seen_here_is_refused(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = cast(Any, SimpleNamespace(server_process=1, database=SimpleNamespace(location="db1")))
    ctx = cast(Any, SimpleNamespace(scratch=scratch))
    for is_here in (False, True):
        monkeypatch.setattr(host_slice_slob, "is_here", lambda _, here=is_here: here)
        monkeypatch.setattr(host_slice_slob, "main_process", lambda _: None)
        with pytest.raises(WorldError, match="db1") as raised:
            host_slice_slob._groups_of(ctx, connection, (), ())
        assert raised.value.id == "server-elsewhere"
