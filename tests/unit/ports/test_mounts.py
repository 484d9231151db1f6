"""The kernel's table of mounts, and taking a mount away: only the one that bears the name."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.ports.mounts import detach, is_mounted, is_topmost, mount_table, mounts

NAME = "plimsoll-disk-0123456789abcdef"


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file system in memory mounted on it, under a name with a blank in its path."""
    point = tmp_path / "a point"
    point.mkdir()
    mount(point, NAME)
    yield point
    while is_mounted(str(point), NAME):
        subprocess.run(["umount", "--lazy", point], check=True)


def mount(point: Path, name: str) -> None:
    done = subprocess.run(["mount", "-t", "tmpfs", name, point], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


def test_a_mount_is_found_by_its_folder_and_name(mounted: Path) -> None:
    assert is_mounted(str(mounted), NAME)
    assert not is_mounted(str(mounted), NAME + "0")
    assert not is_mounted(str(mounted.parent), NAME)
    assert is_topmost(str(mounted), NAME)


def test_a_mount_is_taken_away_while_a_file_in_it_is_open(mounted: Path) -> None:
    with open(mounted / "open", "w", encoding="utf-8") as file:
        file.write("x")
        detach(str(mounted))
        assert not is_mounted(str(mounted), NAME)
    assert list(mounted.iterdir()) == []


def test_what_was_mounted_over_it_is_seen(mounted: Path) -> None:
    mount(mounted, "theirs")
    assert is_mounted(str(mounted), NAME)
    assert not is_topmost(str(mounted), NAME)
    subprocess.run(["umount", mounted], check=True)
    assert is_topmost(str(mounted), NAME)


def test_every_line_of_this_machine_s_table_is_read() -> None:
    table = mount_table()
    assert len(list(mounts(table))) == len(table.splitlines()) > 0
    assert list(mounts("no such line\n22 1 0:7\n")) == []
