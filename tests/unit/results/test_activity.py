"""What a PostgreSQL counted in the time of a demand: each figure is that of its counters, and what is unknown has a reason."""

from __future__ import annotations

import pytest

from demand_snapshots import database
from kept_demand import SET, TIMINGS, kept_demand
from plimsoll.facts import Demand
from plimsoll.results import Grid, Points, Words, activity_blocks

Rows = dict[str, tuple[str, ...]]


def grid(demand: Demand, caption: str) -> Rows:
    """The rows of the only table whose caption begins so, by their first value."""
    found = [
        one for one in activity_blocks(demand) if isinstance(one, Grid) and one.caption.startswith(caption)
    ]
    assert len(found) == 1, caption
    return {row[0]: row[1:] for row in found[0].table.rows}


def unknown(demand: Demand) -> dict[str, str]:
    points = (one for one in activity_blocks(demand) if isinstance(one, Points))
    return {about: words for one in points for about, words in one.rows}


@pytest.mark.parametrize("major", [15, 18])
def test_the_load_is_told_by_the_second_by_the_transaction_and_in_all(major: int) -> None:
    """6,000 transactions, 60,000 blocks and 600 MiB of WAL in each ten minutes."""
    rows = grid(kept_demand(major), "Load profile")
    assert rows["transactions"] == ("10", "1", "36,000")
    assert rows["rollbacks"] == ("1", "0.1", "3,600")
    assert rows["blocks read"] == ("100", "10", "360,000")
    assert rows["bytes read"] == ("800 KiB", "80 KiB", "2.7 GiB")
    assert rows["rows updated"] == ("20", "2", "72,000")
    assert rows["bytes of WAL"] == ("1 MiB", "102.4 KiB", "3.5 GiB")
    assert rows["bytes of temporary files"] == ("6.4 MiB", "655.4 KiB", "22.5 GiB")
    assert rows["checkpoints"] == ("0.00667", "< 0.001", "24")
    assert rows["deadlocks"] == ("0", "0", "0")


@pytest.mark.parametrize("major", [15, 18])
def test_checkpoints_are_told_by_the_hour_and_what_one_of_them_wrote(major: int) -> None:
    rows = grid(kept_demand(major), "Checkpoints")
    assert rows["by time"][:2] == ("6", "6")
    assert rows["requested"][:2] == ("18", "18")
    assert rows["pages that they wrote"] == ("288,000", "288,000", "12,000")
    assert rows["time writing"] == ("24 min", "24 min", "1 min")
    assert rows["time in fsync"] == ("48 s", "48 s", "2 s")


@pytest.mark.parametrize(
    ("major", "rows"),
    [
        (
            15,
            {
                "checkpointer": ("80", "640 KiB", "67 %", "unknown"),
                "sessions and all others": ("30", "240 KiB", "25 %", "72"),
                "background writer": ("10", "80 KiB", "8.3 %", "unknown"),
            },
        ),
        (
            18,
            {
                "checkpointer": ("80", "640 KiB", "67 %", "1,440"),
                "client backend": ("30", "240 KiB", "25 %", "72"),
                "background writer": ("10", "80 KiB", "8.3 %", "0"),
            },
        ),
    ],
)
def test_who_wrote_pages(major: int, rows: Rows) -> None:
    assert grid(kept_demand(major), "Who wrote") == rows


@pytest.mark.parametrize("major", [15, 18])
def test_the_log_is_told_alike_wherever_a_release_counts_it(major: int) -> None:
    rows = grid(kept_demand(major), "WAL")
    assert rows["bytes generated"] == ("1 MiB", "3.5 GiB", "")
    assert rows["images of whole pages"] == ("50", "180,000", "at most 39 % of all bytes")
    assert rows["times that wal_buffers were full"] == ("2", "7,200", "")
    assert rows["writes"] == ("11", "39,600", "100 µs")
    assert rows["syncs"] == ("10", "36,000", "2 ms")


