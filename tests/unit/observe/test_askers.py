"""Workers that do I/O for others of their server, and processes that asked them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plimsoll.observe.askers import Asker, Askers
from plimsoll.ports import processes

NS_PER_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


class Probe:
    """Remembers which workers it was told of, and refuses as often as it was made to."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)
        self.told: list[tuple[int, int]] = []

    def book_on_askers(self, worker: int, server: int) -> str | None:
        self.told.append((worker, server))
        return self.reasons.pop(0) if self.reasons else None


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose parent is this one, as the postmaster is of its server's, and runs the same program."""
    made = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield made
    made.kill()
    made.wait()


def askers(probe: Probe, proc: Path = Path("/proc")) -> Askers:
    as_probe: Any = probe
    return Askers(as_probe, proc)


def started_ns(pid: int) -> int:
    found = processes.identity(pid)
    assert found is not None
    return found.start_ticks * NS_PER_TICK


def test_a_worker_that_was_met_is_told_once_and_its_server_has_a_number(
    child: subprocess.Popen[bytes],
) -> None:
    found = askers(probe := Probe())
    for _ in range(3):
        found.meet(child.pid, started_ns(child.pid) + NS_PER_TICK // 2)
    assert probe.told == [(child.pid, 1)]
    assert found.pids == {child.pid}


def test_what_only_calls_itself_a_worker_is_not_looked_into() -> None:
    """Its memory is its own, and so may be its title: root would read whatever it made up."""
    found = askers(probe := Probe())
    with subprocess.Popen(["sleep", "600"]) as other:
        found.meet(other.pid, started_ns(other.pid))
        other.kill()
    assert probe.told == []
    (reason,) = found.unknown_because
    assert reason.startswith("it calls itself a worker")


def test_who_asked_is_a_child_of_the_same_postmaster_and_known_when_it_has_ended(
    child: subprocess.Popen[bytes],
) -> None:
    found = askers(Probe())
    found.meet(child.pid, began := started_ns(child.pid))
    assert found.of(1, child.pid) == Asker(child.pid, began)
    assert found.of(1, os.getppid()) is None, "its parent is another"
    child.kill()
    child.wait()
    found.look_again()
    assert found.of(1, child.pid) == Asker(child.pid, began)
    assert found.of(1, 4_194_305) is None, "no process has that number"


def test_a_worker_that_does_not_say_yet_is_tried_again_and_one_that_never_will_is_left(
    child: subprocess.Popen[bytes],
) -> None:
    began = started_ns(child.pid)
    found = askers(probe := Probe("not yet"))
    for _ in range(2):
        found.meet(child.pid, began)
    assert (len(probe.told), found.unknown_because) == (2, ())
    refused = askers(probe := Probe(*["of another release"] * 9))
    for _ in range(9):
        refused.meet(child.pid, began)
    assert (len(probe.told), refused.unknown_because) == (3, ("of another release",))


def test_workers_are_found_by_title_alone(tmp_path: Path) -> None:
    me = os.getpid()
    titles = {me: b"postgres: io worker 0 \0", 1: b"postgres: shop: checkpointer \0"}
    for pid, title in titles.items():
        place = tmp_path / str(pid)
        place.mkdir()
        (place / "comm").write_text("postgres\n")
        (place / "cmdline").write_bytes(title)
        (place / "status").write_text("Name:\tpostgres\nPPid:\t7\nUid:\t5\n")
        (place / "exe").symlink_to(sys.executable)
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "status").write_text("Uid:\t5\n")
    (tmp_path / "7" / "exe").symlink_to(sys.executable)
    (tmp_path / "self").mkdir()
    found = askers(probe := Probe(), tmp_path)
    found.find_workers()
    assert probe.told == [(me, 1)]


def test_in_a_container_processes_have_other_numbers(tmp_path: Path, child: subprocess.Popen[bytes]) -> None:
    postmaster = 77
    numbered = {postmaster: "PPid:\t1\nNSpid:\t77\t1\n", child.pid: f"PPid:\t77\nNSpid:\t{child.pid}\t42\n"}
    for pid, status in numbered.items():
        (tmp_path / str(pid) / "ns").mkdir(parents=True)
        (tmp_path / str(pid) / "status").write_text(status)
        (tmp_path / str(pid) / "ns" / "pid").symlink_to("pid:[4026539999]")
        (tmp_path / str(pid) / "exe").symlink_to(sys.executable)
    (tmp_path / "self" / "ns").mkdir(parents=True)
    (tmp_path / "self" / "ns" / "pid").symlink_to("pid:[4026531836]")
    children = tmp_path / "77" / "task" / "77" / "children"
    children.parent.mkdir(parents=True)
    children.write_text(f"{child.pid} ")
    found = askers(Probe(), tmp_path)
    found.meet(child.pid, began := started_ns(child.pid))
    assert found.of(1, 42) == Asker(child.pid, began)
    assert found.of(1, 43) is None
