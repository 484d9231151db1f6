"""A load over NFS whose data are compared, in a process of its own: `crates/nfs/examples/checked.rs`, which says what it prints."""

from __future__ import annotations

import json
import os
import queue
import shutil
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent.parent
_PATIENCE_S = 60.0
_WORD = struct.Struct(">Q")


def block_of(word: int, block_bytes: int) -> bytes:
    """A block that says that word, again and again."""
    return _WORD.pack(word) * (block_bytes // _WORD.size)


def file_to_read(blocks: int, block_bytes: int) -> bytes:
    """What its reads expect."""
    return b"".join(block_of(number + 1, block_bytes) for number in range(blocks))


def check_written(file: Path, words: list[int], block_bytes: int) -> None:
    """That the server has of each block what was written there last."""
    with file.open("rb") as data:
        for number, word in enumerate(words):
            found = data.read(block_bytes)
            assert found == block_of(word or number + 1, block_bytes), f"block {number} has other bytes"
    assert sum(1 for word in words if word) == len(words), "every block was written"


@cache
def program() -> Path:
    """The program, compiled if need be. It is first asked for before a test has a home of its own, where cargo finds nothing."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo not found: it compiles the load that compares what it reads")
    folder = Path(os.environ.get("CARGO_TARGET_DIR", _ROOT / "target"))
    words = ("build", "--quiet", "--locked", "--package", "plimsoll-nfs", "--example", "checked")
    subprocess.run([cargo, *words, "--target-dir", folder], cwd=_ROOT, check=True)
    return folder / "debug" / "examples" / "checked"


class CheckedLoad:
    """It runs. `told` is what it said last: how often each path was lost, how often any came back, and what was under way then."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.told: dict[str, Any] = {"losses": [], "back": 0, "under_way": []}
        self._process = process
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def wait(self, until: Callable[[dict[str, Any]], bool]) -> None:
        """Until it says something that is so."""
        until_s = time.monotonic() + _PATIENCE_S
        while not until(self.told):
            self.told = self._next(until_s - time.monotonic())

    def begin_no_more(self) -> None:
        """Lets it end what is under way, and no more."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def end(self) -> dict[str, Any]:
        """Lets it end what is under way; all that it saw."""
        self.begin_no_more()
        until_s = time.monotonic() + 2 * _PATIENCE_S
        while "ended" not in self.told:
            self.told = self._next(until_s - time.monotonic())
        assert self._process.wait(_PATIENCE_S) == 0
        return self.told

    def _next(self, patience_s: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, patience_s))
        except queue.Empty:
            pytest.fail(f"nothing more was said after {self.told}")
        assert line, f"it ended after {self.told}"
        return json.loads(line)


@contextmanager
def checked_load(
    before: Sequence[str], url: str, work: str, depth: int, block_bytes: int, timeout_s: float
) -> Iterator[CheckedLoad]:
    """Runs until the end of the block. `before` starts it elsewhere, as in a network of its own."""
    words = [*before, program(), url, work, str(depth), str(block_bytes), f"{timeout_s * 1e3:.0f}"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield CheckedLoad(process)
        finally:
            process.kill()
