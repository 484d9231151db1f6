"""Every verb in a Python process: reports, demands, other tools' files, pages, and asking again."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import fio_reports
import plimsoll
from latch_reports import latch_report
from plimsoll import api
from plimsoll.api._asking import request_of
from plimsoll.facts import Run
from plimsoll.flows.report import Page

pytestmark = pytest.mark.slow

SIM = "sim:mean=100us"


def test_reports_are_read_and_what_is_none_says_why(tmp_path: Path) -> None:
    (tmp_path / "late.txt").write_bytes(latch_report(begin="2016-01-31T05:00:00"))
    (tmp_path / "early.txt.gz").write_bytes(gzip.compress(latch_report(begin="2016-01-31T01:00:00")))
    (tmp_path / "diary.txt").write_bytes(b"dear diary")
    found = plimsoll.read(tmp_path, section="latches")
    assert [report.status for report in found.reports].count("unreadable") == 1
    assert [Path(report.file).name for report in found.unread] == ["diary.txt"]
    assert found.unread[0].problems
    assert found.frame().height == 3
    latches = [one for one in found.whole(1).sections if one.name == "latches"]
    assert found.frame("latches").height == 2 * sum(one.row_count for one in latches) > 0
    assert "3 reports" in repr(found)
    with pytest.raises(plimsoll.PlimsollError, match="the rows of 'load_profile' were not asked for"):
        found.frame("load_profile")
    with pytest.raises(plimsoll.PlimsollError, match="keep would have no effect without store"):
        plimsoll.read(tmp_path, keep=True)
    assert len(plimsoll.read(tmp_path, store=str(tmp_path / "runs.sqlite")).runs) == 2


def test_a_demand_of_reports(tmp_path: Path) -> None:
    (tmp_path / "awr.txt").write_bytes(latch_report())
    found = plimsoll.learn_demand(tmp_path / "awr.txt")
    assert found.run is None, "latches say nothing of demand"
    assert repr(found) == "<Demanded: no demand is known>"
    assert found.frame().height == len(found.demand.intervals) == 1
    assert found.frame("classes").height == len(found.demand.intervals[0].classes)


def test_what_fio_measured(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(fio_reports.report(fio_reports.job("a"), fio_reports.job("b"))))
    bad.write_text("{}")
    found = plimsoll.import_([good, bad])
    assert found.frame()["run"].to_list() == [found.runs[0].id] * 2
    assert [path for path, _ in found.failures] == [bad]
    assert "1 results imported, 1 files not" in repr(found)


def test_a_job_file_and_orions_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.fio").write_text(
        f"[a]\nfilename={tmp_path}/data\nsize=1m\nrw=randread\nioengine=psync\nruntime=1\n"
    )
    found = plimsoll.fio("a.fio", fio_json="a.json")
    assert (len(found.cells), found.failure) == (1, None)
    assert json.loads(Path("a.json").read_text())["jobs"][0]["jobname"] == "a"
    Path("orion.lun").write_text(f"{SIM},servers=4\n")
    test = plimsoll.orion(["-run", "simple", "-duration", "1"])
    assert len(test.files) > 3
    assert all(path.is_file() for path in test.files)
    for refused in (lambda: plimsoll.fio("a.fio", fio_json="-"), lambda: plimsoll.orion(["-help"])):
        with pytest.raises(plimsoll.PlimsollError, match="nothing is printed here"):
            refused()


def test_a_page_of_a_result_a_run_and_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is that run; pages themselves are tried elsewhere."""
    written: list[Run] = []

    def write(run: Run, out: Path) -> Page:
        written.append(run)
        return Page(out.absolute(), 1_200_000)

    monkeypatch.setattr("plimsoll.flows.report_figure.write_report", write)
    store = str(tmp_path / "runs.sqlite")
    found = plimsoll.measure(SIM, runtime="100ms", store=store)
    pages = [
        plimsoll.report(of, out=tmp_path / "p.html", store=store) for of in (found, found.run, found.run.id)
    ]
    assert written == [found.run] * 3
    assert repr(pages[0]) == f"<Page: {tmp_path}/p.html, 1.1 MiB>"


def test_a_stored_request_is_asked_again_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = plimsoll.measure(SIM, runtime="100ms", block="16k", seed=7, store="runs.sqlite")
    sets = plimsoll.working_sets(SIM, working_sets=["1m", "2m"], runtime="20ms", store="runs.sqlite")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    anew = plimsoll.again(first.run.id, store="../runs.sqlite")
    assert isinstance(anew, api.Measured)
    assert anew.cell.classes == first.cell.classes
    assert (anew.run.request, anew.run.provenance.command) == (first.run.request, "plimsoll.measure()")
    assert isinstance(plimsoll.again(sets.run.id, store="../runs.sqlite"), api.Visited)
    assert Path.cwd() == elsewhere
    assert os.listdir(elsewhere) == []


