"""A plan of a host of four nodes with six CPUs each, with all that outputs tell of."""

from __future__ import annotations

from plimsoll.facts import HostSlice, SliceDevice, SliceDisk, SliceMemory, SlicePlan

GIB = 1 << 30
FOUR_NODES = "".join(
    [
        "available: 4 nodes (0-3)\n",
        *(
            f"node {number} cpus: {' '.join(str(6 * number + cpu) for cpu in range(6))}\n"
            f"node {number} size: 8192 MB\nnode {number} free: 41 MB\n"
            for number in range(4)
        ),
        "node distances:\nnode   0   1   2   3\n",
        *(f"  {one}: {' '.join('10' if one == other else '16' for other in range(4))}\n" for one in range(4)),
    ]
)
TWO = """
[[slice]]
name = "db1"
cores = 6
memory = "6g"
shared_memory = "4g"
huge_page = "2m"

[[slice]]
name = "db2"
cores = 6
memory = "6g"
"""
DISK = "/dev/disk/by-id/nvme-fast_disk_S1"


def database(name: str, cpus: tuple[int, ...], **more: object) -> HostSlice:
    """With 6 GiB on the node that its CPUs are of where nodes have six."""
    node = cpus[0] // 6
    told: dict[str, object] = {
        "name": name,
        "home": node,
        "cores": len(cpus),
        "cpus": cpus,
        "memory": (SliceMemory(node=node, memory_bytes=6 * GIB),),
        "domains": 1,
        "cost": 1.0,
    }
    return HostSlice.model_validate({**told, **more})


def pages(node: int, memory_bytes: int, huge_pages: int) -> SliceMemory:
    """Memory of a node, so many huge pages among it."""
    return SliceMemory(node=node, memory_bytes=memory_bytes, huge_pages=huge_pages)


def shop(**more: object) -> HostSlice:
    """A PostgreSQL of which everything is known."""
    told: dict[str, object] = {
        "memory": (pages(0, 6 * GIB, 2_048),),
        "huge_page_bytes": 2 << 20,
        "database": "postgresql",
        "service": "postgresql@16-main.service",
        "account": "postgres",
        "iops": 400.5,
        "mb_per_s": 100.0,
        "redo_mb_per_s": 20.0,
        "devices": (
            SliceDevice(name="nvme0n1", stable=DISK, node=0, distance=10),
            SliceDevice(name="eth0", kind="network card", node=0, distance=10),
        ),
        "priority": 3,
    }
    return database("shop", tuple(range(6)), **{**told, **more})


def books(**more: object) -> HostSlice:
    """An Oracle Database, whose name has a letter that systemd reads as a path."""
    told: dict[str, object] = {"database": "oracle", "account": "oracle", "listener": "LSN1"}
    return database("books-1", tuple(range(6, 12)), **{**told, **more})


def rates(**more: object) -> SliceDisk:
    """What the disk of the PostgreSQL gives."""
    told: dict[str, object] = {
        "name": "nvme0n1",
        "stable": DISK,
        "read_iops": 90_000.0,
        "sequential_read_iops": 120_000.0,
        "read_mb_per_s": 2_000.5,
        "write_iops": 40_000.0,
        "sequential_write_iops": 60_000.0,
        "write_mb_per_s": 900.0,
    }
    return SliceDisk.model_validate({**told, **more})


def aside(name: str, cpus: tuple[int, ...]) -> HostSlice:
    """What is set aside."""
    purpose = "housekeeping" if name == "housekeeping" else "log writers"
    return database(name, cpus, purpose=purpose, memory=())


def plan(
    *slices: HostSlice, free: tuple[int, ...] = tuple(range(12, 22)), disks: tuple[SliceDisk, ...] = ()
) -> SlicePlan:
    """Of these slices, or of both databases, log writers and housekeeping."""
    both = (shop(), books(), aside("log-writers", (22,)), aside("housekeeping", (23,)))
    return SlicePlan(
        answer="planned",
        reason="shop on node 0, books-1 on node 1",
        slices=slices or both,
        cost=2.0,
        cost_min=2.0,
        free_cpus=free,
        disks=disks,
        memory_free_share=0.1,
    )
