"""The pages of "How do I …": what they show runs in order, on simulated storage and made reports, and prints what stands there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import tiny_reports as tiny
from documents import HOW_TO, ROOT, blocks, fits
from plimsoll.cli.main import run

SHOWN = [command for command in blocks() if command.page.startswith(HOW_TO) and command.output]
FILETYPES = [
    ("Data File", "3G", "5,000.00", "520M", "40G", "996.00", "44.50M", "1.25ms", "9.50ms"),
    ("Log File", "0M", "0.00", "0M", "4G", "1,000.00", "4.10M", "", ""),
    ("Temp File", "120M", "2.00", ".12M", "250M", "4.00", ".25M", "1.00ms", ""),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store of its own and two AWR reports of each of three databases.

    The second of the first database has half of the load, the first of the next one; the last one is as busy in both.
    """
    full = (tiny.activity(tiny.TOTALS), tiny.filetypes(FILETYPES))
    half = (tiny.activity({name: total // 2 for name, total in tiny.TOTALS.items()}),)
    _write_reports(tmp_path / "awr", "SHOP", full, half)
    _write_reports(tmp_path / "crm", "CRM", half, full)
    _write_reports(tmp_path / "dwh", "DWH", full, full)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.sqlite"))
    return tmp_path


def _write_reports(
    folder: Path, db_name: str, first: Sequence[tiny.Table], second: Sequence[tiny.Table]
) -> None:
    folder.mkdir()
    (folder / "awr_100_101.html").write_bytes(tiny.awr(*first, db_name=db_name))
    later = tiny.awr(*second, db_name=db_name, begin="01-May-24 10:16:40", end="01-May-24 10:33:20")
    (folder / "awr_101_102.html").write_bytes(later)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("page", dict.fromkeys(command.page for command in SHOWN))
def test_commands_of_a_page_print_what_it_shows(page: str, capfd: pytest.CaptureFixture[str]) -> None:
    for command in (one for one in SHOWN if one.page == page):
        run(command.words[1:])
        said = capfd.readouterr().out
        assert fits(command.output or (), said), f"{command.text}\n{said}"


def test_every_answer_is_in_the_list_of_questions() -> None:
    listed = (ROOT / HOW_TO / "index.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / HOW_TO).glob("*.md")):
        for heading in page.read_text(encoding="utf-8").splitlines():
            name = heading.removeprefix("## ").lower().replace("'", "").replace(" ", "-")
            assert not heading.startswith("## ") or f"({page.name}#{name})" in listed, heading
