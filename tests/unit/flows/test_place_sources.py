"""`plimsoll place` of reports, of samples and of a script: objects come to lie on tiers, and what cannot be asked is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import plimsoll
from advice_reports import report
from oracle_objects import sample, segment
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.cli.main import run as command
from plimsoll.placement.objects.oracle_samples import MARK
from tiny_reports import Table

TIERS = """[[tier]]
name = "disk"
small_read_us = 5000
large_read_us = 12000
small_write_us = 5000

[[tier]]
name = "flash"
small_read_us = 200
large_read_us = 900
small_write_us = 85
"""
SPACES: Table = (
    "Tablespace IO Stats",
    ("Tablespace", "Reads", "Av Rds/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s"),
    [("USERS", "50,000", "50", "5.00", "1.0", "700", "1")],
)
WAITS = {"db file sequential read": (50_000, 250.0)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tiers, a report, its sizes, and two samples."""
    monkeypatch.chdir(tmp_path)
    orders = {("SHOP", "ORDERS", ""): segment(blocks=8_000, requests=8_000)}
    files: dict[str, Any] = {
        "tiers.toml": TIERS,
        "awr.html": report(WAITS, db_time_s=500.0, cpu_s=200.0, busy=0.4, more=[SPACES]),
        "sizes.csv": "object,bytes\ntablespace USERS,5g\n",
        "one.txt": sample({}, statistics={"physical reads": 0}),
        "two.txt": sample(
            orders,
            taken="2024-05-01T10:10:00",
            statistics={"physical reads": 8_000},
            waits={"db file sequential read": (8_000, 40.0)},
        ),
    }
    for name, content in files.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path


def planned(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What a command answers in JSON."""
    capsys.readouterr()
    assert command(["place", *words, "--tiers", "tiers.toml", "--json"]) in (
        ExitStatus.DONE,
        ExitStatus.DONE_IN_PART,
    )
    return json.loads(capsys.readouterr().out)["data"]


def rows(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Where each object lies, and where it belongs."""
    return {row["object"]: (row["from_tier"], row["tier"]) for row in found["plan"]}


@pytest.mark.usefixtures("folder")
def test_a_report_with_sizes_is_planned(capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, "awr.html", "--sizes", "sizes.csv", "--tier-of", "USERS=disk")
    assert rows(found)["tablespace USERS"] == ("disk", "flash")
    assert found["gain_s"] == pytest.approx(50_000 * (0.005 - 0.0002), rel=0.01)
    assert found["db_time_s"] == 500
    assert found["interval_s"] == pytest.approx(1000.2)


@pytest.mark.usefixtures("folder")
def test_without_a_size_an_object_stays_and_the_run_is_in_part(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert command(["place", "awr.html", "--on", "disk", "--tiers", "tiers.toml"]) == ExitStatus.DONE_IN_PART
    told = capsys.readouterr()
    assert "--sizes FILE.csv" in told.err


@pytest.mark.usefixtures("folder")
def test_two_samples_of_a_dba_are_planned(capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, "one.txt", "two.txt", "--on", "disk", "--db-time", "10m")
    assert rows(found)["SHOP.ORDERS"] == ("disk", "flash")
    assert (found["interval_s"], found["db_time_s"]) == (600, 600)


@pytest.mark.usefixtures("folder")
def test_in_python_it_is_the_same() -> None:
    found = plimsoll.place(["one.txt", "two.txt"], tiers="tiers.toml", tier_of="USERS=disk", interval="5m")
    row = next(row for row in found.placement.plan if row.object == "SHOP.ORDERS")
    assert (row.from_tier, row.tier) == ("disk", "flash")
    assert found.placement.interval_s == 300


@pytest.mark.parametrize("name", ["oracle", "oracle-awr"])
def test_the_script_is_printed_as_it_is(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert command(["place", "query", name]) == ExitStatus.DONE
    text = capsys.readouterr().out
    assert f"select '{MARK}1' from dual;" in text
    assert text.endswith("exit\n")
    assert command(["place", "query", name, "--json"]) == ExitStatus.DONE
    assert json.loads(capsys.readouterr().out)["data"] == {"name": name, "script": text}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["awr.html"], "no file of tiers was named"),
        (["--tiers", "tiers.toml"], "no objects were named"),
        (
            ["awr.html", "--objects", "x.csv", "--tiers", "tiers.toml"],
            "objects are given by paths and by --objects",
        ),
        (
            ["awr.html", "--tiers", "tiers.toml", "--tier-of", "USERS"],
            "--tier-of: 'USERS' names no tablespace and tier",
        ),
        (
            ["awr.html", "--tiers", "tiers.toml", "--tier-of", "USERS=tape"],
            "--tier-of: there is no tier tape",
        ),
        (
            ["--objects", "x.csv", "--tiers", "tiers.toml", "--sizes", "sizes.csv"],
            "--sizes would have no effect",
        ),
        (
            ["--objects", "x.csv", "--tiers", "tiers.toml", "--tier-of", "A=disk"],
            "--tier-of would have no effect",
        ),
        (["awr.html", "--tiers", "tiers.toml", "--runtime", "5s"], "--runtime would have no effect"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert command(["place", *words]) == ExitStatus.USAGE
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "id"),
    [
        ({"paths": "awr.html", "objects": "x.csv"}, "placement-source"),
        ({"paths": "awr.html", "database": "embedded"}, "placement-source"),
        ({"paths": "awr.html", "tier_of": "=disk"}, "tier-of-unreadable"),
        ({"paths": "awr.html", "on": "tape"}, "tier-unknown"),
        ({"paths": "awr.html", "sizes": "tiers.toml"}, "sizes-unreadable"),
    ],
)
def test_each_refusal_has_its_name(words: dict[str, str], id: str) -> None:
    with pytest.raises(UsageError) as caught:
        plimsoll.place(**words, tiers="tiers.toml")
    assert caught.value.id == id


@pytest.mark.usefixtures("folder")
def test_a_stated_zero_comes_before_what_was_found() -> None:
    files = ["one.txt", "two.txt"]
    found = plimsoll.place(files, tiers="tiers.toml", tier_of="USERS=disk", db_time="2h", io_wait=0.0)
    assert found.placement.foreground_io_wait_s == 0.0
    assert found.placement.answer == "nothing to gain"


def test_without_tiers_nothing_can_be_placed() -> None:
    with pytest.raises(UsageError) as caught:
        plimsoll.place("awr.html")
    assert caught.value.id == "tiers-missing"
