"""A kind of result is one file: put into a folder of its own, it is stored, listed, asked for in SQL, shown and drawn on a page."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import facts_runs
from plimsoll import results
from plimsoll.cli.main import run as command
from plimsoll.facts import Run
from plimsoll.facts.document import document_of, run_of
from plimsoll.facts.run import RESULTS
from plimsoll.flows.record import make_run
from plimsoll.pages import build
from plimsoll.store import columns, open_store, schema, tables
from simulated import context

FILE = '''"""How far a lamp is visible, for a test."""
from plimsoll.base.errors import ExitStatus
from plimsoll.charts import Table
from plimsoll.facts import Fact
from plimsoll.results import Grid, ResultKind, RunColumn, Words

class Flash(Fact):
    seen_s: float

class Lamp(Fact):
    range_km: float
    flashes: tuple[Flash, ...] = ()

RESULT = ResultKind(
    fact=Lamp,
    rank=5,
    answer=lambda lamp: f"seen from {lamp.range_km:g} km",
    status=lambda run: ExitStatus.ANSWER_IS_NO if run.results["lamp"].range_km < 10 else ExitStatus.DONE,
    columns=(RunColumn("lamp_range_km", "real", lambda run: "lamp" in run.results and run.results["lamp"].range_km or None),),
    title="The lamp",
    help="How far it is seen.",
    page_rank=27,
    blocks=lambda run: [
        Words(f"The lamp is seen from {run.results['lamp'].range_km:g} km."),
        Grid("Flashes", Table(("seen",), tuple((f"{one.seen_s} s",) for one in run.results["lamp"].flashes), (True,))),
    ],
)
'''


@pytest.fixture
def lamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """A run with a lamp, whose kind lies in a folder of its own."""
    (tmp_path / "kinds").mkdir()
    (tmp_path / "kinds" / "lamp.py").write_text(FILE)
    monkeypatch.setattr(results, "__path__", [*results.__path__, str(tmp_path / "kinds")])
    _look_again()
    fact = results.kinds()["lamp"].fact
    yield facts_runs.io_run().model_copy(
        update={
            "id": "lamp-1",
            "cell": None,
            "lamp": fact(range_km=7.5, flashes=({"seen_s": 1}, {"seen_s": 4})),
        }
    )
    monkeypatch.undo()
    _forgotten()


def _forgotten() -> None:
    RESULTS.pop("lamp", None)
    _look_again()


def _look_again() -> None:
    """What was derived from the kinds that were there."""
    for derived in (
        results.kinds, columns.run_columns, tables.tables, tables.places, tables.facts_with_table, tables.table_of,
        schema.view_selects, schema.derived, schema.fingerprint,
    ):  # fmt: skip
        derived.cache_clear()


def test_its_document_is_its_own(lamp: Run) -> None:
    assert run_of(document_of(lamp)) == lamp


def test_it_is_stored_listed_and_asked_for_in_sql(lamp: Run, tmp_path: Path) -> None:
    place = tmp_path / "s.sqlite"
    open_store(str(place)).save(lamp)
    assert open_store(str(place)).load("latest") == lamp
    assert open_store(str(place)).summaries()[0].result == "seen from 7.5 km"
    with closing(sqlite3.connect(place)) as session:
        assert session.execute("SELECT lamp_range_km FROM runs").fetchall() == [(7.5,)]
        assert session.execute("SELECT range_km, place FROM lamps").fetchall() == [(7.5, "results.lamp")]
        assert session.execute("SELECT seen_s FROM flashes ORDER BY position").fetchall() == [(1.0,), (4.0,)]


def test_it_is_made_and_read_again_before_anybody_asked_for_the_kinds(lamp: Run, tmp_path: Path) -> None:
    """As in a process that has just begun."""
    fact = results.kinds()["lamp"].fact
    _forgotten()
    with context(tmp_path / "journals") as ctx:
        assert make_run(ctx, "io", "dark", lamp.started_at, lamp=None).results == {}
    open_store().save(lamp)
    _forgotten()
    assert isinstance(open_store().load("latest").results["lamp"], fact)


def test_it_is_shown_on_a_terminal_and_on_the_page(lamp: Run, capsys: pytest.CaptureFixture[str]) -> None:
    open_store().save(lamp)
    assert command(["store", "show", "latest"]) == 0
    assert "The lamp is seen from 7.5 km.\nFlashes\n seen\n1.0 s\n4.0 s\n" in capsys.readouterr().out
    assert results.status(lamp) == 1
    page = build(lamp)
    assert ">The lamp<" in page
    assert "seen from 7.5" in page.replace("\u00a0", " ")


def test_a_kind_that_nobody_knows_keeps_its_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(document_of(facts_runs.demand_run()).text)
    whole["results"] = {"lighthouse": {"range_km": 7.5, "lamps": [1, 2]}}
    foreign = Run.model_validate(whole)
    assert foreign.results == whole["results"]
    open_store().save(foreign)
    assert open_store().load("latest") == foreign
    assert open_store().summaries()[0].result == "a result of the kind lighthouse, which is not known here"
    assert command(["store", "show", "latest"]) == 0
    out = capsys.readouterr().out
    assert "a result of the kind lighthouse, which is not known here:" in out
    assert '"range_km": 7.5' in out
    assert command(["store", "show", "latest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["results"] == whole["results"]
    assert "lighthouse" in build(foreign)


def test_every_kind_that_a_run_can_hold_has_its_file() -> None:
    assert set(results.kinds()) == set(RESULTS)
    assert len({kind.rank for kind in results.kinds().values()}) == len(RESULTS)
