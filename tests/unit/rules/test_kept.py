"""Rules on an hour of kept snapshots of a PostgreSQL: what counters alone say, without a look at sessions."""

from __future__ import annotations

from typing import Any

import pytest

from demand_snapshots import database
from kept_demand import SET, TIMINGS, kept_demand
from plimsoll.facts import Demand, Finding
from plimsoll.rules import findings_of, interval_of_demand, judge

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


def without_io(demand: Demand, **changes: Any) -> Demand:
    """Rows of client backends with these counts."""
    rows = (one.but(**changes) if one.backend == "client backend" else one for one in demand.io)
    return demand.but(io=tuple(rows))


@pytest.mark.parametrize("major", [15, 18])
def test_counters_alone_find_what_they_tell(major: int) -> None:
    expected = ON_COUNTS - ({WRITES_FROM_16_ON} if major < 16 else set())
    found = found_in(of_settings(major))
    assert set(found) == expected
    assert all(one.evidence for one in found.values())
    assert {one.severity for one in found.values()} == {"hint"}


def test_a_verdict_needs_a_look_at_sessions() -> None:
    assert judge(interval_of_demand(of_settings())).answer == "cannot tell"


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
    settings = {"track_io_timing": "off", "track_wal_io_timing": "off"}
    found = found_in(of_settings(**settings))["io-not-timed"]
    assert [(cell.row, cell.value) for cell in found.evidence] == list(settings.items())
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
    quiet = without_io(of_settings(), write_bytes=8192 * 1000, fsyncs=0)
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
    assert "shared-buffers-small" not in found_in(without_io(of_settings(), hits=round(hits)))


def test_what_is_not_known_finds_nothing() -> None:
    nothing = kept_demand(of=database(settings={})).but(counts={}, io=())
    assert found_in(nothing) == {}
    assert found_in(nothing.but(mean=None, peak=None)) == {}
