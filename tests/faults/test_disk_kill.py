"""A disk of the laboratory that is killed: its mount is dead, and the next command takes it away."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

import command
from dialled_disk import dialled
from loop_device import run
from plimsoll.ports.mounts import mount_table, mounts

LAW = "law=constant,mean=100us"


def points() -> set[str]:
    return {mount.point for mount in mounts(mount_table())}


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Journals and store of these commands are this test's alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))


def test_the_next_command_unmounts_what_a_kill_left(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk:
        os.kill(disk.server.pid, signal.SIGKILL)
        disk.server.communicate(timeout=30)
        assert str(folder) in points()
        with pytest.raises(OSError, match="not connected"):
            os.listdir(folder)
        said = command.plimsoll("store", "list")
        assert f"took back what a run that was killed had left: mount on {folder}" in said.stderr
        assert str(folder) not in points()
        assert os.listdir(folder) == []
        assert "took back" not in command.plimsoll("store", "list").stderr


def test_what_was_mounted_over_it_meanwhile_stays(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk:
        run("mount", "-t", "tmpfs", "theirs", folder)
        (folder / "file").write_text("theirs")
        os.kill(disk.server.pid, signal.SIGKILL)
        disk.server.communicate(timeout=30)
        said = command.plimsoll("store", "list")
        assert f"not taken back: mount on {folder}: something else was mounted over it" in said.stderr
        assert (folder / "file").read_text() == "theirs"
        run("umount", folder)
        command.plimsoll("store", "list")
        assert str(folder) not in points()


def test_its_end_leaves_alone_what_was_mounted_over_it(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk:
        run("mount", "-t", "tmpfs", "theirs", folder)
        (folder / "file").write_text("theirs")
        os.kill(disk.server.pid, signal.SIGTERM)
        said = disk.server.communicate(timeout=30)[0]
        assert disk.server.returncode == 4
        assert "something else was mounted over it" in said
        assert (folder / "file").read_text() == "theirs"
        run("umount", folder)
        command.plimsoll("store", "list")
        assert str(folder) not in points()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_as_asked_it_leaves_nothing(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk:
        os.kill(disk.server.pid, number)
        disk.server.communicate(timeout=30)
        assert disk.server.returncode == 0
        assert str(folder) not in points()
        assert os.listdir(folder) == []
        assert not list((tmp_path / "state").rglob("*.journal"))


def test_whoever_still_has_it_open_is_told_by_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk, open(disk.path, "rb", buffering=0) as file:
        assert len(file.read(4096)) == 4096
        os.kill(disk.server.pid, signal.SIGTERM)
        said = disk.server.communicate(timeout=30)[0]
        assert disk.server.returncode == 0
        assert '"disk-in-use"' in said
        with pytest.raises(OSError, match=r"not connected|Input/output"):
            file.read(4096)
        assert str(folder) not in points()


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("x")
    refused = command.plimsoll("lab", "disk", tmp_path)
    assert refused.returncode == 2
    assert "the folder is not empty" in refused.stderr
    assert str(tmp_path) not in points()


def test_without_the_right_to_mount_it_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    folder.mkdir()
    if shutil.which("fusermount3"):
        pytest.skip("fusermount3 mounts for everybody here")
    refused = command.plimsoll("lab", "disk", folder, "--json", powerless=True)
    assert refused.returncode == 4
    error = command.document(refused)["data"]
    assert error["id"] == "disk-refused"
    assert f"could not mount a disk on {folder}" in error["message"]
    assert "/dev/fuse" in error["hint"]
    assert str(folder) not in points()


def test_somebody_else_unmounts_it(tmp_path: Path) -> None:
    folder = tmp_path / "dial"
    with dialled(folder, LAW) as disk:
        run("umount", folder)
        said = disk.server.communicate(timeout=30)[0]
        assert disk.server.returncode == 5
        assert '"disk-unmounted"' in said
