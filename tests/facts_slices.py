"""A host of two nodes that is divided between two databases, or cannot be."""

from __future__ import annotations

from plimsoll.facts import (
    HostSlice,
    SliceCap,
    SliceChange,
    SliceCheck,
    SliceChecks,
    SliceDevice,
    SliceDisk,
    SliceFinding,
    SliceMemory,
    SlicePlan,
    SliceWrong,
)

_GIB = 1 << 30


def slices(refused: bool = False) -> SlicePlan:
    """One database planned, one by hand whose memory is far; or a refusal."""
    if refused:
        return SlicePlan(
            answer="refused",
            reason="5 cores are asked for, 1 of them to be set aside, and the host has 4 to give; it fits with 1 core fewer",
            changes=(SliceChange(slice="db1", cores=1),),
            memory_free_share=0.1,
        )
    return SlicePlan(
        answer="planned",
        reason="db1 on node 1, db2 on nodes 0, 1",
        slices=(_db1(), _db2(), _housekeeping()),
        cost=13.1,
        cost_min=13.1,
        has_second=True,
        cost_second=18.6,
        cost_second_min=18.6,
        findings=(
            SliceFinding(
                code="slice-memory-far",
                slice="db2",
                message="its CPUs are on node 0 and memory of it on node 1, at distance 21; that of node 0 is at 10",
            ),
        ),
        disks=(_disk(),),
        free_cpus=(),
        memory_free_share=0.1,
        assumptions=(
            "the CPUs 7 are left out: they may not be used from here, or their core or node is not told",
        ),
    )


def _disk() -> SliceDisk:
    return SliceDisk(
        name="nvme0n1",
        read_iops=90_000.0,
        sequential_read_iops=120_000.0,
        read_mb_per_s=2_000.0,
        write_iops=40_000.0,
        sequential_write_iops=60_000.0,
        write_mb_per_s=900.0,
        rate_share=0.6,
    )


def _db1() -> HostSlice:
    return HostSlice(
        name="db1",
        priority=1,
        home=1,
        cores=2,
        cpus=(4, 5, 6),
        memory=(SliceMemory(node=1, memory_bytes=16 * _GIB, huge_pages=4_096),),
        huge_page_bytes=2 << 20,
        devices=(SliceDevice(name="nvme0n1", node=1, distance=10),),
        iops=20_000.0,
        mb_per_s=300.0,
        redo_mb_per_s=20.0,
        domains=1,
        distance_mean=10.0,
        cost=1.0,
    )


def _db2() -> HostSlice:
    return HostSlice(
        name="db2",
        is_by_hand=True,
        home=0,
        cores=1,
        cpus=(0, 1),
        memory=(SliceMemory(node=1, memory_bytes=8 * _GIB),),
        domains=1,
        distance_mean=21.0,
        cost=12.0,
    )


def _housekeeping() -> HostSlice:
    return HostSlice(
        name="housekeeping",
        purpose="housekeeping",
        home=0,
        cores=1,
        cpus=(2, 3),
        domains=1,
        shared_domains=1,
        cost=1.0,
    )


def slice_checks() -> SliceChecks:
    """One slice as planned, and one that runs elsewhere; of a third nothing can be seen."""
    return SliceChecks(
        answer="not as planned",
        way="systemd",
        watched_s=2.0,
        slices=(_check("db1", (4, 5, 6)), _check("db2", (0, 1), samples_outside=7), _unseen()),
        caps=(_cap(),),
        findings=(
            SliceWrong(
                code="slice-ran-elsewhere",
                severity="wrong",
                slice="db2",
                message="threads were seen on other CPUs than 0-1 in 17.5 % of looks: postgres (812)",
            ),
            SliceWrong(
                code="slice-empty",
                severity="doubt",
                slice="db3",
                message="no process is in it, so that nothing can be seen of it",
            ),
        ),
    )


def _cap() -> SliceCap:
    return SliceCap(
        slice="db1",
        device="/dev/nvme0n1",
        block_bytes=4096,
        limit_iops=400.0,
        read_iops=400.2,
        ios=4_002,
        counted_ios=4_122,
    )


def _check(name: str, cpus: tuple[int, ...], samples_outside: int = 0) -> SliceCheck:
    return SliceCheck(
        name=name,
        control_group=f"/sys/fs/cgroup/plimsoll_{name}.slice",
        is_there=True,
        cpus=cpus,
        cpus_effective=cpus,
        nodes=(0,),
        nodes_effective=(0,),
        processes=12,
        threads=12,
        samples=40,
        samples_outside=samples_outside,
        memory_bytes=3 * _GIB,
        memory_elsewhere_bytes=1 << 20,
        huge_bytes=2 * _GIB,
    )


def _unseen() -> SliceCheck:
    return _check("db3", (7,)).but(
        cpus_effective=None,
        nodes_effective=None,
        processes=0,
        threads=0,
        samples=0,
        memory_bytes=None,
        memory_elsewhere_bytes=None,
        huge_bytes=None,
    )
