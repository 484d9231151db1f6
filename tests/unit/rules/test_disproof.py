"""What other sections of a report say against a finding makes it a hint that says so; where they agree it stays a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from advice_reports import Waits, host, interval, report, time_model
from plimsoll.facts import Finding, PrintedCell
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.rules import findings_of, judge
from plimsoll.rules._verdict import Judged
from tiny_reports import Table, awr, waits

READS: Waits = {"db file sequential read": (200_000, 1000.0)}
"""5 ms each."""
COMMITS: Waits = {"log file sync": (100_000, 600.0)}
LOG: Waits = {"log file parallel write": (90_000, 450.0)}
"""5 ms each."""
BUCKETS = ("<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", "<=1s", ">1s")


def histogram(event: str, *percents: str) -> Table:
    headings = ("Event", "Total Waits", *(f"% of Waits {bucket}" for bucket in BUCKETS))
    return "Wait Event Histogram", headings, [(event, "200K", *percents)]


def seen(
    sessions: Waits,
    behind: Waits | None = None,
    more: Sequence[Table] = (),
    counts: Mapping[str, int] | None = None,
    busy: float | None = 0.3,
) -> tuple[dict[str, Finding], Judged]:
    found = interval(
        report(sessions, behind, db_time_s=2000.0, cpu_s=400.0, more=more, counts=counts, busy=busy)
    )
    return {one.rule: one for one in findings_of(found)}, judge(found)


def test_a_histogram_that_agrees_changes_nothing() -> None:
    agreeing = histogram("db file sequential read", "", "", "30.0", "60.0", "10.0", "", "", "")
    found, verdict = seen(READS, more=[agreeing])
    assert found["single-block-reads"].severity == "finding"
    assert verdict.helps == "yes"


def test_a_histogram_of_much_faster_reads_makes_a_hint() -> None:
    faster = histogram("db file sequential read", "99.0", "1.0", "", "", "", "", "", "")
    found, verdict = seen(READS, more=[faster])
    reads = found["single-block-reads"]
    assert reads.severity == "hint"
    assert "by its histogram one wait for 'db file sequential read' took" in reads.against[0]
    assert "by its time 5,000 µs" in reads.against[0]
    assert (verdict.answer, verdict.helps) == ("storage-bound", "unknown")
    assert "But by its histogram" in verdict.reason


def test_a_histogram_of_much_slower_reads_makes_a_hint() -> None:
    slower = histogram("db file sequential read", "", "", "", "", "", "", "100.0", "")
    found, _ = seen(READS, more=[slower])
    assert found["single-block-reads"].severity == "hint"


def test_an_open_bucket_bounds_nothing_from_above() -> None:
    tail = histogram("db file sequential read", "99.0", "", "", "", "", "", "", "1.0")
    found, _ = seen({"db file sequential read": (200_000, 1500.0)}, more=[tail])
    assert found["single-block-reads"].severity == "finding"


def test_a_list_of_long_waits_alone_says_nothing() -> None:
    part = histogram("db file sequential read", "", "", "", "", "", "", "3.0", "")
    found, _ = seen(READS, more=[part])
    assert found["single-block-reads"].severity == "finding"


@pytest.mark.parametrize(
    ("counts", "severity"),
    [
        ({"redo writes": 90_000, "redo write time": 47_000}, "finding"),
        ({"redo writes": 90_000, "redo write time": 9_000}, "hint"),
        ({"redo synch writes": 100_000, "redo synch time": 61_000}, "finding"),
        ({"redo synch writes": 100_000, "redo synch time": 10_000}, "hint"),
        ({"redo writes": 90_000, "redo write time": 0}, "finding"),
    ],
)
def test_times_of_the_log_are_held_against_statistics(counts: Mapping[str, int], severity: str) -> None:
    found, verdict = seen(COMMITS, LOG, counts=counts)
    commits = found["log-file-sync-waits-for-writes"]
    assert commits.severity == severity
    assert (verdict.helps == "unknown") is (severity == "hint")
    assert bool(commits.against) is (severity == "hint")


def test_a_histogram_of_log_writes_speaks_against_commits_by_io() -> None:
    faster = histogram("log file parallel write", "100.0", "", "", "", "", "", "", "")
    found, _ = seen(COMMITS, LOG, more=[faster])
    assert "one wait for 'log file parallel write'" in found["log-file-sync-waits-for-writes"].against[0]


@pytest.mark.parametrize(
    ("sessions", "rule"),
    [
        (READS, "single-block-reads"),
        ({"free buffer waits": (9_000, 900.0)}, "free-buffers-missing"),
        ({"direct path read temp": (90_000, 900.0)}, "work-areas-spill"),
    ],
)
def test_on_a_host_without_cpu_waits_for_storage_are_hints(sessions: Waits, rule: str) -> None:
    found, _ = seen(sessions, busy=0.97)
    assert found[rule].severity == "hint"
    assert "every wait longer" in found[rule].against[0]
    assert found["cpu-starved"].severity == "finding"


def test_logs_that_are_too_small_speak_against_slow_writers() -> None:
    found, _ = seen(
        {"free buffer waits": (9_000, 600.0), "log file switch (checkpoint incomplete)": (900, 200.0)}
    )
    assert found["free-buffers-missing"].severity == "hint"
    assert found["redo-logs-too-small"].severity == "finding"


def test_a_queue_that_is_no_lack_changes_nothing() -> None:
    found, _ = seen(READS, busy=None, more=[host(0.2, 0.1)])
    assert found["single-block-reads"].severity == "finding"


def test_cpu_that_the_resource_manager_rations_is_no_lack_and_no_storage() -> None:
    found, verdict = seen(
        {"resmgr:cpu quantum": (90_000, 1100.0), "db file sequential read": (60_000, 300.0)}
    )
    assert found["cpu-rationed"].severity == "finding"
    assert (verdict.answer, verdict.cause) == ("cpu-bound", "CPU that is rationed")
    assert "which the Resource Manager rations" in verdict.reason


class Hosts:
    """What a report over instances prints of their hosts, and nothing else."""

    def __init__(self, *busy_percents: float) -> None:
        self._rows = [
            {"row": at, "instance_number": at + 1.0, "busy_percent": busy}
            for at, busy in enumerate(busy_percents)
        ]

    def rows(self, view: str) -> list[dict[str, float]]:
        return self._rows if view == "host_cpu" else []

    def number(self, view: str, row: Mapping[str, float], column: str) -> Quantity:
        cell = PrintedCell(
            section="Host CPU", row=f"{row['instance_number']:.0f}", column=column, value=f"{row[column]}"
        )
        return Quantity(row[column], 0.0, view, (cell,))

    def find(self, *_: str) -> None:
        return None


@pytest.mark.parametrize(
    ("busy", "lacks"), [((12.0, 97.0), True), ((12.0, 40.0), False), ((10.0, 10.0, 10.0, 10.0, 97.0), False)]
)
def test_the_mean_of_a_cluster_does_not_hide_an_instance_without_cpu(
    busy: tuple[float, ...], lacks: bool
) -> None:
    plain = interval(report(READS, db_time_s=2000.0, cpu_s=400.0, busy=0.55))
    found = replace(plain, evidence=Hosts(*busy))
    verdict = judge(found)
    assert (verdict.cause == "lack of CPU") is lacks
    if lacks:
        assert verdict.reason.startswith("the CPUs of instances were busy: of 2 97 %")
        assert "97.0" in {cell.value for cell in verdict.cells}


def test_waits_that_are_many_times_the_db_time_have_no_verdict() -> None:
    """Shares of DB time would be more than all of it."""
    found = interval(report({"db file sequential read": (900_000, 5000.0)}, db_time_s=2000.0, cpu_s=400.0))
    verdict = judge(found)
    assert (verdict.answer, verdict.helps) == ("cannot tell", "unknown")
    assert verdict.reason.startswith(
        "waits and CPU time that are printed, 5,400 s, are 2.7 times the DB time: some of it is in no call"
    )


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("db file sequential read", "'db file sequential read' 3,000 s"),
        ("PX Deq Credit: send blkd", "'PX Deq Credit: send blkd' 3,000 s"),
        ("enq: TX - row lock contention", "'enq: TX - row lock contention' 3,000 s"),
    ],
)
def test_no_part_is_more_than_all_of_the_db_time(event: str, told: str) -> None:
    """Waits of parallel servers are in no call of a session: 150 % of DB time bounds nothing."""
    headings = ("Event", "Waits", "Total Wait Time (s)", "Avg wait (ms)", "% DB time")
    rows = [(event, "900,000", "3,000", "3.33", "150.0")]
    found = interval(
        awr(
            time_model({"DB time": 2000.0, "DB CPU": 400.0}),
            host(0.1),
            ("Foreground Wait Events", headings, rows),
        )
    )
    verdict = judge(found)
    assert (verdict.answer, verdict.helps) == ("cannot tell", "unknown")
    assert verdict.reason.startswith(f"{told}: 3,000 s, are 1.5 times the DB time")
    assert all(one.severity == "hint" for one in findings_of(found) if one.db_time_s == 3000.0)


def test_more_cpu_time_than_db_time_bounds_nothing() -> None:
    found = interval(report({"log file sync": (9_000, 10.0)}, db_time_s=2000.0, cpu_s=3100.0))
    verdict = judge(found)
    assert verdict.answer == "cannot tell"
    assert "CPU time: 3,100 s, are 1.6 times the DB time" in verdict.reason


STALLS: Waits = {"log file parallel write": (10_000, 200.0)}
"""20 ms each: nearly all of 4 ms, and a few of a second and more."""


def test_commits_that_meet_stalled_writes_wait_for_the_log() -> None:
    """Two mean writes are 40 ms of 600; but one in fifty takes a second, and half of all commits fall into these."""
    few = histogram("log file parallel write", "", "", "50.0", "48.0", "", "", "", "2.0")
    commits: Waits = {"log file sync": (1_000, 600.0)}
    found, verdict = seen(commits, STALLS, more=[few])
    assert "of one under way" in found["log-file-sync-waits-for-writes"].reason
    assert "log-file-sync-waits-for-cpu" not in found
    assert verdict.cause == "I/O"


def test_commits_beside_even_writes_wait_for_something_else() -> None:
    even = histogram("log file parallel write", "", "", "", "", "", "100.0", "", "")
    found, _ = seen({"log file sync": (1_000, 600.0)}, STALLS, more=[even])
    assert "log-file-sync-waits-for-cpu" in found
    assert "log-file-sync-waits-for-writes" not in found


def test_units_that_are_mixed_up_make_a_hint() -> None:
    """200,000 waits of 7.5 µs are no 1,500 seconds."""
    mixed = waits([("db file sequential read", "200,000", "1,500", "0.0075")])
    found = interval(awr(time_model({"DB time": 2000.0, "DB CPU": 200.0}), host(0.1), mixed))
    verdict = judge(found)
    assert (verdict.answer, verdict.helps) == ("storage-bound", "unknown")
    assert "7,500 µs by its time and number, and 8 µs by its own average" in verdict.reason


@pytest.mark.parametrize("seconds", [20.0, 20_000.0])
def test_a_head_of_another_db_time_leaves_no_verdict(seconds: float) -> None:
    """Else an interval of half an hour of DB time is idle by its time model, or not accounted for."""
    reads = waits([("db file sequential read", "2,000", "15", "7.50")])
    found = interval(awr(time_model({"DB time": seconds, "DB CPU": 2.0}), host(0.1), reads))
    verdict = judge(found)
    assert (verdict.answer, verdict.helps) == ("cannot tell", "unknown")
    assert "its head says 1,980 s of DB time" in verdict.reason
