"""Advice on reports in files, folders and archives, from the command's words to page and store."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import facts_runs
import plimsoll
from advice_articles import LGWR_RUN_1
from advice_reports import report
from latch_reports import latch_report
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.cli.main import run
from plimsoll.context import Context
from plimsoll.flows.advise import advise_on, advise_on_reports, keep_advice, storage_of
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.advise import AdviseRequest
from plimsoll.store import open_store
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render
from simulated import context
from tiny_reports import Table
from watched_demand import watched

READS = {"db file sequential read": (200_000, 1000.0)}
LAYOUTS = [
    Layout("19", Kind.AWR, Form.HTML),
    Layout("12.1", Kind.STATSPACK, Form.TEXT),
    Layout("19", Kind.GLOBAL, Form.HTML),
]


ASH = """ASH Report For SHOP/shop

DB Name         DB Id    Instance     Inst Num Release     RAC Host
------------ ----------- ------------ -------- ----------- --- ------------
SHOP                   7 shop                1 11.2.0.2.0  NO  db7

Top User Events               DB/Inst: SHOP/shop  (May 01 10:00 to 10:15)

                                                               Avg Active
Event                               Event Class        % Event   Sessions
----------------------------------- --------------- ---------- ----------
db file sequential read             User I/O             61.20       2.04
          -------------------------------------------------------------
"""


def elapsed_list(*statements: tuple[str, str]) -> Table:
    """SQL ordered by Elapsed Time: id and seconds."""
    headings = ("Elapsed Time (s)", "Executions", "SQL Id")
    return "SQL ordered by Elapsed Time", headings, [(elapsed, "10", name) for name, elapsed in statements]


def samples(statement: str, plan: str) -> Table:
    """Top SQL with Top Events."""
    headings = (
        "SQL ID",
        "Planhash",
        "Sampled # of Executions",
        "% Activity",
        "Event",
        "% Event",
        "Top Row Source",
        "% RwSrc",
    )
    return (
        "Top SQL with Top Events",
        headings,
        [(statement, plan, "7", "9.5", "db file sequential read", "5.5", "INDEX", "2.5")],
    )


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two hours of one database: reads, then more of them."""
    made = tmp_path / "reports"
    made.mkdir()
    (made / "a.html").write_bytes(report(READS, db_time_s=2000.0, cpu_s=400.0))
    more = {"db file sequential read": (500_000, 2500.0)}
    begin, end = "01-May-24 11:00:00", "01-May-24 11:16:40"
    (made / "b.html").write_bytes(report(more, db_time_s=3500.0, cpu_s=400.0, begin=begin, end=end))
    return made


def asked(*paths: Path) -> AdviseRequest:
    return AdviseRequest(paths=tuple(map(str, paths)))


def kept_demand(store: Path, kind: str) -> None:
    """Keeps a demand of a database of that kind."""
    kept = facts_runs.demand_run()
    assert kept.demand is not None
    demand = kept.demand.but(database=kept.demand.database.but(kind=kind))
    open_store(str(store)).save(kept.model_copy(update={"demand": demand}))


def test_a_folder_gives_verdicts_what_recurs_and_what_changed(ctx: Context, folder: Path) -> None:
    (folder / "copy.html.gz").write_bytes(gzip.compress((folder / "a.html").read_bytes()))
    found = advise_on_reports(ctx, asked(folder))
    assert [one.verdict for one in found.advice.verdicts] == ["storage-bound", "storage-bound"]
    (again,) = [one for one in found.advice.recurring if one.rule == "single-block-reads"]
    assert (again.interval_count, again.db_time_s, again.worst_s) == (2, 3500.0, 2500.0)
    (change,) = found.advice.changes
    assert (change.event, change.before_s, change.after_s) == ("db file sequential read", 1000.0, 2500.0)
    assert [note.code for note in found.advice.notes] == ["report-twice"]
    assert found.status is ExitStatus.DONE


