"""Commands that a shell starts, as the probe in this machine's kernel sees them: what they do is theirs, and not the shell's."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from loop_device import Loop
from mounted_loop import mounted_loop
from plimsoll.observe.block_io import BlockIo, BlockWatch

BLOCK_BYTES = 8_192
BLOCKS = 20
MIB = 1 << 20
ROUNDS = 10


@pytest.fixture
def disk() -> Iterator[tuple[Path, Loop]]:
    with mounted_loop(256 * MIB) as found:
        yield found


def forgotten(path: Path) -> Path:
    """The same file, no longer in the page cache."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)
    return path


def reads(watch: BlockWatch, loop: Loop) -> list[BlockIo]:
    reading = watch.read()
    assert reading.lost_ios == 0
    return [row for row in reading.rows if (row.device, row.operation) == (loop.path.name, "read")]


def of_these(rows: list[BlockIo]) -> list[BlockIo]:
    """Others read a disk that is new as well: udev has blkid look what it is."""
    return [row for row in rows if row.role in ("bash", "sh", "dd")]


@pytest.mark.parametrize(("shell", "times"), [("bash", 1), ("sh", 2)])
def test_what_a_command_reads_is_the_commands_and_not_the_shells_that_started_it(
    watch: BlockWatch, disk: tuple[Path, Loop], shell: str, times: int
) -> None:
    """The shell's process reads the command's program, as it is not in memory, and only then becomes that command."""
    folder, loop = disk
    program = Path(shutil.copy(shutil.which("dd") or pytest.skip("dd is not installed"), folder / "dd"))
    data = folder / "data"
    data.write_bytes(b"x" * BLOCK_BYTES * BLOCKS)
    forgotten(data)
    one = f"{program} if={data} of=/dev/null bs={BLOCK_BYTES} iflag=direct status=none"
    reads(watch, loop)
    for _ in range(ROUNDS):
        forgotten(program)
        subprocess.run((shell, "-c", "; ".join([one] * times)), check=True, timeout=60)
        rows = reads(watch, loop)
        assert any(row.file == str(program) or row.file_kind == "inode" for row in rows), "it was read"
        direct: Counter[str] = Counter()
        for row in of_these(rows):
            direct[row.role] += row.bytes if row.inode_number == data.stat().st_ino else 0
        assert +direct == {"dd": times * BLOCKS * BLOCK_BYTES}


def test_a_row_of_a_process_that_becomes_a_command_is_the_commands(
    watch: BlockWatch, disk: tuple[Path, Loop]
) -> None:
    """Both read the disk itself through the page cache, which is one row of one process."""
    _, loop = disk
    subprocess.run(("blockdev", "--flushbufs", str(loop.path)), check=True, timeout=60)
    words = "read -r -n 1 < $0; exec dd if=$0 of=/dev/null bs=1M skip=100 count=8 status=none"
    reads(watch, loop)
    subprocess.run(("bash", "-c", words, str(loop.path)), check=True, timeout=60)
    rows = [row for row in of_these(reads(watch, loop)) if row.file_kind == "device"]
    assert [row.role for row in rows] == ["dd"]
    assert rows[0].bytes >= 8 * MIB