def test_what_has_no_request_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = str(tmp_path / "runs.sqlite")
    (tmp_path / "asked").mkdir()
    monkeypatch.chdir(tmp_path / "asked")
    kept = plimsoll.measure(SIM, runtime="100ms", store=store).run
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asked").rmdir()
    with pytest.raises(plimsoll.PlimsollError, match="cannot go to"):
        plimsoll.again(kept.id, store=store)
    from plimsoll.store import open_store

    open_store(store).save(kept.model_copy(update={"id": "20260101-000000-aaaaaa", "request": None}))
    with pytest.raises(plimsoll.PlimsollError, match="keeps no request"):
        plimsoll.again("20260101-000000-aaaaaa", store=store)


EXAMPLES = {
    name: inspect.cleandoc(text)
    for name in api.__all__
    if request_of(getattr(api, name)) is not None
    and "sim:" in (text := (getattr(api, name).__doc__ or "").partition("\nExample:\n")[2])
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_docstring_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(EXAMPLES[name], {"plimsoll": plimsoll})  # noqa: S102 - that is what it is for


def test_a_result_shows_little_however_much_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plimsoll.line(SIM, slo="p99=1ms", trial="1s")
    assert len(found.json()) > 50_000
    assert len(repr(found)) < 200
    assert repr(found).startswith("<Found: line ")
    html = found._repr_html_()
    assert len(html) < 4_000
    assert "<th>held</th>" in html
    assert f"{len(found.line.trials) - 10} more rows: frame()" in html


def test_what_a_stranger_named_is_no_markup_in_a_notebook() -> None:
    found = plimsoll.measure(SIM, runtime="100ms")
    named = Run.model_validate({**found.run.__dict__, "title": "<script>alert(1)</script>"})
    assert "<script>" not in api.Measured(named)._repr_html_()


def test_a_result_is_a_table_to_whatever_reads_arrow() -> None:
    import duckdb
    import polars
    import pyarrow

    found = plimsoll.measure(SIM, rw="randrw", runtime="200ms")
    rows = found.frame().select("name", "ios").rows()
    assert polars.DataFrame(found).select("name", "ios").rows() == rows
    assert pyarrow.table(found).select(["name", "ios"]).to_pylist()[0]["ios"] == rows[0][1]
    assert duckdb.execute("SELECT name, ios FROM found").fetchall() == rows


def test_a_pandas_frame_is_had_where_pandas_is() -> None:
    import pandas

    found = plimsoll.measure(SIM, runtime="100ms")
    assert isinstance(found.to_pandas(), pandas.DataFrame)
    assert len(found.to_pandas("windows")) == len(found.cell.windows)


def test_without_pandas_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(plimsoll.PlimsollError, match="needs pandas and pyarrow") as refused:
        plimsoll.measure(SIM, runtime="100ms").to_pandas()
    assert refused.value.id == "extra-missing"


def test_a_fact_in_a_notebook_is_short_too() -> None:
    """IPython asks for this text in place of `repr`, which has everything."""
    told: list[str] = []
    line = plimsoll.line(SIM, slo="p99=1ms", trial="1s").line
    line._repr_pretty_(SimpleNamespace(text=told.append), False)
    assert len(repr(line)) > 10_000
    assert len(told[0]) < 1_000
    assert told[0].startswith("Line(line_iops=")
    assert f"trials=<{len(line.trials)} Trial>" in told[0]


def test_a_kept_run_has_the_tags_of_the_call(tmp_path: Path) -> None:
    store = str(tmp_path / "runs.sqlite")
    one = plimsoll.measure(SIM, runtime="100ms", store=store, tag="flash")
    several = plimsoll.measure(SIM, runtime="100ms", store=store, tag=["flash", "after", "flash"])
    assert (one.run.tags, several.run.tags) == (("flash",), ("flash", "after"))
    assert plimsoll.load(one.run.id, store).tags == ("flash",)
    for words, said in (
        ({"tag": "flash"}, "tag would have no effect without store"),
        ({"tag": "not one", "store": store}, "'not one' is no tag"),
    ):
        with pytest.raises(plimsoll.PlimsollError, match=said):
            plimsoll.measure(SIM, runtime="100ms", **words)
    with pytest.raises(plimsoll.PlimsollError, match="tag would have no effect with report"):
        plimsoll.report(one, out=tmp_path / "p.html", tag="flash", store=store)
