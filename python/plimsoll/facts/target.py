"""What is measured, and what stands under it."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Note, Text


class BlockDevice(Fact):
    """A block device as the kernel describes it in sysfs."""

    name: Text
    model: str | None = None
    serial: str | None = None
    wwn: str | None = None
    size_bytes: int | None = None
    rotational: bool | None = None
    scheduler: str | None = None
    queue_depth_max: int | None = None
    logical_block_bytes: int | None = None
    physical_block_bytes: int | None = None
    write_cache: str | None = None
    fua: bool | None = None
    parents: tuple[str, ...] = ()
    """Devices that this one is built of, for dm, md and loop devices."""
    buffered: bool | None = None
    """Of a loop device, whether it works through the page cache, whatever is asked of it; None for other devices."""


class FileSystem(Fact):
    """The file system that holds a file target."""

    kind: str
    mount_point: Text
    options: str
    source: Text


class Contents(Fact):
    """What a target holds, as far as it decides whether reading it means anything."""

    size_bytes: int
    hole_bytes: int | None = None
    unwritten_bytes: int | None = None
    samples: int = 0
    zero_samples: int = 0
    duplicate_samples: int = 0
    method: str


class Stretch(Fact):
    """A stretch of one file or device, where I/Os may go: all of a target that the engine has to know."""

    path: Text
    offset_bytes: int = 0
    span_bytes: int


class Target(Fact):
    """The thing under measurement. `ours` is true for a scratch file that Plimsoll made, the only thing it writes to unasked."""

    name: Text
    """As the user wrote it."""
    kind: Literal["file", "device", "scratch", "simulated"]
    path: Text
    span_bytes: int
    """Bytes that the workload moves about in, from `offset_bytes` on."""
    offset_bytes: int = 0
    ours: bool = False
    direct_alignment_bytes: int | None = None
    """Smallest block for O_DIRECT; None where direct I/O is not possible."""
    direct_error: str | None = None
    file_system: FileSystem | None = None
    device: BlockDevice | None = None
    contents: Contents | None = None
    notes: tuple[Note, ...] = ()

    @property
    def stretch(self) -> Stretch:
        """Where I/Os may go."""
        return Stretch(path=self.path, offset_bytes=self.offset_bytes, span_bytes=self.span_bytes)
