"""`plimsoll trend` of what monitoring keeps, as a person sees it: real readers, exports of our own."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import exports_made as made
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "trend"
STEPS = 35 * 24

CASES = {
    "prometheus": "trend reads.json writes.json --limit iops=3000",
    "prometheus-expression": "trend iops.json",
    "iostat": "trend iostat.json",
    "sadf": "trend sar.json --metric io_latency_us",
    "cloudwatch": "trend rds.json",
    "performance-insights": "trend pi.json",
    "pg-profile": "trend export.csv",
    "pgwatch": "trend stat_io.csv --limit iops=3000",
    "broken": "trend cut.json",
    "unknown": "trend other.json",
    "refused": "trend error.json",
}


def reads(step: int) -> float:
    """With a season of the day, growth, and what follows no rule."""
    return 1_000.0 + step / 2 + 300 * math.sin(step * math.pi / 12) + 40 * math.sin(step * step)


def writes(step: int) -> float:
    return 0.4 * reads(step)


def exports() -> dict[str, object]:
    rows = {"reads": made.counted(reads, STEPS), "writes": made.counted(writes, STEPS)}
    iostat = json.dumps(made.iostat(reads, writes, STEPS))
    return {
        "reads.json": made.prometheus("node_disk_reads_completed_total", made.counted(reads, STEPS)),
        "writes.json": made.prometheus("node_disk_writes_completed_total", made.counted(writes, STEPS)),
        "iops.json": made.prometheus("", [reads(step) for step in range(STEPS)]),
        "iostat.json": iostat,
        "sar.json": made.sadf(reads, writes, STEPS),
        "rds.json": made.cloudwatch({"shop ReadIOPS": reads, "shop WriteIOPS": writes}, STEPS),
        "pi.json": made.performance_insights({"db.load.avg": lambda step: reads(step) / 500}, STEPS),
        "export.csv": made.pg_profile(made.pg_profile_tables(reads, writes, STEPS)),
        "stat_io.csv": made.pgwatch_table(rows, {"backend_type": "total"}),
        "cut.json": iostat[: len(iostat) // 2],
        "other.json": {"a": 1},
        "error.json": {"status": "error", "errorType": "bad_data", "error": "1:5: parse error"},
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in exports().items():
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_trend(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_golden(GOLDEN / f"{case}.txt", transcribe(CASES[case].split(), capsys, folder))


def test_no_transcript_is_left_of_a_case_that_went() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*CASES}
