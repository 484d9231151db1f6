"""What speaks against the jobs of a job file stands before their table, and the table has the rate that was held."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.cli import main

CLIFF = "sim\\:law=constant,mean=100us,size=1g,cliff_ios=5000,cliff_mean=400us"
JOB = f"[global]\nfilename={CLIFF}\ndirect=1\nrw=randwrite\nsize=64m\nruntime=1\ntime_based\n[a]\n"


@pytest.mark.parametrize(
    ("more", "doubt"),
    [("", "Not valid at 1 of 1 points: cliff."), ("[b]\nstonewall\n", "Not valid at 2 of 2 points: cliff.")],
    ids=["one", "two"],
)
def test_text_list_and_page_say_that_a_rate_fell(
    more: str, doubt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table with the mean of both levels came first, and only the page said `not valid`."""
    path, store, page = tmp_path / "my.fio", str(tmp_path / "runs.sqlite"), tmp_path / "page.html"
    path.write_text(JOB + more, encoding="utf-8")
    assert main.run(["fio", str(path), "--store", store]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == doubt
    assert said[1].startswith("a: 2,500 I/Os per second held, after 10,000 for the first ")
    row = next(line for line in said if line.startswith("a ") and "write" in line).split()
    assert row[3] == "2,500"
    assert main.run(["store", "list", "--store", store]) == 0
    assert "not valid" in capsys.readouterr().out
    assert main.run(["report", "latest", "--store", store, "-o", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    assert "not valid" in html
    assert html.count("not valid: cliff; not valid: cliff") == 0
