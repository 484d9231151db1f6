"""`plimsoll place` from files to a stored run, on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import plimsoll
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.cli.main import run as command
from plimsoll.store import open_store

OBJECTS = """object,kind,bytes,tier,small_reads,large_reads,small_writes,cached_share
SALES.ORDERS,table,40g,disk,900000,2000,0,0.2
SALES.ORDERS_PK,index,3g,disk,2500000,0,0,0.9
SALES.ARCHIVE,table,800g,disk,1000,9000,0,0
temp,temp,20g,disk,0,60000,55000,
"""
TIERS = """[[tier]]
name = "disk"
small_read_us = [[0, 5000], [1500, 9000]]
large_read_us = 12000
small_write_us = 5000

[[tier]]
name = "flash"
capacity_bytes = "60g"
small_read_us = 200
large_read_us = 900
small_write_us = 85
"""


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("objects.csv").write_text(OBJECTS, encoding="utf-8")
    Path("tiers.toml").write_text(TIERS, encoding="utf-8")
    return ["place", "--objects", "objects.csv", "--tiers", "tiers.toml"]


def data(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    return json.loads(capsys.readouterr().out)["data"]


def test_json_holds_what_the_contract_says(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command([*words, "--interval", "1h", "--unseen", "0.2", "--json"]) == ExitStatus.DONE
    found = data(capsys)
    assert {"plan", "gain_s", "bound_s", "gap", "curve", "unseen_share"} <= found.keys()
    assert [{"object", "tier", "bytes", "gain_s"} <= row.keys() for row in found["plan"]] == [True] * 4  # type: ignore[attr-defined]
    assert [{"bytes", "gain_s"} <= row.keys() for row in found["curve"]] == [True] * len(found["curve"])  # type: ignore[arg-type, attr-defined]
    tiers = {row["object"]: row["tier"] for row in found["plan"]}  # type: ignore[attr-defined]
    assert tiers == {
        "SALES.ORDERS": "flash",
        "SALES.ORDERS_PK": "flash",
        "temp": "disk",
        "SALES.ARCHIVE": "disk",
    }
    assert found["unseen_share"] == pytest.approx(0.2)
    assert len(open_store().summaries()) == 1


def test_a_person_reads_what_moves(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command([*words, "--interval", "1h"]) == ExitStatus.DONE
    said = capsys.readouterr().out
    assert said.startswith("Moving 2 of 4 objects, 43 GiB of 863 GiB (5.0 %), saves")
    assert "What waits most and stays" in said
    assert "\nhow good: The moves save" in said
    assert "\nnote: What share of all I/Os these objects stand for is not known" in said


def test_what_the_moves_cost_is_told_where_the_database_is_known(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = OBJECTS.replace("small_reads,", "parent,small_reads,").replace("disk,", "disk,,")
    Path("objects.csv").write_text(text.replace("3g,disk,,", "3g,disk,SALES.ORDERS,"), encoding="utf-8")
    assert command([*words, "--interval", "1h", "--dialect", "postgres"]) == ExitStatus.DONE
    said = capsys.readouterr().out
    assert (
        "\ncost: To move them the server reads 123 GiB, writes 43 GiB and logs 43 GiB (WAL or redo)." in said
    )
    assert "\nmeanwhile: 1 object, 40 GiB: nobody reads or writes one while it moves." in said
    assert "\nmeanwhile: 1 object, 3 GiB: reads and writes go on." in said
    assert command([*words, "--interval", "1h"]) == ExitStatus.DONE
    unknown = "an unknown number of bytes"
    told = f"cost: To move them the server reads {unknown}, writes at least 43 GiB and logs {unknown} (WAL or redo)."
    assert told in capsys.readouterr().out


def test_json_and_page_have_the_cost_of_each_move(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*words, "--interval", "1h", "--dialect", "oracle", "--release", "19", "--edition", "enterprise"]
    assert command([*asked, "--json", "-o", "placement.html"]) == ExitStatus.DONE
    found = data(capsys)
    costs = {row["object"]: row["move_cost"] for row in found["plan"]}  # type: ignore[attr-defined]
    assert costs["SALES.ARCHIVE"] is None
    assert (costs["SALES.ORDERS"]["log_bytes"], costs["SALES.ORDERS"]["meanwhile"]) == (40 << 30, "online")
    assert found["move_cost"]["waits"] == [{"meanwhile": "online", "moves": 2, "bytes": 43 << 30}]  # type: ignore[index]
    assert "What each move costs" in Path("placement.html").read_text(encoding="utf-8")


PRICED = TIERS.replace('name = "disk"\n', 'name = "disk"\nprice_per_tb_month = 20\n').replace(
    'name = "flash"\n', 'name = "flash"\nprice_per_tb_month = 180\n'
)


def test_memory_instead_by_a_file_of_what_the_cache_leaves(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tiers.toml").write_text(PRICED, encoding="utf-8")
    Path("advice.csv").write_text("cache_bytes,physical_reads\n8g,1000000\n16g,800000\n", encoding="utf-8")
    asked = [*words, "--interval", "1h", "--hit-curve", "advice.csv", "--memory-price", "3000"]
    assert command([*asked, "--cache", "8g", "--json"]) == ExitStatus.DONE
    instead = data(capsys)["memory_instead"]
    assert instead["memory_bytes"] < 8 << 30  # type: ignore[index, operator]
    assert instead["gain_s"] > 0  # type: ignore[index]
    assert command([*asked, "--cache", "8g"]) == ExitStatus.DONE
    assert "\nmemory instead: " in capsys.readouterr().out
    assert command(asked) == ExitStatus.DONE
    assert "What memory instead of the plan would save is not known" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("cache_bytes,physical_reads\n8g,1000\n16g,many\n", "advice.csv, line 3: physical_reads: 'many'"),
        ("flash_bytes,hit_share\n8g,0.5\n", "advice.csv, line 1: it is of a cache of flash"),
    ],
)
def test_a_bad_file_of_what_the_cache_leaves_is_named_with_its_line(
    words: list[str], text: str, what: str
) -> None:
    Path("advice.csv").write_text(text, encoding="utf-8")
    asked = {"objects": "objects.csv", "tiers": "tiers.toml", "interval": "1h", "cache": "8g"}
    with pytest.raises(UsageError, match=what) as refused:
        plimsoll.place(**asked, hit_curve="advice.csv", memory_price=3000)
    assert refused.value.id == "hit-curve-unreadable"
    with pytest.raises(UsageError, match="--memory-price") as refused:
        plimsoll.place(**asked, hit_curve="advice.csv")
    assert refused.value.id == "option-idle"


def test_what_oracle_is_is_asked_of_no_other_database(words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        plimsoll.place(objects="objects.csv", tiers="tiers.toml", dialect="postgres", release="19")
    assert refused.value.id == "option-idle"


def test_the_page_has_curve_and_treemap(words: list[str]) -> None:
    assert command([*words, "--interval", "1h", "-o", "placement.html"]) == ExitStatus.DONE
    page = Path("placement.html").read_text(encoding="utf-8")
    assert "What each budget gains" in page
    assert "Where the gain lies" in page


def test_an_object_of_unknown_size_ends_with_5(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("objects.csv").write_text(OBJECTS.replace("3g", ""), encoding="utf-8")
    assert command([*words, "--interval", "1h"]) == ExitStatus.DONE_IN_PART
    assert "SALES.ORDERS_PK stays: size or present tier is not known" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize(
    ("change", "more", "id", "what"),
    [
        (
            ("800g,disk", "800g,flash"),
            ["--interval", "1h"],
            "tier-overfull",
            "tiers.toml, line 9: 800 GiB lie on flash today, and its capacity is 60 GiB",
        ),
        (None, [], "interval-missing", "tiers.toml, line 3: disk depends on its load"),
        (None, ["--on", "tape"], "tier-unknown", "--on: there is no tier tape"),
        (
            None,
            ["--db-time", "1h", "--io-wait", "2h"],
            "placement-waits",
            "sessions cannot have waited 7200 s for I/O in 3600 s",
        ),
        (
            ("900000", "-1"),
            ["--interval", "1h"],
            "objects-unreadable",
            "objects.csv, line 2: small_reads: -1 is not 0 or more",
        ),
    ],
)
def test_what_is_off_ends_with_2(
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str] | None,
    more: list[str],
    id: str,
    what: str,
) -> None:
    if change is not None:
        Path("objects.csv").write_text(OBJECTS.replace(*change), encoding="utf-8")
    assert command([*words, *more, "--json"]) == ExitStatus.USAGE
    found = data(capsys)
    assert found["id"] == id
    assert what in str(found["message"])


def test_without_a_file_of_objects(words: list[str]) -> None:
    assert command(words[:1] + words[3:]) == ExitStatus.USAGE


def test_in_python(words: list[str]) -> None:
    found = plimsoll.place(
        objects="objects.csv", tiers="tiers.toml", interval="1h", together=["temp,SALES.ORDERS_PK"]
    )
    tiers = {row.object: row.tier for row in found.placement.plan}
    assert tiers["temp"] == tiers["SALES.ORDERS_PK"]
    assert found.placement.gap < 1
    assert found.frame("curve").height == len(found.placement.curve)
    assert found.frame("tiers").height == 2
    assert found.frame().height == 4
    with pytest.raises(UsageError, match="no objects were named"):
        plimsoll.place(tiers="tiers.toml")


def test_it_can_be_asked_again(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    command([*words, "--interval", "1h"])
    capsys.readouterr()
    assert command(["again", "latest", "--json"]) == ExitStatus.DONE
    assert data(capsys)["answer"] == "move"


def test_latencies_of_a_tier_are_those_of_stored_runs(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    reads = ["io", "sim:mean=1ms,servers=4", "--block", "8k", "--depth", "1", "--seed", "1", "--runtime", "1"]
    assert command([*reads, "--json"]) == ExitStatus.DONE
    made = str(data(capsys)["run"])
    stated = "large_read_us = 900\nsmall_write_us = 85\n"
    Path("tiers.toml").write_text(
        f'[[tier]]\nname = "disk"\nsmall_read_us = 5000\n{stated}'
        f'[[tier]]\nname = "flash"\nrun = "{made}"\n{stated}',
        encoding="utf-8",
    )
    assert command([*words, "--interval", "1h", "--json"]) == ExitStatus.DONE
    found: Any = data(capsys)
    flash = found["tiers"][1]
    assert flash["runs"] == [made]
    assert flash["small_read_us"][0]["latency_us"] == pytest.approx(1000, rel=0.2)
    Path("tiers.toml").write_text(f'[[tier]]\nname = "flash"\nrun = "{made}"\n', encoding="utf-8")
    assert command(words) == ExitStatus.USAGE
    assert "measured no large reads" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("read_s", "status", "said"), [(330, ExitStatus.DONE, "right"), (7000, ExitStatus.DONE_IN_PART, "wrong")]
)
def test_a_plan_that_was_carried_out_is_held_against_what_was_measured(
    words: list[str], capsys: pytest.CaptureFixture[str], read_s: int, status: ExitStatus, said: str
) -> None:
    head = "object,bytes,tier,small_reads,large_reads,small_writes,read_s\n"
    Path("objects.csv").write_text(f"{head}hot,3g,disk,1500000,0,0,7830\ncold,800g,disk,1000,0,0,5\n")
    assert command([*words, "--interval", "1h"]) == ExitStatus.DONE
    Path("objects.csv").write_text(f"{head}hot,3g,flash,1500000,0,0,{read_s}\ncold,800g,disk,1000,0,0,5\n")
    capsys.readouterr()
    assert command([*words, "--interval", "1h", "--after", "latest"]) == status
    assert "What became of the plan before" in capsys.readouterr().out
    found = open_store().load("latest").placement
    assert found is not None
    assert found.after is not None
    assert found.after.reason.startswith(f"the plan latest was {said}: it was to save")
    assert (found.after.reason in found.reason) == (status is ExitStatus.DONE_IN_PART)


def test_what_is_no_plan_cannot_be_held_against_anything(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("plan.json").write_text("{}")
    assert command([*words, "--interval", "1h", "--after", "plan.json"]) == ExitStatus.USAGE
    assert "plan.json holds no plan" in capsys.readouterr().err
