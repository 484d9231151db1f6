"""Who does which I/O on this host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import WatchedDevice, WatchedGroup, WatchedIo
from plimsoll.requests.watch import WatchRequest

if TYPE_CHECKING:
    import polars


class Watched(Result):
    """I/O by role, file, operation and disk; the frame has a row for each."""

    _columns: ClassVar[tuple[str, ...]] = (
        "role",
        "file",
        "relation",
        "operation",
        "device",
        "iops",
        "mb_per_s",
        "latency_us_p50",
        "latency_us_p99",
    )

    @property
    def rows(self) -> tuple[WatchedIo, ...]:
        """Those with most I/Os first."""
        return () if self.run.watch is None else self.run.watch.rows

    @property
    def groups(self) -> tuple[WatchedGroup, ...]:
        """The rows put together by what `by` names; those with most I/Os first."""
        return () if self.run.watch is None else self.run.watch.groups

    @property
    def devices(self) -> tuple[WatchedDevice, ...]:
        """What was seen at each disk, held against what the kernel counts there."""
        return () if self.run.watch is None else self.run.watch.devices

    def frame(self, of: Literal["rows", "groups", "devices"] = "rows") -> polars.DataFrame:
        """A row per role, file, operation and disk; or per group; or per disk."""
        if of == "groups":
            return frame_of(self.groups)
        return frame_of(self.devices) if of == "devices" else super().frame()

    def _parts(self) -> Sequence[WatchedIo]:
        return self.rows


@asks(WatchRequest)
def watch(ctx: Context, asked: WatchRequest) -> Watched:
    """Who does which I/O on this host, to which file, how large and how late, as `plimsoll watch`.

    Example:
        found = plimsoll.watch(runtime="30s")
        found.frame()  # a row per role, file, operation and disk
        [device.held for device in found.devices]
    """
    from plimsoll.flows.watch import watch_io

    return Watched(watch_io(ctx, asked))
