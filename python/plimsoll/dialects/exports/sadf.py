"""`sadf -j FILE -- -b -d`: what sar kept of a host and its devices, an interval after the other.

Of each device it has all I/Os as one figure, discards among them; reads and writes apart it has of the host alone, over its
physical devices. A time is that at which its interval ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._source import (
    Found,
    OffError,
    Source,
    listed,
    mapping,
    moment_of,
    number,
    scaled,
    worded,
)
from plimsoll.dialects.exports._sysstat import (
    BLIND,
    KIB_MB,
    SECTOR_MB,
    add_device,
    for_hosts,
    host_of,
    is_archive,
)
from plimsoll.facts import Note


def _recognises(content: Content) -> bool:
    return is_archive(host_of(content))


def _read(content: Content, found: Found) -> None:
    for_hosts(content, found, _take_all)


def _take_all(host: Mapping[str, Any], found: Found) -> None:
    name = worded(host, "nodename")
    for index, report in enumerate(listed(host, "statistics")):
        with found.part(f"statistics[{index}]"):
            _take(mapping(report), name, found)


def _take(report: Mapping[str, Any], host: str, found: Found) -> None:
    at = _interval(mapping(report.get("timestamp")), found)
    if "io" in report:
        _take_host(mapping(report["io"]), host, at, found)
    for index, disk in enumerate(listed(report, "disk")):
        with found.part(f"disk[{index}]"):
            _take_disk(mapping(disk), host, at, found)


def _interval(stamp: Mapping[str, Any], found: Found) -> tuple[float, float]:
    """When it begins, and how long it is."""
    length = number(stamp, "interval")
    if not length:
        raise OffError("its timestamp has no interval")
    return found.seconds(_end(stamp)) - length, length


def _end(stamp: Mapping[str, Any]) -> datetime:
    """With UTC where it is said; another zone is a name that does not tell how far it is from UTC."""
    day, time = stamp.get("date"), stamp.get("time")
    if not day and isinstance(time, str) and time.isdigit():
        return moment_of(int(time))
    moment = moment_of(f"{day}T{time}")
    is_utc = stamp.get("tz") == "UTC" or stamp.get("utc") == 1
    return moment.replace(tzinfo=UTC) if is_utc and moment.tzinfo is None else moment


def _take_host(io: Mapping[str, Any], host: str, at: tuple[float, float], found: Found) -> None:
    reads, writes = mapping(io.get("io-reads") or {}), mapping(io.get("io-writes") or {})
    rates = {
        "read_per_s": number(reads, "rtps"),
        "write_per_s": number(writes, "wtps"),
        "read_mb_per_s": scaled(number(reads, "bread"), SECTOR_MB),
        "write_mb_per_s": scaled(number(writes, "bwrtn"), SECTOR_MB),
    }
    add_device(found, host, at, rates, {})


def _take_disk(disk: Mapping[str, Any], host: str, at: tuple[float, float], found: Found) -> None:
    per_s = number(disk, "tps")
    rates = {
        "iops": per_s,
        "read_mb_per_s": _megabytes(disk, "rkB", "rd_sec"),
        "write_mb_per_s": _megabytes(disk, "wkB", "wr_sec"),
        "busy_share": scaled(number(disk, "util-percent"), 0.01),
    }
    waits = {"io_latency_us": (number(disk, "await"), per_s)}
    add_device(found, f"{host}/{worded(disk, 'disk-device')}", at, rates, waits)


def _megabytes(disk: Mapping[str, Any], kib: str, sectors: str) -> float | None:
    """By the unit that is there: sectors alone, before sysstat 12."""
    if kib in disk:
        return scaled(number(disk, kib), KIB_MB)
    return scaled(number(disk, sectors), SECTOR_MB)


SOURCE = Source(
    title="an archive of sar, by sadf -j",
    recognises=_recognises,
    read=_read,
    anew="sadf -j FILE -- -b -d",
    blind=(
        *BLIND,
        Note(
            code="reads-writes-unparted",
            message="sar has reads and writes of a device as one figure, with discards in it; apart it has them of a whole host",
        ),
    ),
)
