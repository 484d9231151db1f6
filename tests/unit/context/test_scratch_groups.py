"""Control groups that a scratch has made: gone when it is closed and after a kill; no other group or folder is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import WorldError
from plimsoll.context import Scratch, scratch
from plimsoll.context.scratch import Reclaimed, reclaim
from plimsoll.ports import control_groups
from plimsoll.ports.control_groups import BLOCK_IO, MEMORY

KILLED = """
import sys
from pathlib import Path
from plimsoll.context import Scratch
print(Scratch(Path(sys.argv[1])).new_group(Path(sys.argv[2]), "test"), flush=True)
sys.stdin.read()
"""
NAME = "plimsoll-test-0123456789abcdef"


@pytest.fixture
def parent() -> Path:
    """A group in which others can be made."""
    if os.geteuid() != 0:
        pytest.skip("control groups are for root")
    found = control_groups.places([MEMORY]) or control_groups.places([BLOCK_IO])
    if not found:
        pytest.skip("no control group can be made here")
    return next(iter(found.values())).parent


@pytest.fixture
def theirs(parent: Path) -> Iterator[Path]:
    """One that somebody else made."""
    group = parent / f"somebody-{os.getpid()}"
    group.mkdir()
    yield group
    group.rmdir()


def test_it_goes_with_the_scratch(tmp_path: Path, parent: Path) -> None:
    with Scratch(tmp_path / "journals") as made:
        group = made.new_group(parent, "test")
        assert control_groups.is_own(group)
    assert not group.exists()
    assert not list(tmp_path.rglob("*.journal"))


def test_after_a_kill_the_next_start_removes_it(tmp_path: Path, parent: Path) -> None:
    child = command.python(KILLED, tmp_path / "journals", parent)
    assert child.stdout is not None
    group = child.stdout.readline().strip()
    child.kill()
    child.communicate()
    assert os.path.isdir(group)
    assert reclaim(tmp_path / "journals") == Reclaimed(taken=(f"control group {group}",))
    assert not os.path.exists(group)
    assert reclaim(tmp_path / "journals") == Reclaimed()


def test_with_a_process_in_it_it_stays_and_is_told(
    tmp_path: Path, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_PATIENCE_S", 0.1)
    made = Scratch(tmp_path / "journals")
    group = made.new_group(parent, "test")
    with subprocess.Popen(["sleep", "600"]) as child:
        control_groups.write(group, "cgroup.procs", str(child.pid))
        made.close()
        assert group.exists()
        child.kill()
    assert len(list(tmp_path.rglob("*.journal"))) == 1
    made.close()
    assert not group.exists()


@pytest.mark.parametrize(
    "name", ["theirs", "plimsoll-test-0123456789abcde", "plimsoll-test-0123456789abcdeg"]
)
def test_a_name_that_is_never_given_removes_nothing(tmp_path: Path, theirs: Path, name: str) -> None:
    group = theirs / name
    group.mkdir()
    forge(tmp_path / "journals", group)
    assert reclaim(tmp_path / "journals") == Reclaimed()
    group.rmdir()


def test_a_folder_that_is_no_group_is_not_removed(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    forge(tmp_path / "journals", folder)
    assert reclaim(tmp_path / "journals") == Reclaimed()
    assert folder.is_dir()


def test_where_none_can_be_made_it_is_said(tmp_path: Path) -> None:
    with Scratch(tmp_path / "journals") as made, pytest.raises(WorldError) as caught:
        made.new_group(tmp_path / "none", "test")
    assert caught.value.id == "scratch-refused"
    assert "control group" in caught.value.message


def forge(journals: Path, group: Path) -> None:
    """The journal of a process that is dead when it is read."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom plimsoll.context.journal import Grouping, Journal\n"
        "Journal(Path(sys.argv[1])).note(Grouping(sys.argv[2]))\n"
    )
    subprocess.run([sys.executable, "-c", script, str(journals), str(group)], check=True)
