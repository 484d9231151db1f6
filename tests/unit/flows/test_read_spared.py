"""What `plimsoll read` spares: lists of sections that nobody asks for, what only spools of the collector need, and memory that
would be given back and asked for anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from latch_reports import latch_report
from plimsoll import _core
from plimsoll.base.packing import Packer
from plimsoll.cli import main
from plimsoll.flows.read import read_reports
from plimsoll.reports.collection import ReportCollection
from plimsoll.reports.limits import READ_FREED_KEPT_MS
from plimsoll.reports.reader import Reading
from plimsoll.requests.read import ReadRequest
from simulated import MemoryStore, context


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    here = tmp_path / "in"
    here.mkdir()
    (here / "a.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (here / "b.txt").write_bytes(latch_report(begin="2016-01-31T06:00:00"))
    (here / "diary.txt").write_bytes(b"dear diary")
    return here


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of which a list was made."""
    made: list[str] = []
    own = Reading.listed

    def noted(self: Reading, packer: Packer) -> Reading:
        made.append(self.report.file)
        return own(self, packer)

    monkeypatch.setattr(Reading, "listed", noted)
    return made


def test_no_lists_of_sections_are_made_where_nobody_asks_for_them(
    tmp_path: Path, folder: Path, listed: list[str]
) -> None:
    with context(tmp_path / "journals") as ctx:
        few = read_reports(ctx, ReadRequest((str(folder),)), lists=False)
        assert not listed
        with pytest.raises(AssertionError, match="not wanted"):
            few.collection.whole(0)
        whole = read_reports(ctx, ReadRequest((str(folder),)))
    assert len(listed) == len(whole.reports) == 3
    assert list(few.reports) == list(whole.reports)
    assert whole.collection.whole(0).sections[3].name == "latches"


def test_the_command_makes_lists_for_its_document_alone(folder: Path, listed: list[str]) -> None:
    main.run(["read", str(folder)])
    assert not listed
    main.run(["read", str(folder), "--json"])
    assert len(listed) == 3


def test_reports_are_stored_with_their_lists(tmp_path: Path, folder: Path) -> None:
    with context(tmp_path / "journals") as ctx:
        read_reports(ctx, ReadRequest((str(folder),), keep=True), lists=False)
        assert isinstance(ctx.store, MemoryStore)
        stored = [run.report for run in ctx.store.runs]
    assert [report is not None and report.sections[3].name for report in stored] == ["latches", "latches"]


def test_what_spools_need_is_loaded_when_one_is_read() -> None:
    code = "import sys, plimsoll.flows.read; print(*(name for name in sys.modules if '.spool' in name))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == {"plimsoll.reports.spool", "plimsoll.reports.spool.lines"}


@pytest.mark.parametrize("fails", [False, True])
def test_memory_that_is_freed_is_kept_while_few_files_are_read(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    told: list[object] = []
    monkeypatch.setattr(_core, "keep_freed_memory", lambda *delay: told.append(delay))
    with context(tmp_path / "journals") as ctx:
        if fails:
            monkeypatch.setattr(ReportCollection, "take", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                read_reports(ctx, ReadRequest((str(folder),)))
        else:
            read_reports(ctx, ReadRequest((str(folder),)))
    assert told == [(READ_FREED_KEPT_MS,), ()]
