"""A file system that is full, or fills up beside us: one clear error, nothing of ours left on it, nothing of others' touched."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base import folders
from plimsoll.cli import main
from plimsoll.supply import targets

MIB = 1 << 20
SIZE = 224 * MIB

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount file systems")


def _done(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{words[0]} does not work here: {done.stderr.strip()}")
    return done.stdout.strip()


@pytest.fixture(params=["tmpfs", "ext4"])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A file system of 224 MiB."""
    place, backing = tmp_path / "small", tmp_path / "backing"
    place.mkdir()
    if request.param == "tmpfs":
        _done("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "none", place)
    else:
        with backing.open("wb") as file:
            file.truncate(SIZE)
        _done("mkfs.ext4", "-q", backing)
        _done("mount", "-o", "loop", backing, place)
    before = set(place.iterdir())
    yield place
    assert set(place.iterdir()) - before <= {place / "rival"}
    subprocess.run(["umount", place], check=True)


def fill_up(folder: Path) -> Path:
    """Another program's file that takes all the room there is."""
    rival = folder / "rival"
    with rival.open("wb") as file:
        room = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        os.posix_fallocate(file.fileno(), 0, room)
    return rival


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    capsys.readouterr()
    assert main.run([*words, "--json"]) == 4
    seen = capsys.readouterr()
    document = json.loads(seen.out)
    assert document["kind"] == "error"
    assert seen.err.count("error: ") == 1
    return document["data"]


def forms(folder: Path) -> list[list[str]]:
    """A scratch file in the folder, and a new file that would stay."""
    return [
        ["io", str(folder), "--size", "64m"],
        ["io", str(folder / "kept"), "--prefill", "--size", "64m"],
        ["line", str(folder), "--size", "64m"],
        ["calibrate", str(folder), "--size", "64m"],
        ["shapes", str(folder), "--size", "64m"],
    ]


def test_a_full_file_system_is_refused_before_anything_is_made(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rival = fill_up(small)
    size = rival.stat().st_size
    for words in forms(small):
        error = refused(words, capsys)
        assert error["id"] == "disk-full"
        assert " free, and 64 MiB are needed, with 64 MiB beside them that stay free" in error["message"]
        assert "--size" in error["hint"]
        assert rival.stat().st_size == size


def test_one_that_fills_up_before_we_write_is_named_and_left_as_it_was(
    small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room was there when it was looked at; another program takes it before our file has it."""

    def late(*args: Any, **more: Any) -> Any:
        if not (small / "rival").exists():
            fill_up(small)
        return really(*args, **more)

    really: Callable[..., Any] = targets.fill  # pyright: ignore[reportPrivateImportUsage]
    monkeypatch.setattr(targets, "fill", late)
    for words in forms(small):
        (small / "rival").unlink(missing_ok=True)
        error = refused(words, capsys)
        assert error["id"] == "disk-full"
        assert "no space left on device" in error["message"]
        assert error["hint"]
        assert (
            sorted(path.name for path in small.iterdir() if path.name.startswith(("kept", "plimsoll"))) == []
        )


def test_our_room_is_taken_at_once_so_a_later_writer_cannot_spoil_a_run(small: Path) -> None:
    """A rival that comes while we write, or measure, finds the room gone, and the run ends well."""
    child = command.started("io", small, "--size", "64m", "--runtime", "2s", "--events", "-", "--json")
    assert child.stderr is not None
    assert any('"kind":"live"' in line for line in child.stderr)
    fill_up(small)
    out, _ = child.communicate(timeout=60)
    data = json.loads(out)["data"]
    assert data["errors"] == 0
    assert data["ios"] > 0
    journals = folders.state_folder() / "scratch"
    assert [path.name for path in small.iterdir() if path.name.startswith("plimsoll")] == []
    assert list(journals.rglob("*.journal")) == []
