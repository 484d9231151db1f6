"""`plimsoll compare` and what finds runs for it: sides, tags, notes, stores that are not there, the page."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import facts_runs
import plimsoll
from plimsoll.base.errors import UsageError
from plimsoll.cli.main import run
from plimsoll.facts import Run
from plimsoll.native.latency import latency_of_counts
from plimsoll.store import open_store


@pytest.fixture
def kept() -> list[Run]:
    """Four I/O runs a minute apart in the default store, two of each tag, and a line before them."""
    made = [facts_runs.line_run()]
    for at, tag in enumerate(["before", "before", "after", "after"]):
        one = facts_runs.io_run()
        assert one.cell is not None
        rate, spread = one.cell.iops * (1 + at // 2 + at / 1000), latency_of_counts([(100.0 + at, 500)])
        changed = one.cell.model_copy(update={"iops": rate, "latency_us": spread})
        began = one.started_at + timedelta(minutes=1 + at)
        made.append(
            one.model_copy(update={"id": f"2025-{at}", "started_at": began, "tags": (tag,), "cell": changed})
        )
    for one in made:
        open_store().save(one)
    return made


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status = run([*words, "--json"])
    document = json.loads(capsys.readouterr().out)
    return document["data"] | {"status": status}


@pytest.mark.usefixtures("kept")
def test_sides_are_runs_repeats_or_tags(capsys: pytest.CaptureFixture[str]) -> None:
    by_tag = said(capsys, "compare", "tag:before", "tag:after")
    assert [side["runs"] for side in by_tag["sides"]] == [["2025-1", "2025-0"], ["2025-3", "2025-2"]]
    assert by_tag["figures"][0]["changes"][0]["told"] == "more"
    joined = said(capsys, "compare", "2025-1,2025-0", "latest,latest~1")
    assert {**joined, "headline": ""} == {**by_tag, "headline": ""}
    assert plimsoll.compare("tag:before", "tag:after").headline == by_tag["headline"]
    assert said(capsys, "prove", "compare", "latest~1", "latest")["status"] == 0


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("words", "id"),
    [
        (["latest"], "compare-one"),
        (["latest", "2025-3"], "compare-one"),
        (["latest", "latest~4"], "compare-unlike"),
        (["latest", "tag:never"], "tag-unknown"),
        (["latest", "tag:"], "tag-unreadable"),
        (["latest", "tag:before,,"], "tag-unreadable"),
        (["latest", "latest~5"], "run-unknown"),
        (["latest", "2025"], "run-ambiguous"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    words: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = said(capsys, "compare", *words)
    assert (refused["id"], refused["status"]) == (id, 2)
    if id == "run-ambiguous":
        assert "2025-0, 2025-1" in refused["hint"]


def test_a_run_that_is_not_valid_ends_it_with_one(
    kept: list[Run], capsys: pytest.CaptureFixture[str]
) -> None:
    open_store().save(kept[1].model_copy(update={"id": "cut", "interrupted": True}))
    assert run(["compare", "2025-0", "cut"]) == 1
    assert capsys.readouterr().out.startswith("not valid, B: it was interrupted. ")


@pytest.mark.usefixtures("kept")
def test_the_page_lays_distributions_over_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = said(capsys, "compare", "tag:before", "tag:after", "--html", str(tmp_path / "c.html"))
    text = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert data["page"] == str(tmp_path / "c.html")
    assert {"A: all I/Os", "B: all I/Os"} <= set(re.findall(r"[AB]: all I/Os", text))
    assert "B against A" in text
    assert len(open_store().summaries()) == 5, "a comparison is no run"
    refused = said(capsys, "compare", "tag:before", "tag:after", "--html", str(tmp_path))
    assert (refused["status"], refused["hint"]) == (4, "Name another file with --html.")


@pytest.mark.usefixtures("kept")
def test_tags_and_notes_are_changed_and_results_stay(capsys: pytest.CaptureFixture[str]) -> None:
    before = open_store().load("2025-0")
    assert said(capsys, "store", "tag", "2025-0", "flash", "flash", "before")["tags"] == ["before", "flash"]
    assert said(capsys, "store", "tag", "2025-0", "before", "--remove")["tags"] == ["flash"]
    assert plimsoll.tag("2025-0", "b_1").tags == ("flash", "b_1")
    assert said(capsys, "store", "note", "2025-0", "after the firmware")["status"] == 0
    after = open_store().load("2025-0")
    assert [note.message for note in after.notes] == ["after the firmware"]
    assert after.model_copy(update={"tags": before.tags, "notes": before.notes}) == before
    assert [one["id"] for one in said(capsys, "store", "list", "--tag", "b_1")["runs"]] == ["2025-0"]
    assert said(capsys, "store", "list", "--tag", "bx1")["runs"] == []


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("words", "id"),
    [
        (["tag", "latest", "a tag"], "tag-unreadable"),
        (["tag", "latest", *map("t{}".format, range(21))], "tags-many"),
        (["note", "latest", " "], "note-empty"),
    ],
)
def test_tags_and_notes_that_cannot_be_are_refused(
    words: list[str], id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = said(capsys, "store", *words)
    assert (refused["id"], refused["status"]) == (id, 2)


def test_a_measurement_is_tagged_as_it_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "sim:", "--runtime", "0.1", "--tag", "a", "--tag", "b", "--json"]) in (0, 1)
    capsys.readouterr()
    stored = open_store().load("latest")
    assert stored.tags == ("a", "b")
    assert stored.request is not None
    assert "tag" not in stored.request.words, "asked again, it is another run"


def test_a_list_has_what_fits_every_filter(kept: list[Run], capsys: pytest.CaptureFixture[str]) -> None:
    def ids(*words: str) -> list[str]:
        return [one["id"] for one in said(capsys, "store", "list", *words)["runs"]]

    assert ids("--kind", "line") == [kept[0].id]
    assert ids("--tag", "after", "--limit", "1") == ["2025-3"]
    assert ids("--tag", "after", "--tag", "before") == []
    assert len(ids("--target", "PLIMSOLL")) == 5
    assert ids("--target", "read 8 kib", "--limit", "2") == ["2025-3", "2025-2"]
    assert ids("--target", "8_kib") == ids("--target", "%") == []
    assert ids("--since", "1d") == []
    assert len(ids("--since", "10000d")) == 5


@pytest.mark.parametrize("verb", ["list", "show latest", "tag latest a", "prune --older-than 1d"])
def test_a_store_that_was_named_and_is_not_there_is_no_empty_one(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(tmp_path / "no" / "such.sqlite")
    refused = said(capsys, "store", *verb.split(), "--store", place)
    assert (refused["id"], refused["status"]) == ("store-missing", 2)
    assert list(tmp_path.iterdir()) == []


def test_the_default_store_need_not_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "store", "list")["runs"] == []
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "made.sqlite"))
    with pytest.raises(UsageError) as refused:
        plimsoll.compare("latest~1", "latest")
    assert refused.value.id == "store-missing"
    assert run(["io", "sim:", "--runtime", "0.1", "--json"]) in (0, 1)
    assert len(open_store().summaries()) == 1, "what writes makes it"
