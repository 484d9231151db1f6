"""The pages of "How do I …": what they show runs in order, on simulated storage and made reports, and prints what stands there."""

from __future__ import annotations

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
    """A folder with a store of its own and two AWR reports, the second with half of the load."""
    half = tiny.activity({name: total // 2 for name, total in tiny.TOTALS.items()})
    reports = {
        "awr_100_101.html": tiny.awr(tiny.activity(tiny.TOTALS), tiny.filetypes(FILETYPES)),
        "awr_101_102.html": tiny.awr(half, begin="01-May-24 10:16:40", end="01-May-24 10:33:20"),
    }
    (tmp_path / "awr").mkdir()
    for name, report in reports.items():
        (tmp_path / "awr" / name).write_bytes(report)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.sqlite"))
    return tmp_path


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
