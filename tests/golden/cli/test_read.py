"""`plimsoll read` as a person sees it. The reader is a stand-in that always finds the same; what is done with it is real."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from made_reports import install, made
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "read"

CASES = {
    "folder": "read {F}",
    "whole": "read b.txt",
    "out": "read b.txt --out out --format csv",
    "rows": "read b.txt --section latches",
    "schema": "read --schema",
    "nothing-named": "read",
    "nothing-there": "read {F}/none",
    "nothing-found": "read {F}/hollow",
    "section-unknown": "read {F} --section latch",
    "out-folder-foreign": "read {F}/b.txt --out {F}",
    "out-folder-a-file": "read {F}/b.txt --out {F}/b.txt",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(monkeypatch)
    problem = {
        "code": "row-unread",
        "line": 17,
        "section": "Latches",
        "message": "a row is cut",
        "loses": True,
    }
    (tmp_path / "a.txt").write_bytes(made("SALES", "sales1", "2016-01-31T05:00:00", problems=[problem]))
    (tmp_path / "b.txt").write_bytes(made("CRM", "crm1", "2016-01-31T04:00:00"))
    (tmp_path / "c.txt").write_bytes(
        made("CRM", "crm1", "2016-01-31T04:30:00", startup_time="2016-01-31T04:40:00")
    )
    (tmp_path / "copy.txt").write_bytes(made("CRM", "crm1", "2016-01-31T04:00:00"))
    (tmp_path / "d.txt").write_bytes(made("EMPTY", "empty1", "2016-01-31T04:00:00", views={}))
    (tmp_path / "diary.txt").write_text("dear diary")
    (tmp_path / "trace.txt").write_bytes(made(kind="tkprof"))
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
