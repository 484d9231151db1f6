"""Loop devices of a test's own, and what it means that the safety gate refuses one."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.base.errors import ExitStatus, PlimsollError, SafetyError
from plimsoll.context import Context
from plimsoll.supply.targets import Wish, opened

MIB = 1 << 20
SIZE = 64 * MIB
_BLOCK_BYTES = 64 << 10
PATIENCE_S = 60.0
"""A tool that takes longer waits for something that will not come, such as the answer of a dead disk."""
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


class Loop:
    """A loop device of the test's own and the file behind it."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        made = subprocess.run(
            ["losetup", "--find", "--show", *options, file],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        if made.returncode:
            pytest.skip(f"no loop device can be made here: {made.stderr.strip()}")
        self.path = Path(made.stdout.strip())
        self._before: dict[str, str] = {}

    @property
    def confirmed(self) -> str:
        return f"{self.path}={self.file}"

    def check_ours(self) -> None:
        """That no other test has detached it meanwhile and been given the same number."""
        behind = Path("/sys/block", self.path.name, "loop", "backing_file")
        assert behind.read_text().removesuffix("\n").removesuffix(" (deleted)") == str(self.file)

    def write(self, offset: int, content: bytes) -> None:
        self.check_ours()
        with open(self.path, "r+b") as device:
            device.seek(offset)
            device.write(content)
            device.flush()
            os.fsync(device.fileno())

    def checksum(self, size: int = -1) -> str:
        """Of the first `size` bytes (all of them) as they are behind the device, not as its page cache remembers them."""
        with open(self.path, "rb") as device:
            os.fsync(device.fileno())
            os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        digest = hashlib.sha256()
        # A file that was removed is seen through its device alone, which tells of no holes.
        with open(self.file if self.file.exists() else self.path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            for offset, block in _filled(file.fileno(), end if size < 0 else size):
                digest.update(b"%d:" % offset + block)
        return digest.hexdigest()

    def set_queue(self, name: str, value: str) -> None:
        """A setting of its queue, until it is detached: the kernel keeps it for whoever is given the number next."""
        setting = Path("/sys/block", self.path.name, "queue", name)
        found = re.search(r"\[(\S+)\]", setting.read_text())
        self._before.setdefault(name, found[1] if found else setting.read_text().strip())
        setting.write_text(value)

    def detach(self) -> None:
        self.check_ours()
        for name, value in self._before.items():
            Path("/sys/block", self.path.name, "queue", name).write_text(value)
        run("losetup", "--detach", self.path)


def _filled(descriptor: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The blocks that are not all zeros, each with its place; holes, which most of these files are, are not read."""
    offset = _next_data(descriptor, 0, end)
    while offset < end:
        block = os.pread(descriptor, min(_BLOCK_BYTES, end - offset), offset)
        if block.strip(b"\0"):
            yield offset, block
        offset = _next_data(descriptor, offset + _BLOCK_BYTES, end)


def _next_data(descriptor: int, offset: int, end: int) -> int:
    """The first block from here on that is no hole."""
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA) // _BLOCK_BYTES * _BLOCK_BYTES
    except OSError as error:
        if error.errno == errno.EINVAL:
            return offset  # a device, which knows of no holes
        if error.errno == errno.ENXIO:
            return end
        raise


def run(*words: str | Path, typed: str = "") -> None:
    """A program that must be here; the test is left out where it is not."""
    program = shutil.which(str(words[0]), path=SEARCHED)
    if program is None:
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run(
        [program, *words[1:]], capture_output=True, text=True, timeout=PATIENCE_S, check=False, input=typed
    )
    assert done.returncode == 0, done.stderr


def refusal(ctx: Context, wish: Wish) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught, opened(ctx, wish):
        pytest.fail("the device was given out")
    assert caught.value.hint
    return caught.value


def assert_refused(
    ctx: Context, loop: Loop, id: str, said: str, confirmed: bool = False, unchanged: int = -1
) -> None:
    """Refused for writing and for `--prefill`, also when `confirmed`; its first `unchanged` bytes are as they were."""
    before = loop.checksum(unchanged)
    destroy = (loop.confirmed,) if confirmed else ()
    for prefill in (False, True):
        error = refusal(ctx, Wish(str(loop.path), writes=True, prefill=prefill, destroy=destroy))
        assert isinstance(error, SafetyError)
        assert error.status is ExitStatus.REFUSED_FOR_SAFETY
        assert (error.id, said in error.message) == (id, True), error.message
    assert loop.checksum(unchanged) == before
