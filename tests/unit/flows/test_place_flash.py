"""`plimsoll place flash` from files to a stored run, on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import plimsoll
from plimsoll.base.errors import ExitStatus
from plimsoll.cli.main import run as command

OBJECTS = """object,kind,bytes,tier,small_reads,large_reads,small_writes,cached_share
SALES.ORDERS,table,40g,disk,900000,2000,0,0.2
SALES.ORDERS_PK,index,3g,disk,2500000,0,0,0.9
redo,redo,4g,disk,0,0,200000,0
"""
TIERS = """[[tier]]
name = "disk"
small_read_us = 5000
large_read_us = 12000
small_write_us = 5000
price_per_tb_month = 20

[[tier]]
name = "flash"
small_read_us = 200
large_read_us = 900
small_write_us = 85
price_per_tb_month = 180
"""
HITS = "cache_bytes,hit_share\n8g,0.9\n16g,0.95\n128g,0.99\n"


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("objects.csv").write_text(OBJECTS, encoding="utf-8")
    Path("tiers.toml").write_text(TIERS, encoding="utf-8")
    Path("hits.csv").write_text(HITS, encoding="utf-8")
    return ["place", "flash", "--objects", "objects.csv", "--tiers", "tiers.toml", "--interval", "1h"]


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def test_json_has_every_use_beside_each_other(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        command([*words, "--flash-bytes", "45g", "--hit-curve", "hits.csv", "--cache", "8g", "--json"]) == 0
    )
    found = document(capsys)
    assert found["kind"] == "place-flash"
    uses = {one["use"]: one for one in found["data"]["uses"]}
    assert list(uses) == [
        "whole database",
        "parts",
        "mirror, preferred read",
        "mirror, reads in turn",
        "storage cache",
        "database cache",
        "memory instead",
    ]
    assert uses["storage cache"]["gain_s"] < uses["storage cache"]["gain_s_max"]
    assert uses["database cache"]["possible"] is None
    assert uses["memory instead"]["gain_s"] is None
    assert found["data"]["best"] == "parts"


def test_a_person_reads_the_uses_and_what_to_write(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    dialect = ["--dialect", "oracle", "--release", "12.1", "--edition", "enterprise"]
    assert command([*words, "--flash-bytes", "45g", *dialect]) == ExitStatus.DONE
    said = capsys.readouterr().out
    assert said.startswith("45 GiB of flash save most as parts: ")
    assert "ASM_PREFERRED_READ_FAILURE_GROUPS" in said
    assert "there is none in Oracle Database 12.1, Enterprise Edition" in said.replace("There", "there")
    assert "no hit curve is known" in said


def test_the_page_names_every_use(words: list[str]) -> None:
    assert command([*words, "--flash-bytes", "45g", "-o", "flash.html"]) == ExitStatus.DONE
    page = Path("flash.html").read_text(encoding="utf-8")
    assert "Uses of 45 GiB of flash" in page
    assert "mirror, preferred read" in page


def test_the_parts_are_a_plan_that_can_be_scripted(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*words, "--flash-bytes", "5g"]) == ExitStatus.DONE
    capsys.readouterr()
    assert command(["place", "script", "latest"]) == ExitStatus.DONE
    assert 'REINDEX (TABLESPACE "flash", CONCURRENTLY) INDEX "SALES"."ORDERS_PK"' in capsys.readouterr().out


def test_the_free_part_of_the_capacity_is_what_there_is(words: list[str]) -> None:
    Path("tiers.toml").write_text(TIERS.replace('name = "flash"', 'name = "flash"\ncapacity_bytes = "64g"'))
    Path("objects.csv").write_text(OBJECTS.replace("3g,disk", "3g,flash"))
    assert command([*words, "--json"]) == ExitStatus.DONE
    assert plimsoll.load().results["flash_uses"].flash_bytes == 61 << 30


@pytest.mark.parametrize(
    ("more", "id"),
    [
        ([], "flash-bytes-missing"),
        (["--flash-bytes", "45g", "--flash", "gold"], "tier-unknown"),
        (["--flash-bytes", "45g", "--hit-curve", "objects.csv"], "hit-curve-unreadable"),
        (["--flash-bytes", "45g", "--hit-curve", "none.csv"], "file-missing"),
        (["--flash-bytes", "45g", "--release", "19"], "option-idle"),
        (["--flash-bytes", "45g", "--dialect", "oracle", "--release", "9"], "release-unreadable"),
    ],
)
def test_what_is_off_is_refused(
    words: list[str], more: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*words, *more, "--json"]) == ExitStatus.USAGE
    assert document(capsys)["data"]["id"] == id


def test_one_tier_alone_is_none_beside_which_flash_could_be_used(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tiers.toml").write_text(TIERS.partition("\n\n")[0])
    assert command([*words, "--flash-bytes", "45g", "--json"]) == ExitStatus.USAGE
    assert document(capsys)["data"]["id"] == "flash-missing"


def test_flash_that_is_full_leaves_nothing_to_use(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tiers.toml").write_text(TIERS.replace('name = "flash"', 'name = "flash"\ncapacity_bytes = "3g"'))
    Path("objects.csv").write_text(OBJECTS.replace("3g,disk", "3g,flash"))
    assert command([*words, "--json"]) == ExitStatus.USAGE
    assert "nothing of it is free" in document(capsys)["data"]["message"]


def test_python_has_a_row_for_each_use(words: list[str]) -> None:
    found = plimsoll.place_flash(
        objects="objects.csv",
        tiers="tiers.toml",
        interval="1h",
        flash_bytes="45g",
        hit_curve="hits.csv",
        cache="8g",
    )
    assert found.flash_uses.best == "parts"
    assert found.placement.moved_bytes == found.flash_uses.uses[1].flash_bytes
    assert found.frame().height == 7
