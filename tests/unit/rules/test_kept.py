"""Rules on an hour of kept snapshots of a PostgreSQL: what counters alone say, without a look at sessions."""

from __future__ import annotations

from typing import Any

import pytest

from demand_snapshots import database
from kept_demand import SET, TIMINGS, kept_demand
from plimsoll.facts import Demand, Finding
from plimsoll.rules import findings_of, interval_of_demand, judge
from plimsoll.rules._events import UNSAMPLED

ON_COUNTS = {
    "background-writer-limited",
    "checkpoints-requested",
    "shared-buffers-small",
    "sessions-sync-data-files",
    "sessions-write-pages",
    "temporary-files-written",
    "wal-buffers-full",
}
WRITES_FROM_16_ON = "sessions-write-pages"


def found_in(demand: Demand) -> dict[str, Finding]:
    return {one.rule: one for one in findings_of(interval_of_demand(demand))}


def of_settings(major: int = 18, **settings: str) -> Demand:
    made = {**SET, **TIMINGS, "bgwriter_delay": "200ms", **settings}
    return kept_demand(major, of=database(major, settings=made))


def with_counts(demand: Demand, **changes: float) -> Demand:
    named = {name.replace("__", "."): value for name, value in changes.items()}
    return demand.but(counts={**demand.counts, **named})


def with_row(demand: Demand, **changes: Any) -> Demand:
    """The plain I/O of sessions on data files otherwise."""
    plain = ("client backend", "relation", "normal")
    rows = (
        one.but(**changes) if (one.backend, one.object, one.context) == plain else one for one in demand.io
    )
    return demand.but(io=tuple(rows))


@pytest.mark.parametrize("major", [15, 18])
def test_counters_alone_find_what_they_tell(major: int) -> None:
    expected = ON_COUNTS - ({WRITES_FROM_16_ON} if major < 16 else set())
    found = found_in(of_settings(major))
    assert set(found) == expected
    assert all(one.evidence for one in found.values())
    assert {one.severity for one in found.values()} == {"hint"}


@pytest.mark.parametrize("major", [15, 18])
def test_db_time_is_what_the_server_counts_of_its_sessions(major: int) -> None:
    """1,200 s of each step; reads of sessions take 28.2 s of it, and of all backends, which 15 does not tell apart, 30 s."""
    seen = interval_of_demand(of_settings(major))
    assert seen.db_time is not None
    assert seen.db_time.value == 7200.0
    reads = {15: 180.0, 18: 169.2}[major]
    writes = {15: {}, 18: {"writes of data blocks": 58.32}}[major]
    rest = 7200.0 - reads - sum(writes.values())
    assert seen.parts == pytest.approx({UNSAMPLED: rest, "single-block reads": reads, **writes})
    assert (judge(seen).answer, judge(seen).helps) == ("cannot tell", "unknown")


def test_reads_that_are_most_of_the_time_of_sessions_are_the_verdict() -> None:
    slow = with_row(of_settings(), read_time_ms=5_000_000.0)
    seen = interval_of_demand(slow)
    assert (judge(seen).answer, judge(seen).helps) == ("storage-bound", "yes")
    found = found_in(slow)["single-block-reads"]
    assert found.severity == "finding"
    assert found.db_time_s == pytest.approx(5000.0 + 7.2)
    assert {cell.section for cell in found.evidence} == {"pg_stat_io", "pg_stat_database"}


def test_io_that_was_not_timed_is_no_part_of_db_time() -> None:
    untimed = kept_demand(of=database(io_timing=False, settings={**SET, **TIMINGS}))
    assert interval_of_demand(untimed).parts == {UNSAMPLED: 7200.0}
    of_15 = kept_demand(15, of=database(15, io_timing=False, settings={**SET, **TIMINGS}))
    assert interval_of_demand(of_15).parts == {UNSAMPLED: 7200.0}


def test_without_the_time_of_sessions_there_is_no_verdict() -> None:
    """As of snapshots that were kept by an earlier release of ours."""
    demand = of_settings()
    less = {name: value for name, value in demand.counts.items() if "active_time" not in name}
    seen = judge(interval_of_demand(demand.but(counts=less)))
    assert (seen.answer, seen.helps) == ("cannot tell", "unknown")
    assert "not sampled" in seen.reason


def test_sessions_that_do_next_to_nothing_are_idle() -> None:
    idle = with_counts(of_settings(), pg_stat_database__active_time=60_000.0)
    assert judge(interval_of_demand(idle)).answer == "idle"


def test_the_size_of_the_log_is_that_at_which_checkpoints_come_by_time() -> None:
    """1 MiB of WAL a second × 300 s × 1.9 is 570 MiB, which is 1 GB as it is; four times as much is 2.2 GiB."""
    enough = found_in(of_settings())["checkpoints-requested"]
    assert "max_wal_size = '" not in enough.advice
    busy = of_settings()
    more = with_counts(busy, pg_wal__written_bytes=4 * busy.counts["pg_wal.written_bytes"])
    advice = found_in(more)["checkpoints-requested"].advice
    assert "Raise max_wal_size from 1GB" in advice
    assert "ALTER SYSTEM SET max_wal_size = '3GB'" in advice


