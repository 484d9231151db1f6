"""For how long more was asked of a cloud's volume than it, or the instance, may give: what Amazon EBS counts itself.

Volumes on Nitro instances keep these times in a log of their NVMe controller, in microseconds since they were attached. Root alone
may read it. Source: Amazon EBS User Guide, "Amazon EBS detailed performance statistics"; the layout is that of
`struct nvme_get_amzn_stats_logpage` of amazon-ec2-utils.
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from pathlib import Path

from plimsoll.host import devices
from plimsoll.ports import files, nvme

_MODEL = "Amazon Elastic Block Store"
_LOG, _LOG_BYTES = 0xD0, 4096
_MAGIC = 0x3C23B510
_HEAD = struct.Struct("<I4x11Q")
_TIMES = slice(6, 10)
"""Of the counters behind the magic number: behind both counts of I/Os, of bytes, and of time."""


@dataclass(frozen=True)
class LimitTimes:
    """Since the volume was attached, microseconds."""

    volume_iops_us: int
    volume_throughput_us: int
    instance_iops_us: int
    instance_throughput_us: int

    def share_since(self, before: LimitTimes, seconds: float) -> float | None:
        """Of so many seconds: the limit that was exceeded for longest. None where the counters began anew."""
        gained = [now - then for now, then in zip(astuple(self), astuple(before), strict=True)]
        return None if min(gained) < 0 or seconds <= 0 else min(1.0, max(gained) / 1e6 / seconds)


def limit_times(path: Path, sysfs: Path = devices.SYSFS) -> dict[str, LimitTimes]:
    """By name, those of the EBS volumes beneath a path that may be read."""
    found = {}
    for disk in devices.base_disks(path, sysfs):
        model = files.read_text(str(sysfs / "block" / disk / "device" / "model")) or ""
        if model.strip() != _MODEL:
            continue
        times = times_in(nvme.log_page(Path("/dev", disk), _LOG, _LOG_BYTES) or b"")
        if times is not None:
            found[disk] = times
    return found


def times_in(page: bytes) -> LimitTimes | None:
    """What the log says; None where it is another one."""
    if len(page) < _HEAD.size:
        return None
    magic, *counters = _HEAD.unpack_from(page)
    return LimitTimes(*counters[_TIMES]) if magic == _MAGIC else None
