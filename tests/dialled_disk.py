"""A disk of known speed for tests: `plimsoll lab disk` in a process of its own, which is the only safe place to serve one from."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import command
from plimsoll.facts import DiskCounters, ServedDisk
from plimsoll.ports import mounts

SIZE = "64m"
_READY_S = 30.0


@dataclass
class DialledDisk:
    """A disk that is served; `ended` has what it counted, once the block that served it is over."""

    path: Path
    server: subprocess.Popen[str]
    ended: ServedDisk | None = None

    def counters(self) -> DiskCounters:
        """What it counted until now; to look does not count."""
        return DiskCounters.model_validate_json((self.path.parent / "counters.json").read_bytes())

    def requests(self, action: str, length_bytes: int) -> int:
        """Requests of that action and length until now."""
        sizes = self.counters().sizes
        return sum(one.requests for one in sizes if (one.action, one.bytes) == (action, length_bytes))


@contextmanager
def dialled(
    folder: Path, law: str, size: str = SIZE, words: Sequence[str] = (), **environment: str
) -> Iterator[DialledDisk]:
    """Serves a disk on `folder`, which is made, for as long as the block lasts; skips the test where none can be mounted.

    `words` are further ones of the command, such as those of a mirror.
    """
    folder.mkdir(parents=True, exist_ok=True)
    server = command.started(
        "lab", "disk", folder, "--law", law, "--size", size, *words, "--json", **environment
    )
    try:
        _wait_until_served(folder / "disk", server)
        disk = DialledDisk(folder / "disk", server)
        yield disk
        if server.poll() is None:
            disk.ended = _ended(server)
    finally:
        if server.poll() is None:
            _end(server, folder)


def _end(server: subprocess.Popen[str], folder: Path) -> None:
    """Also one that hangs: whoever looked at its mount afterwards would hang as well, where no time limit reaches him."""
    os.kill(server.pid, signal.SIGTERM)
    try:
        server.communicate(timeout=_READY_S)
    except subprocess.TimeoutExpired:
        server.kill()
        mounts.detach(str(folder))
        server.communicate(timeout=_READY_S)
        raise


def _wait_until_served(path: Path, server: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + _READY_S
    while not path.exists():
        if server.poll() is not None:
            said = server.communicate(timeout=_READY_S)[1]
            if "could not mount" in said:
                pytest.skip(f"no disk can be mounted here: {said.strip()}")
            pytest.fail(said)
        assert time.monotonic() < deadline, "the disk was not served in time"
        time.sleep(0.02)


def _ended(server: subprocess.Popen[str]) -> ServedDisk:
    os.kill(server.pid, signal.SIGTERM)
    said, talk = server.communicate(timeout=_READY_S)
    assert server.returncode == 0, talk
    return ServedDisk.model_validate(json.loads(said)["data"])
