"""A plausible host of two nodes, each with a package of two cores; or one of which something contradicts itself."""

from __future__ import annotations

from plimsoll.facts import (
    NodeHugePages,
    Topology,
    TopologyAllowed,
    TopologyCache,
    TopologyCore,
    TopologyCpu,
    TopologyDevice,
    TopologyNode,
    TopologyProblem,
)

_GIB = 1 << 30


def topology(problem: bool = False) -> Topology:
    """Cores of two threads each; CPU 7 is offline."""
    cores = tuple(_core(number) for number in range(4))
    contradiction = TopologyProblem(
        code="topology-caches-contradict",
        path="sys/devices/system/cpu",
        message="the CPUs 0-1 contradict each other about the level 2 unified cache",
    )
    return Topology(
        origin="recorded tree",
        source="db1",
        nodes=tuple(_node(number) for number in range(2)),
        cores=cores,
        cpus=tuple(
            TopologyCpu(
                id=number,
                online=number != 7,
                package=number // 4,
                core=number // 2,
                node=number // 4,
                allowed=True,
            )
            for number in range(8)
        ),
        caches=tuple(
            TopologyCache(level=3, kind="unified", size_bytes=30 << 20, line_bytes=64, cpus=cpus)
            for cpus in ((0, 1, 2, 3), (4, 5, 6))
        ),
        distances=((10, 21), (21, 10)),
        devices=(
            TopologyDevice(name="nvme0n1", kind="disk", address="0000:81:00.0", node=1),
            TopologyDevice(name="eth0", kind="network card", address="0000:02:00.0", node=0),
        ),
        allowed=TopologyAllowed(
            cpus=tuple(range(8)), nodes=(0, 1), group="/", source="/sys/fs/cgroup/cpuset.cpus.effective"
        ),
        problems=(contradiction,) if problem else (),
    )


def _core(number: int) -> TopologyCore:
    cpus = (6,) if number == 3 else (2 * number, 2 * number + 1)
    return TopologyCore(package=number // 2, core=number % 2, node=number // 2, cpus=cpus)


def _node(number: int) -> TopologyNode:
    return TopologyNode(
        id=number,
        cpus=(0, 1, 2, 3) if number == 0 else (4, 5, 6),
        memory_bytes=32 * _GIB,
        free_bytes=(12 + number) * _GIB,
        huge_pages=(NodeHugePages(page_bytes=2 << 20, pages=4_096 * number, free_pages=512 * number),),
        allowed=True,
    )
