"""Rules on a PostgreSQL that was watched: sessions at work by what they wait for, one sample a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from plimsoll.facts import Finding
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
