"""Rules on a PostgreSQL or MariaDB that was watched: sessions at work by what they wait for, one sample a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from demand_snapshots import database
from plimsoll.demand import intervals
from plimsoll.facts import BeneathServer, ClassDemand, Demand, Finding, RelationCounters
from plimsoll.rules import findings_of, interval_of_demand, judge
from watched_demand import SECONDS, watched


def found_in(at_work: Mapping[str, float], counts: Mapping[str, float] | None = None) -> dict[str, Finding]:
    return {one.rule: one for one in findings_of(interval_of_demand(watched(at_work, counts)))}


@pytest.mark.parametrize(
    ("at_work", "answer", "cause"),
    [
        ({"read": 8, "cpu": 1, "commit": 1}, "storage-bound", "single-block reads"),
        ({"commit": 8, "cpu": 1, "read": 1}, "commit-bound", "I/O"),
        ({"standby": 6, "commit": 2, "cpu": 1}, "commit-bound", "replication"),
        ({"cpu": 8, "read": 1}, "cpu-bound", None),
        ({"lock": 8, "cpu": 1}, "contention-bound", "locks"),
        ({"cpu": 0.01}, "idle", None),
    ],
)
def test_what_most_sessions_are_at_is_the_verdict(
    at_work: dict[str, float], answer: str, cause: str | None
) -> None:
    seen = judge(interval_of_demand(watched(at_work)))
    assert (seen.answer, seen.cause) == (answer, cause)


def test_a_server_that_does_not_say_what_sessions_do_cannot_be_told_of() -> None:
    seen = judge(interval_of_demand(watched(None)))
    assert (seen.answer, seen.helps) == ("cannot tell", "unknown")
    assert findings_of(interval_of_demand(watched(None))) == ()


def test_seconds_are_sessions_times_time_and_savings_those_of_latencies() -> None:
    found = found_in({"read": 8, "cpu": 1, "commit": 1})
    reads = found["single-block-reads"]
    assert reads.db_time_s == 8.0 * SECONDS
    assert reads.storage_saves_s == pytest.approx(8.0 * SECONDS - 2000 * SECONDS * 250e-6)
    log = found["log-flushes-waited-for"]
    assert log.db_time_s == 1.0 * SECONDS
    assert log.storage_saves_s == pytest.approx(SECONDS * (1 - 85 / 4000))
    assert {cell.section for cell in reads.evidence} == {"pg_stat_activity"}


@pytest.mark.parametrize(
    ("rule", "at_work", "counts"),
    [
        ("standby-waited-for", {"standby": 4, "cpu": 1}, {}),
        ("sessions-write-data-files", {"write": 4, "cpu": 1}, {}),
        ("work-areas-spill", {"temp": 4, "cpu": 1}, {}),
        ("row-locks", {"lock": 4, "cpu": 1}, {}),
        ("hot-blocks-and-latches", {"latch": 4, "cpu": 1}, {}),
        (
            "checkpoints-requested",
            {"read": 4},
            {"pg_stat_checkpointer.num_requested": 5.0, "pg_stat_checkpointer.num_timed": 1.0},
        ),
        (
            "checkpoints-requested",
            {"read": 4},
            {"pg_stat_bgwriter.checkpoints_req": 5.0, "pg_stat_bgwriter.checkpoints_timed": 1.0},
        ),
        ("wal-buffers-full", {"read": 4}, {"pg_stat_wal.wal_buffers_full": 9.0}),
    ],
)
def test_a_rule_finds_its_cause(rule: str, at_work: dict[str, float], counts: dict[str, float]) -> None:
    assert rule in found_in(at_work, counts)
    quiet: dict[str, Any] = dict.fromkeys(counts, 0.0)
    assert rule not in found_in({"cpu": 4}, quiet)


def test_sessions_that_wait_for_their_client_are_no_db_time() -> None:
    seen = interval_of_demand(watched({"read": 2, "client": 50}))
    assert seen.db_time is not None
    assert seen.db_time.value == 2.0 * SECONDS


def mariadb(at_work: Mapping[str, float], read_us: float | None) -> Demand:
    """2,000 reads a second, which the server times or does not."""
    made = watched(at_work)
    reads = ClassDemand(
        ops_per_s=2000.0, bytes_per_s=2000.0 * 16384, latency_us_mean=read_us, source="Innodb_data_reads"
    )
    seconds = tuple(one.but(classes={"small_read": reads}) for one in made.intervals)
    return made.but(database=database(kind="mariadb"), intervals=seconds, mean=intervals.mean(seconds))


def test_reads_of_mariadb_are_told_from_cpu_time_by_the_time_that_it_counts() -> None:
    seen = interval_of_demand(mariadb({"running": 4, "commit": 1}, 1000.0))
    assert seen.system == "mariadb"
    assert seen.parts == pytest.approx({"single-block reads": 120.0, "cpu": 120.0, "commits": 60.0})
    assert seen.db_time is not None
    assert seen.db_time.value == 5.0 * SECONDS
    rules = {one.rule: one for one in findings_of(seen)}
    assert rules["single-block-reads"].storage_saves_s == pytest.approx(120.0 - 2000 * SECONDS * 250e-6)
    assert rules["log-flushes-waited-for"].db_time_s == 60.0


def test_reads_take_no_longer_than_sessions_ran() -> None:
    seen = interval_of_demand(mariadb({"running": 1}, 9000.0))
    assert seen.parts == {"single-block reads": 60.0}


def test_where_mariadb_times_no_reads_they_are_not_taken_for_cpu_time() -> None:
    seen = interval_of_demand(mariadb({"running": 8, "commit": 1}, None))
    assert seen.db_cpu is None
    assert judge(seen).answer == "cannot tell"
    assert "CPU or reads, not told apart, is 89 %" in judge(seen).reason


def test_locks_of_mariadb_are_contention() -> None:
    assert judge(interval_of_demand(mariadb({"lock": 8, "running": 1}, 0.0))).cause == "locks"


def with_cpu(used: float, waited: float, at_work: Mapping[str, float]) -> Demand:
    made = watched(at_work)
    below = BeneathServer(process_cpus=used, process_cpus_waited=waited)
    return made.but(intervals=tuple(one.but(beneath=below) for one in made.intervals))


def test_processes_that_queue_for_a_cpu_are_a_lack_of_it_in_seconds() -> None:
    seen = interval_of_demand(with_cpu(1.0, 6.0, {"cpu": 7}))
    assert (judge(seen).answer, judge(seen).cause) == ("cpu-bound", "lack of CPU")
    found = {one.rule: one for one in findings_of(seen)}["cpu-starved"]
    assert found.db_time_s == pytest.approx(6.0 * SECONDS)
    assert {cell.section for cell in found.evidence} == {"/proc/PID/schedstat"}


def test_a_queue_is_no_longer_than_the_time_that_sessions_were_at_work_and_had_no_cpu() -> None:
    """Processes of the server that serve no session queue as well."""
    found = {one.rule: one for one in findings_of(interval_of_demand(with_cpu(0.5, 6.0, {"cpu": 2})))}
    assert found["cpu-starved"].db_time_s == pytest.approx(1.5 * SECONDS)


def test_a_queue_beside_little_cpu_time_says_nothing_where_sessions_wait_for_storage() -> None:
    seen = interval_of_demand(with_cpu(0.1, 0.2, {"read": 8, "cpu": 0.3}))
    assert judge(seen).answer == "storage-bound"
    assert "cpu-starved" not in {one.rule for one in findings_of(seen)}


def test_storage_takes_off_no_more_than_the_time_in_which_nothing_was_at_a_cpu() -> None:
    """Sessions wait for reads, and the processes that read for them wait for a CPU most of that time."""
    seen = interval_of_demand(with_cpu(0.5, 6.0, {"read": 8}))
    assert {one.rule: one for one in findings_of(seen)}[
        "single-block-reads"
    ].storage_saves_s == pytest.approx(1.5 * SECONDS)
    (what_if,) = judge(seen).what_if
    assert what_if.saves_s == pytest.approx(1.5 * SECONDS)
    free = interval_of_demand(with_cpu(0.01, 0.01, {"read": 8}))
    assert {one.rule: one for one in findings_of(free)}[
        "single-block-reads"
    ].storage_saves_s == pytest.approx(7.5 * SECONDS)


def test_a_faster_log_takes_off_no_more_either() -> None:
    found = {one.rule: one for one in findings_of(interval_of_demand(with_cpu(1.0, 5.0, {"commit": 8})))}
    assert found["log-flushes-waited-for"].storage_saves_s == pytest.approx(2.0 * SECONDS)


def table(**counts: int) -> RelationCounters:
    base = {
        "heap_blocks_read": 0, "heap_blocks_hit": 0, "index_blocks_read": 0, "index_blocks_hit": 0, "rows_inserted": 0,
        "rows_updated": 0, "rows_deleted": 0, "sequential_scans": 0,
    }  # fmt: skip
    return RelationCounters(schema_name="public", name="orders", **{**base, **counts})


def found_on(table: RelationCounters, at_work: Mapping[str, float]) -> dict[str, Finding]:
    other = table.but(name="other", heap_blocks_read=100, heap_blocks_hit=900, sequential_scans=0, rows_updated=0,
                      rows_live=100, rows_dead=0)  # fmt: skip
    made = watched(at_work).but(relations=(table, other))
    return {one.rule: one for one in findings_of(interval_of_demand(made))}


def test_tables_read_from_end_to_end_take_their_share_of_cpu_and_reads() -> None:
    scanned = table(heap_blocks_read=3000, heap_blocks_hit=6000, sequential_scans=10, rows_scanned=1_000_000)
    found = found_on(scanned, {"cpu": 2, "read": 3, "commit": 5})["rows-read-by-scans"]
    assert found.db_time_s == pytest.approx(0.9 * 5 * SECONDS)
    assert "public.orders was read from end to end 10 times, 100,000 rows each time" in found.reason
    small = scanned.but(rows_scanned=9000)
    assert "rows-read-by-scans" not in found_on(small, {"cpu": 2, "read": 3, "commit": 5})


def test_old_versions_of_rows_take_their_share_of_reads() -> None:
    bloated = table(
        heap_blocks_read=900, sequential_scans=10, rows_scanned=100_000, rows_live=10_000, rows_dead=40_000
    )
    found = found_on(bloated, {"cpu": 2, "read": 8})["tables-bloated"]
    assert (found.severity, found.db_time_s) == ("finding", pytest.approx(0.9 * 0.8 * 8 * SECONDS))
    assert found_on(bloated.but(sequential_scans=0), {"read": 8})["tables-bloated"].severity == "hint"
    assert "tables-bloated" not in found_on(bloated.but(rows_dead=1000), {"read": 8})
    assert "tables-bloated" not in found_on(bloated.but(rows_dead=None), {"read": 8})


def test_updates_that_leave_their_block_are_a_hint() -> None:
    cold = table(rows_updated=5000, rows_hot_updated=100)
    found = found_on(cold, {"cpu": 2})["updates-change-indexes"]
    assert (found.severity, found.db_time_s) == ("hint", None)
    for other in (
        cold.but(rows_hot_updated=4000),
        cold.but(rows_updated=900),
        cold.but(rows_hot_updated=None),
    ):
        assert "updates-change-indexes" not in found_on(other, {"cpu": 2})


def with_log(
    write_bytes: float, counts: Mapping[str, float], at_work: Mapping[str, float]
) -> dict[str, Finding]:
    made = watched(at_work, counts)
    log = ClassDemand(ops_per_s=100.0, bytes_per_s=100.0 * write_bytes, source="pg_stat_io")
    seconds = tuple(one.but(classes={"redo_write": log}) for one in made.intervals)
    seen = interval_of_demand(made.but(intervals=seconds, mean=intervals.mean(seconds)))
    return {one.rule: one for one in findings_of(seen)}


IMAGES = {"pg_stat_wal.wal_fpi": 900.0, "pg_stat_wal.wal_bytes": 8192_000.0}


def with_log_by_second(
    times_us: Callable[[int], tuple[float, float]], counts: Mapping[str, float] = IMAGES
) -> dict[str, Finding]:
    """Of each second the bytes and the time of a write of the log, for which 8 of 9 sessions wait."""
    made = watched({"commit": 8, "cpu": 1}, counts)
    seconds = []
    for number, one in enumerate(made.intervals):
        size, time_us = times_us(number)
        log = ClassDemand(
            ops_per_s=100.0,
            bytes_per_s=100.0 * size,
            sync_latency_us_mean=time_us,
            latency_us_mean=0.0,
            source="pg_stat_io",
        )
        seconds.append(one.but(classes={"redo_write": log}))
    seen = interval_of_demand(made.but(intervals=tuple(seconds), mean=intervals.mean(seconds)))
    return {one.rule: one for one in findings_of(seen)}


def test_whole_pages_cost_what_of_the_waits_for_the_log_grows_with_its_bytes() -> None:
    sizes = [65_536.0 * (1 + number % 3) for number in range(SECONDS)]
    found = with_log_by_second(lambda number: (sizes[number], sizes[number] / 8))["whole-pages-in-log"]
    assert (found.severity, found.db_time_s) == ("finding", pytest.approx(0.9 * 8 * SECONDS))
    half = with_log_by_second(lambda number: (sizes[number], sizes[number] / 16 + 8192))["whole-pages-in-log"]
    assert half.db_time_s == pytest.approx(0.45 * 8 * SECONDS)


def test_whole_pages_are_a_hint_where_the_time_of_a_write_does_not_go_with_its_bytes() -> None:
    sizes = [65_536.0 * (1 + number % 3) for number in range(SECONDS)]
    latency = with_log_by_second(lambda number: (sizes[number], 4000.0 + 100 * (number % 2)))[
        "whole-pages-in-log"
    ]
    assert (latency.severity, latency.db_time_s) == ("hint", None)
    alike = with_log_by_second(lambda number: (65_536.0, 4000.0))["whole-pages-in-log"]
    assert (alike.severity, alike.db_time_s) == ("hint", None)


def test_few_whole_pages_are_nothing() -> None:
    few = {**IMAGES, "pg_stat_wal.wal_fpi": 400.0}
    assert "whole-pages-in-log" not in with_log_by_second(lambda number: (65_536.0, 4000.0), few)
    assert "whole-pages-in-log" not in with_log(131_072.0, IMAGES, {"cpu": 8})


def test_a_full_log_buffer_costs_its_share_of_the_waits_for_the_log() -> None:
    counts = {"pg_stat_wal.wal_buffers_full": 3000.0}
    found = with_log(65_536.0, counts, {"commit": 4, "cpu": 1})["wal-buffers-full"]
    assert (found.severity, found.db_time_s) == ("finding", pytest.approx(0.5 * 4 * SECONDS))
    rare = with_log(65_536.0, {"pg_stat_wal.wal_buffers_full": 9.0}, {"commit": 4, "cpu": 1})[
        "wal-buffers-full"
    ]
    assert rare.severity == "hint"


def test_a_log_whose_writes_are_forced_is_timed_by_them() -> None:
    made = watched({"commit": 8})
    log = ClassDemand(
        ops_per_s=100.0, bytes_per_s=1e6, latency_us_mean=2000.0, is_forced=True, source="pg_stat_io"
    )
    seconds = tuple(one.but(classes={"redo_write": log}) for one in made.intervals)
    seen = interval_of_demand(made.but(intervals=seconds, mean=intervals.mean(seconds)))
    found = {one.rule: one for one in findings_of(seen)}["log-flushes-waited-for"]
    assert "one write of the log took 2,000 µs" in found.reason
