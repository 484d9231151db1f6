"""A store is a database that people ask in SQL: its views hold what runs hold, and the manual's questions have answers."""

from __future__ import annotations

import re
from collections import Counter

import facts_runs
from documents import ROOT
from plimsoll.store import open_store
from plimsoll.store.columns import run_columns
from plimsoll.store.rows import to_rows
from plimsoll.store.tables import tables
from store_places import Locate, session_of


def test_a_question_in_sql_has_a_short_answer(locate: Locate) -> None:
    location = locate("sql")
    run = facts_runs.demo_run()
    open_store(location).save(run)
    assert run.line is not None
    assert run.demand is not None
    assert run.verdict is not None
    with session_of(location) as session:
        trials = session.execute(
            "SELECT rate, achieved, latency_us_p99 FROM trials ORDER BY position"
        ).fetchall()
        iops = session.execute(
            "SELECT iops FROM demand_intervals WHERE place LIKE 'results.demand.intervals%' ORDER BY begin_time"
        ).fetchall()
        joined = session.execute(
            "SELECT b.size_bytes FROM trials t JOIN cells c ON c.run_id = t.run_id AND c.place = t.place || '.cell' "
            "JOIN blobs b ON b.sha256 = c.latency_us_hdr ORDER BY t.position"
        ).fetchall()
        often = session.execute("SELECT target, line_iops, headroom FROM runs").fetchone()
        classes = session.execute(
            "SELECT key, ops_per_s FROM class_demands WHERE place LIKE 'results.demand.peak%' ORDER BY key"
        ).fetchall()
    assert trials == [(t.rate, t.achieved, t.latency_us.p99) for t in run.line.trials]
    assert iops == [(interval.iops,) for interval in run.demand.intervals]
    assert joined == [(len(t.cell.latency_us.hdr or b""),) for t in run.line.trials]
    assert often == (run.target and run.target.path, run.line.line_iops, run.verdict.headroom)
    assert run.demand.peak is not None
    assert classes == sorted((name, of.ops_per_s) for name, of in run.demand.peak.classes.items())


PAGE = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^```(sql|postgresql)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_questions_of_the_manual_have_answers(locate: Locate) -> None:
    location = locate("manual")
    store = open_store(location)
    for name, run in facts_runs.all_runs().items():
        store.save(run.model_copy(update={"id": name}))
    is_server, asked = location.startswith("postgresql://"), 0
    for dialect, question in QUESTIONS:
        if dialect == (
            "sql" if is_server and "substr" in question else "postgresql" if not is_server else ""
        ):
            continue
        with session_of(location) as session:
            assert session.execute(question).fetchall(), question
        asked += 1
    assert asked == len(QUESTIONS) - 1


def test_the_manual_names_every_column_of_runs() -> None:
    listed = PAGE.partition("Columns of `runs`:")[2].partition("A column for which")[0]
    assert re.findall(r"`(\w+)`", listed) == [column.name for column in run_columns()]


def test_every_view_of_every_run_has_as_many_rows_as_its_export(locate: Locate) -> None:
    """With `tests/unit/store/test_rows.py`, which holds each cell against SQLite. All runs are in the store at once: a database
    plans a view anew each time that it is asked.
    """
    location = locate("views")
    store = open_store(location)
    runs = [run.model_copy(update={"id": name}) for name, run in facts_runs.all_runs().items()]
    for run in runs:
        store.save(run)
    with session_of(location) as session:
        shown = {
            table.name: Counter(row[0] for row in session.execute(f"SELECT * FROM {table.name}").fetchall())
            for table in tables()
        }
    assert {run_id for found in shown.values() for run_id in found} == {run.id for run in runs}
    for run in runs:
        expected = {table.name: len(rows) for table, rows in to_rows(run).items()}
        assert {view: found[run.id] for view, found in shown.items() if found[run.id]} == expected, run.id
