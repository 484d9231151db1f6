"""The first waits of published Statspack reports, typed in from the articles that print them.

K. Closson's articles on LGWR (two runs of one benchmark on one system) and on DBWR (eight writers, and one), 2006 and 2007.
"""

from __future__ import annotations

_HEAD = """Top 5 Timed Events                                                    Avg %Total
~~~~~~~~~~~~~~~~~~                                                   wait   Call
Event                                            Waits    Time (s)   (ms)   Time
----------------------------------------- ------------ ----------- ------ ------
"""
_END = "          -------------------------------------------------------------\n"
_Row = tuple[str, int | None, int, int | None, float]


def _top(*rows: _Row) -> bytes:
    return (_HEAD + "".join(map(_line, rows)) + _END).encode()


def _line(row: _Row) -> str:
    event, waits, seconds, mean_ms, percent = row
    counted = "" if waits is None else f"{waits:,}"
    mean = "" if mean_ms is None else f"{mean_ms:,}"
    return f"{event:<41} {counted:>12} {seconds:>11,} {mean:>6} {percent:>6}\n"


LGWR_RUN_1 = _top(
    ("log file sync", 68_965, 1_117, 16, 64.6),
    ("db file sequential read", 159_712, 241, 2, 14.0),
    ("CPU time", None, 163, None, 9.4),
    ("log file switch (checkpoint incomplete)", 164, 146, 890, 8.4),
    ("db file parallel write", 19_651, 31, 2, 1.8),
)
LGWR_RUN_2 = _top(
    ("db file sequential read", 838_810, 1_635, 2, 69.1),
    ("CPU time", None, 253, None, 10.7),
    ("db file parallel write", 153_334, 145, 1, 6.1),
    ("log file sync", 93_100, 143, 2, 6.0),
    ("log file parallel write", 93_417, 73, 1, 3.1),
)
DBWR_8 = _top(
    ("CPU time", None, 3_148, None, 35.8),
    ("log file sync", 1_207_863, 2_905, 2, 33.1),
    ("log file switch (checkpoint incomplete)", 4_627, 828, 179, 9.4),
    ("db file scattered read", 172_724, 670, 4, 7.6),
    ("log file parallel write", 532_373, 464, 1, 5.3),
)
DBWR_1 = _top(
    ("CPU time", None, 2_858, None, 31.0),
    ("log file sync", 1_076_670, 2_509, 2, 27.2),
    ("log file switch (checkpoint incomplete)", 4_808, 1_939, 403, 21.0),
    ("db file scattered read", 173_566, 664, 4, 7.2),
    ("log file parallel write", 491_346, 419, 1, 4.5),
)
CPU_73_DISK_11 = _top(
    ("CPU time", None, 7_300, None, 73.0),
    ("db file sequential read", 220_000, 1_100, 5, 11.0),
    ("log file sync", 20_000, 300, 15, 3.0),
)
CPU_60_DISK_40 = _top(
    ("CPU time", None, 6_000, None, 60.0),
    ("db file sequential read", 574_000, 2_870, 5, 28.7),
    ("db file scattered read", 56_500, 1_130, 20, 11.3),
)
READS_97 = _top(
    ("db file sequential read", 9_680_000, 96_800, 10, 96.8),
    ("CPU time", None, 2_400, None, 2.4),
)
"""The shares are those of Burleson's cases on solid-state disks; the seconds are made to fit."""
COMMITS_AND_READS = _top(
    ("log file sync", 100_000, 1_000, 10, 50.0),
    ("db file sequential read", 200_000, 600, 3, 30.0),
)
"""Made: no article prints it."""
