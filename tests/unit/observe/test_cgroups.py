"""The control group of a process, as the kernel tells it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.observe import cgroups
from plimsoll.observe.cgroups import ProcessGroups, group_in
from plimsoll.ports import files


@pytest.mark.parametrize(
    ("told", "path"),
    [
        ("0::/system.slice/postgresql.service\n", "/system.slice/postgresql.service"),
        ("9:name=systemd:/a\n7:blkio:/db\n4:memory:/b\n0::/u\n", "/db"),
        ("7:cpu,blkio:/both\n0::/\n", "/both"),
        ("8:pids:/p\n0::/unified\n", "/unified"),
        ("3:cpuset:/c\n", None),
        ("0::/a:b\x0b\u2028 c\n", "/a:b\x0b\u2028 c"),
        ("0::/gone (deleted)\n", "/gone (deleted)"),
        ("0::/../sibling\n", "/../sibling"),
        ("", None),
        ("what is this", None),
    ],
    ids=[
        "two",
        "hybrid",
        "one-with-two",
        "blkio-on-two",
        "neither",
        "odd-names",
        "deleted",
        "above",
        "empty",
        "else",
    ],
)
def test_the_group_is_that_of_the_controller_that_limits_io(told: str, path: str | None) -> None:
    assert group_in(told) == path


def tells(proc: Path, pid: int, text: str) -> None:
    (proc / str(pid)).mkdir(exist_ok=True)
    (proc / str(pid) / "cgroup").write_text(text)


def test_it_is_read_once_for_each_process_and_again_for_the_next_of_that_number(tmp_path: Path) -> None:
    groups = ProcessGroups(tmp_path, lambda pid, started_ns: True)
    tells(tmp_path, 100, "0::/first\n")
    assert groups.of(100, 1) == "/first"
    tells(tmp_path, 100, "0::/second\n")
    assert groups.of(100, 1) == "/first"
    assert groups.of(100, 2) == "/second"


def test_of_one_that_has_ended_it_is_not_known_and_not_another_s(tmp_path: Path) -> None:
    groups = ProcessGroups(tmp_path, lambda pid, started_ns: started_ns == 2)
    assert groups.of(100, 2) is None
    tells(tmp_path, 100, "0::/next\n")
    assert groups.of(100, 1) is None
    assert groups.of(100, 2) is None, "read once"
    assert ProcessGroups(tmp_path, lambda pid, started_ns: started_ns == 2).of(100, 2) == "/next"


def test_no_more_are_remembered_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "_PROCESSES_MAX", 2)
    groups = ProcessGroups(tmp_path, lambda pid, started_ns: True)
    for pid in (1, 2, 3):
        tells(tmp_path, pid, f"0::/{pid}\n")
    assert [groups.of(pid, 1) for pid in (1, 2, 3, 1)] == ["/1", "/2", "/3", "/1"]


def test_the_real_kernel_tells_it_of_this_process() -> None:
    from plimsoll.ports import processes

    me = processes.own_identity()
    told = files.read_text(Path("/proc/self/cgroup"))
    if told is None:
        pytest.skip("this kernel has no control groups")
    started_ns = me.start_ticks * 10**9 // os.sysconf("SC_CLK_TCK")
    assert ProcessGroups().of(me.pid, started_ns) == group_in(told)
