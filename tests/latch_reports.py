"""Small AWR reports of one table, Latch Activity, for tests of what is done with reports: the real reader reads them.

Each report has 45 cells in four tables: 31 of its head, and seven of each of its two latches.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tiny_reports import Table, page

LATCHES = (("redo", "5"), ("cache", ""))
"""Name and gets of each latch; the gets of the second are not printed."""
FAILING = (("redo", "5"), ("cache", "x1"))
"""Where the second latch's gets are no number."""
COLUMNS = (
    "latch",
    "gets",
    "misses_percent",
    "sleeps_per_miss",
    "total_wait_s",
    "no_wait_gets",
    "no_wait_misses_percent",
)
"""Of the typed view."""

_HEADINGS = (
    "Latch Name", "Get Requests", "Pct Get Miss", "Avg Slps /Miss", "Wait Time (s)", "NoWait Requests", "Pct NoWait Miss",
)  # fmt: skip
EMPTY = b"<h1>WORKLOAD REPOSITORY report for</h1><p>End of Report</p>"
"""A report that holds no data."""


def latch_report(
    db: str | None = "ORCL",
    instance: str | None = "orcl1",
    begin: str = "2016-01-31T00:00:00",
    hours: int = 1,
    latches: Sequence[tuple[str, str]] = LATCHES,
    startup: str = "01-Jan-16 00:00",
    db_id: int = 7,
) -> bytes:
    """A whole report of 19c; its snapshots have the numbers of their hours."""
    time = datetime.fromisoformat(begin)
    heads = [_database(db, db_id), _instance(instance, startup), _snapshots(time, hours)]
    rows = [(name, gets, "0.10", "", "0", "0", "") for name, gets in latches]
    tables = page(*(head for head in heads if head), ("Latch Activity", _HEADINGS, rows))
    return b"<h1>WORKLOAD REPOSITORY report for</h1>" + tables + b"<p>End of Report</p>"


def _database(db: str | None, db_id: int) -> Table:
    headings = ("DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB")
    return "", headings, [(db or "", str(db_id), db or "", "PRIMARY", "EE", "19.0.0.0.0", "NO", "NO")]


def _instance(instance: str | None, startup: str) -> Table:
    return "", ("Instance", "Inst Num", "Startup Time"), [(instance or "", "1", startup)]


def _snapshots(begin: datetime, hours: int) -> Table:
    def row(label: str, time: datetime) -> tuple[str, ...]:
        return label, str(time.hour), f"{time:%d-%b-%y %H:%M:%S}", "40", "1.0"

    end = begin + timedelta(hours=hours)
    return (
        "",
        ("", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"),
        [
            row("Begin Snap:", begin),
            row("End Snap:", end),
            ("Elapsed:", "", f"{60 * hours}.00 (mins)", "", ""),
            ("DB Time:", "", "1.68 (mins)", "", ""),
        ],
    )
