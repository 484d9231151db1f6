"""Waits that a report prints and one of its tables does not show: lost rows, names that say idle, lists of others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from advice_reports import host, interval, report, time_model
from plimsoll.rules import Interval, findings_of, judge
from tiny_reports import Table, awr, page, waits

TIMES = time_model({"DB time": 2000.0, "DB CPU": 200.0})
FIRST_HEADINGS = ("Event", "Waits", "Total Wait Time (sec)", "Avg Wait", "% DB time", "Wait Class")
FIRST = "Top 10 Foreground Events by Total Wait Time"
COMMITS = ("log file sync", "10,000", "100", "10.00")
UNREADABLE = ("db file sequential read", "200,000", "1,5oo", "7.50")
"""A row whose time is no number."""


def first(*rows: Sequence[str], title: str = FIRST) -> Table:
    return title, FIRST_HEADINGS, rows


def seen(*tables: Table) -> Interval:
    return interval(awr(TIMES, host(0.1), *tables))


def test_a_wait_whose_row_is_lost_is_taken_from_the_first_few() -> None:
    top = first(("db file sequential read", "200,000", "1500", "7.50ms", "75.0", "User I/O"))
    found = seen(top, waits([UNREADABLE, COMMITS]))
    assert found.foreground["db file sequential read"].seconds == 1500.0
    assert (judge(found).answer, judge(found).helps) == ("storage-bound", "yes")


def test_a_name_that_a_table_cuts_is_no_lost_wait() -> None:
    top = first(("control file sequential read of all", "10", "50", "5.00s", "2.5", "System I/O"))
    found = seen(top, waits([("control file sequential re", "10", "50", "5000.00"), COMMITS]))
    assert list(found.foreground) == ["control file sequential re", "log file sync"]
    assert found.is_complete


def test_rows_that_are_lost_leave_open_what_they_wait_for() -> None:
    found = seen(waits([UNREADABLE, COMMITS]))
    assert (found.is_complete, found.least_printed) == (False, None)
    assert found.parts["waits not printed"] == 1700.0
    assert (judge(found).answer, judge(found).helps) == ("cannot tell", "unknown")


def test_rows_that_are_lost_beside_a_wait_for_locks() -> None:
    """The rest, 30 % of DB time, may be reads."""
    found = seen(waits([UNREADABLE, ("enq: TX - row lock contention", "900", "1,200", "1333.33")]))
    assert (judge(found).answer, judge(found).helps) == ("contention-bound", "unknown")


def test_what_the_report_counts_as_db_time_is_not_idle() -> None:
    headings = ("Event", "Waits", "Total Wait Time (s)", "Avg wait (ms)", "% DB time")
    rows = [
        ("SQL*Net more data from client", "900,000", "1,600", "1.78", "80.0"),
        ("SQL*Net message from client", "900,000", "90,000", "100.00", ""),
    ]
    found = seen(("Foreground Wait Events", headings, rows))
    assert list(found.foreground) == ["SQL*Net more data from client"]
    assert found.parts["network"] == 1600.0


def test_first_waits_of_background_processes_are_not_those_of_sessions() -> None:
    behind = first(
        ("db file sequential read", "1,000", "1500", "1.50s", "75.0", "User I/O"),
        ("background cpu time", "", "100", "", "5.0", ""),
        title="Top Timed Background Events",
    )
    sessions = first(
        ("log file sync", "1,000", "1500", "1.50s", "75.0", "Commit"), title="Top Timed Foreground Events"
    )
    found = seen(sessions, behind)
    assert list(found.foreground) == ["log file sync"]
    assert list(found.background) == ["db file sequential read"]


def test_shares_of_background_time_do_not_make_db_time() -> None:
    behind = first(
        ("db file parallel write", "1,000", "50", "50.00ms", "10.0", "System I/O"),
        title="Top Timed Background Events",
    )
    sessions = first(("log file sync", "1,000", "100", "0.10s", "50.0", "Commit"))
    found = interval(page(behind, sessions))
    assert found.db_time is None or found.db_time.value == 200.0


@pytest.mark.parametrize("event", ["control file sequential read", "Disk file operations I/O"])
def test_other_io_is_storage(event: str) -> None:
    found = interval(report({event: (100_000, 1200.0)}, db_time_s=2000.0, cpu_s=400.0))
    verdict = judge(found)
    assert (verdict.answer, verdict.cause, verdict.helps) == ("storage-bound", "other I/O", "unknown")


@pytest.mark.parametrize("event", ["no event that is known", "log file sync"])
def test_time_that_is_of_nothing_known_leaves_the_gain_open(event: str) -> None:
    """By its name, or since neither CPU nor a wait accounts for it."""
    seconds = 100.0 if event == "log file sync" else 1300.0
    found = interval(report({event: (10_000, seconds)}, db_time_s=2000.0, cpu_s=400.0))
    assert (judge(found).answer, judge(found).helps) == ("cannot tell", "unknown")


def without_cpu(*rows: Sequence[str]) -> Interval:
    """A report whose row of CPU time is lost."""
    return interval(awr(time_model({"DB time": 2000.0}), host(0.1), waits(rows)))


def test_without_cpu_time_reads_of_45_percent_bound_nothing() -> None:
    """CPU time may be the other 55 %."""
    found = without_cpu(("db file sequential read", "200,000", "900", "4.50"))
    verdict = judge(found)
    assert (verdict.answer, verdict.helps) == ("cannot tell", "unknown")
    assert verdict.reason == (
        "the report prints no CPU time, which may be 55 % of DB time; "
        "the largest part that is printed, 'db file sequential read' 900 s, is 45 %"
    )
    assert found.parts["CPU time, which is not printed, and the rest"] == 1100.0


def test_without_cpu_time_what_is_more_than_all_the_rest_bounds_the_database() -> None:
    found = without_cpu(("db file sequential read", "200,000", "1,300", "6.50"))
    assert (judge(found).answer, judge(found).helps) == ("storage-bound", "yes")


def test_without_cpu_time_and_waits_the_reason_is_that() -> None:
    found = without_cpu(("SQL*Net message from client", "200,000", "1,300", "6.50"))
    assert judge(found).reason == "the report prints no CPU time, which may be 100 % of DB time"


def test_cpu_time_took_no_longer_than_the_last_of_the_first_few_that_are_printed() -> None:
    """In a list that would have it."""
    found = interval(
        page(
            first(
                ("db file sequential read", "200,000", "900", "4.50ms", "45.0", "User I/O"),
                ("log file sync", "1,000", "300", "0.30s", "15.0", "Commit"),
            )
        )
    )
    assert found.parts["waits not printed"] == pytest.approx(800.0)
    assert judge(found).answer == "storage-bound"


def test_rows_that_are_lost_may_be_more_than_the_largest_part() -> None:
    """Of 40 % nobody knows what they are for; reads are 25 %, which faster storage shortens whatever the others are."""
    reads = ("db file sequential read", "100,000", "500", "5.00")
    lost = ("log file sync", "200,000", "8oo", "4.00")
    locks = ("enq: TX - row lock contention", "90", "300", "3333.33")
    cpu = time_model({"DB time": 2000.0, "DB CPU": 400.0})
    verdict = judge(interval(awr(cpu, host(0.1), waits([reads, lost, locks]))))
    assert (verdict.answer, verdict.helps) == ("cannot tell", "yes")
    assert "waits not printed, is 40 %" in verdict.reason


def test_what_says_nothing_is_not_added_up() -> None:
    """Network and waits of unknown purpose are two things, each smaller than reads."""
    found = seen(
        waits(
            [
                ("db file sequential read", "100,000", "700", "7.00"),
                ("no event that is known", "10,000", "500", "50.00"),
                ("SQL*Net more data from dblink", "10,000", "500", "50.00"),
            ]
        )
    )
    assert judge(found).answer == "storage-bound"
    assert judge(found).reason.startswith("35 % of DB time is waits for storage")


TWICE = [
    ("db file sequential read", "200,000", "1,400", "7.00"),
    ("db file sequential read", "500,000", "1,000", "2.00"),
]


def test_an_event_that_is_printed_twice_makes_a_hint_that_says_so() -> None:
    found = seen(waits(TWICE))
    verdict = judge(found)
    said = "'db file sequential read' is printed twice, with 1,400 s and 1,000 s, and the first is taken"
    assert (verdict.answer, verdict.helps) == ("storage-bound", "unknown")
    assert verdict.reason.endswith(f"But {said}")
    (reads,) = (one for one in findings_of(found) if one.rule == "single-block-reads")
    assert (reads.severity, reads.against) == ("hint", (said,))


def test_a_row_that_is_printed_again_is_one() -> None:
    found = seen(waits([TWICE[0], TWICE[0]]))
    assert found.foreground["db file sequential read"].seconds == 1400.0
    assert found.foreground["db file sequential read"].doubt is None


CUT = """
Foreground Wait Events

                                                                    Avg
                                                    Total Wait     wait
Event                             Waits %Time -outs   Time (s)     (ms)
-------------------------- ------------ ----------- ---------- --------
gcs resource directory to         1,000           0        600      600
gcs resource directory to         2,000           0        300      150
          -------------------------------------------------------------
"""


def test_events_whose_names_are_cut_alike_are_added_up() -> None:
    found = interval(CUT.encode())
    wait = found.foreground["gcs resource directory to"]
    assert (wait.seconds, wait.total.value, wait.doubt) == (900.0, 900.0, None)
    assert wait.waits is not None
    assert wait.waits.value == 3000.0
    assert len(wait.cells) == 4