def test_the_worst_interval_is_told_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advise", str(folder)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("The worst interval is b.html, from 2024-05-01 11:00:00: storage-bound.")


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_cell_of_evidence_is_in_the_report(ctx: Context, tmp_path: Path, layout: Layout) -> None:
    for seed in range(3):
        (tmp_path / f"{seed}.rep").write_bytes(render(invent(seed), layout))
    found = advise_on_reports(ctx, asked(*tmp_path.glob("*.rep"))).advice
    cells = [cell for one in (*found.findings, *found.verdicts, *found.changes) for cell in one.evidence]
    assert len(found.verdicts) == 3
    assert cells
    for cell in cells:
        assert cell.line is not None
        line = Path(cell.file).read_text("utf-8", "replace").splitlines()[cell.line - 1 :]
        assert cell.value in " ".join(line[:40]), cell


def test_every_report_of_the_generator_has_a_verdict_with_its_reason(ctx: Context, tmp_path: Path) -> None:
    for seed in range(4):
        (tmp_path / f"{seed}.html").write_bytes(render(invent(seed), LAYOUTS[0]))
    found = advise_on_reports(ctx, asked(tmp_path))
    assert len(found.advice.verdicts) == 4
    assert all(one.reason for one in found.advice.verdicts)


def test_what_tells_no_waits_is_left_out_with_a_note(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "good.html").write_bytes(report(READS, db_time_s=2000.0, cpu_s=400.0))
    (tmp_path / "notes.txt").write_text("nothing of a database")
    found = advise_on_reports(ctx, asked(tmp_path))
    assert len(found.advice.verdicts) == 1
    assert [note.code for note in found.advice.notes] == ["report-unread"]
    assert found.status is ExitStatus.DONE_IN_PART


def test_what_could_not_be_read_is_in_the_json_in_the_run_and_on_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "good.html").write_bytes(report(READS, db_time_s=2000.0, cpu_s=400.0))
    for name in ("a.txt", "b.txt"):
        (tmp_path / "in" / name).write_text("nothing of a database")
    page = tmp_path / "page.html"
    assert run(["advise", str(tmp_path / "in"), "--out", str(page), "--json"]) == 5
    data = json.loads(capsys.readouterr().out)["data"]
    assert [Path(one["file"]).name for one in data["unread_files"]] == ["a.txt", "b.txt"]
    assert {one["code"] for one in data["unread_files"]} == {"report-unknown"}
    assert data["unreached"] == 0
    told = page.read_text()
    assert "What was not read" in told
    assert all(str(tmp_path / "in" / name) in told for name in ("a.txt", "b.txt"))
    assert run(["store", "show", data["run"], "--json"]) in (0, 5)
    kept = json.loads(capsys.readouterr().out)["data"]
    assert kept["results"]["unread"]["files"] == data["unread_files"]


def test_of_what_was_left_it_is_said_how_much(ctx: Context, folder: Path) -> None:
    ctx.cancel.set()
    found = advise_on_reports(ctx, asked(folder))
    assert found.unreached == len(list(folder.iterdir()))
    assert [note.code for note in found.advice.notes] == ["files-unreached"]
    kept = keep_advice(ctx, found).results["unread"]
    assert (kept.files, kept.unreached) == ((), found.unreached)
    assert found.status is ExitStatus.INTERRUPTED


def test_a_run_of_advice_lasts_as_long_as_its_reading(ctx: Context, folder: Path) -> None:
    clock = VirtualClock()
    began_at = clock.now()
    later = replace(ctx, clock=clock)
    found = advise_on(later, asked(folder))
    clock.sleep(9.0)
    run = keep_advice(later, found)
    assert (run.started_at, run.ended_at) == (began_at, began_at + timedelta(seconds=9.0))


def test_a_report_without_waits_cannot_tell(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "latches.html").write_bytes(latch_report())
    (verdict,) = advise_on_reports(ctx, asked(tmp_path)).advice.verdicts
    assert verdict.verdict in ("cannot tell", "idle")
    assert verdict.reason


def test_a_report_that_is_cut_off_is_said_to_be(ctx: Context, folder: Path) -> None:
    """The waits that it lost may have been those that decide."""
    whole = (folder / "a.html").read_bytes()
    (folder / "a.html").write_bytes(whole[: whole.index(b"db file sequential read")])
    found = advise_on_reports(ctx, asked(folder))
    assert len(found.advice.verdicts) == 2
    (note,) = [one for one in found.advice.notes if one.code == "report-partial"]
    assert note.message.startswith(f"{folder / 'a.html'} was read in part, and what is missing is not in")
    assert "the report is cut off" in note.message
    assert found.status is ExitStatus.DONE_IN_PART


