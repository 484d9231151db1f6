"""`plimsoll host slice verify`: processes in real control groups, and each thing that is not as planned."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import command
from plimsoll.host.database_servers import DatabaseServer
from plimsoll.ports import control_groups
from slice_groups import CONTROLLERS, TOP, names_of_test, plan_file, two_slices

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")
SPIN = "m = bytearray(8 << 20)\nprint(flush=True)\nwhile True: sum(range(1000))"
TWO_THREADS = """import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(flush=True)
time.sleep(60)
"""
WATCHED = "plimsoll.placement.slices.applying"


class Applied:
    """Slices that are applied, and a process at work."""

    def __init__(self, folder: Path, start: str, **more: object) -> None:
        self.start = start
        self.plan = two_slices(start, **more)
        self._file = plan_file(folder, self.plan)
        self._journal = str(folder / "journal")
        self._store = str(folder / "runs.sqlite")

    def run(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        return command.here("host", "slice", verb, *words, "--journal", self._journal, "--store", self._store)

    def apply(self) -> None:
        done = self.run("apply", self._file, "--way", "cgroup-v1")
        assert done.returncode == 0, done.stderr

    def group(self, name: str = "a", controller: str = "cpuset") -> Path:
        return TOP / controller / f"plimsoll-{self.start}-{name}"

    def enter(self, process: int, name: str = "a", controllers: tuple[str, ...] = CONTROLLERS) -> None:
        for controller in controllers:
            if self.group(name, controller).exists():
                (self.group(name, controller) / "cgroup.procs").write_text(str(process))

    def verify(self) -> tuple[int, dict[str, Any], set[str]]:
        """The status, the data, and codes with their slices."""
        done = self.run("verify", "--runtime", "200ms", "--json")
        data = command.document(done)["data"]
        return done.returncode, data, {f"{one['slice']}: {one['code']}" for one in data["findings"]}


@pytest.fixture
def applied(tmp_path: Path, start: str) -> Applied:
    made = Applied(tmp_path, start)
    made.apply()
    return made


@contextmanager
def _running(code: str) -> Iterator[int]:
    """A process that is ready when it has told a line."""
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def _spinning() -> AbstractContextManager[int]:
    """A process that never waits, with 8 MiB of its own."""
    return _running(SPIN)


def test_slices_with_a_process_each_are_as_planned(applied: Applied) -> None:
    with _spinning() as one, _spinning() as other:
        applied.enter(one)
        applied.enter(other, "b.c")
        status, data, codes = applied.verify()
    assert (status, data["answer"], codes) == (0, "as planned", set())
    for found, planned in zip(data["slices"], applied.plan.slices, strict=True):
        assert found["cpus_effective"] == list(planned.cpus)
        assert found["samples"] > 0
        assert (found["samples_outside"], found["processes"], found["is_there"]) == (0, 1, True)
        assert found["memory_elsewhere_bytes"] == 0
        assert found["memory_bytes"] > 8 << 20


def test_a_slice_without_processes_is_not_known(applied: Applied) -> None:
    status, data, codes = applied.verify()
    assert (status, data["answer"]) == (5, "not known")
    assert codes == {f"{applied.start}-{name}: slice-empty" for name in ("a", "b.c")}
    done = applied.run("verify", "--runtime", "1ms")
    assert "Not known: no process is in it, so that nothing can be seen of it (slice-empty)." in done.stdout


def test_what_was_changed_by_hand_is_found(applied: Applied) -> None:
    cpus = (TOP / "cpuset" / "cpuset.cpus").read_text().strip()
    if cpus == str(applied.plan.slices[0].cpus[0]):
        pytest.skip("this host has one CPU")
    with _spinning() as one:
        applied.enter(one)
        (applied.group() / "cpuset.cpus").write_text(cpus)
        (applied.group("b.c", "memory") / "memory.limit_in_bytes").write_text(str(1 << 29))
        status, data, codes = applied.verify()
    assert (status, data["answer"]) == (1, "not as planned")
    start = applied.start
    wanted = {f"{start}-a: slice-setting", f"{start}-a: slice-cpus-more", f"{start}-b.c: slice-setting"}
    assert wanted <= codes
    messages = [one["message"] for one in data["findings"]]
    assert (
        f"{applied.group()}/cpuset.cpus says '{cpus}', and not '{applied.plan.slices[0].cpus[0]}'" in messages
    )


def test_a_process_that_is_in_some_groups_of_a_slice_is_found(applied: Applied) -> None:
    with _spinning() as one:
        applied.enter(one, controllers=("cpuset",))
        status, data, codes = applied.verify()
        message = f"1 of its processes are not in {applied.group(controller='memory')}, such as {one}"
        assert (status, f"{applied.start}-a: slice-partly-in" in codes) == (1, True)
        assert message in [found["message"] for found in data["findings"]]


def test_a_thread_that_is_outside_of_a_group_is_found(applied: Applied) -> None:
    """The process stands in the group all the same, as its other threads are in it."""
    with _running(TWO_THREADS) as one:
        applied.enter(one)
        assert f"{applied.start}-a: slice-partly-in" not in applied.verify()[2]
        outside = max(int(thread.name) for thread in Path(f"/proc/{one}/task").iterdir())
        (TOP / "memory" / "tasks").write_text(str(outside))
        status, data, codes = applied.verify()
    memory = applied.group(controller="memory")
    assert (status, f"{applied.start}-a: slice-partly-in" in codes) == (1, True)
    (message,) = [found["message"] for found in data["findings"] if found["code"] == "slice-partly-in"]
    assert message.startswith(f"1 of its processes' threads are not in {memory}, such as {outside} of python")
    assert message.endswith(f" ({one})")


@pytest.mark.parametrize("way", ["first", "last"])
def test_a_thread_that_starts_or_ends_between_two_looks_is_not_outside(applied: Applied, way: str) -> None:
    """It is missing in one look only."""
    real, looks = control_groups.threads, [0]

    def threads(group: Path) -> frozenset[int]:
        looks[0] += 1
        is_missing = looks[0] % 2 == (way == "first")
        return frozenset[int]() if is_missing else real(group)

    with _spinning() as one, patch("plimsoll.ports.control_groups.threads", threads):
        applied.enter(one)
        codes = applied.verify()[2]
    assert looks[0] > 0
    assert f"{applied.start}-a: slice-partly-in" not in codes


def test_a_group_below_a_slice_escapes_its_caps_with_version_1(applied: Applied) -> None:
    """For CPUs and memory it counts as the slice's."""
    kid = applied.group(controller="blkio") / "kid"
    if not kid.parent.is_dir():
        pytest.skip("this host has no disk that a slice could be capped on")
    kid.mkdir()
    inner = applied.group() / "kid"
    inner.mkdir()
    for name in ("cpuset.cpus", "cpuset.mems"):
        (inner / name).write_text((applied.group() / name).read_text())
    with _spinning() as one:
        applied.enter(one)
        assert f"{applied.start}-a: slice-group-below" in applied.verify()[2]
        for group in (kid, inner):
            (group / "cgroup.procs").write_text(str(one))
        status, data, codes = applied.verify()
    (check,) = [found for found in data["slices"] if found["name"] == f"{applied.start}-a"]
    assert (status, f"{applied.start}-a: slice-partly-in" in codes) == (1, False)
    assert (check["processes"], check["samples"] > 0, check["memory_bytes"] > 8 << 20) == (1, True, True)
    message = (
        f"{kid} is a group below it, which no cap on its disks holds: version 1 caps each group by itself"
    )
    assert f"{message} (1 process in it)" in [found["message"] for found in data["findings"]]


