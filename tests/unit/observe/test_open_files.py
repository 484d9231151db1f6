"""Names of files by number."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.observe import open_files
from plimsoll.observe.open_files import FileNumber, OpenFiles


def number(path: Path) -> FileNumber:
    found = path.stat()
    return FileNumber((os.major(found.st_dev), os.minor(found.st_dev)), found.st_ino)


def test_a_file_that_is_open_has_a_name_as_long_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "16384\nodd"
    known = OpenFiles()
    with path.open("w"):
        assert known.name(number(path)) is None, "nobody has looked"
        known.look_at([os.getpid()])
    at = number(path)
    assert known.name(at) == str(path)
    path.unlink()
    assert known.name(at) is None


def test_a_name_that_another_file_has_by_now_is_no_name(tmp_path: Path) -> None:
    path, other = tmp_path / "one", tmp_path / "other"
    other.touch()
    known = OpenFiles()
    with path.open("w"):
        at = number(path)
        known.look_at([os.getpid()])
        other.replace(path)
        assert known.name(at) is None


def test_processes_that_are_gone_have_nothing_open() -> None:
    known = OpenFiles()
    known.look_at([2**22 + 1])
    assert known.name(FileNumber((7, 0), 1)) is None


def test_names_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "FILES_MAX", 1)
    one, other = tmp_path / "one", tmp_path / "other"
    known = OpenFiles()
    with one.open("w"), other.open("w"):
        known.look_at([os.getpid()])
    assert [known.name(number(path)) for path in (one, other)].count(None) >= 1