def test_an_interval_in_two_formats_counts_once(ctx: Context, tmp_path: Path) -> None:
    """HTML is taken, which cuts no names, whichever is named first."""
    facts = invent(0, Scale(instances=1))
    for name, form in (("a.txt", Form.TEXT), ("b.html", Form.HTML)):
        (tmp_path / name).write_bytes(render(facts, Layout("19", Kind.AWR, form)))
    found = advise_on_reports(ctx, asked(tmp_path)).advice
    assert [Path(one.file).name for one in found.verdicts] == ["b.html"]
    assert not found.recurring
    (note,) = [one for one in found.notes if one.code == "interval-twice"]
    assert "a.txt is another print of an interval that is there already" in note.message


def test_a_report_that_prints_no_waits_has_a_verdict_that_says_so(ctx: Context, tmp_path: Path) -> None:
    (tmp_path / "ash.txt").write_text(ASH)
    found = advise_on_reports(ctx, asked(tmp_path))
    (verdict,) = found.advice.verdicts
    assert (verdict.verdict, verdict.faster_storage_helps) == ("cannot tell", "unknown")
    assert verdict.reason == "a report of kind ash prints no waits of an interval"
    assert found.status is ExitStatus.DONE_IN_PART


def test_intervals_that_overlap_are_said_to(ctx: Context, folder: Path) -> None:
    inside = report(
        READS, db_time_s=1900.0, cpu_s=400.0, begin="01-May-24 10:05:00", end="01-May-24 10:20:00"
    )
    (folder / "c.html").write_bytes(inside)
    (note,) = [
        one for one in advise_on_reports(ctx, asked(folder)).advice.notes if one.code == "interval-overlap"
    ]
    assert "what recurs counts that time twice" in note.message


def test_what_changed_names_statements_and_their_plans(ctx: Context, tmp_path: Path) -> None:
    for hour, (elapsed, plan) in enumerate((("90", "111"), ("2,400", "222"))):
        waits = {"db file sequential read": (200_000, 500.0 if hour == 0 else 2500.0)}
        begin, end = f"01-May-24 1{hour}:00:00", f"01-May-24 1{hour}:16:40"
        tables = [
            elapsed_list(("aaaaaaaaaaaaa", elapsed), ("bbbbbbbbbbbbb", "40")),
            samples("aaaaaaaaaaaaa", plan),
        ]
        data = report(waits, db_time_s=3500.0, cpu_s=400.0, begin=begin, end=end, more=tables)
        (tmp_path / f"{hour}.html").write_bytes(data)
    (change,) = advise_on_reports(ctx, asked(tmp_path)).advice.changes
    (statement,) = change.statements
    assert (statement.statement, statement.before_s, statement.after_s) == ("aaaaaaaaaaaaa", 90.0, 2400.0)
    assert (statement.plan_before, statement.plan_after) == ("111", "222")
    assert {"90", "2,400", "111", "222"} <= {cell.value for cell in change.evidence}


def test_cpu_time_that_grew_is_a_change(ctx: Context, tmp_path: Path) -> None:
    for hour, cpu_s in enumerate((400.0, 2400.0)):
        begin, end = f"01-May-24 1{hour}:00:00", f"01-May-24 1{hour}:16:40"
        data = report(READS, db_time_s=3500.0, cpu_s=cpu_s, begin=begin, end=end)
        (tmp_path / f"{hour}.html").write_bytes(data)
    (change,) = advise_on_reports(ctx, asked(tmp_path)).advice.changes
    assert change.reason == "CPU time grew from 400 s to 2,400 s"


