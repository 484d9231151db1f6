"""Demand against the truth: what we read from the counters, what pgbench counted, and what the device counted.

Each transaction touches exactly one block, so pgbench's count of transactions is a count of reads, or of blocks written.
Where this process may mount, the database lives on a loop device of its own, whose counters show this database alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from plimsoll.databases import embedded

TOLERANCE = 0.03
pytestmark = pytest.mark.timeout(600)
PROGRAM = Path(__file__).with_name("demand_truth_run.py")
SPACE_BYTES = 1300 << 20
ON_A_DEVICE = """
set -e
mkfs.ext4 -q -F "$1"
mount -o loop "$1" "$2"
chmod 1777 "$2"
shift 2
exec "$@"
"""


@pytest.fixture(scope="module")
def own_device(tmp_path_factory: pytest.TempPathFactory) -> str | None:
    """None, or why there can be no loop device of our own."""
    for program in ("unshare", "mkfs.ext4", "mount"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    folder = tmp_path_factory.mktemp("try")
    done = on_a_device(folder, 32 << 20, ["/bin/true"])
    return (
        None
        if done.returncode == 0
        else f"this process may not mount a loop device: {done.stderr.strip()[-200:]}"
    )


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory, own_device: str | None, wheel: Path) -> dict[str, Any]:
    """The three counts of both scripts."""
    folder = tmp_path_factory.mktemp("truth")
    command = [sys.executable, str(PROGRAM), str(folder / "journal")]
    if own_device is None:
        done = on_a_device(folder, SPACE_BYTES, command)
    else:
        command.append(str(embedded.default_folder()))
        done = subprocess.run(command, capture_output=True, text=True, timeout=540, check=False)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    return json.loads(done.stdout)


def on_a_device(folder: Path, size_bytes: int, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command, given a folder, beside a file system that is gone with the last process that sees it."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 2 * size_bytes
    image = (memory if roomy else folder) / f"plimsoll-truth-{os.getpid()}.img"
    # An unprivileged user must be able to enter it, which pytest's own folders do not allow.
    mount = Path(tempfile.mkdtemp(prefix="plimsoll-truth-", dir="/var/tmp"))
    words = [str(image), str(mount), *command, str(mount)]
    try:
        with open(image, "wb") as file:
            file.truncate(size_bytes)
        mount.chmod(0o755)
        apart = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ON_A_DEVICE, "sh", *words]
        return subprocess.run(apart, capture_output=True, text=True, timeout=540, check=False)
    finally:
        image.unlink(missing_ok=True)
        mount.rmdir()


def test_our_reads_are_pgbench_s(counts: dict[str, Any]) -> None:
    found = counts["read"]
    assert found["our_reads"] == pytest.approx(found["pgbench_transactions"], rel=TOLERANCE)


def test_our_reads_are_the_device_s(counts: dict[str, Any], own_device: str | None) -> None:
    if own_device is not None:
        pytest.skip(own_device)
    for found in counts.values():
        assert found["our_reads"] == pytest.approx(found["device"]["reads"], rel=TOLERANCE)
        assert found["our_reads"] * 8192 == pytest.approx(found["device"]["read_bytes"], rel=TOLERANCE)


def test_our_block_writes_are_pgbench_s(counts: dict[str, Any]) -> None:
    """Each update dirties one block, which leaves the small cache, or is written by the checkpoint at the end."""
    found = counts["update"]
    assert found["our_data_writes"] == pytest.approx(found["pgbench_transactions"], rel=TOLERANCE)


def test_our_written_bytes_are_the_device_s(counts: dict[str, Any], own_device: str | None) -> None:
    """Blocks, log and new log files together. Bytes, because a file system cuts what it is given into requests of its own.

    What the device has beyond ours is the file system's journal and the server's own small files: some tenths of a per cent.
    """
    if own_device is not None:
        pytest.skip(own_device)
    found = counts["update"]
    assert found["our_write_bytes"] == pytest.approx(found["device"]["write_bytes"], rel=TOLERANCE)


def test_the_peak_is_no_less_than_the_mean(counts: dict[str, Any]) -> None:
    for found in counts.values():
        assert found["peak_reads_per_s"] >= found["our_reads"] / found["seconds"]
