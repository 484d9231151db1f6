"""The first events of Statspack before 9i are waits alone, and their shares are of all waits: CPU time must be added."""

from __future__ import annotations

import pytest

from advice_reports import interval
from plimsoll.rules import judge

WAITS = """
Top 5 Wait Events
~~~~~~~~~~~~~~~~~                                             Wait     % Total
Event                                               Waits  Time (cs)   Wt Time
-------------------------------------------- ------------ ------------ -------
db file sequential read                           400,000      300,000   75.00
log file sync                                      20,000       60,000   15.00
          -------------------------------------------------------------
"""
ACTIVITY = """
Instance Activity Stats for DB: SHOP  Instance: shop  Snaps:  101 -  102

Statistic                                    Total   per Second    per Trans
--------------------------------- ---------------- ------------ ------------
CPU used by this session                   900,000        499.4         41.3
          -------------------------------------------------------------
"""


def test_a_share_of_waits_is_no_share_of_db_time() -> None:
    found = interval((WAITS + ACTIVITY).encode())
    assert found.db_time is not None
    assert found.db_cpu is not None
    assert found.db_time.value == pytest.approx(4000.0 + 9000.0)
    assert found.db_cpu.value == pytest.approx(9000.0)
    assert (judge(found).answer, judge(found).helps) == ("cpu-bound", "a little")


def test_without_cpu_time_there_is_no_db_time() -> None:
    found = interval(WAITS.encode())
    assert found.db_time is None
    assert (judge(found).answer, judge(found).helps) == ("cannot tell", "unknown")
