"""What NVMe controllers log of themselves, read through the kernel's own door for administrators' commands.

Source: NVM Express Base Specification, Get Log Page; include/uapi/linux/nvme_ioctl.h (`struct nvme_admin_cmd`).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from pathlib import Path

_ADMIN_COMMAND = 0xC0484E41
"""NVME_IOCTL_ADMIN_CMD: _IOWR('N', 0x41, struct nvme_admin_cmd)."""
_GET_LOG_PAGE = 0x02
_COMMAND = struct.Struct("=BBHIIIQQII6III")
_TIMEOUT_MS = 1000


def log_page(device: Path, log: int, size_bytes: int, namespace: int = 1) -> bytes | None:
    """A log of the controller behind the device; None where it cannot be read: no NVMe, no such log, or no right to ask."""
    page = ctypes.create_string_buffer(size_bytes)
    words = (size_bytes // 4 - 1) << 16 | log
    packed = _COMMAND.pack(
        _GET_LOG_PAGE, 0, 0, namespace, 0, 0, 0, ctypes.addressof(page), 0, size_bytes,
        words, 0, 0, 0, 0, 0, _TIMEOUT_MS, 0,
    )  # fmt: skip
    try:
        opened = os.open(device, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    command = bytearray(packed)  # for such a one the call returns the controller's status
    try:
        status = fcntl.ioctl(opened, _ADMIN_COMMAND, command)
    except OSError:
        return None
    finally:
        os.close(opened)
    return page.raw if status == 0 else None
