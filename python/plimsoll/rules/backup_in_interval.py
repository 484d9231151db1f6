"""A backup ran in the interval.

What it finds:
    RMAN read and wrote a fifth or more of all bytes.
Why it matters:
    A backup adds load that the application does not make, and can slow down all other reads while it runs.
What to do:
    Advise on an interval without the backup and compare the two, or have `plimsoll assess --backup` judge both loads
    together.
Evidence:
    Bytes of RMAN and of all functions in IOStat by Function.
Source:
    The review list of robert-guangzhou: know what else ran. Oracle's manual on IOStat by Function.
"""

from __future__ import annotations

from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_SHARE_MIN = 0.2
_VIEW, _FUNCTION, _EVERY = "iostat_by_function", "RMAN", "total"
_BYTES = ("read_bytes", "write_bytes")


def share_of(interval: Interval) -> float | None:
    """Of all bytes, those of a backup; None where it is not printed."""
    spent, every = 0.0, 0.0
    for row in interval.rows(_VIEW):
        if row.get("aggregate") is None and (row["function"] or "").lower().rstrip(":") != _EVERY:
            moved = sum(row[column] or 0.0 for column in _BYTES)
            every += moved
            spent += moved if row["function"] == _FUNCTION else 0.0
    return spent / every if every else None


def words_of(interval: Interval) -> str | None:
    """That it is so; None where it is not, or is not printed."""
    share = share_of(interval)
    return (
        None
        if share is None or share < _SHARE_MIN
        else f"a backup (RMAN) read and wrote {100 * share:.0f} % of all bytes"
    )


def _find(interval: Interval) -> Found | None:
    words = words_of(interval)
    if words is None:
        return None
    numbers: list[Quantity | None] = [
        interval.number(_VIEW, row, column)
        for row in interval.rows(_VIEW)
        if row["function"] == _FUNCTION
        for column in _BYTES
    ]
    return Found(reason=words, cells=cells_of(*numbers))


RULE = Rule(
    title="A backup ran in the interval",
    family="interval",
    advice="Advise on an interval without it, or have `plimsoll assess --backup` judge both together.",
    disproof="The waits are as long in an interval without it.",
    find=_find,
)
