"""A process that leaves a control group for a while finds it again, also where whoever made it removes what is empty."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

UNIFIED = next(
    (
        one
        for one in (Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup"))
        if (one / "cgroup.procs").exists()
    ),
    None,
)
pytestmark = pytest.mark.skipif(
    UNIFIED is None or not (UNIFIED / "cgroup.controllers").exists() or os.geteuid() != 0,
    reason="no control groups of version 2 can be made here",
)
SCRIPT = """
import os, sys
from pathlib import Path
from plimsoll.host.control_groups import entered, inside
home, other = Path(sys.argv[1]), Path(sys.argv[2])
(home / "cgroup.procs").write_text(str(os.getpid()))
with inside(entered([other])):
    assert (other / "cgroup.procs").read_text().split() == [str(os.getpid())]
    print("away", flush=True)
    sys.stdin.readline()
print((home / "cgroup.procs").read_text().split() == [str(os.getpid())], flush=True)
"""


@pytest.fixture
def groups() -> Iterator[tuple[Path, Path]]:
    assert UNIFIED is not None
    made = [UNIFIED / f"kept-{os.getpid()}-{name}" for name in ("home", "other")]
    for one in made:
        one.mkdir()
    yield made[0], made[1]
    for one in made:
        if one.is_dir():
            one.rmdir()


def _started(groups: tuple[Path, Path]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SCRIPT, *map(str, groups)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_scope_is_not_empty_meanwhile_so_that_there_is_a_way_back(groups: tuple[Path, Path]) -> None:
    with _started(groups) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "away\n"
        # What systemd does as soon as a scope is empty.
        with pytest.raises(OSError, match="busy"):
            groups[0].rmdir()
        child.stdin.write("back\n")
        child.stdin.flush()
        assert child.stdout.readline() == "True\n"
    assert child.returncode == 0
    assert (groups[0] / "cgroup.procs").read_text() == ""


def test_others_that_are_there_may_end_meanwhile(groups: tuple[Path, Path]) -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        (groups[0] / "cgroup.procs").write_text(str(other.pid))
        with _started(groups) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.readline() == "away\n"
            other.kill()
            other.wait()
            with pytest.raises(OSError, match="busy"):
                groups[0].rmdir()
            child.stdin.write("back\n")
            child.stdin.flush()
            assert child.stdout.readline() == "True\n"
    assert child.returncode == 0


def test_a_command_that_is_killed_leaves_nobody_in_it(groups: tuple[Path, Path]) -> None:
    with _started(groups) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "away\n"
        (keeper,) = (groups[0] / "cgroup.procs").read_text().split()
        watched = os.pidfd_open(int(keeper))
        child.kill()
    # It ends as its input does; a test that hangs here is one that fails.
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    assert poll.poll(60_000)
    os.close(watched)
    assert (groups[0] / "cgroup.procs").read_text() == ""
