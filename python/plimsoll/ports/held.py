"""Open files that one process at a time holds, whatever its number and its clock are to others."""

from __future__ import annotations

import fcntl
from typing import BinaryIO


def hold(file: BinaryIO) -> bool:
    """Holds an open file until it is closed, or its process ends; False when another process does (flock(2)).

    True as well on a file system that knows no such hold.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