def test_a_group_below_a_slice_without_caps_escapes_nothing(tmp_path: Path, start: str) -> None:
    made = Applied(tmp_path, start, iops=None)
    made.apply()
    (made.group(controller="memory") / "kid").mkdir()
    assert f"{start}-a: slice-group-below" not in made.verify()[2]


@pytest.mark.parametrize("file", ["tasks", "cgroup.procs"])
def test_a_file_that_was_not_given_to_the_account_is_found(tmp_path: Path, start: str, file: str) -> None:
    made = Applied(tmp_path, start, account="nobody")
    made.apply()
    assert f"{start}-a: slice-owner" not in made.verify()[2]
    path = made.group(controller="memory") / file
    os.chown(path, 0, 0)
    status, data, _ = made.verify()
    found = [one["message"] for one in data["findings"] if one["code"] == "slice-owner"]
    assert (status, found) == (1, [f"{path} belongs to root, and not to nobody"])


def test_processes_that_start_and_end_between_two_looks_are_not_partly_in(applied: Applied) -> None:
    """Each look finds another one, which is alive, in one group of the slice alone."""
    real, started = control_groups.members, cycle((os.getpid(), os.getppid()))
    memory = applied.group(controller="memory")

    def members(group: Path) -> list[int]:
        return [*real(group), *([next(started)] if group == memory else [])]

    with patch("plimsoll.ports.control_groups.members", members):
        codes = applied.verify()[2]
    assert f"{applied.start}-a: slice-partly-in" not in codes


