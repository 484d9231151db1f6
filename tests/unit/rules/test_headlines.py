"""Reports in which the obvious sentence is wrong: what looks like one thing in the largest wait, and is another."""

from __future__ import annotations

import pytest

from advice_reports import Waits, interval, report
from plimsoll.rules import Interval, judge


def seen(sessions: Waits, behind: Waits | None = None, cpu_s: float = 400.0) -> Interval:
    return interval(report(sessions, behind, db_time_s=2000.0, cpu_s=cpu_s))


@pytest.mark.parametrize(
    ("event", "answer", "cause"),
    [
        ("enq: KO - fast object checkpoint", "storage-bound", "writes of data blocks"),
        ("enq: RO - fast object reuse", "storage-bound", "writes of data blocks"),
        ("enq: CF - contention", "storage-bound", "other I/O"),
        ("flashback buf free by RVWR", "storage-bound", "other I/O"),
        ("flashback log file sync", "storage-bound", "other I/O"),
    ],
)
def test_names_that_say_lock_or_nothing_may_be_io(event: str, answer: str, cause: str) -> None:
    verdict = judge(seen({event: (9_000, 1200.0)}))
    assert (verdict.answer, verdict.cause, verdict.helps) == (answer, cause, "unknown")


@pytest.mark.parametrize(
    "event",
    [
        "log buffer space",
        "log file switch (archiving needed)",
        "log file switch (checkpoint incomplete)",
        "log file switch completion",
    ],
)
def test_waits_for_the_log_may_be_for_its_storage(event: str) -> None:
    """A slow device of the log, of the archive or of data files fills the best configuration."""
    verdict = judge(seen({event: (9_000, 1200.0)}, {"log file parallel write": (50_000, 900.0)}))
    assert (verdict.answer, verdict.helps) == ("configuration-bound", "unknown")


def test_waits_of_unknown_purpose_that_are_the_largest_part_leave_the_gain_open() -> None:
    """Also where they are less than half: 45 % here, beside 30 % of CPU time."""
    verdict = judge(seen({"no event that is known": (9_000, 900.0)}, cpu_s=600.0))
    assert (verdict.answer, verdict.helps) == ("cannot tell", "unknown")


def test_a_gain_that_is_certain_stays_beside_waits_of_unknown_purpose() -> None:
    verdict = judge(
        seen({"no event that is known": (9_000, 800.0), "db file sequential read": (100_000, 700.0)})
    )
    assert (verdict.answer, verdict.helps) == ("cannot tell", "yes")


BUSY_9I = """STATSPACK report for

DB Name         DB Id    Instance     Inst Num Release     Cluster Host
------------ ----------- ------------ -------- ----------- ------- ------------
SHOP          1640394792 shop                1 {release}   NO      h1

            Snap Id     Snap Time      Sessions Curs/Sess Comment
            ------- ------------------ -------- --------- -------------------
Begin Snap:       3 05-Mar-03 08:30:21       14       5.6
  End Snap:       4 05-Mar-03 09:30:25       16       5.9
   Elapsed:               60.07 (mins)

Top 5 Timed Events
~~~~~~~~~~~~~~~~~~                                                     % Total
Event                                               Waits    Time (s) Ela Time
-------------------------------------------- ------------ ----------- --------
buffer busy waits                                 400,000       6,000    60.00
CPU time                                                        3,000    30.00
db file sequential read                            20,000         600     6.00
log file sync                                       2,000         300     3.00
latch free                                          1,000         100     1.00
          -------------------------------------------------------------
End of Report
"""


@pytest.mark.parametrize(("release", "helps"), [("9.2.0.4.0 ", "unknown"), ("10.1.0.3.0", "a little")])
def test_busy_buffers_before_10g_may_be_reads(release: str, helps: str) -> None:
    verdict = judge(interval(BUSY_9I.format(release=release).encode()))
    assert (verdict.answer, verdict.helps) == ("contention-bound", helps)
    assert ("another session reads" in verdict.reason) is (helps == "unknown")


@pytest.mark.parametrize("mean_us", [90.0, 240.0])
def test_reads_that_are_as_fast_as_flash_are_storage_bound_and_not_helped(mean_us: float) -> None:
    verdict = judge(seen({"db file sequential read": (int(1200e6 / mean_us), 1200.0)}))
    assert (verdict.answer, verdict.helps) == ("storage-bound", "no")


def test_commits_without_their_log_write_have_no_cause() -> None:
    verdict = judge(seen({"log file sync": (90_000, 1200.0)}))
    assert (verdict.answer, verdict.cause, verdict.helps) == ("commit-bound", "unknown", "unknown")
