"""`plimsoll demand` of reports as a person sees it: real reader, reports of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiny_reports as tiny
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "demand"
FILETYPES = [
    ("Data File", "3G", "4,998.00", "520M", "40G", "1,490.00", "44.50M", "1.25ms", "9.50ms"),
    ("Log File", "0M", "0.00", "0M", "2G", "500.00", "2.05M", "", ""),
    ("Temp File", "120M", "2.00", ".12M", "250M", "4.00", ".25M", "1.00ms", ""),
]

CASES = {
    "one": "demand busy.html",
    "folder": "demand folder",
    "old": "demand old.html",
    "json": "demand old.html --json",
    "csv": "demand old.html --format csv --table classes",
    "several": "assess --demand folder --target sim:",
    "no-report": "assess --demand letter.txt --target sim:",
    "nothing": "demand letter.txt",
    "missing": "demand none.html",
    "both": "demand busy.html --database embedded",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    counts = tiny.activity(tiny.TOTALS)
    quiet = tiny.activity({name: total // 10 for name, total in tiny.TOTALS.items()})
    busy = tiny.awr(counts, tiny.filetypes(FILETYPES))
    later = tiny.awr(quiet, begin="01-May-24 10:10:00", end="01-May-24 10:26:40")
    old = tiny.awr(tiny.load_profile({"Physical reads:": "900.0", "Redo size:": "12,000.0"}))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "busy.html").write_bytes(busy)
    (tmp_path / "folder" / "later.html").write_bytes(later)
    (tmp_path / "folder" / "other.html").write_bytes(tiny.awr(quiet, db_name="CRM"))
    (tmp_path / "folder" / "letter.txt").write_text("dear reader")
    (tmp_path / "busy.html").write_bytes(busy)
    (tmp_path / "old.html").write_bytes(old)
    (tmp_path / "letter.txt").write_text("dear reader")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_demand(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_golden(GOLDEN / f"{case}.txt", transcribe(CASES[case].split(), capsys, folder))
