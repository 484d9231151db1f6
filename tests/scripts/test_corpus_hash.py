"""The hash of a folder of reports is the same wherever it lies, and another where one number is another."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import tiny_reports

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import corpus_hash

WAITS = ("Foreground Wait Events", ("Event", "Waits"), (("db file sequential read", "1,234"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "reports"
    (made / "deep").mkdir(parents=True)
    (made / "deep" / "one.html").write_bytes(tiny_reports.awr(WAITS))
    (made / "two.html").write_bytes(tiny_reports.awr(db_name="SALES"))
    (made / "three.txt").write_bytes(b"no report\n")
    return made


def printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What is told of each report, by its name."""
    assert corpus_hash.main([str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def test_it_is_the_same_wherever_the_folder_lies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(folder, capsys)
    assert list(first) == ["deep/one.html", "three.txt", "two.html", "all 3"]
    assert len(set(first.values())) == 4
    shutil.copytree(folder, folder.parent / "elsewhere")
    assert printed(folder.parent / "elsewhere", capsys) == first


def test_another_number_makes_another_hash_of_its_report_and_of_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = printed(folder, capsys)
    path = folder / "deep" / "one.html"
    path.write_bytes(path.read_bytes().replace(b"1,234", b"1,235"))
    after = printed(folder, capsys)
    assert [name for name in before if before[name] != after[name]] == ["deep/one.html", "all 3"]


def test_what_is_read_counts_and_not_only_the_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = printed(folder, capsys)
    monkeypatch.setattr(corpus_hash, "rows_of", lambda reading, wanted: iter(()))
    after = printed(folder, capsys)
    assert before["deep/one.html"] != after["deep/one.html"]


def test_without_reports_there_is_no_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert corpus_hash.main([str(tmp_path)]) == corpus_hash.FAILED
    monkeypatch.delenv("PLIMSOLL_CORPUS", raising=False)
    assert corpus_hash.main([]) == corpus_hash.USAGE
    assert capsys.readouterr().out == ""
