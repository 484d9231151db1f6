"""Twenty reports with the right symptoms of another cause, and twenty in which the plain cause is the true one.

The other cause is named and the false one never is: CPU that lacks behind slow reads, small logs behind slow writers, a cold cache
after a start, a backup in the interval. Waits are drawn with a seed for each report.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from advice_reports import Waits, interval, report
from plimsoll.rules import findings_of, judge
from plimsoll.rules._verdict import Judged
from tiny_reports import Table

SEEDS = range(5)


def functions(backup_share: float) -> Table:
    """IOStat by Function: what a backup reads, and what sessions do."""
    headings = (
        "Function Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data", "Reqs per sec", "Data per sec",
        "Waits: Count", "Avg Tm(ms)",
    )  # fmt: skip
    rest = 1.0 - backup_share
    rows = [
        ("RMAN", f"{100 * backup_share:.1f}G", "50.00", "10M", "0M", "0.00", "0M", "1,000", "9.00"),
        ("Buffer Cache Reads", f"{100 * rest:.1f}G", "200.00", "10M", "0M", "0.00", "0M", "200K", "5.00"),
        ("TOTAL:", "100.0G", "250.00", "20M", "0M", "0.00", "0M", "201K", "5.00"),
    ]
    return "IOStat by Function summary", headings, rows


def slow_reads(draw: random.Random) -> Waits:
    count = draw.randrange(50_000, 400_000)
    return {"db file sequential read": (count, count * draw.uniform(4e-3, 12e-3))}


def total_s(waits: Waits) -> float:
    return sum(seconds for _, seconds in waits.values())


def made(waits: Waits, draw: random.Random, behind: Waits | None = None, **more: object) -> bytes:
    """A report in which these waits are 60 to 80 % of DB time, and CPU is half of the rest."""
    db_time_s = total_s(waits) / draw.uniform(0.6, 0.8)
    given: dict[str, object] = {"db_time_s": db_time_s, "cpu_s": (db_time_s - total_s(waits)) / 2, **more}
    return report(waits, behind, **given)  # type: ignore[arg-type]


def starved(draw: random.Random) -> bytes:
    return made(slow_reads(draw), draw, busy=draw.uniform(0.92, 1.0))


def small_logs(draw: random.Random) -> bytes:
    waits = {
        "free buffer waits": (20_000, draw.uniform(300.0, 600.0)),
        "log file switch (checkpoint incomplete)": (900, draw.uniform(150.0, 500.0)),
    }
    return made(waits, draw, {"db file parallel write": (9_000, draw.uniform(90.0, 300.0))})


def cold(draw: random.Random) -> bytes:
    return made(slow_reads(draw), draw, startup=f"01-May-24 09:{draw.randrange(10, 59)}")


def backup(draw: random.Random) -> bytes:
    return made(slow_reads(draw), draw, more=[functions(draw.uniform(0.3, 0.9))])


def reads(draw: random.Random) -> bytes:
    return made(slow_reads(draw), draw, more=[functions(draw.uniform(0.0, 0.1))])


def commits(draw: random.Random) -> bytes:
    count = draw.randrange(120_000, 200_000)
    each_s = draw.uniform(3e-3, 9e-3)
    behind = {"log file parallel write": (int(count * 0.9), count * 0.9 * each_s * draw.uniform(0.5, 0.95))}
    return made({"log file sync": (count, count * each_s)}, draw, behind)


def scheduling(draw: random.Random) -> bytes:
    count = draw.randrange(100_000, 200_000)
    behind = {"log file parallel write": (int(count * 0.9), count * 0.9 * draw.uniform(0.2e-3, 0.8e-3))}
    return made({"log file sync": (count, count * draw.uniform(5e-3, 20e-3))}, draw, behind)


def writers(draw: random.Random) -> bytes:
    behind = {"db file parallel write": (9_000, draw.uniform(90.0, 300.0))}
    return made({"free buffer waits": (20_000, draw.uniform(300.0, 600.0))}, draw, behind)


OTHER: dict[Callable[[random.Random], bytes], tuple[str, str | None, str]] = {
    starved: ("cpu-bound", "lack of CPU", "cpu-starved"),
    small_logs: ("configuration-bound", None, "redo-logs-too-small"),
    cold: ("cannot tell", "a cold cache", "cache-cold-after-restart"),
    backup: ("cannot tell", "a backup", "backup-in-interval"),
}
PLAIN: dict[Callable[[random.Random], bytes], tuple[str, str | None, str]] = {
    reads: ("storage-bound", "single-block reads", "single-block-reads"),
    commits: ("commit-bound", "I/O", "log-file-sync-waits-for-writes"),
    scheduling: ("commit-bound", "scheduling", "log-file-sync-waits-for-cpu"),
    writers: ("storage-bound", "writes of data blocks", "free-buffers-missing"),
}
CASES = [(make, seed) for make in (*OTHER, *PLAIN) for seed in SEEDS]


def judged(make: Callable[[random.Random], bytes], seed: int) -> tuple[Judged, set[str]]:
    found = interval(make(random.Random(seed)))
    return judge(found), {one.rule for one in findings_of(found) if one.severity == "finding"}


@pytest.mark.parametrize(("make", "seed"), CASES, ids=[f"{make.__name__}-{seed}" for make, seed in CASES])
def test_the_true_cause_is_named(make: Callable[[random.Random], bytes], seed: int) -> None:
    seen, rules = judged(make, seed)
    answer, cause, rule = {**OTHER, **PLAIN}[make]
    assert seen.answer == answer
    assert cause in (None, seen.cause)
    assert rule in rules
    if make in OTHER:
        assert seen.helps in ("no", "unknown"), "faster storage is the false cause"
