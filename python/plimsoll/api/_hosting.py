"""How a host is built that databases share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import Topology, TopologyNode
from plimsoll.requests.host import HostShowRequest

if TYPE_CHECKING:
    import polars


class HostShown(Result):
    """Nodes, cores, CPUs, caches, distances and devices of a host; the frame has a row per node."""

    _columns: ClassVar[tuple[str, ...]] = ("id", "cpus", "memory_bytes", "free_bytes", "tier", "allowed")

    @property
    def topology(self) -> Topology:
        """All that was read, and what could not be."""
        return self.run.results["topology"]

    def frame(self, of: Literal["nodes", "cores", "cpus", "caches", "devices"] = "nodes") -> polars.DataFrame:
        """A row per node, core, CPU, cache, or device."""
        return super().frame() if of == "nodes" else frame_of(getattr(self.topology, of))

    def _parts(self) -> Sequence[TopologyNode]:
        return self.topology.nodes


@asks(HostShowRequest)
def host_show(ctx: Context, asked: HostShowRequest) -> HostShown:
    """How this host is built, or one that was recorded, as `plimsoll host show`.

    Example:
        found = plimsoll.host_show()
        found.topology.distances
        found.frame("devices")  # each disk and network card with its node
        recorded = plimsoll.host_show(from_="db1.tar.bz2")
    """
    from plimsoll.flows.host_show import show_host

    return HostShown(show_host(ctx, asked))
