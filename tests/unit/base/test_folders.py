"""Where results and journals live."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base import folders
from plimsoll.base.errors import WorldError


def test_results_and_journals_follow_the_xdg_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert folders.data_folder() == tmp_path / "data" / "plimsoll"
    assert folders.state_folder() == tmp_path / "state" / "plimsoll"


def test_without_them_they_lie_below_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("XDG_STATE_HOME", "")
    assert folders.data_folder() == tmp_path / ".local" / "share" / "plimsoll"
    assert folders.state_folder() == tmp_path / ".local" / "state" / "plimsoll"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.delenv("XDG_DATA_HOME")
    with pytest.raises(WorldError, match="no home folder") as refused:
        folders.data_folder()
    assert refused.value.id == "home-unknown"
