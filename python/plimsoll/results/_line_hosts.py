"""The hosts of a line that several offered together, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.base.units import counted, format_rate, format_ratio, format_us
from plimsoll.charts import Table
from plimsoll.results._blocks import Grid, Words

if TYPE_CHECKING:
    from plimsoll.facts import Line, LineHost

_COLUMNS = ("host", "I/Os per s", "p50", "p99", "late / allowed", "clock ahead by", "true to")
_SPARE = ("p50", "true to", "clock ahead by", "I/Os per s")
_STORAGE = {
    True: "all of them see the same storage",
    False: "a host does not see the files of the others, so it is the sum of several storages",
    None: "nothing tells whether all see the same storage",
}


def hosts_said(line: Line) -> str:
    """How many hosts, and which of them is slow, behind the figure; empty where it is this one alone."""
    if not line.hosts:
        return ""
    slow = "" if line.limiting_host is None else f", limited by {line.limiting_host}"
    return f" on {counted(len(line.hosts), 'host')}{slow}"


def hosts_lost(line: Line) -> str:
    """Names of those that were lost."""
    return ", ".join(host.name for host in line.hosts if host.lost_because is not None)


def hosts_words(line: Line) -> Words:
    """How the load came about."""
    hosts = line.hosts
    spread = "" if line.start_spread_us is None else f"; they began within {format_us(line.start_spread_us)}"
    parts = f"each of {counted(len(hosts), 'host')} got an equal part of the rate and had to hold the objective itself"
    return Words(f"{parts[0].upper()}{parts[1:]}; {_STORAGE[line.one_storage]}{spread}.")


def hosts_grid(line: Line) -> Grid:
    """What each did in the trials at the line; without a line, who they are."""
    caption = "Each host in the trials at the line" if line.line_iops is not None else "The hosts"
    numeric = (False, *(True,) * (len(_COLUMNS) - 1))
    return Grid(caption, Table(_COLUMNS, tuple(map(_row, line.hosts)), numeric, _SPARE))


def _row(host: LineHost) -> tuple[str, ...]:
    spread = host.latency_us
    p50, p99 = (None, None) if spread is None else (spread.p50, spread.p99)
    late = "–" if host.late_ratio is None else format_ratio(host.late_ratio)
    ahead = f"{'-' if host.clock_offset_us < 0 else ''}{format_us(abs(host.clock_offset_us))}"
    error = f"±{format_us(host.clock_error_us)}"
    return host.name, format_rate(host.iops), format_us(p50), format_us(p99), late, ahead, error
