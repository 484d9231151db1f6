"""`plimsoll read` as a person sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latch_reports import EMPTY, FAILING, latch_report
from transcript import assert_golden, transcribe

TKPROF = b"TKPROF: Release 19.0.0.0.0 - Development on Sun Jan 31 2016\n\nTrace file: orcl1_ora_1.trc\n"
GOLDEN = Path(__file__).parent / "read"

CASES = {
    "folder": "read {F}",
    "whole": "read b.txt",
    "out": "read b.txt --out out --format csv",
    "rows": "read b.txt --section latches",
    "nothing-named": "read",
    "nothing-there": "read {F}/none",
    "nothing-found": "read {F}/hollow",
    "section-unknown": "read {F} --section latch",
    "out-folder-foreign": "read {F}/b.txt --out {F}",
    "out-folder-a-file": "read {F}/b.txt --out {F}/b.txt",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "a.txt").write_bytes(latch_report("SALES", "sales1", "2016-01-31T05:00:00", latches=FAILING))
    (tmp_path / "b.txt").write_bytes(latch_report("CRM", "crm1", "2016-01-31T04:00:00"))
    (tmp_path / "c.txt").write_bytes(
        latch_report("CRM", "crm1", "2016-01-31T04:30:00", startup="31-Jan-16 04:40")
    )
    (tmp_path / "copy.txt").write_bytes(latch_report("CRM", "crm1", "2016-01-31T04:00:00"))
    (tmp_path / "d.txt").write_bytes(EMPTY)
    (tmp_path / "diary.txt").write_text("dear diary")
    (tmp_path / "trace.txt").write_bytes(TKPROF)
    (tmp_path / ".hidden").touch()
    (tmp_path / "hollow").mkdir()
    os.mkfifo(tmp_path / "pipe")
    # Tables are as wide as the paths in them, and those of a test's folder differ in length.
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_read(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = CASES[case].replace("{F}", str(folder)).split()
    assert_golden(GOLDEN / f"{case}.txt", transcribe(words, capsys, folder))


def test_no_transcript_is_left_of_a_case_that_went() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)
