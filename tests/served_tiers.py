"""`plimsoll lab tiers` as a command of its own, for tests that look at what it serves and at what is left of it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import pytest

import command
from loop_device import SEARCHED
from plimsoll.facts import ServedTiers

READY_S, END_S = 120.0, 60.0
_NOT_HERE = (
    "could not make the tiers",
    "could not serve the disk",
    "cannot make a device of a file",
    "no control group",
)


@contextmanager
def tiers_folder() -> Iterator[Path]:
    """An empty one that the account that runs the server may pass through; skips the test where tiers cannot be made."""
    if (
        os.geteuid() != 0
        or shutil.which("mkfs.ext4", path=SEARCHED) is None
        or not Path("/dev/fuse").exists()
    ):
        pytest.skip("tiers need root, /dev/fuse and mkfs.ext4")
    made = Path("/var/tmp", f"tiers-{os.getpid()}")
    made.mkdir(mode=0o755)
    yield made
    made.rmdir()


@contextmanager
def served(folder: Path, *words: str) -> Iterator[Popen[str]]:
    """The command, once all is ready; it is ended with the block if it still runs."""
    server = command.started("lab", "tiers", folder, *words, "--json")
    try:
        _wait_until_ready(folder, server)
        yield server
    finally:
        if server.poll() is None:
            os.kill(server.pid, signal.SIGINT)
            server.communicate(timeout=END_S)


def _wait_until_ready(folder: Path, server: Popen[str]) -> None:
    deadline_s = time.monotonic() + READY_S
    while not (folder / "url").exists():
        if server.poll() is not None:
            said = server.communicate()[1]
            if any(words in said for words in _NOT_HERE):
                pytest.skip(said)
            pytest.fail(said)
        assert time.monotonic() < deadline_s, "the tiers were not served in time"
        time.sleep(0.1)


def answer(server: Popen[str]) -> tuple[ServedTiers, set[str]]:
    """What it says once it was asked to end, and the codes of its remarks."""
    os.kill(server.pid, signal.SIGINT)
    said, talk = server.communicate(timeout=END_S)
    assert server.returncode == 0, talk
    document = json.loads(said)
    return ServedTiers.model_validate(document["data"]), {one["code"] for one in document["warnings"]}
