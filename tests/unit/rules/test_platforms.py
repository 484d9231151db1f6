"""Exadata by its waits and Aurora by its settings: rules that do not hold there are off, and those of them alone are on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advice_reports import Waits, interval, report
from plimsoll.facts import Finding
from plimsoll.rules import findings_of, interval_of_demand, rules
from watched_demand import watched

CELLS: Waits = {"cell single block physical read": (400_000, 600.0)}
COUNTS = {"physical read requests optimized": 300_000, "physical read total IO requests": 1_000_000}


def found_in(sessions: Waits, counts: Mapping[str, int] | None = None) -> dict[str, Finding]:
    data = report(sessions, db_time_s=2000.0, cpu_s=400.0, counts=counts)
    return {one.rule: one for one in findings_of(interval(data))}


def test_reads_that_miss_the_flash_of_cells_are_told_on_exadata_alone() -> None:
    told = found_in(CELLS, COUNTS)["flash-cache-of-cells-missed"]
    assert told.severity == "hint"
    assert "30 % of read requests were answered from flash" in told.reason
    assert "flash-cache-of-cells-missed" not in found_in(
        {"db file sequential read": (400_000, 600.0)}, COUNTS
    )
    mostly = {**COUNTS, "physical read requests optimized": 900_000}
    assert "flash-cache-of-cells-missed" not in found_in(CELLS, mostly)


def test_scans_through_the_cache_are_told_where_they_are_more_than_smart_ones() -> None:
    through = {"cell multiblock physical read": (90_000, 600.0)}
    assert "scans-not-offloaded" in found_in(through)
    assert "multi-block-reads" in found_in(through)
    assert "scans-not-offloaded" not in found_in({**through, "cell smart table scan": (90_000, 700.0)})
    assert "scans-not-offloaded" not in found_in({"db file scattered read": (90_000, 600.0)})


@pytest.mark.parametrize(
    ("platform", "off"),
    [
        ("exadata", {"reads-slow-for-tier", "spindles-exceeded", "many-blocks-per-request", "one-tablespace-carries-reads"}),
        ("aurora", {
            "background-writer-limited", "checkpoints-requested", "log-flushes-waited-for", "sessions-sync-data-files",
            "sessions-write-data-files", "sessions-write-pages", "wal-buffers-full",
        }),
    ],
)  # fmt: skip
def test_what_does_not_hold_there_is_off(platform: str, off: set[str]) -> None:
    assert {name for name, rule in rules().items() if platform in rule.not_on} == off


def test_aurora_is_known_by_its_settings() -> None:
    """Its server has no log of its own: a commit waits for the storage that it shares."""
    plain = watched({"commit": 8, "cpu": 1}, {"pg_stat_wal.wal_buffers_full": 7})
    there = plain.but(database=plain.database.but(settings={"aurora_compute_plan_id": "on"}))
    usual, seen = (interval_of_demand(one) for one in (plain, there))
    assert (usual.platform, seen.platform) == (None, "aurora")
    off = {"log-flushes-waited-for", "wal-buffers-full"}
    assert off <= {one.rule for one in findings_of(usual)}
    assert not off & {one.rule for one in findings_of(seen)}
