"""What was written to files and is not on the disk: `vm.dirty_…`."""

from __future__ import annotations

import os
from collections.abc import Iterator

from plimsoll.observe.limits._use import Look, Use, named

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class LIMIT:
    """Who writes is slowed down from the middle between both thresholds on (mm/page-writeback.c, dirty_freerun_ceiling)."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of the host."""
        counted = dict(named(look.root / "proc/vmstat"))
        wanted = ("nr_dirty", "nr_writeback", "nr_dirty_threshold", "nr_dirty_background_threshold")
        if all(name in counted for name in wanted):
            dirty, writing, most, background = (counted[name] * _PAGE_BYTES for name in wanted)
            advice = (
                "Who writes waits for what others left to be written back: begin with that earlier, as"
                f" sysctl -w vm.dirty_background_bytes={max(_PAGE_BYTES, background // 4)} does; where it goes on, the disk takes"
                " less than is written."
            )
            value = (most + background) // 2
            yield Use("vm.dirty", None, "bytes", value, dirty + writing, value, advice)
