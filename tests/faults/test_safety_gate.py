"""The gate on real devices: whatever a loop device carries and whoever uses it, it is refused and not one byte changes.

Loop devices are made of files of the test's own. Where a program that makes a signature is not installed, the test with it is
skipped; the same bytes are planted by hand elsewhere in this file.
"""

from __future__ import annotations

import hashlib
import os
import pty
import random
import shutil
import signal
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import command
import facts_builder
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, SafetyError
from plimsoll.context import Context
from plimsoll.facts import Event, Progress, Remark
from plimsoll.host import safety
from plimsoll.host.signatures import SIGNATURES
from plimsoll.supply.fill import fill
from plimsoll.supply.targets import Opened, Wish, opened
from simulated import context

MIB = 1 << 20
SIZE = 64 * MIB
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may make loop devices, mount them and swap to them"
)


class Loop:
    """A loop device of the test's own and the file behind it."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        made = subprocess.run(
            ["losetup", "--find", "--show", *options, file], capture_output=True, text=True, check=False
        )
        if made.returncode:
            pytest.skip(f"no loop device can be made here: {made.stderr.strip()}")
        self.path = Path(made.stdout.strip())

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

    def checksum(self) -> str:
        """Of what is on the device, not of what the page cache remembers."""
        with open(self.path, "rb") as device:
            os.fsync(device.fileno())
            os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return hashlib.file_digest(device, "sha256").hexdigest()

    def detach(self) -> None:
        self.check_ours()
        subprocess.run(["losetup", "--detach", self.path], check=True)


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    """A new device: every byte of it is zero."""
    file = tmp_path / "behind.img"
    with open(file, "wb") as image:
        image.truncate(SIZE)
    made = Loop(file)
    try:
        yield made
    finally:
        made.detach()


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def run(*words: str | Path, typed: str = "") -> None:
    """A program that must be here; the test is left out where it is not."""
    program = shutil.which(str(words[0]), path=SEARCHED)
    if program is None:
        pytest.skip(f"{words[0]} is not installed")
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False, input=typed)
    assert done.returncode == 0, done.stderr


def refusal(ctx: Context, wish: Wish) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught, opened(ctx, wish):
        pytest.fail("the device was given out")
    assert caught.value.hint
    return caught.value


def assert_refused(ctx: Context, loop: Loop, id: str, said: str, confirmed: bool = False) -> None:
    """Refused for writing and for `--prefill`, also when `confirmed`, and the device is as it was."""
    before = loop.checksum()
    destroy = (loop.confirmed,) if confirmed else ()
    for prefill in (False, True):
        error = refusal(ctx, Wish(str(loop.path), writes=True, prefill=prefill, destroy=destroy))
        assert isinstance(error, SafetyError)
        assert error.status is ExitStatus.REFUSED_FOR_SAFETY
        assert (error.id, said in error.message) == (id, True), error.message
    assert loop.checksum() == before


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
    run("mkswap", loop.path)
    done = subprocess.run(["swapon", loop.path], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be swapped to here: {done.stderr.strip()}")
    try:
        assert_refused(ctx, loop, "device-in-use", "it is swap space in use", confirmed=True)
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


# A new device


def test_a_new_device_is_written_with_prefill_alone(ctx: Context, loop: Loop) -> None:
    assert_not_confirmed(ctx, loop)
    with opened(ctx, Wish(str(loop.path), writes=True, prefill=True)) as made:
        check_permit(made, loop)
        assert [note.code for note in made.target.notes] == ["device-filled"]
        assert not made.target.ours
    with open(loop.path, "rb") as device:
        assert all(any(device.read(4096)) for _ in range(SIZE // 4096)), "all of it is written"
    assert_refused(ctx, loop, "device-not-empty", "it holds data (byte 0 is not zero)")
    with opened(ctx, Wish(str(loop.path))) as read, opened(ctx, again(loop)) as made:
        assert read.permit is None
        check_permit(made, loop)


def assert_not_confirmed(ctx: Context, loop: Loop) -> None:
    before = loop.checksum()
    error = refusal(ctx, Wish(str(loop.path), writes=True))
    assert (error.id, error.status) == ("device-not-confirmed", ExitStatus.REFUSED_FOR_SAFETY)
    assert "--prefill" in (error.hint or "")
    assert loop.checksum() == before


def again(loop: Loop) -> Wish:
    return Wish(str(loop.path), writes=True, destroy=(loop.confirmed,))


def check_permit(made: Opened, loop: Loop) -> None:
    state = loop.path.stat()
    permit = made.permit
    assert permit is not None
    assert (permit.path, permit.device, permit.inode) == (str(loop.path), state.st_dev, state.st_ino)
    assert permit.number == state.st_rdev


def test_an_empty_device_is_not_measured_by_reading(ctx: Context, loop: Loop) -> None:
    error = refusal(ctx, Wish(str(loop.path)))
    assert (error.id, error.status) == ("target-unwritten", ExitStatus.USAGE)
    assert "--prefill" in (error.hint or "")
    assert refusal(ctx, again(loop)).id == "target-unwritten", "a mix reads too"
    assert refusal(ctx, Wish(str(loop.path), destroy=("typo",))).id == "destroy-unreadable"
    with opened(ctx, Wish(str(loop.path), writes=True, destroy=(loop.confirmed,), reads=False)) as made:
        check_permit(made, loop)


def test_the_look_can_be_ended_and_leaves_nothing(tmp_path: Path, loop: Loop) -> None:
    seen: list[Progress] = []

    def listen(event: Event) -> None:
        if isinstance(event, Progress) and event.share is not None:
            seen.append(event)
            ctx.cancel.set()

    before = loop.checksum()
    wish = Wish(str(loop.path), prefill=True)
    with context(tmp_path / "journals", listen) as ctx, pytest.raises(Interrupted), opened(ctx, wish):
        pytest.fail("the device was given out")
    assert len(seen) == 1, "it ends at once"
    assert seen[0].left_s is not None
    assert 0 < (seen[0].share or 0) < 1
    assert loop.checksum() == before


def test_a_device_that_cannot_be_read_is_not_taken_for_empty(
    ctx: Context, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file behind it has lost its second half, and reads there fail."""
    os.truncate(loop.file, SIZE // 2)
    error = refusal(ctx, Wish(str(loop.path), prefill=True))
    assert (error.id, error.status) == ("target-unreadable", ExitStatus.WORLD_FAILED)
    assert "could not read" in error.message


# A device that is confirmed


def test_a_confirmed_device_is_written(ctx: Context, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    loop.write(32, b"ORCLDISK")
    before = loop.checksum()
    with opened(ctx, again(loop)) as made:
        check_permit(made, loop)
    assert loop.checksum() == before, "the gate itself writes nothing"
    done = command.plimsoll(
        "io", loop.path, "--rw", "randwrite", "--runtime", "200ms", "--json", "--destroy", loop.confirmed
    )
    assert done.returncode in (0, 1), done.stderr
    assert command.document(done)["data"]["ios"] > 0
    assert "holds Oracle ASM disk (byte 32); that is given up" in done.stderr
    assert loop.checksum() != before


@pytest.mark.parametrize("identity", ["{file}x", "0815", "{name}", "behind.img", "loop"])
def test_another_identity_confirms_nothing(ctx: Context, loop: Loop, identity: str) -> None:
    said = identity.format(file=loop.file, name=loop.path.name)
    loop.write(0, b"\x01")
    before = loop.checksum()
    for prefill in (False, True):
        wish = Wish(str(loop.path), writes=True, prefill=prefill, destroy=(f"{loop.path}={said}",))
        error = refusal(ctx, wish)
        assert (error.id, error.status) == ("destroy-mismatch", ExitStatus.REFUSED_FOR_SAFETY)
        assert error.message == f"{loop.path} is not '{said}'; it has file {loop.file}"
    both = Wish(str(loop.path), writes=True, destroy=(loop.confirmed, f"{loop.path}={said}"))
    assert refusal(ctx, both).id == "destroy-mismatch", "one right answer does not make up for a wrong one"
    assert loop.checksum() == before


def test_another_name_confirms_nothing(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    loop.write(0, b"\x01")
    before = loop.checksum()
    for name in ("/dev/none", "/dev/null", str(tmp_path)):
        error = refusal(ctx, Wish(str(loop.path), writes=True, destroy=(f"{name}={loop.file}",)))
        assert (error.id, error.status) == ("device-not-empty", ExitStatus.REFUSED_FOR_SAFETY)
        assert f"--destroy names {name}, which is another device" in (error.hint or "")
    assert loop.checksum() == before


def test_a_link_to_the_device_names_it(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    link = tmp_path / "by-path"
    link.symlink_to(loop.path)
    loop.write(0, random.Random(1).randbytes(SIZE))
    with opened(ctx, Wish(str(link), writes=True, destroy=(f"{link}={loop.file}",))) as made:
        check_permit(made, loop)


def test_a_device_without_identity_cannot_be_confirmed(ctx: Context, loop: Loop) -> None:
    """The file behind it has no name any more."""
    loop.write(0, b"\x01")
    before = loop.checksum()
    loop.file.unlink()
    error = refusal(ctx, again(loop))
    assert (error.id, error.status) == ("destroy-no-identity", ExitStatus.REFUSED_FOR_SAFETY)
    assert loop.checksum() == before


def test_a_file_is_not_given_up(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(random.Random(1).randbytes(SIZE))
    before = path.stat()
    error = refusal(ctx, Wish(str(path), writes=True, destroy=(f"{path}={path.stat().st_ino}",)))
    assert (error.id, error.status) == ("destroy-not-a-device", ExitStatus.REFUSED_FOR_SAFETY)
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def asked(ctx: Context, answer: str | None, questions: list[str]) -> Context:
    """The same context with somebody at the terminal."""
    return replace(ctx, ask=lambda question: questions.append(question) or answer)


@pytest.mark.parametrize("answer", ["", "y", "yes", "loop"])
def test_who_does_not_type_the_name_is_refused(ctx: Context, loop: Loop, answer: str) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    questions: list[str] = []
    error = refusal(asked(ctx, answer, questions), again(loop))
    assert (error.id, error.status) == ("destroy-declined", ExitStatus.REFUSED_FOR_SAFETY)
    holds, wanted = "ext2, ext3 or ext4 file system (byte 1,080)", loop.path.name
    assert questions == [
        f"{loop.path}, 64 MiB, holds {holds}.\nAll of it will be lost. Type {wanted} to go on: "
    ]
    assert loop.checksum() == before


def test_who_types_the_name_goes_on(ctx: Context, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    for answer in (loop.path.name, str(loop.path)):
        with opened(asked(ctx, answer, []), again(loop)) as made:
            check_permit(made, loop)


def test_without_anybody_to_ask_it_is_said(tmp_path: Path, loop: Loop) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    seen: list[Event] = []
    with context(tmp_path / "journals", seen.append) as ctx, opened(ctx, again(loop)):
        pass
    assert [event.message for event in seen if isinstance(event, Remark) and event.warning] == [
        f"{loop.path} was confirmed with --destroy and holds data (byte 0 is not zero); that is given up"
    ]


@pytest.mark.parametrize(("typed", "status"), [("no", 3), ("{name}", 0)])
def test_a_person_at_a_terminal_is_asked(loop: Loop, typed: str, status: int) -> None:
    loop.write(0, random.Random(1).randbytes(SIZE))
    before = loop.checksum()
    words = ["io", loop.path, "--rw", "randwrite", "--runtime", "200ms", "--destroy", loop.confirmed]
    said, returned = at_terminal(command.command(*words), typed.format(name=loop.path.name))
    assert f"Type {loop.path.name} to go on:" in said
    assert returned == status, said
    assert (loop.checksum() == before) is (status == 3)


def at_terminal(words: list[str], typed: str) -> tuple[str, int]:
    """What a program says to a terminal where one line is typed once it asks, and how it ends."""
    terminal, inside = pty.openpty()
    program = subprocess.Popen(words, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
    os.close(inside)
    giving_up = threading.Timer(30, lambda: program.send_signal(signal.SIGKILL))
    giving_up.start()
    said, answered = "", False
    try:
        while chunk := read_some(terminal):
            said += chunk
            if "to go on:" in said and not answered:
                answered = True
                os.write(terminal, f"{typed}\n".encode())
        return said, program.wait()
    finally:
        giving_up.cancel()
        os.close(terminal)


def read_some(terminal: int) -> str:
    """Nothing once the program has ended: the kernel then says that the terminal fails."""
    try:
        return os.read(terminal, 65536).decode(errors="replace")
    except OSError:
        return ""


# The whole command


@pytest.mark.parametrize("words", [("--rw", "randwrite"), ("--rw", "randrw"), ("--prefill",)])
def test_the_command_ends_with_status_3_and_names_what_it_found(loop: Loop, words: tuple[str, ...]) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    done = command.plimsoll("io", loop.path, *words, "--runtime", "200ms")
    assert (done.returncode, done.stdout) == (3, "")
    said = done.stderr.splitlines()
    assert said[:2] == [
        f"looking who uses {loop.path}",
        f"error: {loop.path} is not written to, because it holds ext2, ext3 or ext4 file system (byte 1,080)",
    ]
    assert f"--destroy {loop.path}=IDENTITY" in done.stderr
    assert loop.checksum() == before


def test_a_line_is_refused_as_well(loop: Loop) -> None:
    run("mkfs.ext4", "-q", loop.path)
    before = loop.checksum()
    done = command.plimsoll("line", loop.path, "--rw", "randwrite")
    assert done.returncode == 3
    wrong = command.plimsoll("line", loop.path, "--rw", "randwrite", "--destroy", f"{loop.path}=0815")
    assert wrong.returncode == 3
    assert "is not '0815'" in wrong.stderr
    assert loop.checksum() == before


def test_a_verdict_is_refused_where_the_demand_writes(loop: Loop, tmp_path: Path) -> None:
    loop.write(32, b"ORCLDISK")
    before = loop.checksum()
    demand = tmp_path / "demand.json"
    demand.write_text(facts_builder.demand().model_dump_json())
    words = ["assess", "--demand", demand, "--target", loop.path]
    for more, said in (
        ((), "it holds Oracle ASM disk (byte 32)"),
        (("--prefill",), "it holds Oracle ASM disk (byte 32)"),
        (("--destroy", f"{loop.path}=0815"), "is not '0815'"),
    ):
        done = command.plimsoll(*words, *more)
        assert (done.returncode, said in done.stderr) == (3, True), done.stderr
    assert loop.checksum() == before


def test_a_new_device_is_filled_and_measured_by_one_command(loop: Loop) -> None:
    done = command.plimsoll("io", loop.path, "--rw", "randwrite", "--prefill", "--runtime", "200ms", "--json")
    assert done.returncode in (0, 1), done.stderr
    result: dict[str, Any] = command.document(done)
    assert result["data"]["ios"] > 0
    assert "device-filled" in [warning["code"] for warning in result["data"]["target"]["notes"]]


# The permit


def test_a_node_that_was_swapped_is_not_written_to(ctx: Context, loop: Loop, tmp_path: Path) -> None:
    """A node of the same name for another device has another inode, which the engine compares after opening."""
    file = tmp_path / "precious.img"
    file.write_bytes(random.Random(1).randbytes(SIZE))
    precious = Loop(file)
    node = tmp_path / "node"
    try:
        before = precious.checksum()
        os.mknod(node, 0o600 | 0o060000, loop.path.stat().st_rdev)
        try:
            node.open("rb").close()
        except PermissionError:
            pytest.skip("device nodes do not work in the folder of the tests")
        with safety.permit_device(ctx, node, prefill=True) as permit:
            assert permit.number == loop.path.stat().st_rdev
            node.unlink()
            os.mknod(node, 0o600 | 0o060000, precious.path.stat().st_rdev)
            with pytest.raises(PlimsollError) as refused:
                fill(ctx, node, SIZE, permit)
        assert refused.value.id == "write-not-permitted"
        assert precious.checksum() == before
    finally:
        precious.detach()