def test_a_folder_of_several_databases_gets_a_page_for_each(folder: Path, tmp_path: Path) -> None:
    (folder / "other.html").write_bytes(report(READS, db_time_s=2000.0, cpu_s=400.0, db_name="CRM"))
    pages = tmp_path / "pages"
    pages.mkdir()
    assert run(["advise", str(folder), "-o", str(pages)]) == 0
    assert {page.name for page in pages.iterdir()} == {"shop.html", "crm.html"}
    shop, crm = ((pages / name).read_text() for name in ("shop.html", "crm.html"))
    assert "a.html" in shop
    assert "other.html" not in shop
    assert "other.html" in crm
    assert "What recurs" in shop
    assert "What recurs" not in crm


def test_databases_of_one_name_are_not_one_database(ctx: Context, folder: Path, tmp_path: Path) -> None:
    """Many are called ORCL."""
    other = (folder / "b.html").read_bytes().replace(b"<td>7</td>", b"<td>8</td>")
    (folder / "b.html").write_bytes(other)
    found = advise_on_reports(ctx, asked(folder)).advice
    assert [one.db_id for one in found.verdicts] == [7, 8]
    assert not found.recurring
    assert not found.changes
    pages = tmp_path / "pages"
    pages.mkdir()
    assert run(["advise", str(folder), "-o", str(pages)]) == 0
    assert {page.name for page in pages.iterdir()} == {"shop.html", "shop-8.html"}


