"""Devices read byte by byte, past the page cache where the kernel lets us, and held against everybody else meanwhile."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

READ_BYTES_MAX = 8 << 20
_PAGE_BYTES = 4096


class RawDevice:
    """An open device. While it is open its node's inode is used for nothing else, and nothing can mount or claim it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = mmap.mmap(-1, READ_BYTES_MAX)
        self.state: os.stat_result = os.fstat(descriptor)
        self.size_bytes: int = os.lseek(descriptor, 0, os.SEEK_END)

    def read(self, offset: int, length: int) -> bytes:
        """Up to 8 MiB less a page from anywhere; fewer at the end. Raises OSError."""
        before = offset % _PAGE_BYTES
        wanted = -(-(before + length) // _PAGE_BYTES) * _PAGE_BYTES
        with memoryview(self._buffer) as whole, whole[:wanted] as part:
            done = os.preadv(self._descriptor, [part], offset - before)
        return self._buffer[before : min(done, before + length)]

    def close(self) -> None:
        """Lets the device go."""
        os.close(self._descriptor)
        self._buffer.close()


@contextmanager
def hold_device(path: Path) -> Iterator[RawDevice]:
    """The device, held exclusively as mounts, swap, LVM and RAID hold theirs (O_EXCL, open(2)) until the block ends.

    Raises OSError, with EBUSY when one of those holds it, or another program does in this way.
    """
    device = RawDevice(_open_held(path))
    try:
        yield device
    finally:
        device.close()


def _open_held(path: Path) -> int:
    """Direct reads leave the page cache of the host alone; a device that cannot do them is read through it."""
    flags = os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags | os.O_DIRECT)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    return os.open(path, flags)
