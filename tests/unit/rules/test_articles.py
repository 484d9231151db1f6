"""Published cases: what their authors concluded, and what we say of the very figures that they print."""

from __future__ import annotations

import pytest

from advice_articles import (
    COMMITS_AND_READS,
    CPU_60_DISK_40,
    CPU_73_DISK_11,
    DBWR_1,
    DBWR_8,
    LGWR_RUN_1,
    LGWR_RUN_2,
    READS_97,
)
from advice_reports import reading
from plimsoll.facts import Advice, IntervalVerdict
from plimsoll.rules import Advised, advice_of, advise, interval_of


def _advised(data: bytes, name: str) -> Advised:
    read = reading(data, name)
    assert read.content is not None
    return advise(interval_of(read.report, read.content))


def _alone(data: bytes) -> IntervalVerdict:
    return _beside(("alone.txt", data)).verdicts[0]


def _beside(*named: tuple[str, bytes]) -> Advice:
    return advice_of([_advised(data, name) for name, data in named])


def test_run_1_alone_is_bound_by_commits_that_do_not_wait_for_disks() -> None:
    found = _beside(("run1.txt", LGWR_RUN_1))
    assert (found.verdicts[0].verdict, found.verdicts[0].cause) == ("commit-bound", "mostly not I/O")
    assert "mostly not disk" in found.verdicts[0].reason
    first = found.findings[0]
    assert (first.rule, first.db_time_s, first.storage_saves_s) == (
        "log-file-sync-waits-for-cpu",
        1117.0,
        None,
    )
    assert "the last of which is 31 s" in first.reason
    assert "at most 3 % of the wait is I/O" in first.reason


def test_run_1_beside_run_2_waits_for_scheduling_or_cpu_and_not_for_disks() -> None:
    found = _beside(("run1.txt", LGWR_RUN_1), ("run2.txt", LGWR_RUN_2))
    assert found.verdicts[0].cause == "scheduling or CPU"
    assert "scheduling or CPU, not disk" in found.verdicts[0].reason
    assert "0.8 ms" in found.verdicts[0].reason, "73 s ÷ 93,417 writes, which the article rounds to 1 ms"
    assert {cell.file for cell in found.verdicts[0].evidence} == {"run1.txt", "run2.txt"}


def test_run_2_is_bound_by_reads() -> None:
    found = _alone(LGWR_RUN_2)
    assert (found.verdict, found.cause, found.faster_storage_helps) == (
        "storage-bound",
        "single-block reads",
        "yes",
    )
    assert found.what_if[0].saves_s == pytest.approx(
        1635 - 838_810 * 250e-6 + 93_100 * (1e6 * 73 / 93_417 - 85) / 1e6
    )


def test_fewer_writers_showed_that_the_logs_are_too_small() -> None:
    found = _beside(("dbwr8.txt", DBWR_8), ("dbwr1.txt", DBWR_1))
    (change,) = found.changes
    assert change.event == "log file switch (checkpoint incomplete)"
    assert (change.before_s, change.after_s) == (828.0, 1939.0)
    assert change.reason.endswith("grew from 828 s to 1,939 s: redo logs too small")
    logs = [one for one in found.findings if one.rule == "redo-logs-too-small"]
    assert [one.db_time_s for one in logs] == [1939.0, 828.0]
    assert all(one.storage_saves_s is None for one in logs)


def test_with_73_percent_cpu_faster_storage_does_not_help() -> None:
    found = _alone(CPU_73_DISK_11)
    assert (found.verdict, found.cause) == ("cpu-bound", None)
    assert found.faster_storage_helps == "no"
    assert found.reason.endswith("faster storage will not help")


def test_with_60_percent_cpu_and_the_rest_in_reads_it_helps_a_little() -> None:
    found = _alone(CPU_60_DISK_40)
    assert (found.verdict, found.faster_storage_helps) == ("cpu-bound", "a little")


def test_with_97_percent_of_the_time_in_reads_it_helps_much() -> None:
    found = _alone(READS_97)
    assert (found.verdict, found.faster_storage_helps) == ("storage-bound", "yes")
    assert found.what_if[0].saves_share > 0.9


def test_a_log_write_that_is_not_printed_is_no_cause_where_it_may_be_all_of_the_wait() -> None:
    """The last of the first few is more than half of the wait: the log's write may be anything up to that."""
    found = _beside(("alone.txt", COMMITS_AND_READS))
    assert (found.verdicts[0].verdict, found.verdicts[0].cause) == ("commit-bound", "unknown")
    assert [one.rule for one in found.findings if one.family == "commits"] == []
