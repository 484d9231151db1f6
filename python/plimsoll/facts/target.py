"""What is measured, and what stands under it."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text


class BlockDevice(Fact):
    """A block device as the kernel describes it in sysfs."""

    name: Text
    """The kernel's name, such as nvme0n1."""
    model: str | None = None
    """What the maker calls it."""
    serial: str | None = None
    """Its serial number."""
    wwn: str | None = None
    """Its world-wide name, or the uuid of a dm or md device: what names it for good."""
    size_bytes: int | None = None
    rotational: bool | None = None
    """Whether it has spinning disks, by the kernel."""
    scheduler: str | None = None
    """The I/O scheduler in use."""
    queue_depth_max: int | None = None
    """Requests that the kernel queues at most (nr_requests)."""
    logical_block_bytes: int | None = None
    """Smallest unit that can be addressed."""
    physical_block_bytes: int | None = None
    """Smallest unit that is written without reading before."""
    write_cache: str | None = None
    """How the kernel treats its write cache: write back or write through."""
    fua: bool | None = None
    """Whether a single write can be made durable (forced unit access)."""
    parents: tuple[str, ...] = ()
    """Devices that this one is built of, for dm, md and loop devices."""
    buffered: bool | None = None
    """Of a loop device, whether it works through the page cache, whatever is asked of it; None for other devices."""


class FileSystem(Fact):
    """The file system that holds a file target."""

    kind: str
    """Its type, such as ext4."""
    mount_point: Text
    """Where it is mounted."""
    options: str
    """With what it is mounted."""
    source: Text
    """What it lies on."""


class Contents(Fact):
    """What a target holds, as far as it decides whether reading it means anything."""

    size_bytes: int
    """Size of the target, in bytes."""
    hole_bytes: int | None = None
    """Bytes of a file that were never given room; None where the file system does not tell."""
    unwritten_bytes: int | None = None
    """Bytes that have room but were never written; None where it is not known."""
    samples: int = 0
    """Blocks of 4 KiB that were read at random to see what they hold."""
    zero_samples: int = 0
    """Of these, how many are all zeros."""
    duplicate_samples: int = 0
    """Of these, how many are not zero and equal to an earlier one."""
    method: str
    """How holes and unwritten parts were found."""


class Stretch(Fact):
    """A stretch of one file or device, where I/Os may go: all of a target that the engine has to know."""

    path: Text
    """The file or device."""
    offset_bytes: int = 0
    """Where the stretch begins."""
    span_bytes: int
    """How long it is, in bytes."""


class Target(Fact):
    """The thing under measurement. `ours` is true for a scratch file that Plimsoll made, the only thing it writes to unasked."""

    name: Text
    """As the user wrote it."""
    kind: Literal["file", "device", "scratch", "simulated", "remote"]
    """What it is."""
    path: Text
    """The file, device or scratch file itself."""
    span_bytes: int
    """Bytes that the workload moves about in, from `offset_bytes` on."""
    offset_bytes: int = 0
    """Where the part begins that is used."""
    ours: bool = False
    """Whether it is a scratch file of Plimsoll's."""
    direct_alignment_bytes: int | None = None
    """Smallest block for O_DIRECT; None where direct I/O is not possible."""
    direct_error: str | None = None
    """Why direct I/O is not possible; None where it is."""
    file_system: FileSystem | None = None
    """The file system that holds it; None for a device."""
    device: BlockDevice | None = None
    """The block device beneath; None where there is none, or it is not known."""
    contents: Contents | None = None
    """What it holds; None where that was not looked at."""
    notes: tuple[Note, ...] = ()

    @property
    def stretch(self) -> Stretch:
        """Where I/Os may go."""
        return Stretch(path=self.path, offset_bytes=self.offset_bytes, span_bytes=self.span_bytes)
