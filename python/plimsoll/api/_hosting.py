"""How a host is built that databases share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import (
    CpuBench,
    CpuSecond,
    HostAudit,
    HostFinding,
    HostSlice,
    LatencyLadder,
    LatencyRung,
    MemoryBench,
    MemoryStream,
    NetworkBench,
    NetworkTest,
    Note,
    SlicePlan,
    Topology,
    TopologyNode,
)
from plimsoll.requests.host import HostShowRequest, HostSlicePlanRequest
from plimsoll.requests.host_audit import HostAuditRequest
from plimsoll.requests.host_bench import HostBenchMemoryRequest
from plimsoll.requests.host_bench_cpu import HostBenchCpuRequest
from plimsoll.requests.host_bench_ladder import HostBenchLadderRequest
from plimsoll.requests.host_bench_network import HostBenchNetworkRequest
from plimsoll.requests.host_slice_write import HostSliceWriteRequest

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


class HostAudited(Result):
    """What of a host costs its databases time or memory; the frame has a row per finding."""

    _columns: ClassVar[tuple[str, ...]] = ("severity", "rule", "of", "message", "advice")

    @property
    def audit(self) -> HostAudit:
        """All findings, and what each rule looked at."""
        return self.run.results["host_audit"]

    def _parts(self) -> Sequence[HostFinding]:
        return self.audit.findings


@asks(HostAuditRequest)
def host_audit(ctx: Context, asked: HostAuditRequest) -> HostAudited:
    """This host, or a recorded one, looked at for what costs its databases time or memory, as `plimsoll host audit`.

    Example:
        found = plimsoll.host_audit(runtime=10)
        found.audit.answer
        found.frame()  # a row for each finding with what to do
    """
    from plimsoll.flows.host_audit import audit_host

    return HostAudited(audit_host(ctx, asked))


class MemoryMeasured(Result):
    """How fast the memory of a host is; the frame has a row per stream."""

    _columns: ClassVar[tuple[str, ...]] = (
        "cpu_node",
        "memory_node",
        "kernel",
        "store",
        "threads",
        "mb_per_s",
    )

    @property
    def memory(self) -> MemoryBench:
        """Streams, chains of loads and random updates."""
        return self.run.results["memory_bench"]

    def frame(self, of: Literal["streams", "chases", "updates"] = "streams") -> polars.DataFrame:
        """A row per stream, working set, or pair of nodes."""
        return super().frame() if of == "streams" else frame_of(getattr(self.memory, of))

    def _parts(self) -> Sequence[MemoryStream]:
        return self.memory.streams


@asks(HostBenchMemoryRequest)
def host_bench_memory(ctx: Context, asked: HostBenchMemoryRequest) -> MemoryMeasured:
    """How fast the memory of this host is, as `plimsoll host bench memory`.

    Example:
        found = plimsoll.host_bench_memory(size="256m")
        found.frame()  # a row for each stream
        found.frame("chases")  # the latency of each working set
    """
    from plimsoll.flows.host_bench import bench_memory

    return MemoryMeasured(bench_memory(ctx, asked))


class CpuMeasured(Result):
    """How fast CPUs compute while they get warm; the frame has a row per second."""

    _columns: ClassVar[tuple[str, ...]] = ("at_s", "mhz_mean", "mhz_min", "temperature_c", "throttles")

    @property
    def cpu(self) -> CpuBench:
        """Rounds, seconds, and whether the CPUs clock down."""
        return self.run.results["cpu_bench"]

    def frame(self, of: Literal["seconds", "rounds"] = "seconds") -> polars.DataFrame:
        """A row per second, or per run of HPL."""
        return super().frame() if of == "seconds" else frame_of(self.cpu.rounds)

    def _parts(self) -> Sequence[CpuSecond]:
        return self.cpu.seconds


@asks(HostBenchCpuRequest)
def host_bench_cpu(ctx: Context, asked: HostBenchCpuRequest) -> CpuMeasured:
    """How fast the CPUs of this host compute while they get warm, as `plimsoll host bench cpu`.

    Example:
        found = plimsoll.host_bench_cpu(runtime="10m")
        found.cpu.down_after_s
        found.frame("rounds")  # what HPL reached, run by run
    """
    from plimsoll.flows.host_bench_cpu import bench_cpu

    return CpuMeasured(bench_cpu(ctx, asked))


class LadderMeasured(Result):
    """How long one read takes from each rung of a host; the frame has a row per rung."""

    _columns: ClassVar[tuple[str, ...]] = (
        "name",
        "kind",
        "state",
        "latency_ns",
        "ratio_above",
        "price_per_gb",
        "reason",
    )

    @property
    def ladder(self) -> LatencyLadder:
        """All rungs, those without a latency with the reason."""
        return self.run.results["latency_ladder"]

    def _parts(self) -> Sequence[LatencyRung]:
        return self.ladder.rungs


@asks(HostBenchLadderRequest)
def host_bench_ladder(ctx: Context, asked: HostBenchLadderRequest) -> LadderMeasured:
    """How long one read takes from each cache, memory and storage that is named, as `plimsoll host bench ladder`.

    Example:
        found = plimsoll.host_bench_ladder(["flash=/u01"], prices="prices.toml")
        found.frame()  # a row for each rung
    """
    from plimsoll.flows.host_bench_ladder import bench_ladder

    return LadderMeasured(bench_ladder(ctx, asked))


class NetworkMeasured(Result):
    """What the network gives over named paths; the frame has a row per test."""

    _columns: ClassVar[tuple[str, ...]] = (
        "path",
        "direction",
        "streams",
        "out_mb_per_s",
        "in_mb_per_s",
        "own_cpu_percent_per_gbit",
        "far_cpu_percent_per_gbit",
        "counted",
        "reason",
    )

    @property
    def network(self) -> NetworkBench:
        """All tests, those without figures with the reason."""
        return self.run.results["network_bench"]

    def _parts(self) -> Sequence[NetworkTest]:
        return self.network.tests


@asks(HostBenchNetworkRequest)
def host_bench_network(ctx: Context, asked: HostBenchNetworkRequest) -> NetworkMeasured:
    """What the network gives over named paths, as `plimsoll host bench network`.

    Example:
        found = plimsoll.host_bench_network(["storage=10.1.0.5,10.1.0.9"], streams=8)
        found.frame()  # a row for each test
    """
    from plimsoll.flows.host_bench_network import bench_network

    return NetworkMeasured(bench_network(ctx, asked))


class HostSlicesPlanned(Result):
    """What each slice of a host is given; the frame has a row per slice."""

    _columns: ClassVar[tuple[str, ...]] = (
        "name",
        "purpose",
        "home",
        "cores",
        "cpus",
        "distance_mean",
        "cost",
    )

    @property
    def plan(self) -> SlicePlan:
        """The plan with its cost, or why there is none."""
        return self.run.results["slices"]

    def _parts(self) -> Sequence[HostSlice]:
        return self.plan.slices


@asks(HostSlicePlanRequest)
def host_slice_plan(ctx: Context, asked: HostSlicePlanRequest) -> HostSlicesPlanned:
    """A host divided among databases, as `plimsoll host slice plan`.

    Example:
        found = plimsoll.host_slice_plan("slices.toml")
        found.plan.reason
        found.frame()  # a row for each slice with its CPUs
    """
    from plimsoll.flows.host_slice_plan import plan_host_slices

    return HostSlicesPlanned(plan_host_slices(ctx, asked))


@dataclass(frozen=True)
class HostSlicesWritten:
    """Files that a plan was written as."""

    folder: Path
    files: Sequence[Path]
    notes: Sequence[Note]
    """What a reader must know."""


@asks(HostSliceWriteRequest)
def host_slice_write(ctx: Context, asked: HostSliceWriteRequest) -> HostSlicesWritten:
    """A plan as files in a new folder, as `plimsoll host slice write`. The plan is a run of `host_slice_plan`, or a file of its
    JSON.

    Example:
        found = plimsoll.host_slice_plan("slices.toml", store="runs.sqlite")
        written = plimsoll.host_slice_write(found.run.id, out="slices", only=["systemd"], store="runs.sqlite")
        written.files
    """
    from plimsoll.flows.host_slice_write import write_slices

    found = write_slices(ctx, asked)
    folder = Path(found.folder)
    return HostSlicesWritten(folder, tuple(folder / one.path for one in found.files), found.notes)
