"""The smallest reports that say something of demand: a few tables in HTML, read by the real reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll import _core
from plimsoll.facts import Report, ReportedInterval
from plimsoll.reports.figures.interval import interval_of

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""Title, headings, rows."""

ELAPSED_S = 1000.0


def page(*tables: Table) -> bytes:
    """A page of these tables."""
    return "".join(_table(*table) for table in tables).encode()


def awr(
    *tables: Table,
    db_name: str = "SHOP",
    begin: str = "01-May-24 10:00:00",
    end: str = "01-May-24 10:16:40",
    startup: str = "01-Jan-24 08:00",
    db_time_s: float = 1980.0,
) -> bytes:
    """A whole AWR report of one instance of 19c, head and all, that took 1,000.2 seconds."""
    database = (
        ("DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"),
        ((db_name, "7", db_name, "PRIMARY", "EE", "19.0.0.0.0", "NO", "NO"),),
    )
    instance = ("Instance", "Inst Num", "Startup Time"), ((db_name.lower(), "1", startup),)
    host = (
        ("Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"),
        (("db7", "Linux x86 64-bit", "8", "4", "1", "62.50"),),
    )
    snapshots = (
        ("", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"),
        (
            ("Begin Snap:", "100", begin, "40", "1.0"),
            ("End Snap:", "101", end, "41", "1.0"),
            ("Elapsed:", "", "16.67 (mins)", "", ""),
            ("DB Time:", "", f"{db_time_s / 60:,.2f} (mins)", "", ""),
        ),
    )
    cache = ("", "Begin", "End", "", ""), (("Buffer Cache:", "4,096M", "4,096M", "Std Block Size:", "8K"),)
    heads = [("", *database), ("", *instance), ("", *host), ("", *snapshots), ("Cache Sizes", *cache)]
    return b"<h1>WORKLOAD REPOSITORY report for</h1>" + page(*heads, *tables) + b"<p>End of Report</p>"


def _table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def row(tag: str, cells: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"

    body = "".join(row("td", cells) for cells in rows)
    return f"<h3>{title}</h3>\n<table>\n{row('th', headings)}{body}</table>\n"


def activity(counts: Mapping[str, int], elapsed_s: float = ELAPSED_S) -> Table:
    """Instance Activity: each statistic with its total and its rate."""
    rows = [(name, f"{total:,}", f"{total / elapsed_s:,.2f}", "1.00") for name, total in counts.items()]
    return "Instance Activity Stats", ("Statistic", "Total", "per Second", "per Trans"), rows


def filetypes(rows: Sequence[Sequence[str]]) -> Table:
    """IOStat by Filetype: name, then data, requests per second and data per second of reads and writes, and two times."""
    headings = (
        "Filetype Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data", "Reqs per sec", "Data per sec",
        "Small Read", "Large Read",
    )  # fmt: skip
    return "IOStat by Filetype summary", headings, rows


def io_profile(rows: Sequence[Sequence[str]]) -> Table:
    """The IO Profile: name, both, reads and writes per second."""
    return "IO Profile", ("", "Read+Write Per Second", "Read per Second", "Write Per Second"), rows


def load_profile(rates: Mapping[str, str]) -> Table:
    """The Load Profile: name and rate per second."""
    return (
        "Load Profile",
        ("", "Per Second", "Per Transaction"),
        [(name, rate, "1.0") for name, rate in rates.items()],
    )


def waits(rows: Sequence[Sequence[str]], background: bool = False) -> Table:
    """Wait events: name, waits, total seconds, average milliseconds."""
    title = "Background Wait Events" if background else "Foreground Wait Events"
    return title, ("Event", "Waits", "Total Wait Time (s)", "Avg wait (ms)"), rows


def report(**changes: Any) -> Report:
    """What is known of a report besides its tables."""
    known: dict[str, Any] = {
        "file": "awr.html", "kind": "awr", "status": "ok", "db_name": "SHOP", "db_id": 7, "instance": "shop1",
        "instance_number": 1, "rac": False, "release": "19.24.0.0.0", "host": "db7", "block_bytes": 8192,
        "begin_time": "2024-05-01T10:00:00", "end_time": "2024-05-01T10:16:40", "elapsed_s": ELAPSED_S,
    }  # fmt: skip
    return Report(**(known | changes))


def interval(*tables: Table, **changes: Any) -> ReportedInterval:
    """The demand of a report of these tables."""
    return interval_of(report(**changes), _core.read_report(page(*tables)))


TOTALS = {
    "physical read total IO requests": 5_000_000,
    "physical read total multi block requests": 1_000_000,
    "physical read total bytes": 4_000_000 * 8192 + 1_000_000 * 524_288,
    "physical write total IO requests": 2_000_000,
    "physical write total multi block requests": 100_000,
    "physical write total bytes": 1_400_000 * 16_384 + 100_000 * 262_144 + 500_000 * 4096,
    "physical reads": 68_000_000,
    "physical read bytes": 68_000_000 * 8192,
    "physical writes": 6_000_000,
    "physical write bytes": 6_000_000 * 8192,
    "redo writes": 500_000,
    "redo size": 1_900_000_000,
    "redo wastage": 10_000_000,
    "redo blocks written": 4_000_000,
    "user commits": 400_000,
    "physical reads direct temporary tablespace": 16_000,
    "physical writes direct temporary tablespace": 32_000,
}
"""A busy quarter of an hour that contradicts itself nowhere."""
