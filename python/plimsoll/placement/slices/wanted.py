"""What is asked of a host: a slice for each database, and what is set aside for the host itself."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.facts.slices import SliceDatabase

MIB = 1 << 20


@dataclass(frozen=True)
class Wanted:
    """What one slice asks for. `cpus` and `nodes` of one that is given by hand are settled; None: they are planned."""

    name: str
    cores: int
    memory_bytes: int
    shared_bytes: int = 0
    """Of the memory, what lies in huge pages: shared buffers, or an SGA."""
    huge_page_bytes: int | None = None
    priority: int = 1
    one_node: bool = False
    """Whether all of it must lie on one node."""
    on_nodes: tuple[int, ...] | None = None
    """Nodes that it may lie on; None: any."""
    devices: tuple[str, ...] = ()
    iops: float | None = None
    mb_per_s: float | None = None
    redo_mb_per_s: float | None = None
    cpus: tuple[int, ...] | None = None
    mems: tuple[int, ...] | None = None
    database: SliceDatabase | None = None
    service: str | None = None
    """The systemd unit that runs it."""
    account: str | None = None
    """The account of this system that runs it."""
    listener: str | None = None
    """Oracle's listener that starts its servers."""

    @property
    def is_by_hand(self) -> bool:
        """Whether it says itself what it is given."""
        return self.cpus is not None

    @property
    def unit_bytes(self) -> int:
        """Memory is given away in pieces of this size."""
        return max(self.huge_page_bytes or MIB, MIB)

    @property
    def units(self) -> int:
        """How many such pieces it takes."""
        return -(-self.memory_bytes // self.unit_bytes)


@dataclass(frozen=True)
class DiskRates:
    """What a disk gives, as it was measured: I/Os of 4 KiB per second at random places and in sequence, and large ones in MB/s."""

    device: str
    read_iops: float
    sequential_read_iops: float
    read_mb_per_s: float
    write_iops: float
    sequential_write_iops: float
    write_mb_per_s: float
    rate_share: float = 1.0
    """Share of these rates that the kernel is told."""


@dataclass(frozen=True)
class Division:
    """All that is asked of a host."""

    slices: tuple[Wanted, ...]
    housekeeping_cores: int = 1
    log_writer_cores: int = 0
    memory_free_share: float = 0.1
    disks: tuple[DiskRates, ...] = ()
