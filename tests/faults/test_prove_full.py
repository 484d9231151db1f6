"""A disk that fills up while tables are loaded: one clear error, and the server and its files are gone afterwards."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import plimsoll

MIB = 1 << 20

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount file systems")


@pytest.fixture
def small() -> Iterator[Path]:
    """A file system of 200 MiB that the server's user may enter."""
    place = Path("/var/tmp") / f"plimsoll-small-{os.getpid()}"
    place.mkdir(mode=0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={200 * MIB},mode=755", "none", str(place)]
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode:
        place.rmdir()
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)
    place.rmdir()


def test_no_space_for_the_tables(small: Path) -> None:
    done = plimsoll(
        "prove", "slob", "--folder", small, "--scale", "400M", "--runtime", "5", "--json", timeout_s=110
    )
    assert done.returncode == 4, done.stderr
    assert not done.stdout or "error" in json.loads(done.stdout).get("kind", "error")
    assert "no space left on device" in done.stderr.lower()
    assert "hint:" in done.stderr
    assert not list(small.iterdir())