def test_threads_on_other_cpus_are_found(applied: Applied) -> None:
    """Here the kernel's own answer to where a thread ran is another one."""
    with _spinning() as one, patch("plimsoll.host.process_places._CPU", 11):
        applied.enter(one)
        status, data, codes = applied.verify()
    assert (status, f"{applied.start}-a: slice-ran-elsewhere" in codes) == (1, True)
    (found,) = [check for check in data["slices"] if check["processes"]]
    assert 0 < found["samples_outside"] <= found["samples"]


def test_memory_on_other_nodes_is_found(tmp_path: Path, start: str) -> None:
    from collections import Counter

    from plimsoll.host.process_places import Memory

    made = Applied(tmp_path, start)
    made.apply()
    node = made.plan.slices[0].memory[0].node
    for elsewhere, wanted in ((1, False), (2, True)):
        seen = Memory(Counter({node: 100 - elsewhere, node + 1: elsewhere}), 0)
        with _spinning() as one, patch(f"{WATCHED}.checking.memory_of", lambda number, seen=seen: seen):
            made.enter(one)
            codes = made.verify()[2]
        assert (f"{start}-a: slice-memory-elsewhere" in codes) == wanted


def test_memory_that_the_kernel_does_not_tell_of_is_not_known(applied: Applied) -> None:
    with _spinning() as one, patch(f"{WATCHED}.checking.memory_of", lambda number: None):
        applied.enter(one)
        status, data, codes = applied.verify()
    assert (status, f"{applied.start}-a: slice-memory-unseen" in codes) == (5, True)
    assert data["slices"][0]["memory_bytes"] is None


def test_a_group_that_is_gone_is_found(applied: Applied) -> None:
    applied.group("b.c").rmdir()
    status, data, codes = applied.verify()
    assert (status, f"{applied.start}-b.c: slice-missing" in codes) == (1, True)
    assert [one["is_there"] for one in data["slices"]] == [True, False]


def test_an_offline_cpu_is_told(applied: Applied) -> None:
    """Version 1 takes it out of the group for good."""
    lost = applied.plan.slices[0].cpus[0]
    others = frozenset(range(64)) - {lost}
    with (
        patch(f"{WATCHED}.hierarchy.Hierarchy.cpus", lambda self, group: frozenset[int]()),
        patch(f"{WATCHED}.checking._online", lambda: others),
    ):
        data = applied.verify()[1]
    message = f"it is not run on the CPUs {lost}, as {lost} is offline"
    assert message in [one["message"] for one in data["findings"] if one["code"] == "slice-cpus-lost"]


