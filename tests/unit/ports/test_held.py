"""A hold on an open file: one at a time, gone with its holder, and never believed where the system says something else."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from plimsoll.ports.held import hold


def test_one_at_a_time_holds_a_file(tmp_path: Path) -> None:
    path = tmp_path / "held"
    path.touch()
    with open(path, "r+b") as first, open(path, "r+b") as second:
        assert hold(first)
        assert not hold(second)
        first.close()
        assert hold(second)


@pytest.mark.parametrize(("number", "is_refused"), [(errno.ENOLCK, False), (errno.EBADF, True)])
def test_only_a_file_system_without_holds_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_refused: bool
) -> None:
    def flock(file: object, operation: int) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(fcntl, "flock", flock)
    with open(tmp_path / "file", "wb") as file:
        if is_refused:
            with pytest.raises(OSError, match="no"):
                hold(file)
        else:
            assert hold(file)
