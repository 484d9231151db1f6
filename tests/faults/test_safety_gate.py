"""The gate on real devices: whatever a loop device carries and whoever uses it, it is refused and not one byte changes.

Loop devices are made of files of the test's own. Where a program that makes a signature is not installed, the test with it is
skipped; the same bytes are planted by hand elsewhere in this file.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from loop_device import MIB, SEARCHED, SIZE, Loop, assert_refused, refusal, run
from plimsoll.base.errors import ExitStatus
from plimsoll.context import Context
from plimsoll.host.signatures import SIGNATURES
from plimsoll.supply.targets import Wish, opened

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may make loop devices, mount them and swap to them"
)


# What a device carries

_QUICK_LUKS = ("cryptsetup", "luksFormat", "-q", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000")
_PARTITIONS = ("sfdisk", "--quiet", "--no-reread")
TOOLS: dict[str, tuple[tuple[str, ...], str, str]] = {
    # name: (command, to which the device is added; what it is told; what the refusal says)
    "ext4": (("mkfs.ext4", "-q"), "", "ext4 file system"),
    "ext2": (("mkfs.ext2", "-q"), "", "ext2"),
    "vfat": (("mkfs.vfat", "-I"), "", "FAT file system"),
    "swap": (("mkswap",), "", "swap space"),
    "luks1": ((*_QUICK_LUKS, "--type", "luks1"), "secret\n", "LUKS encrypted volume"),
    "luks2": ((*_QUICK_LUKS, "--type", "luks2"), "secret\n", "LUKS2 encrypted volume"),
    "mbr": (_PARTITIONS, "label: dos\nsize=20M\n", "MBR partition table"),
    "gpt": (_PARTITIONS, "label: gpt\nsize=20M\n", "GPT partition table"),
}


@pytest.mark.parametrize("kind", TOOLS)
def test_what_tools_make_is_refused(ctx: Context, loop: Loop, kind: str) -> None:
    words, typed, said = TOOLS[kind]
    run(*words, loop.path, typed=typed)
    assert_refused(ctx, loop, "device-not-empty", said)


PLANTED = (
    "XFS file system",
    "btrfs file system",
    "NTFS file system",
    "exFAT file system",
    "OCFS2 file system",
    "GFS or GFS2 file system",
    "bcachefs file system",
    "VMFS volume",
    "suspended system",
    "LUKS encrypted volume",
    "backup header of a LUKS2 encrypted volume",
    "BitLocker encrypted volume",
    "LVM physical volume",
    "md RAID member (0.90)",
    "md RAID member (1.0)",
    "md RAID member (1.1)",
    "md RAID member (1.2)",
    "DDF RAID member",
    "Intel Matrix RAID member",
    "DRBD device",
    "bcache device",
    "VDO volume",
    "Stratis pool member",
    "dm-verity hash tree",
    "ZFS pool member",
    "Ceph BlueStore device",
    "Oracle ASM disk",
    "Oracle ASM disk that was released",
    "Oracle file",
    "GPT partition table",
    "backup GPT partition table",
)


@pytest.mark.parametrize("name", PLANTED)
def test_a_signature_alone_is_refused(ctx: Context, loop: Loop, name: str) -> None:
    """At the last of its places: what is left when the beginning was wiped."""
    last = [signature for signature in SIGNATURES if signature.name == name][-1]
    loop.write(list(last.offsets(SIZE))[-1], last.magic)
    assert_refused(ctx, loop, "device-not-empty", f"it holds {name}")


def test_a_partition_table_whose_first_copy_was_wiped_is_refused(ctx: Context, loop: Loop) -> None:
    """What sgdisk or wipefs on the first sectors leave: the header at the very end, with its checksum."""
    header = struct.pack(
        "<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, 131071, 1, 34, 131038, b"", 131039, 128, 128, 0
    )
    header = header[:16] + struct.pack("<I", zlib.crc32(header)) + header[20:]
    loop.write(SIZE - 512, header)
    assert_refused(ctx, loop, "device-not-empty", f"backup GPT partition table (byte {SIZE - 512:,})")


@pytest.mark.parametrize(
    ("offset", "place"), [(SIZE // 2, "middle"), (4 * MIB, "head"), (SIZE - 4 * MIB - 1, "tail")]
)
def test_one_byte_anywhere_is_refused(ctx: Context, loop: Loop, offset: int, place: str) -> None:
    """Between the ends there is no telling before all of it was read."""
    loop.write(offset, b"\x01")
    before = loop.checksum()
    error = refusal(ctx, Wish(str(loop.path), prefill=True))
    assert (error.id, error.status) == ("device-not-empty", ExitStatus.REFUSED_FOR_SAFETY)
    assert f"byte {offset:,} is not zero" in error.message, place
    error = refusal(ctx, Wish(str(loop.path), writes=True))
    assert (error.id, error.status) == ("device-not-confirmed", ExitStatus.REFUSED_FOR_SAFETY)
    assert loop.checksum() == before


@pytest.mark.parametrize("offset", [0, 4 * MIB - 1, SIZE - 4 * MIB, SIZE - 1])
def test_one_byte_at_the_ends_is_refused_at_once(ctx: Context, loop: Loop, offset: int) -> None:
    loop.write(offset, b"\x01")
    assert_refused(ctx, loop, "device-not-empty", f"byte {offset:,} is not zero")


def test_data_without_any_signature_is_refused(ctx: Context, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(MIB))
    assert_refused(ctx, loop, "device-not-empty", "it holds data (byte 0 is not zero)")


def test_what_only_blkid_knows_is_named(ctx: Context, loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("blkid", path=SEARCHED) is None:
        pytest.skip("blkid is not installed")
    run("mkfs.ext4", "-q", loop.path)
    monkeypatch.setattr("plimsoll.host.signatures.SIGNATURES", ())
    assert_refused(ctx, loop, "device-not-empty", "which blkid takes for ext4")


# Who uses it


@contextmanager
def mounted(device: Path, folder: Path) -> Iterator[None]:
    """Read-only, so that no byte that changes is the file system's own doing."""
    folder.mkdir()
    words = ["mount", "-o", "ro", device, folder]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_mounted_device_is_refused_also_when_confirmed(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    run("mkfs.ext4", "-q", loop.path)
    with mounted(loop.path, tmp_path / "mnt"):
        assert_refused(ctx, loop, "device-in-use", f"it is mounted on {tmp_path}/mnt", confirmed=True)


def test_a_device_that_is_mounted_by_another_path_is_refused_also_when_confirmed(
    ctx: Context, loop: Loop, tmp_path: Path
) -> None:
    """Two loop devices on one file stand for two paths of a storage network."""
    run("mkfs.ext4", "-q", loop.path)
    other = Loop(loop.file)
    try:
        assert_refused(ctx, loop, "device-not-empty", "one of several paths to one unit")
        with mounted(other.path, tmp_path / "mnt"):
            assert_refused(ctx, loop, "device-in-use", f"{other.path.name} is mounted on", confirmed=True)
    finally:
        other.detach()


def test_a_device_under_a_mounted_loop_device_is_refused_also_when_confirmed(
    ctx: Context, loop: Loop, tmp_path: Path
) -> None:
    run("mkfs.ext4", "-q", loop.path)
    upper = Loop(loop.path)
    try:
        with mounted(upper.path, tmp_path / "mnt"):
            assert_refused(ctx, loop, "device-in-use", f"{upper.path.name} is mounted on", confirmed=True)
        with mounted(loop.path, tmp_path / "mnt2"):
            assert_refused(ctx, upper, "device-in-use", f"{loop.path.name} is mounted on", confirmed=True)
    finally:
        upper.detach()


def test_swap_in_use_is_refused_also_when_confirmed(ctx: Context, loop: Loop) -> None:
    """Behind the head of a swap space the kernel writes what it likes, and does so where memory is short."""
    run("mkswap", loop.path)
    done = subprocess.run(["swapon", loop.path], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be swapped to here: {done.stderr.strip()}")
    try:
        head = os.sysconf("SC_PAGE_SIZE")
        assert_refused(ctx, loop, "device-in-use", "it is swap space in use", confirmed=True, unchanged=head)
    finally:
        subprocess.run(["swapoff", loop.path], check=True)


def test_a_device_with_partitions_is_refused(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    """The kernel's own partitions, without a table on the device; one that is mounted keeps the whole disk from us."""
    run("addpart", loop.path, "1", "2048", str((SIZE - 2 * MIB) // 512))
    partition = loop.path.with_name(f"{loop.path.name}p1")
    try:
        assert_refused(ctx, loop, "device-not-empty", f"it is partitioned into {partition.name}")
        run("mkfs.ext4", "-q", partition)
        with mounted(partition, tmp_path / "mnt"):
            assert_refused(ctx, loop, "device-in-use", f"{partition.name} is mounted on", confirmed=True)
    finally:
        run("delpart", loop.path, "1")


def test_a_partition_is_a_device_of_its_own(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    """Confirmed by its own name, for which its disk's does not stand, and written beside a neighbour that is in use."""
    os.truncate(loop.file, 3 * SIZE)
    run("losetup", "--set-capacity", loop.path)
    first, second = (loop.path.with_name(f"{loop.path.name}p{number}") for number in (1, 2))
    for number in (1, 2):
        run("addpart", loop.path, str(number), str(2048 + (number - 1) * SIZE // 512), str(SIZE // 512))
    try:
        run("mkfs.ext4", "-q", first)
        run("mkfs.ext4", "-q", second)
        with mounted(second, tmp_path / "mnt"):
            wish = Wish(str(first), writes=True, reads=False)
            assert refusal(ctx, replace(wish, destroy=(loop.confirmed,))).id == "device-not-empty"
            with opened(ctx, replace(wish, destroy=(f"{first}={loop.file}",))) as made:
                assert made.permit is not None
                assert made.permit.number == first.stat().st_rdev
    finally:
        run("delpart", loop.path, "1")
        run("delpart", loop.path, "2")


@pytest.mark.parametrize("how", ["os.O_RDONLY", "os.O_RDWR", "os.O_RDWR | os.O_EXCL"])
def test_a_device_that_another_program_has_open_is_refused_also_when_confirmed(
    ctx: Context, loop: Loop, how: str
) -> None:
    script = (
        f"import os, sys; held = os.open(sys.argv[1], {how}); print('ready', flush=True); sys.stdin.read()"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", script, loop.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        assert_refused(ctx, loop, "device-in-use", f"process {program.pid} (python", confirmed=True)
    finally:
        program.communicate()


def test_what_holds_it_without_a_name_is_refused_also_when_confirmed(ctx: Context, loop: Loop) -> None:
    """Here this very process, which is not looked at; elsewhere a mount in another container."""
    held = os.open(loop.path, os.O_RDONLY | os.O_EXCL)
    try:
        assert_refused(ctx, loop, "device-in-use", "something holds it exclusively", confirmed=True)
    finally:
        os.close(held)


def test_a_read_only_device_is_refused_also_when_confirmed(ctx: Context, loop: Loop) -> None:
    other = Loop(loop.file, "--read-only")
    try:
        assert_refused(ctx, other, "device-read-only", "is read-only", confirmed=True)
    finally:
        other.detach()


def test_a_device_is_held_while_it_is_ours(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    """From the first look to the end of the run nobody else can mount it or build on it."""
    (tmp_path / "mnt").mkdir()
    with opened(ctx, Wish(str(loop.path), prefill=True)), pytest.raises(OSError, match="busy"):
        os.close(os.open(loop.path, os.O_RDWR | os.O_EXCL))
    os.close(os.open(loop.path, os.O_RDWR | os.O_EXCL))
