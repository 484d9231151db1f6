"""What speaks against a calibration or an interference stands in its first sentence, on the page and in the store's list."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_builder
import facts_runs
import facts_supply
from plimsoll.cli import main
from plimsoll.facts import Cell, Check
from plimsoll.store import summarize
from plimsoll.supply.failed_checks import failed_words
from simulated_cells import reads


def cell(*failed: str) -> Cell:
    checks = tuple(Check(name=name, passed=False, reason="so") for name in failed)
    return facts_builder.cell(None, reads()).model_copy(update={"checks": checks})


def test_failed_ios_are_told_first_and_warnings_are_no_doubt() -> None:
    assert failed_words([cell(), cell("drift", "stalls")]) == ""
    assert failed_words([cell("cliff", "drift"), cell()]) == "not valid at 1 of 2 points: cliff"
    found = [cell("errors"), cell("reached", "errors"), cell("cliff"), cell()]
    assert failed_words(found) == "I/Os failed at 2 of 4 points; not valid at 2: cliff, reached"


def test_the_list_says_that_a_ratio_is_a_bound_and_what_failed_where_there_is_none() -> None:
    found = facts_supply.interference()
    told = summarize(facts_runs.interference_run()).result
    assert told.startswith("at worst p99 at least × 6.2: oltp read beside scans")
    late = found.encounters[0].model_copy(update={"cell": cell("kept_up")})
    none = found.model_copy(update={"effects": (), "encounters": (late,)})
    run = facts_runs.interference_run().model_copy(update={"interference": none})
    assert summarize(run).result == "no pair was measured; not valid at 1 of 1 points: kept_up"


@pytest.mark.parametrize(
    ("words", "status", "doubt"),
    [
        (
            ["calibrate", "sim:mean=1ms,servers=4,burst_ios=20000,burst_mean=100us"],
            1,
            "Not valid at ",
        ),
        (["calibrate", "sim:mean=1ms,servers=4,error=0.0005"], 4, "Not valid: I/Os failed at "),
        (
            ["shapes", "sim:mean=1ms,servers=4,error=0.0005", "--only", "oltp-readers,scans"],
            4,
            "Not valid: I/Os failed at ",
        ),
    ],
    ids=["cliff", "errors", "shapes"],
)
def test_the_first_sentence_the_page_and_the_list_say_it(
    words: list[str], status: int, doubt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, page = str(tmp_path / "runs.sqlite"), tmp_path / "page.html"
    assert main.run([*words, "--store", store]) == status
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(doubt), "each word once"
    told = first.removeprefix("Not valid: ").removesuffix(".")
    told = told[0].lower() + told[1:] if told.startswith("Not") else told
    assert main.run(["store", "list", "--store", store, "--json"]) == 0
    assert f"; {told}" in capsys.readouterr().out
    assert main.run(["report", "latest", "--store", store, "-o", str(page)]) == 0
    said = page.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ").replace("&#39;", "'")
    assert f"; {told}" in said
