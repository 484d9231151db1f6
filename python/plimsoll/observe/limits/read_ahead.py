"""What the kernel reads ahead of a program that reads a file from begin to end: `queue/read_ahead_kb`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.base.units import format_bytes
from plimsoll.facts import WatchedIo
from plimsoll.observe.limits._use import NEAR, Look, Use, folders, number

_READS_MIN = 20
"""Of one role and file between two looks; of fewer nothing is told."""
_KIB = 1_024
_AHEAD_KIB_MIN = 128
"""What Linux reads ahead by default. Less was chosen by somebody, and reads of that size need be no part of a longer one."""


class LIMIT:
    """No read through the page cache is larger, so that it takes more of them, one after the other."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of each disk with reads that are mostly as large as that. A volume or RAID above it has a read-ahead of its own, and its
        reads are not seen by themselves."""
        for row in look.rows:
            path = look.root / "sys/block" / row.device.replace("/", "!")
            if _may_be_read_ahead(row) and not _has_holders(path):
                yield from _held_back(path, row)


def _may_be_read_ahead(row: WatchedIo) -> bool:
    """Reads of the disk itself go through the page cache as well."""
    return row.operation == "read" and row.file_kind in ("inode", "device") and row.ios >= _READS_MIN


def _held_back(path: Path, row: WatchedIo) -> Iterator[Use]:
    ahead, most = (number(path / "queue" / name) for name in ("read_ahead_kb", "max_sectors_kb"))
    if (
        ahead is None
        or ahead < _AHEAD_KIB_MIN
        or most is None
        or ahead >= most
        or row.size_bytes_mean is None
    ):
        return
    value, used = _KIB * ahead, round(row.size_bytes_mean)
    advice = (
        f"Reads by {row.role} are {format_bytes(used)} large on average, nearly all that is read ahead at once. If these reads are"
        f" in order, echo {min(most, 4 * ahead)} > /sys/block/{path.name}/queue/read_ahead_kb makes them larger; if they are"
        " not, it changes nothing for the better."
    )
    yield Use(
        "read_ahead_kb", row.device, "bytes", value, min(used, value), NEAR * value, advice, is_of_rows=True
    )


def _has_holders(path: Path) -> bool:
    """Whether a volume or another disk lies on it or on a part of it."""
    parts = [one for one in folders(path) if (one / "partition").exists()]
    return any(folders(one / "holders") for one in (path, *parts))