def test_io_is_told_by_who_on_what_and_why() -> None:
    demand = kept_demand()
    blocks = [one for one in activity_blocks(demand) if isinstance(one, Grid)]
    reads = next(one for one in blocks if one.caption.startswith("Reads by")).table.rows
    assert reads[0] == (
        "client backend", "relation", "normal", "90", "720 KiB", "500 µs", "900", "91 %", "90",
    )  # fmt: skip
    assert reads[1][:6] == ("client backend", "relation", "bulkread", "1", "128 KiB", "2 ms")
    writes = next(one for one in blocks if one.caption.startswith("Writes and")).table.rows
    assert writes[0][:5] == ("client backend", "wal", "normal", "11", "1 MiB")
    assert grid(demand, "Files made longer") == {
        "client backend": ("relation", "normal", "1", "8 KiB", "1 ms")
    }
    assert writes[1] == (
        "checkpointer", "relation", "normal", "80", "640 KiB", "250 µs", "0.4", "10 ms",
    )  # fmt: skip


def test_the_head_names_restarts_and_what_of_the_time_is_known() -> None:
    whole, cut = kept_demand(), kept_demand(restart_at=3)
    assert grid(whole, "The interval")["known"] == ("all of it",)
    head = grid(cut, "The interval")
    assert head["length"] == ("1 h",)
    assert head["known"] == ("50 min, 83 % of it",)
    assert head["snapshots"] == ("7, one in 10 min",)
    assert head["restarts, resets and other gaps"] == ("1",)
    times = grid(cut, "Times of which nothing is known")
    assert ["restarted" in row[1] for row in times.values()] == [True]
    assert grid(cut, "Load profile")["transactions"] == ("10", "1", "30,000")


def test_what_a_release_does_not_count_is_unknown_with_its_reason() -> None:
    said = unknown(kept_demand(15))
    assert said["I/O by backend, object and context"] == (
        "Unknown: PostgreSQL 15 has no pg_stat_io, which is there from 16 on."
    )
    assert "I/O by backend, object and context" not in unknown(kept_demand(18))


def test_without_timing_no_time_is_zero() -> None:
    settings = {**SET, **TIMINGS, "track_io_timing": "off", "track_wal_io_timing": "off"}
    demand = kept_demand(18, of=database(18, io_timing=False, settings=settings))
    assert grid(demand, "Cache")["mean time of a block that was read"] == (
        "unknown: track_io_timing was off",
    )
    assert grid(demand, "WAL")["syncs"][2] == "unknown: track_wal_io_timing was off"
    assert grid(demand, "Reads by")["client backend"][4] == "unknown"


def test_counters_that_are_not_there_are_unknown() -> None:
    """Snapshots that were kept by an earlier release of ours hold less."""
    demand = kept_demand()
    less = {
        name: value for name, value in demand.counts.items() if "tup_" not in name and "active" not in name
    }
    old = demand.but(counts=less, database=demand.database.but(settings_defaults=None))
    assert grid(old, "Load profile")["rows updated"] == ("unknown", "unknown", "unknown")
    assert grid(old, "Sessions")["at work"] == ("unknown",)
    assert "Which settings are not at their defaults" in unknown(old)


def test_settings_are_told_with_their_defaults() -> None:
    assert grid(kept_demand(), "Settings") == {"track_io_timing": ("on", "off")}
    none = kept_demand().database.but(settings_defaults={})
    words = [one.text for one in activity_blocks(kept_demand().but(database=none)) if isinstance(one, Words)]
    assert words == ["All settings of I/O, cache, WAL and checkpoints are at their defaults."]


def test_nothing_is_told_where_nothing_was_counted() -> None:
    demand = kept_demand()
    assert activity_blocks(demand.but(counts={})) == []
    assert activity_blocks(demand.but(database=database(kind="mariadb"))) == []
    assert activity_blocks(demand.but(mean=None, peak=None)) == []


def test_what_sessions_waited_for_is_told_where_it_was_sampled() -> None:
    demand = kept_demand()
    assert "What sessions waited for" in unknown(demand)
    sampled = tuple(one.but(sessions_at_work={"read": 3.0, "cpu": 1.0}) for one in demand.intervals)
    rows = grid(demand.but(intervals=sampled), "What sessions at work")
    assert rows == {"read": ("3", "75 %"), "cpu": ("1", "25 %")}
    assert grid(demand, "Sessions")["at work"] == ("2",)
