"""The journal of `plimsoll host slice apply`: where it may lie, and what a kill or a full disk leaves of its last line."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from plimsoll.placement.slices.applying.acts import BusyError, MakeGroup
from plimsoll.ports.folders import Folder
from slice_commands import Here
from slice_groups import listed, names_of_test

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
NOBODY = 65534
start = pytest.fixture(names_of_test, name="start")


class Killed(BaseException):
    """As a signal that nothing catches."""


@pytest.fixture
def here(tmp_path: Path, start: str) -> Here:
    return Here(tmp_path, start)


def test_nothing_is_made_in_a_folder_of_another_user(here: Here, start: str) -> None:
    theirs = here.journal
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    here.journal = theirs / "inner" / "journal"
    made: list[str] = []
    real = os.mkdir

    def mkdir(path: str, *given: int, **named: int) -> None:
        made.append(path)
        real(path, *given, **named)

    with patch("os.mkdir", mkdir):
        assert here.refused("apply") == (3, "slices-journal-foreign")
    assert ([one for one in made if "journal" in one or one == "inner"], list(theirs.iterdir())) == ([], [])
    assert listed(start) == {}


def test_folders_that_cannot_be_used_go_again(here: Here, start: str) -> None:
    """A full disk has room for the first alone."""
    outer, real = here.journal.parent / "outer", os.mkdir
    here.journal = outer / "inner" / "journal"

    def mkdir(path: str, *given: int, **named: int) -> None:
        if path == "journal":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, *given, **named)

    with patch("os.mkdir", mkdir):
        assert here.refused("apply") == (4, "slices-journal")
    assert (outer.exists(), listed(start)) == (False, {})


def test_a_revert_of_such_a_journal_that_was_killed_is_taken_up_as_ours(here: Here, start: str) -> None:
    """Its own work is not told as somebody's."""
    here.apply()
    file = here.journal / "slices.journal"
    file.write_text(file.read_text() + '{"beg')
    real, undone = MakeGroup.undo, [0]

    def undo(self: MakeGroup, learned: Any) -> str | None:
        undone[0] += 1
        if undone[0] == 3:
            raise Killed
        return real(self, learned)

    with patch.object(MakeGroup, "undo", undo), pytest.raises(Killed):
        here.run("revert")
    assert file.read_text().endswith('\n{"undoing": true}\n')
    status, said = here.run("revert")
    assert (status, "removed by somebody" in said, listed(start)) == (0, False, {})


@pytest.mark.parametrize("at", [3, 4], ids=["an act that is begun", "one that is done"])
def test_a_line_that_does_not_fit_on_the_disk_goes_before_the_next(here: Here, start: str, at: int) -> None:
    """A process is in the group, so that not all can be taken back and the journal stays."""
    real, lines = Folder.append, [0]

    def append(self: Folder, name: str, content: bytes, is_settled: bool = False) -> None:
        lines[0] += 1
        if lines[0] == at:
            real(self, name, content[:7], is_settled)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, name, content, is_settled)

    def busy(self: MakeGroup, learned: Any) -> str | None:
        raise BusyError("in use")

    with patch.object(Folder, "append", append), patch.object(MakeGroup, "undo", busy):
        assert here.refused("apply") == (4, "slices-left")
    told = [json.loads(line) for line in (here.journal / "slices.journal").read_text().splitlines()]
    assert told[-1] == {"undoing": True}
    assert len(told) == at + 1
    assert (here.run("revert")[0], listed(start)) == (0, {})
