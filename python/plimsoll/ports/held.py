"""Open files that one process at a time holds, whatever its number and its clock are to others."""

from __future__ import annotations

import errno
import fcntl
from typing import BinaryIO

_NO_SUCH_HOLD = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


def hold(file: BinaryIO) -> bool:
    """Holds an open file until it is closed, or its process ends; False when another process does (flock(2)).

    True as well on a file system that knows no such hold. The file is open to be written, as NFS holds no other
    (flock(2)). Raises OSError.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_SUCH_HOLD:
            raise
    return True
