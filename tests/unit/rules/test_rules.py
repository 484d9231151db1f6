"""Each rule on a report in which its cause is known, and on a report in which it is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from advice_reports import ELAPSED_S, Waits, host, interval, report, time_model
from plimsoll.facts import Finding
from plimsoll.predict.faster_storage import TIERS, Then
from plimsoll.rules import Storage, findings_of, judge, page_of, rules
from tiny_reports import Table, filetypes

READS: Waits = {"db file sequential read": (200_000, 1000.0)}
"""5 ms each."""
ADVISORY = (
    "P", "Size for Est (M)", "Size Factor", "Buffers (thousands)", "Est Phys Read Factor", "Estimated Phys Reads (thousands)",
)  # fmt: skip


def table(title: str, headings: Sequence[str], *rows: Sequence[str]) -> Table:
    return title, headings, rows


POOL = table(
    "Buffer Pool Advisory", ADVISORY,
    ("D", "1,024", "1.00", "126", "1.00", "1,000"), ("D", "2,048", "2.00", "252", "0.40", "400"),
)  # fmt: skip
PGA = table(
    "PGA Memory Advisory",
    (
        "PGA Target Est (MB)", "Size Factr", "W/A MB Processed", "Estd Extra W/A MB Read/ Written to Disk",
        "Estd PGA Cache Hit %", "Estd PGA Overalloc Count",
    ),
    ("100", "1.00", "500.00", "90.00", "80", "7"), ("200", "2.00", "500.00", "0.00", "100", "0"),
)  # fmt: skip
SGA = table(
    "SGA Target Advisory",
    ("SGA Target Size (M)", "SGA Size Factor", "Est DB Time (s)", "Est Physical Reads"),
    ("1,000", "1.00", "1,000", "100"), ("2,000", "2.00", "700", "50"),
)  # fmt: skip
SPACES = table(
    "Tablespace IO Stats",
    (
        "Tablespace", "Reads", "Av Reads/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s", "Buffer Waits",
        "Av Buf Wt(ms)",
    ),
    ("HOT", "180,000", "180", "5.00", "1.00", "10", "0", "0", "0.00"),
    ("COLD", "20,000", "20", "5.00", "1.00", "10", "0", "0", "0.00"),
)  # fmt: skip
BUSY_SPACE = table(SPACES[0], SPACES[1], ("HOT", "10", "0", "5.00", "1.00", "10", "0", "90,000", "4.00"))
READERS = table(
    "SQL ordered by Reads",
    ("Physical Reads", "Executions", "%Total", "SQL Id"),
    ("20,000,000", "1", "90.00", "7zcfxggv196w2"),
)
EFFICIENCY = table(
    "Instance Efficiency Percentages (Target 100%)", ("", "", "", ""),
    ("Buffer Nowait %:", "99.99", "Buffer Hit %:", "71.00"),
)  # fmt: skip
SWITCHES = table(
    "Instance Activity Stats - Thread Activity", ("Statistic", "Total", "per Hour"),
    ("log switches (derived)", "12", "43.20"),
)  # fmt: skip
COMMITS: Waits = {"log file sync": (100_000, 600.0)}
PARSES = {"DB time": 2000.0, "DB CPU": 400.0, "hard parse elapsed time": 300.0}
COUNTED = {"user commits": 600_000, "user rollbacks": 0, "user calls": 6_000_000}

CASES: dict[str, dict[str, Any]] = {
    "single-block-reads": {"sessions": READS},
    "multi-block-reads": {"sessions": {"db file scattered read": (50_000, 900.0)}},
    "direct-path-reads": {"sessions": {"direct path read": (50_000, 900.0)}},
    "reads-by-other-sessions": {"sessions": READS | {"read by other session": (9_000, 90.0)}},
    "reads-slow-for-tier": {"sessions": READS, "storage": Storage(now=TIERS["nvme"])},
    "reads-fast-but-many": {"sessions": {"db file sequential read": (4_000_000, 1000.0)}},
    "spindles-exceeded": {
        "sessions": READS, "storage": Storage(spindles=4),
        "counts": {"physical read total IO requests": 900_000, "physical write total IO requests": 100_000},
    },
    "many-blocks-per-request": {"sessions": READS, "counts": {"physical reads": 1_600_000, "physical read IO requests": 100_000}},
    "io-wait-beside-idle-cpu": {"sessions": READS, "busy": 0.1, "counts": {"user I/O wait time": 100_000}},
    "flash-cache-reads": {"sessions": {"db flash cache single block physical read": (1_000_000, 500.0)}},
    "one-tablespace-carries-reads": {"sessions": READS, "more": [SPACES]},
    "log-file-sync-waits-for-writes": {"sessions": COMMITS, "behind": {"log file parallel write": (90_000, 450.0)}},
    "log-file-sync-waits-for-cpu": {"sessions": COMMITS, "behind": {"log file parallel write": (90_000, 45.0)}},
    "log-file-sync-waits-for-standby": {
        "sessions": COMMITS,
        "behind": {"log file parallel write": (90_000, 45.0), "SYNC Remote Write": (90_000, 430.0)},
    },
    "commits-small-and-many": {"sessions": {"log file sync": (600_000, 600.0)}, "counts": COUNTED},
    "redo-logs-too-small": {"sessions": {"log file switch (checkpoint incomplete)": (900, 300.0)}},
    "archiving-behind": {"sessions": {"log file switch (archiving needed)": (900, 300.0)}},
    "log-switches-waited-for": {"sessions": {"log file switch completion": (900, 300.0)}},
    "log-buffer-full": {"sessions": {"log buffer space": (900, 300.0)}},
    "log-switches-frequent": {"sessions": READS, "more": [SWITCHES]},
    "free-buffers-missing": {
        "sessions": {"free buffer waits": (9_000, 300.0)}, "behind": {"db file parallel write": (9_000, 90.0)},
    },
    "direct-path-writes": {"sessions": {"direct path write": (9_000, 300.0)}},
    "work-areas-spill": {"sessions": {"direct path read temp": (90_000, 300.0)}, "counts": {"sorts (disk)": 0}},
    "pga-target-too-small": {"sessions": READS, "more": [PGA]},
    "buffer-cache-too-small": {"sessions": READS, "more": [POOL]},
    "sga-target-too-small": {"sessions": READS, "more": [SGA]},
    "buffers-of-tablespace-busy": {"sessions": READS, "more": [BUSY_SPACE]},
    "what-reads-most": {"sessions": READS, "more": [READERS]},
    "buffer-hit-ratio-low": {"sessions": READS, "more": [EFFICIENCY]},
    "other-instances": {"sessions": {"gc buffer busy acquire": (9_000, 300.0)}},
    "interconnect-loses-blocks": {"sessions": READS, "counts": {"gc blocks lost": 12}},
    "row-locks": {"sessions": {"enq: TX - row lock contention": (900, 300.0)}},
    "hot-blocks-and-latches": {"sessions": {"latch: cache buffers chains": (9_000, 300.0)}},
    "hard-parses": {"sessions": READS, "more": [time_model(PARSES)]},
    "connections-come-and-go": {
        "sessions": READS,
        "more": [time_model({"DB time": 2000.0, "DB CPU": 400.0, "connection management call elapsed time": 300.0})],
    },
    "cpu-rationed": {"sessions": {"resmgr:cpu quantum": (9_000, 900.0)}},
    "cpu-bound": {"sessions": READS, "cpu_s": 1500.0},
    "cpu-starved": {"sessions": READS, "busy": 0.97},
    "time-not-accounted-for": {"sessions": {"db file sequential read": (200_000, 300.0)}},
    "database-idle": {"sessions": READS, "db_time_s": 20.0},
}  # fmt: skip
"""By rule: what its report is made of."""
ELSEWHERE = (
    "backup-in-interval",
    "cache-cold-after-restart",
    "few-reads-are-slow",
    "flash-cache-of-cells-missed",
    "interval-longer-than-an-hour",
    "scans-not-offloaded",
)
"""Rules whose reports are made below, in `test_other_causes.py` and in `test_platforms.py`."""
WATCHED = (
    "background-writer-limited",
    "checkpoints-requested",
    "io-not-timed",
    "log-flushes-waited-for",
    "one-relation-takes-reads",
    "one-statement-spills",
    "rows-read-by-scans",
    "sessions-sync-data-files",
    "sessions-write-data-files",
    "sessions-write-pages",
    "shared-buffers-small",
    "standby-waited-for",
    "tables-bloated",
    "temporary-files-written",
    "updates-change-indexes",
    "wal-buffers-full",
    "whole-pages-in-log",
)
"""Those of servers that are watched, in `test_watched.py`, `test_kept.py` and `test_kept_rows.py`."""


def found_in(
    sessions: Waits,
    behind: Waits | None = None,
    storage: Storage | None = None,
    more: Sequence[Table] = (),
    counts: Mapping[str, int] | None = None,
    **figures: Any,
) -> dict[str, Finding]:
    given: dict[str, Any] = {"db_time_s": 2000.0, "cpu_s": 400.0, **figures}
    data = report(sessions, behind, counts=counts, more=more, **given)
    return {one.rule: one for one in findings_of(interval(data, storage))}


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_finds_its_cause(rule: str) -> None:
    found = found_in(**CASES[rule])
    assert rule in found, sorted(found)
    assert found[rule].evidence
    assert found[rule].title == rules()[rule].title


@pytest.mark.parametrize("rule", [name for name in CASES if name != "database-idle"])
def test_no_rule_finds_anything_in_a_quiet_report(rule: str) -> None:
    quiet = {
        "db file sequential read": (1000, 1.0),
        "log file sync": (1000, 1.0),
        "a wait of its own": (10, 900.0),
    }
    assert rule not in found_in(quiet, {"log file parallel write": (1000, 0.4)}, cpu_s=900.0)


def test_every_rule_is_tried() -> None:
    assert set(rules()) == {*CASES, *ELSEWHERE, *WATCHED}


@pytest.mark.parametrize("rule", sorted({*CASES, *ELSEWHERE, *WATCHED}))
def test_a_rule_has_its_manual_page(rule: str) -> None:
    page = page_of(rule)
    headings = ("What it finds:", "Why it matters:", "What to do:", "Evidence:", "Source:")
    places = [page.index(f"\n{heading}\n") for heading in headings]
    assert places == sorted(places)
    assert rules()[rule].advice.endswith(".")
    assert rules()[rule].disproof.endswith(".")


def test_an_idle_database_has_no_other_finding() -> None:
    assert list(found_in(READS, db_time_s=20.0)) == ["database-idle"]


def test_seconds_are_those_of_the_waits_and_never_a_share_of_hope() -> None:
    reads = found_in(READS)["single-block-reads"]
    assert reads.db_time_s == 1000.0
    assert reads.db_time_share == pytest.approx(0.5)
    assert reads.storage_saves_s == pytest.approx(1000.0 - 200_000 * 250e-6)
    slower = Storage(then=Then("slower", 8_000.0, 85.0, "stated"))
    assert found_in(READS, storage=slower)["single-block-reads"].storage_saves_s == 0.0


def test_a_commit_saves_one_or_two_writes_of_the_log() -> None:
    case = CASES["log-file-sync-waits-for-writes"]
    seen = judge(interval(report(case["sessions"], case["behind"], db_time_s=2000.0, cpu_s=400.0)))
    assert seen.answer == "commit-bound"
    assert seen.cause == "I/O"
    assert seen.what_if[0].saves_s == pytest.approx(100_000 * (5000 - 85) / 1e6)
    assert seen.what_if[0].saves_s_max == pytest.approx(600.0), "never more than was waited"


def test_what_is_saved_is_no_more_than_the_cpus_have_left() -> None:
    seen = judge(interval(report(READS, db_time_s=1250.0, cpu_s=200.0, busy=0.7)))
    assert seen.what_if[0].saves_s == pytest.approx(1250.0 * 0.3, rel=1e-3)
    assert "70 % busy" in (seen.what_if[0].capped_by or "")


def test_a_host_without_cpu_comes_before_slow_reads() -> None:
    seen = judge(interval(report(READS, db_time_s=2000.0, cpu_s=400.0, busy=0.97)))
    assert (seen.answer, seen.cause, seen.helps) == ("cpu-bound", "lack of CPU", "no")
    queue = judge(interval(report(READS, db_time_s=2000.0, cpu_s=400.0, busy=None, more=[host(0.6, 0.5)])))
    assert (queue.answer, queue.cause) == ("cpu-bound", "lack of CPU")


def test_a_section_that_disagrees_makes_a_hint_and_takes_the_yes_away() -> None:
    files = filetypes([("Data File", "10G", "200.00", "10M", "1G", "10.00", "1M", "0.01", "0.02")])
    data = report(READS, db_time_s=2000.0, cpu_s=400.0, more=[files])
    reads = next(one for one in findings_of(interval(data)) if one.rule == "single-block-reads")
    assert reads.severity == "hint"
    assert "IOStat by Filetype says 10 µs" in reads.against[0]
    seen = judge(interval(data))
    assert (seen.answer, seen.helps) == ("storage-bound", "unknown")
    assert "But IOStat by Filetype says" in seen.reason


def test_counts_of_log_writes_that_differ_make_a_hint() -> None:
    case = CASES["log-file-sync-waits-for-writes"]
    commits = found_in(**case, counts={"redo writes": 900_000})["log-file-sync-waits-for-writes"]
    assert commits.severity == "hint"
    assert "900,000 redo writes" in commits.against[0]


def test_a_tail_behind_a_good_median() -> None:
    buckets = ("<1ms", "<2ms", "<4ms", "<8ms", "<16ms", "<32ms", "<=1s", ">1s")
    headings = ("Event", "Total Waits", *(f"% of Waits {bucket}" for bucket in buckets))
    rows = ("db file sequential read", "200K", "60.0", "10.0", "5.0", "5.0", "3.0", "2.0", "15.0", "")
    found = found_in(READS, more=[table("Wait Event Histogram", headings, rows)])
    assert found["few-reads-are-slow"].severity == "hint"
    assert (
        "70 % of single-block reads took less than 2 ms, and 15 % took 32 ms or more"
        in found["few-reads-are-slow"].reason
    )


def test_a_long_interval_is_told_and_one_of_days_has_no_verdict() -> None:
    assert ELAPSED_S < 3600
    hours = replace(interval(report(READS, db_time_s=90_000.0, cpu_s=400.0)), elapsed_s=4 * 3600.0)
    assert "interval-longer-than-an-hour" in {one.rule for one in findings_of(hours)}
    days = judge(replace(hours, elapsed_s=3 * 86_400.0))
    assert (days.answer, days.helps) == ("cannot tell", "unknown")
    assert "72 hours long" in days.reason


def test_what_takes_a_read_for_one_of_a_device_is_off_on_exadata() -> None:
    """Cells answer from flash or disk; their waits say which system it is."""
    counts = {"physical read total IO requests": 900_000, "physical write total IO requests": 100_000}
    storage = Storage(now=TIERS["nvme"], spindles=4)
    plain = report(READS, db_time_s=2000.0, cpu_s=400.0, counts=counts)
    cells = {**READS, "cell single block physical read": (1_000, 5.0)}
    on_cells = report(cells, db_time_s=2000.0, cpu_s=400.0, counts=counts)
    off = {"reads-slow-for-tier", "spindles-exceeded"}
    assert off <= {one.rule for one in findings_of(interval(plain, storage))}
    assert not off & {one.rule for one in findings_of(interval(on_cells, storage))}
