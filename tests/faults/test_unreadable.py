"""What may not be read is named, with the next step, by every verb that is given it: a file, and one in a closed folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import command

VERBS = {
    "import": ("import", "{}"),
    "demand": ("demand", "{}"),
    "assess": ("assess", "--demand", "{}", "--target", "sim:"),
    "fio": ("fio", "{}"),
    "read": ("read", "{}"),
    "io": ("io", "{}"),
}


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    made = tmp_path / "closed"
    made.mkdir()
    (made / "data").write_text("x")
    (tmp_path / "data").write_text("x")
    for path in (made, tmp_path / "data"):
        command.forbid(path)
    return made


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("inner", ["data", "closed/data"])
def test_what_may_not_be_read_is_named(verb: str, inner: str, closed: Path) -> None:
    path = closed.parent / inner
    done = command.plimsoll(*(word.format(path) for word in VERBS[verb]), powerless=True)
    assert done.returncode == 4, done.stderr
    assert f"{path}" in done.stderr
    assert "permission denied" in done.stderr
    assert "hint: " in done.stderr


def test_a_closed_folder_is_not_said_to_hold_nothing(closed: Path) -> None:
    done = command.plimsoll("import", closed, powerless=True)
    assert done.returncode == 4, done.stderr
    assert f"could not read {closed}: permission denied" in done.stderr


def test_a_list_of_targets_in_a_closed_folder_is_named(closed: Path) -> None:
    done = command.plimsoll("orion", "-run", "simple", "-testname", closed / "data", powerless=True)
    assert done.returncode == 4, done.stderr
    assert "closed/data.lun" in done.stderr
