"""`plimsoll host slice revert`: what somebody works in or has changed meanwhile, told before as it is told when it is done."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import command
from plimsoll.ports import control_groups
from slice_commands import Here
from slice_groups import CONTROLLERS, TOP, listed, names_of_test

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")


@pytest.fixture
def here(tmp_path: Path, start: str) -> Here:
    made = Here(tmp_path, start)
    assert made.apply()[0] == 0
    return made


def _group(start: str, controller: str = "cpuset") -> Path:
    return TOP / controller / f"plimsoll-{start}-a"


def test_a_busy_slice_is_not_taken_back_and_nothing_else_is(here: Here, start: str) -> None:
    found = listed(start)
    with subprocess.Popen(["sleep", "20"]) as process:
        (_group(start) / "cgroup.procs").write_text(str(process.pid))
        status, said = here.run("revert")
        assert (status, listed(start)) == (4, found)
        assert f"{_group(start)} has processes in it: sleep ({process.pid})" in said
        for controller in CONTROLLERS:
            assert f"echo PID > {TOP}/{controller}/cgroup.procs" in said
        assert here.refused("revert") == (4, "slices-busy")
        process.kill()
    (_group(start) / "inner").mkdir()
    said = here.run("revert")[1]
    assert f"{_group(start)} has groups below it, such as inner" in said
    assert f"hint: Remove what is below it: rmdir {_group(start)}/inner" in said
    (_group(start) / "inner").rmdir()
    assert (here.run("revert")[0], listed(start)) == (0, {})


def test_what_was_changed_by_hand_is_named_when_it_goes(here: Here, start: str) -> None:
    file = _group(start, "memory") / "memory.limit_in_bytes"
    file.write_text(str(1 << 29))
    said = _told_alike(here)
    assert (said["changed"], listed(start)) == (
        [f"{file} was changed to '{1 << 29}' meanwhile, and goes with its group"],
        {},
    )


def _told_alike(here: Here) -> dict[str, Any]:
    """A dry run says what the real one does, with the status of something that is left."""
    dry = here.document("revert", "--dry-run")
    status, said = here.document("revert")
    assert dry == (status, {**said, "dry_run": True})
    assert status == 5
    return said


def test_a_group_that_somebody_made_anew_is_named_once_and_left(here: Here, start: str) -> None:
    """Also where somebody is in it: what is not ours is in nobody's way."""
    theirs = _group(start, "memory")
    theirs.rmdir()
    theirs.mkdir()
    with subprocess.Popen(["sleep", "20"]) as process:
        (theirs / "cgroup.procs").write_text(str(process.pid))
        said = _told_alike(here)
        process.kill()
    assert said["changed"] == [f"{theirs} is another group by now, and is left as it is"]
    assert f"rmdir {theirs}" not in said["undone"]
    assert f"rmdir {_group(start)}" in said["undone"]
    assert list(listed(start)) == [f"memory/{theirs.name}"]


def test_a_group_that_somebody_removed_is_named_and_not_said_to_be_taken_back(here: Here, start: str) -> None:
    _group(start).rmdir()
    said = _told_alike(here)
    assert said["changed"] == [f"{_group(start)} was removed by somebody meanwhile"]
    assert f"rmdir {_group(start)}" not in said["undone"]
    assert listed(start) == {}


def test_a_journal_that_was_cut_off_can_be_read_after_a_revert_that_failed(here: Here, start: str) -> None:
    """Nothing is added to half a line."""
    file = here.journal / "slices.journal"
    file.write_text(file.read_text().rstrip("\n")[:-2])
    with patch("plimsoll.ports.control_groups.remove", lambda group: False):
        assert here.refused("revert") == (4, "slices-left")
    assert (here.run("revert")[0], listed(start)) == (0, {})


def test_what_a_killed_revert_has_removed_was_removed_by_nobody_else(here: Here, start: str) -> None:
    with (here.journal / "slices.journal").open("a") as journal:
        journal.write('{"undoing": true}\n')
    _group(start).rmdir()
    assert here.run("revert", "--dry-run")[0] == 0
    assert (here.run("revert")[0], listed(start)) == (0, {})


def test_what_could_not_be_taken_back_is_named_with_the_command_that_goes_on_from_there(
    here: Here, start: str
) -> None:
    whole = here.document("revert", "--dry-run")[1]["undone"]
    held, remove = _group(start), control_groups.remove
    with patch("plimsoll.ports.control_groups.remove", lambda group: group != held and remove(group)):
        status, said = here.document("revert")
        assert (status, said["id"]) == (4, "slices-left")
        assert (
            f"not all could be taken back: {held} could not be removed. Left to be done: rmdir {held}"
            in said["message"]
        )
        assert "slices-half-made" in here.run("verify", "--runtime", "1s")[1] + str(
            here.document("verify", "--runtime", "1s")
        )
        # Once more with the same in the way: nothing else comes of it, and what is left is what is left.
        assert here.document("revert") == (status, said)
    left = here.document("revert", "--dry-run")[1]["undone"]
    assert f"rmdir {held}" in left
    assert 0 < len(left) < len(whole)
    assert not set(left) - set(whole)
    assert list(listed(start))
    (again,) = re.findall(r"run `([^`]*)`, which", said["hint"])
    assert str(here.journal) in again
    assert command.here(*shlex.split(again)[1:]).returncode == 0
    assert (listed(start), list(here.journal.glob("*"))) == ({}, [])


def test_the_command_of_a_hint_names_the_journal_that_it_is_about(here: Here, start: str) -> None:
    said = here.document("apply")[1]
    assert said["id"] == "slices-applied"
    commands = re.findall(r"`([^`]*)`", said["hint"])
    assert [one.split()[3] for one in commands] == ["verify", "revert"]
    assert command.here(*shlex.split(commands[1])[1:]).returncode == 0
    assert listed(start) == {}
