"""Tiers of the laboratory that cannot be served, and what is left of the attempt: nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.flows import lab_tiers
from plimsoll.flows.lab_tiers import serve_tiers
from plimsoll.ports import mounts, processes
from plimsoll.requests.lab import TiersRequest
from simulated import context


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one; helpers work in another."""
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("PLIMSOLL_SCRATCH", str(scratch))
    (made := tmp_path / "tiers").mkdir()
    return made


def refusal(tmp_path: Path, folder: Path, **asked: Any) -> PlimsollError:
    with context(tmp_path / "journals") as ctx, pytest.raises(PlimsollError) as caught:
        serve_tiers(ctx, TiersRequest(folder=str(folder), **asked))
    assert os.listdir(folder) == []
    assert os.listdir(tmp_path / "scratch") == []
    return caught.value


def test_root_is_needed(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: False)
    found = refusal(tmp_path, folder)
    assert (found.id, "root" in found.message) == ("tiers-root", True)


def test_laws_are_read_before_anything_is_made(tmp_path: Path, folder: Path) -> None:
    assert refusal(tmp_path, folder, fast_law="law=uniform").id == "disk-law-unreadable"


def test_a_disk_that_is_not_served_says_why(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    found = refusal(tmp_path, folder)
    assert found.id == "tiers-refused"
    assert found.message == "could not serve the disk of tier slow: nothing"


def test_what_a_program_says_against_the_tiers_is_told(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(0, "mount: permission denied")

    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setattr(lab_tiers, "_served_disk", lambda *_: None)
    monkeypatch.setattr(mounts, "mount_memory", refused)
    found = refusal(tmp_path, folder)
    assert found.id == "tiers-refused"
    assert found.message.endswith("mount: permission denied")


def test_what_ends_by_itself_ends_the_serving(tmp_path: Path) -> None:
    alive, ended = (SimpleNamespace(poll=lambda status=status: status) for status in (None, 1))
    watched: Any = {"the database": alive, "the disk of tier slow": ended}
    with context(tmp_path) as ctx:
        assert lab_tiers._wait(ctx, watched, None) == ["the disk of tier slow"]
        assert lab_tiers._wait(ctx, {"the database": watched["the database"]}, 0.0) == []
