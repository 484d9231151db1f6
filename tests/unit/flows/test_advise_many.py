"""Advice on thousands of intervals is that on a few: the same words, document, pages and store, though no fact is kept as one."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advice_reports import report
from plimsoll.cli.main import run
from plimsoll.facts import Advice, Finding, IntervalVerdict
from plimsoll.facts.packed import PackedFacts
from plimsoll.flows.advise import advise_on_reports, keep_advice
from plimsoll.requests.advise import AdviseRequest
from plimsoll.results import advice as told
from plimsoll.rules import _advice, advice_of, without_waits
from plimsoll.store import open_store
from plimsoll.store.tables import tables
from simulated import context
from store_places import session_of

READ, COMMIT = "db file sequential read", "log file sync"
_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-z]{6}")
FORMS = ([], ["--format", "csv"], ["--format", "ndjson", "--table", "interval_verdicts"], ["--json"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hours of three databases that wait for reads and commits, more each time; of one an hour that tells no waits."""
    made = tmp_path / "reports"
    made.mkdir()
    for number, name in enumerate(["SHOP", "CRM", "SHOP", "SHOP", "HR", "CRM"]):
        seconds = 500.0 + 400.0 * number
        data = report(
            {READ: (200_000, seconds), COMMIT: (10_000, 100.0)},
            db_time_s=seconds + 900.0,
            cpu_s=400.0,
            db_name=name,
            begin=f"01-May-24 1{number}:00:00",
            end=f"01-May-24 1{number}:16:40",
        )
        (made / f"{number}.html").write_bytes(data)
    (made / "notes.txt").write_text("dear diary\n")
    return made


def as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on one interval is many."""
    monkeypatch.setattr(_advice, "HELD_MAX", 0)


def twice(monkeypatch: pytest.MonkeyPatch, make: Callable[[str], Any]) -> list[Any]:
    """What is made of a few, and of as many."""
    few = make("few")
    as_many(monkeypatch)
    return [few, make("many")]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: " ".join(form) or "text")
def test_it_prints_the_same(
    form: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(_: str) -> tuple[int, str]:
        status = run(["advise", str(folder), *form])
        return status, _RUN_ID.sub("RUN", capsys.readouterr().out)

    few, many = twice(monkeypatch, printed)
    assert few == many
    assert few[0] == 5
    assert READ in few[1]


def test_it_writes_the_same_pages(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pages(which: str) -> dict[str, str]:
        made = tmp_path / which
        made.mkdir()
        run(["advise", str(folder), "-o", str(made)])
        run(["advise", str(folder), "-o", str(made / "all.html")])
        texts = {path.name: path.read_text() for path in made.iterdir()}
        return {name: _without_times(text) for name, text in texts.items()}

    few, many = twice(monkeypatch, pages)
    assert few.keys() == many.keys() == {"all.html", "shop.html", "crm.html", "hr.html"}
    for name, text in few.items():
        assert text == many[name], name


def _without_times(page: str) -> str:
    """The run has its own id, moment and duration each time, and stands with its command."""
    plain = re.sub(r"-o \S*?/(few|many)", "-o", _RUN_ID.sub("RUN", page))
    plain = re.sub(r"<dd>0\.\d+ s</dd>", "<dd>DURATION</dd>", plain)
    return re.sub(r"\d\d:\d\d:\d\d(\.\d+)?", "TIME", plain)


def test_it_stores_the_same(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stored(which: str) -> tuple[Any, dict[str, list[tuple[Any, ...]]]]:
        place = str(tmp_path / f"{which}.sqlite")
        run(["advise", str(folder), "--store", place])
        store = open_store(place)
        kept = store.load("latest")
        advised = {table.name: [column.name for column in table.all_columns] for table in tables()}
        with session_of(place) as session:
            rows = {
                name: session.execute(
                    f"SELECT {', '.join(columns[1:])} FROM {name} WHERE place LIKE 'results.%' ORDER BY place"
                ).fetchall()
                for name, columns in advised.items()
            }
        return kept.results, rows

    few, many = twice(monkeypatch, stored)
    assert few == many
    assert len(few[1]["findings"]) == len(few[0]["advice"].findings) > 6
    assert few[1]["changes"]
    assert few[1]["recurring_findings"]


def test_the_run_is_the_one_that_is_loaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_many(monkeypatch)
    with context(tmp_path / "journals") as ctx:
        found = advise_on_reports(ctx, AdviseRequest(paths=(str(folder),)))
        kept = keep_advice(ctx, found)
        assert isinstance(found.advice.findings, PackedFacts)
        assert ctx.store.load(kept.id) == kept


def _hours(many: int) -> Advice:
    """Of so many hours of a database each."""
    return advice_of(
        [
            without_waits(f"{number}.html", "ash", db_name=f"DB{number}", db_id=number)
            for number in range(many)
        ]
    )


def _facts_alive() -> set[int]:
    return {id(one) for one in gc.get_objects() if isinstance(one, IntervalVerdict | Finding)}


def test_of_many_none_is_kept_as_a_fact() -> None:
    before = _facts_alive()  # other tests may keep some
    advice = _hours(_advice.HELD_MAX + 1)
    gc.collect()
    assert not _facts_alive() - before
    assert len(advice.verdicts) == _advice.HELD_MAX + 1
    assert isinstance(_hours(_advice.HELD_MAX).verdicts, tuple)


def test_what_people_see_of_many_takes_them_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    advice = _hours(_advice.HELD_MAX + 1)
    alive: list[int] = []
    answer = told._badness

    def seen(one: IntervalVerdict) -> tuple[bool, float, float]:
        if not len(alive) % 100:
            gc.collect()
        alive.append(sum(isinstance(some, IntervalVerdict) for some in gc.get_objects(generation=0)))
        return answer(one)

    monkeypatch.setattr(told, "_badness", seen)
    assert told._worst(advice.verdicts)[1].verdict == "cannot tell"
    assert max(alive) < 10


def test_a_tie_is_that_of_whom_came_first(folder: Path, tmp_path: Path) -> None:
    """Two databases of the same times: what stood first stands first."""
    for name in ("A", "B"):
        data = report({READ: (200_000, 1000.0)}, db_time_s=2000.0, cpu_s=400.0, db_name=name)
        (folder / f"{name}.html").write_bytes(data)
    with context(tmp_path / "journals") as ctx:
        advice = advise_on_reports(ctx, AdviseRequest(paths=(str(folder / "B.html"), str(folder / "A.html"))))
    assert [one.file[-6:] for one in advice.advice.verdicts] == ["A.html", "B.html"]
    assert told._worst(advice.advice.verdicts)[0] == 0
    assert json.loads(advice.advice.model_dump_json())["recurring"] == []
