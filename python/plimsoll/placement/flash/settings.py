"""What to write where for each use of flash, by database and version. No Oracle statement here was run on an Oracle Database by us.

source: Oracle Automatic Storage Management Administrator's Guide ("Preferred Read Failure Groups"; disk group attributes,
PREFERRED_READ.ENABLED from 12.2); Database Administrator's Guide ("Configuring Database Smart Flash Cache"); manual pages
mdadm(8), lvmraid(7), lvmcache(7); PostgreSQL, "Resource Consumption"
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plimsoll.facts import FlashSetting
from plimsoll.placement.scripts.moves import Dialect
from plimsoll.placement.scripts.oracle import PREFERRED_READ_SINCE, Server

_MIB = 1 << 20


@dataclass(frozen=True)
class Setup:
    """The database that settings are for; `dialect` None: it was not named."""

    dialect: Dialect | None
    server: Server
    clustered: bool


def of_move(setup: Setup) -> Iterator[FlashSetting]:
    """A whole database or parts of it on flash."""
    if setup.dialect is None:
        return
    more = "" if setup.dialect == "postgres" else f" --dialect oracle --edition {setup.server.edition}"
    yield FlashSetting(
        program="plimsoll",
        statement=f"plimsoll place script latest{more}",
        remark="the statements that move the parts, and with --reverse those that take them back",
    )


def of_mirror(setup: Setup) -> Iterator[FlashSetting]:
    """A mirror whose fast side is read."""
    if setup.dialect == "oracle":
        yield from _asm(setup)
    if setup.clustered:
        # A volume manager of one host mirrors nothing that other hosts open.
        return
    yield FlashSetting(
        program="Linux md",
        statement="mdadm --create <ARRAY> --level=1 --raid-devices=2 <FLASH> --write-mostly <DISK>",
        remark="for a new array. With --write-behind a write may end before the slow side has it, which the figures do not assume",
    )
    yield FlashSetting(
        program="Linux LVM",
        statement="lvconvert --type raid1 -m 1 <VG>/<LV> <FLASH>; lvchange --writemostly <DISK>:y <VG>/<LV>",
        remark="while the volume is in use; wait until lvs shows that the copy is complete",
    )


def _asm(setup: Setup) -> Iterator[FlashSetting]:
    if setup.server.release >= PREFERRED_READ_SINCE:
        yield FlashSetting(
            program="ASM instance",
            statement="ALTER DISKGROUP <GROUP> SET ATTRIBUTE 'preferred_read.enabled' = 'TRUE'",
            remark="the site of the instance is read: the failure group of flash must lie in it",
        )
        return
    each = "; each instance of the cluster has its own" if setup.clustered else ""
    yield FlashSetting(
        program="ASM instance",
        statement="ALTER SYSTEM SET ASM_PREFERRED_READ_FAILURE_GROUPS = '<GROUP>.<FLASH>'",
        remark=f"disks and flash are two failure groups of one disk group of normal redundancy{each}",
    )


def of_storage_cache(setup: Setup) -> Iterator[FlashSetting]:
    """A cache in the controller, or in the block layer of a host that nobody shares the disks with."""
    yield FlashSetting(
        program="storage controller",
        statement="its read cache on flash",
        remark="by the vendor's manual: it takes no memory and no CPU of the database's host",
    )
    if not setup.clustered:
        yield FlashSetting(
            program="Linux LVM",
            statement="lvconvert --type cache --cachevol <FLASH_LV> --cachemode writethrough <VG>/<LV>",
            remark="with writeback the only copy of new data may lie on flash, which must then be a mirror itself",
        )


def of_database_cache(setup: Setup, flash_bytes: int, memory_bytes: int) -> Iterator[FlashSetting]:
    """Database Smart Flash Cache of Oracle."""
    if setup.dialect != "oracle":
        return
    each = ", of each instance in a file of its own" if setup.clustered else ""
    yield FlashSetting(
        program="instance parameters",
        statement=f"DB_FLASH_CACHE_FILE = '<FILE>', DB_FLASH_CACHE_SIZE = {_megabytes(flash_bytes)}",
        remark=f"takes effect at the next start{each}",
    )
    yield FlashSetting(
        program="instance parameters",
        statement=f"DB_CACHE_SIZE or SGA_TARGET larger by {_megabytes(memory_bytes)}",
        remark="for the directory of what lies on flash; the figures assume that it is not enlarged",
    )
    yield FlashSetting(
        program="segments",
        statement="ALTER TABLE <OWNER>.<TABLE> STORAGE (FLASH_CACHE KEEP)",
        remark="for what should stay there longest; NONE keeps out what is scanned",
    )


def of_memory(setup: Setup, cache_bytes: int) -> Iterator[FlashSetting]:
    """A larger buffer cache."""
    if setup.dialect == "oracle":
        yield FlashSetting(
            program="instance parameters", statement=f"DB_CACHE_SIZE = {_megabytes(cache_bytes)}"
        )
    elif setup.dialect == "postgres":
        yield FlashSetting(
            program="postgresql.conf",
            statement=f"shared_buffers = {max(1, round(cache_bytes / _MIB))}MB",
            remark="takes effect at the next start",
        )


def _megabytes(count: int) -> str:
    return f"{max(1, round(count / _MIB)):d}M"