def test_the_busiest_interval_decides_how_much_of_the_log_there_is() -> None:
    demand = of_settings()
    log = demand.intervals[2].classes["redo_write"]
    burst = demand.intervals[2].but(
        classes={**demand.intervals[2].classes, "redo_write": log.but(bytes_per_s=4 * (log.bytes_per_s or 0))}
    )
    intervals = (*demand.intervals[:2], burst, *demand.intervals[3:])
    advice = found_in(demand.but(intervals=intervals, peak=burst))["checkpoints-requested"].advice
    assert "max_wal_size = '3GB'" in advice


def test_timing_that_is_off_is_told_with_its_commands() -> None:
    found = found_in(of_settings(track_io_timing="off", track_wal_io_timing="off"))["io-not-timed"]
    told = [(cell.row, cell.value) for cell in found.evidence]
    assert told == [("track_io_timing", "off"), ("track_wal_io_timing", "off")]
    assert "ALTER SYSTEM SET track_io_timing = on; ALTER SYSTEM SET track_wal_io_timing = on;" in found.advice
    log_alone = found_in(of_settings(track_wal_io_timing="off"))["io-not-timed"]
    assert "track_io_timing" not in log_alone.advice


def test_seconds_in_which_sessions_wrote_are_those_of_the_server() -> None:
    """500 µs for each of 108,000 writes, and 10 ms for each of 72 fsyncs."""
    found = found_in(of_settings())
    assert found["sessions-write-pages"].db_time_s == pytest.approx(54.0)
    assert "108,000 pages themselves, 25 %" in found["sessions-write-pages"].reason
    assert found["sessions-sync-data-files"].db_time_s == pytest.approx(0.72)
    untimed = kept_demand(of=database(io_timing=False, settings={**SET, **TIMINGS}))
    assert found_in(untimed)["sessions-write-pages"].db_time_s is None
    assert found_in(untimed)["sessions-sync-data-files"].db_time_s is None


def test_few_writes_by_sessions_are_nothing() -> None:
    quiet = with_row(of_settings(), write_bytes=8192 * 1000, fsyncs=0)
    assert not {"sessions-write-pages", "sessions-sync-data-files"} & set(found_in(quiet))
    assert "sessions-sync-data-files" not in found_in(
        with_counts(of_settings(15), pg_stat_bgwriter__buffers_backend_fsync=0.0)
    )


def test_rounds_of_the_background_writer_are_at_most_the_time_by_its_delay() -> None:
    found = found_in(of_settings())["background-writer-limited"]
    assert "360 of at most 18,000 rounds" in found.reason
    few = with_counts(of_settings(), pg_stat_bgwriter__maxwritten_clean=179.0)
    assert "background-writer-limited" not in found_in(few)
    settings = {name: value for name, value in SET.items() if name != "bgwriter_delay"}
    unknown = kept_demand(of=database(settings={**settings, **TIMINGS}))
    assert "background-writer-limited" not in found_in(unknown)


def test_temporary_files_are_held_against_what_is_read() -> None:
    found = found_in(of_settings())["temporary-files-written"]
    assert found.reason.startswith("360 temporary files of 22.5 GiB in all, 64 MiB each, 89 % of the bytes")
    assert {cell.row for cell in found.evidence} >= {"work_mem"}
    few = with_counts(of_settings(), pg_stat_database__temp_bytes=1e8)
    assert "temporary-files-written" not in found_in(few)


@pytest.mark.parametrize("major", [15, 18])
def test_a_cache_is_small_that_is_replaced_within_minutes(major: int) -> None:
    """16,384 pages at 100 a second are 164 s."""
    found = found_in(of_settings(major))["shared-buffers-small"]
    assert "in shared_buffers of 128MB, whose pages are all replaced once in 2 min 44 s" in found.reason
    assert "ALTER SYSTEM SET shared_buffers = '256MB'" in found.advice
    assert "shared-buffers-small" not in found_in(of_settings(major, shared_buffers="1GB"))


def test_a_cache_that_answers_nearly_all_is_not_small() -> None:
    hits = 20 * of_settings(15).counts["pg_stat_database.blks_hit"]
    assert "shared-buffers-small" not in found_in(
        with_counts(of_settings(15), pg_stat_database__blks_hit=hits)
    )
    assert "shared-buffers-small" not in found_in(with_row(of_settings(), hits=round(hits)))


def test_what_is_not_known_finds_nothing() -> None:
    nothing = kept_demand(of=database(settings={})).but(counts={}, io=())
    assert found_in(nothing) == {}
    assert found_in(nothing.but(mean=None, peak=None)) == {}