def test_a_day_is_not_worse_than_its_worst_hour(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    day = report(READS, db_time_s=9000.0, cpu_s=400.0, begin="02-May-24 00:00:00", end="02-May-24 20:00:00")
    (folder / "day.html").write_bytes(day.replace(b"16.67 (mins)", b"1,200.00 (mins)"))
    run(["advise", str(folder)])
    assert capsys.readouterr().out.startswith("The worst interval is b.html")


def test_an_interval_of_a_restart_is_compared_with_none(ctx: Context, folder: Path) -> None:
    """Its counts began anew, so that none of them grew or fell."""
    began = (folder / "b.html").read_bytes().replace(b"01-Jan-24 08:00", b"01-May-24 11:05")
    (folder / "b.html").write_bytes(began)
    found = advise_on_reports(ctx, asked(folder)).advice
    assert [one.verdict for one in found.verdicts] == ["storage-bound", "cannot tell"]
    assert not found.changes


def test_the_worst_is_of_those_with_an_answer_where_another_may_be_worse(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = (folder / "b.html").read_bytes().replace(b"3,500.00", b"?").replace(b"58.33 (mins)", b"?")
    (folder / "b.html").write_bytes(unknown)
    run(["advise", str(folder)])
    assert capsys.readouterr().out.startswith("The worst interval of those with an answer is a.html")


def test_a_proof_is_advised_on_by_what_the_server_was_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What we drive ourselves explains itself."""
    demand = watched({"commit": 8, "cpu": 1})
    kept = facts_runs.demand_run().model_copy(update={"kind": "prove", "demand": demand})
    open_store(str(tmp_path / "runs.sqlite")).save(kept)
    assert run(["advise", "latest", "--store", str(tmp_path / "runs.sqlite"), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)["data"]["verdicts"][0]
    assert (verdict["verdict"], verdict["cause"]) == ("commit-bound", "I/O")


def test_nothing_named_and_nothing_there(
    ctx: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="no report was named"):
        advise_on_reports(ctx, asked())
    assert run(["advise", str(tmp_path / "gone.html")]) == 2
    assert "gone.html" in capsys.readouterr().err


def test_stated_latencies_take_the_place_of_flash(ctx: Context) -> None:
    words = {"paths": ["x"], "read_latency": "150us", "storage": "nvme", "spindles": 24}
    storage = storage_of(ctx, AdviseRequest.of_words(words))
    assert storage.then.read_us == pytest.approx(150.0)
    assert storage.then.log_us == 85.0
    assert storage.now is not None
    assert (storage.now.name, storage.spindles) == ("nvme", 24)
    assert storage.then.source.startswith("stated")


def test_latencies_of_runs_that_were_measured(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "runs.sqlite")]
    sim = ["io", "sim:law=constant,mean=300us", "--depth", "1", "--runtime", "1s", *store]
    assert run(sim) == 0
    assert run([*sim, "--rw", "log-write"]) == 0
    capsys.readouterr()
    asked = ["advise", str(folder / "a.html"), "--measured", "latest", "--measured", "latest~1", *store]
    assert run([*asked, "--json"]) == 0
    what_if = json.loads(capsys.readouterr().out)["data"]["verdicts"][0]["what_if"][0]
    assert what_if["read_latency_us"] == pytest.approx(300.0, rel=0.02)
    assert what_if["log_latency_us"] == pytest.approx(300.0, rel=0.02)
    assert what_if["source"].startswith("run ")


def test_a_run_that_measured_nothing_of_use_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "runs.sqlite")]
    assert run(["advise", str(folder / "a.html"), *store]) == 0
    assert run(["advise", str(folder / "a.html"), "--measured", "latest", *store]) == 2
    assert "measured neither reads nor durable writes of a log" in capsys.readouterr().err
    with pytest.raises(UsageError) as refused:
        plimsoll.advise(folder / "a.html", measured=("latest",), store=str(tmp_path / "runs.sqlite"))
    assert refused.value.id == "measured-useless"


def test_reports_and_a_live_database_are_not_asked_together(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["advise", str(folder), "--database", "embedded"]) == 2
    assert "both reports and --database were given" in capsys.readouterr().err
    with pytest.raises(UsageError) as refused:
        plimsoll.advise(folder, database="embedded")
    assert refused.value.id == "advice-source"


def test_a_stored_run_is_advised_on_by_its_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept_demand(tmp_path / "runs.sqlite", "postgresql")
    assert run(["advise", "latest", "--store", str(tmp_path / "runs.sqlite"), "--json"]) == 5
    verdict = json.loads(capsys.readouterr().out)["data"]["verdicts"][0]
    assert (verdict["system"], verdict["verdict"]) == ("postgresql", "cannot tell"), (
        "it did not say what sessions were at"
    )


def test_a_database_that_is_not_sampled_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept_demand(tmp_path / "runs.sqlite", "oracle")
    assert run(["advise", "latest", "--store", str(tmp_path / "runs.sqlite")]) == 2
    assert "what sessions of oracle wait for is not sampled" in capsys.readouterr().err
    with pytest.raises(UsageError) as refused:
        plimsoll.advise("latest", store=str(tmp_path / "runs.sqlite"))
    assert refused.value.id == "advice-database"


def test_json_has_what_the_contract_promises(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advise", str(folder / "a.html"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "advise"
    data = document["data"]
    assert {"file", "verdict", "reason"} <= set(data["verdicts"][0])
    finding = data["findings"][0]
    assert {"rule", "title", "severity", "db_time_s", "db_time_share", "evidence", "advice"} <= set(finding)
    assert {"file", "section", "row", "heading", "value", "line"} == set(finding["evidence"][0])


def test_a_page_has_the_verdict_and_the_cells(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "advice.html"
    assert run(["advise", str(folder), "-o", str(page)]) == 0
    text = page.read_text()
    assert "The cells of: Sessions wait for single-block reads" in text
    assert "What would disprove it" in text


def test_advice_is_kept_and_shown_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "runs.sqlite")]
    assert run(["advise", str(folder / "a.html"), *store]) == 0
    capsys.readouterr()
    assert run(["store", "show", "latest", *store]) == 0
    assert "Storage-bound: faster storage will help." in capsys.readouterr().out


def test_the_same_from_python(tmp_path: Path) -> None:
    (tmp_path / "run1.txt").write_bytes(LGWR_RUN_1)
    found = plimsoll.advise(tmp_path / "run1.txt")
    assert found.verdicts[0].verdict == "commit-bound"
    assert found.findings[0].rule == "log-file-sync-waits-for-cpu"
    assert found.frame().height == len(found.findings)
    assert found.frame("verdicts").height == 1
    assert "commit-bound" in repr(found)


def test_of_what_was_left_it_is_not_said_that_it_holds_no_report(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_bytes(report(READS, db_time_s=2000.0, cpu_s=400.0))
    with context(tmp_path / "journals") as ctx:
        ctx.cancel.set()
        found = advise_on_reports(ctx, AdviseRequest((str(tmp_path / "one.html"),)))
    assert found.interrupted
    assert [note.code for note in found.advice.notes] == ["files-unreached"]
