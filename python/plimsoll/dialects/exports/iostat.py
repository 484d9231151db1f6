"""`iostat -x -t -o JSON`: each device of a host, an interval after the other.

Its first report is a mean since the host was started, whose length it does not print, and is left out. A time is that at which its
interval ends; how long that was is the time since the report before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
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
    shown,
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

_ANEW = "S_TIME_FORMAT=ISO iostat -x -t -o JSON 60"
_MIB_MB, _GIB_MB = (1 << 20) / 1e6, (1 << 30) / 1e6
_READ_MB = {"rkB/s": KIB_MB, "rMB/s": _MIB_MB, "rGB/s": _GIB_MB, "rsec/s": SECTOR_MB}
_READ_MB |= {"kB_read/s": KIB_MB, "MB_read/s": _MIB_MB, "GB_read/s": _GIB_MB, "Blk_read/s": SECTOR_MB}
_WRITE_MB = {"wkB/s": KIB_MB, "wMB/s": _MIB_MB, "wGB/s": _GIB_MB, "wsec/s": SECTOR_MB}
_WRITE_MB |= {"kB_wrtn/s": KIB_MB, "MB_wrtn/s": _MIB_MB, "GB_wrtn/s": _GIB_MB, "Blk_wrtn/s": SECTOR_MB}
"""Its columns, with and without -x and -k, -m or --human, and what their unit is in megabytes of 10^6 bytes."""
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\b")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})\b")
_MONTHS = 12
_Dated = Callable[[str], datetime]


def _recognises(content: Content) -> bool:
    host = host_of(content)
    return bool(host) and not is_archive(host)


def _read(content: Content, found: Found) -> None:
    for_hosts(content, found, _take_all)


def _take_all(host: Mapping[str, Any], found: Found) -> None:
    name = worded(host, "nodename")
    reports = [mapping(report) for report in listed(host, "statistics")]
    if not any("disk" in report for report in reports):
        raise OffError("it has no devices")
    dated = _dated([worded(report, "timestamp") for report in reports if "timestamp" in report])
    for index, (before, report) in enumerate(pairwise(reports), 1):
        with found.part(f"statistics[{index}]"):
            _take(report, name, _interval(before, report, dated, found), found)


def _interval(
    before: Mapping[str, Any], report: Mapping[str, Any], dated: _Dated, found: Found
) -> tuple[float, float]:
    """When it begins, and how long it is."""
    begin, end = (found.seconds(dated(worded(one, "timestamp"))) for one in (before, report))
    if end <= begin:
        raise OffError(f"its time {report['timestamp']} is not after that of the report before")
    return begin, end - begin


def _take(report: Mapping[str, Any], host: str, at: tuple[float, float], found: Found) -> None:
    for index, disk in enumerate(listed(report, "disk")):
        with found.part(f"disk[{index}]"):
            _take_disk(mapping(disk), host, at, found)


def _take_disk(disk: Mapping[str, Any], host: str, at: tuple[float, float], found: Found) -> None:
    reads, writes, all_per_s, flushes = (number(disk, name) for name in ("r/s", "w/s", "tps", "f/s"))
    rates = {
        "iops": all_per_s,
        "read_per_s": reads,
        "write_per_s": writes,
        "flush_per_s": flushes,
        "read_mb_per_s": _megabytes(disk, _READ_MB),
        "write_mb_per_s": _megabytes(disk, _WRITE_MB),
        "busy_share": scaled(number(disk, "util"), 0.01),
    }
    waits = {
        "read_latency_us": (number(disk, "r_await"), reads),
        "write_latency_us": (number(disk, "w_await"), writes),
        "flush_latency_us": (number(disk, "f_await"), flushes),
        "io_latency_us": (number(disk, "await"), all_per_s),
    }
    add_device(found, f"{host}/{worded(disk, 'disk_device')}", at, rates, waits)


def _megabytes(disk: Mapping[str, Any], units: Mapping[str, float]) -> float | None:
    """By the unit that is there."""
    return next((scaled(number(disk, name), unit) for name, unit in units.items() if name in disk), None)


def _dated(stamps: Sequence[str]) -> _Dated:
    """How these times are read, all in one way. Raises OffError where that cannot be told."""
    if not stamps:
        raise OffError("its reports have no timestamp, which option -t prints")
    if stamps[0].isdigit():
        return lambda stamp: moment_of(int(stamp) if stamp.isdigit() else stamp)
    dates = [found.groups() for found in map(_SLASHED.match, stamps) if found]
    if dates:
        return _slashed(_is_month_first(dates, stamps[0]))
    if _DOTTED.match(stamps[0]):
        return lambda stamp: _local(_DOTTED.sub(r"\1/\2/\3", stamp), is_month_first=False)
    return moment_of


def _slashed(is_month_first: bool) -> _Dated:
    return lambda stamp: _local(stamp, is_month_first=is_month_first)


def _is_month_first(dates: Sequence[Sequence[str]], example: str) -> bool:
    """By a day that no month has."""
    first, second = (max(int(date[place]) for date in dates) for place in (0, 1))
    if first > _MONTHS >= second:
        return False
    if second > _MONTHS >= first:
        return True
    raise OffError(f"whether day or month stands first in '{shown(example)}' is not clear")


def _local(stamp: str, *, is_month_first: bool) -> datetime:
    """A time in the words of a country."""
    day = "%m/%d" if is_month_first else "%d/%m"
    for form in (
        f"{day}/%y %H:%M:%S",
        f"{day}/%Y %H:%M:%S",
        f"{day}/%y %I:%M:%S %p",
        f"{day}/%Y %I:%M:%S %p",
    ):
        try:
            return datetime.strptime(stamp, form)  # noqa: DTZ007 - a clock without a zone
        except ValueError:
            continue
    raise OffError(f"'{shown(stamp)}' is no time")


SOURCE = Source(
    title="reports of iostat",
    recognises=_recognises,
    read=_read,
    anew=_ANEW,
    blind=(
        *BLIND,
        Note(
            code="first-report",
            message="the first report of iostat is a mean since the host was started, and is left out",
        ),
    ),
)
