"""Which rows sums leave out, as an I/O that goes through several disks is seen at each of them.

Where all rows are shown, those of the lowest disk are added up. Where rows of some roles or files alone are shown, the I/Os beneath
may be of others and not among them:

- beneath a loop device they are the kernel's, of the loop device's own file. So its rows count, unless rows of the kernel at the
  disk beneath are shown, which hold them.
- beneath a multipath disk they are of whoever was on the processor. Nobody else uses its ways, so the rows of the upper disk count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.roles import KERNEL

_LOOP = "loop"


@dataclass
class SeenTwice:
    """What was seen so far: the disk beneath may have an I/O at a later look than the one above."""

    of_some_roles: bool = False
    of_some_files: bool = False
    _devices: set[str] = field(default_factory=set)
    _kernels: set[str] = field(default_factory=set)
    """Disks with rows of the kernel's."""
    _ways: set[str] = field(default_factory=set)
    """Disks that lie beneath others alone."""

    def add(self, rows: Iterable[BlockIo]) -> None:
        """Those that are shown."""
        for row in rows:
            self._devices.add(row.device)
            if row.role == KERNEL:
                self._kernels.add(row.device)
            if not row.device.startswith(_LOOP):
                self._ways.update(row.above)

    def is_again(self, device: str, above: tuple[str, ...]) -> bool:
        """Whether rows of a disk, which lies on these others, hold what other rows hold as well."""
        if not self.of_some_roles and not self.of_some_files:
            return not self._devices.isdisjoint(above)
        if device.startswith(_LOOP):
            return not self.of_some_files and not self._kernels.isdisjoint(above)
        return device in self._ways
