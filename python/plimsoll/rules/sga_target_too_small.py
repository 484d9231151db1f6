"""A larger SGA would save DB time.

What it finds:
    The SGA target advisory expects at least 5 % less DB time at up to twice the size.
Why it matters:
    This is the database's own estimate, in DB time.
What to do:
    Set the SGA to the size at the knee of the advisory.
Evidence:
    SGA Target Advisory: estimated DB time.
Source:
    Oracle's manual on V$SGA_TARGET_ADVICE.
"""

from __future__ import annotations

from plimsoll.rules._interval import Interval, cells_of
from plimsoll.rules._rule import Found, Rule

_GAIN_MIN = 0.05
_FACTOR_MAX = 2.05
_VIEW = "sga_advisory"


def _find(interval: Interval) -> Found | None:
    rows = [
        row for row in interval.rows(_VIEW) if row["size_factor"] is not None and row["db_time_s"] is not None
    ]
    now = next((row for row in rows if row["size_factor"] == 1.0 and row["db_time_s"]), None)
    larger = [row for row in rows if 1.0 < row["size_factor"] <= _FACTOR_MAX]
    best = min(larger, key=lambda row: row["db_time_s"], default=None)
    if now is None or best is None or best["db_time_s"] > (1.0 - _GAIN_MIN) * now["db_time_s"]:
        return None
    then_s, now_s = (interval.number(_VIEW, row, "db_time_s") for row in (best, now))
    times = f"{now['db_time_s']:,.0f} s of DB time to be {best['db_time_s']:,.0f} s"
    reason = f"with {best['size_factor']:.2g} times the SGA the advisory expects {times}"
    return Found(reason=reason, cells=cells_of(then_s, now_s))


RULE = Rule(
    title="A larger SGA would save DB time",
    family="cache",
    advice="Give the SGA the size at the knee of its advisory.",
    disproof="The buffer pool advisory expects the same reads at every size.",
    find=_find,
    severity="hint",
)
