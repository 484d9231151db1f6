"""The interference matrix as people read it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plimsoll.cli.main import run


def shown(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    ended = run(["shapes", *words])
    said = capsys.readouterr()
    assert ended == status, said.err
    return said.out


def test_rows_are_victims_and_columns_neighbours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = shown(
        capsys,
        "sim:",
        "--only",
        "oltp-readers,log-writer,scans",
        "--runtime",
        "20",
        "--store",
        str(tmp_path / "s"),
    )
    lines = out.splitlines()
    assert lines[0].startswith("Reads slow writes down here: ")
    assert lines[1].startswith("Readers block readers here: ")
    start = next(n for n, line in enumerate(lines) if line.startswith("p99 beside others"))
    assert lines[start + 1].split("  ")[-1].strip() == "all others"
    rows = {
        name.strip(): rest.split()
        for name, rest in (re.split(r"  +", line, maxsplit=1) for line in lines[start + 2 : start + 5])
    }
    assert rows["oltp read"][0] == "·"
    assert rows["log write"][1] == "·"
    assert rows["scan read"][2] == "·"
    assert all(float(figure) > 1 for row in rows.values() for figure in row if figure != "·")
    assert lines[-1].startswith("run ")


def test_json_is_the_interference(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = shown(
        capsys, "sim:", "--only", "scans,oltp-readers", "--rate", "scans=500", "--runtime", "2", "--json",
        "--store", str(tmp_path / "s"),
    )  # fmt: skip
    document = json.loads(out)
    assert document["kind"] == "shapes"
    data = document["data"]
    assert data["shapes"] == ["scans", "oltp_readers"]
    assert {one["rate_per_s"] for one in data["encounters"] if one["paced"] == "scans"} == {500.0}
    assert all(effect["p99_ratio"] > 0 for effect in data["effects"])


def test_a_client_that_cannot_keep_its_rate_alone_has_nothing_to_compare_with(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = shown(
        capsys, "sim:", "--only", "scans,oltp-readers", "--rate", "scans=20k", "--runtime", "2",
        "--store", str(tmp_path / "s"), status=1,
    )  # fmt: skip
    assert re.search(r"^scan read +· +unknown$", out, re.MULTILINE)


@pytest.mark.parametrize("rate", ["frog", "scans=", "scans=0", "=5"])
def test_a_rate_that_cannot_be_read(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["shapes", "sim:", "--rate", rate]) == 2
    assert "error: " in capsys.readouterr().err
