"""The kernel's page cache, which answers in place of the storage."""

from __future__ import annotations

import os
from pathlib import Path


def drop(path: Path) -> None:
    """Asks the kernel to forget what it has cached of a file; it keeps what is not on stable storage yet, or is in use.

    Raises OSError when the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)