def _server(process: int, kind: str = "postgresql", program: str = "postgres") -> DatabaseServer:
    return DatabaseServer(kind, program, process, "/srv/pg", (), "")


@pytest.mark.parametrize("is_inside", [True, False])
def test_a_server_outside_of_its_slice_is_found(tmp_path: Path, start: str, is_inside: bool) -> None:
    made = Applied(tmp_path, start, database="postgresql")
    made.apply()
    with _spinning() as leader, _spinning() as child:
        if is_inside:
            made.enter(leader)
        with (
            patch(f"{WATCHED}.servers.database_servers", lambda proc: [_server(leader)]),
            patch("plimsoll.host.database_servers.server_processes", lambda number, proc: [leader, child]),
        ):
            status, data, _ = made.verify()
    (found,) = [one for one in data["findings"] if one["code"] == "slice-server-outside"]
    assert (status, found["slice"], found["severity"]) == (1, f"{start}-a", "wrong")
    what = "1 of its processes of " if is_inside else ""
    assert found["message"].startswith(f"{what}postgresql (postgres, process {leader}, data in /srv/pg)")
    assert f"({child})" in found["message"]


def test_a_server_of_which_nobody_knows_the_slice_is_in_doubt(tmp_path: Path, start: str) -> None:
    made = Applied(tmp_path, start, database="postgresql", account=None)
    made.apply()
    with (
        _spinning() as leader,
        patch(f"{WATCHED}.servers.database_servers", lambda proc: [_server(leader)]),
        patch("plimsoll.host.database_servers.server_processes", lambda number, proc: [leader]),
    ):
        data = made.verify()[1]
    (found,) = [one for one in data["findings"] if one["code"] == "slice-server-outside"]
    assert (found["slice"], found["severity"]) == (None, "doubt")


@pytest.mark.parametrize("is_inside", [True, False])
def test_a_service_that_was_not_restarted_is_found(tmp_path: Path, start: str, is_inside: bool) -> None:
    made = Applied(tmp_path, start, service="shop.service")
    made.apply()
    with _spinning() as main, patch(f"{WATCHED}.servers.main_process", lambda service: main):
        if is_inside:
            made.enter(main)
        data = made.verify()[1]
    found = [one["message"] for one in data["findings"] if one["code"] == "slice-server-outside"]
    wanted = f"the main process of shop.service ({main}) is outside of the slice: restart it"
    assert found == ([] if is_inside else [wanted])


def test_what_a_kill_left_half_made_is_found(applied: Applied, tmp_path: Path) -> None:
    file = tmp_path / "journal" / "slices.journal"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    status, _, codes = applied.verify()
    assert (status, "None: slices-half-made" in codes) == (1, True)


def test_whoever_ends_it_early_is_told_how_long_it_was(applied: Applied) -> None:
    """Ctrl-C in the first look: what was seen is kept, and memory is not waited for."""

    def look(self: object, *given: object) -> None:
        cancelled.append(True)

    cancelled: list[bool] = []
    with (
        _spinning() as one,
        patch("plimsoll.host.process_places.Watched.look", look),
        patch("plimsoll.context.Cancel.is_set", property(lambda self: bool(cancelled))),
        patch(f"{WATCHED}.checking.memory_of", side_effect=AssertionError),
    ):
        applied.enter(one)
        done = applied.run("verify", "--runtime", "1h", "--json")
    data = command.document(done)["data"]
    assert (done.returncode, data["watched_s"] < 3600) == (130, True)
    assert [one["memory_bytes"] for one in data["slices"]] == [None, None]


def test_without_anything_applied_there_is_nothing_to_verify(tmp_path: Path) -> None:
    done = command.here("host", "slice", "verify", "--journal", tmp_path / "none", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "slices-none-applied")
