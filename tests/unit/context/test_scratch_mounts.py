"""Mounts that a scratch has announced: gone when it is closed and after a kill, and no other mount is touched."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import command
from plimsoll.context import Scratch
from plimsoll.context.scratch import Reclaimed, reclaim
from plimsoll.ports import processes
from plimsoll.ports.mounts import is_mounted

KILLED = """
import sys
from pathlib import Path
from plimsoll.context import Scratch
print(Scratch(Path(sys.argv[1])).mounting(Path(sys.argv[2]), "disk"), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def point(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "point"
    folder.mkdir()
    yield folder
    subprocess.run(["umount", "--lazy", folder], capture_output=True, check=False)


def mount(point: Path, name: str) -> None:
    done = subprocess.run(["mount", "-t", "tmpfs", name, point], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


def test_what_is_still_mounted_is_unmounted_on_close(tmp_path: Path, point: Path) -> None:
    with Scratch(tmp_path / "journals") as scratch:
        source = scratch.mounting(point, "disk")
        mount(point, source)
    assert not is_mounted(str(point), source)
    assert not list(tmp_path.rglob("*.journal"))


def test_after_a_kill_the_next_start_unmounts(tmp_path: Path, point: Path) -> None:
    child = command.python(KILLED, tmp_path / "journals", point)
    assert child.stdout is not None
    source = child.stdout.readline().strip()
    mount(point, source)
    child.kill()
    child.communicate()
    assert reclaim(tmp_path / "journals") == Reclaimed(taken=(f"mount on {point}",))
    assert not is_mounted(str(point), source)
    assert reclaim(tmp_path / "journals") == Reclaimed()


@pytest.mark.parametrize("name", ["theirs", "plimsoll-disk-0123456789abcde", "/dev/sda1"])
def test_a_name_that_is_never_given_unmounts_nothing(tmp_path: Path, point: Path, name: str) -> None:
    mount(point, name)
    child = command_of_a_forger(tmp_path / "journals", point, name)
    assert child.returncode == 0
    assert reclaim(tmp_path / "journals") == Reclaimed()
    assert is_mounted(str(point), name)


def command_of_a_forger(journals: Path, point: Path, name: str) -> subprocess.CompletedProcess[str]:
    """A process that is dead when its journal is read."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom plimsoll.context.journal import Journal, Mounting\n"
        "Journal(Path(sys.argv[1])).note(Mounting(sys.argv[2], sys.argv[3], sys.argv[4]))\n"
    )
    words = [sys.executable, "-c", script, str(journals), str(point), name, processes.boot_id()]
    return subprocess.run(words, check=False, text=True)
