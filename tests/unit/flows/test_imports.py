"""`plimsoll import`: each file a stored run that says where it comes from, and one bad file stops nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fio_reports import job, report
from foreign_results import hpcc
from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported
from plimsoll.flows.imports import Outcome, documents, import_files
from plimsoll.ports.clock import VirtualClock
from plimsoll.store import open_store
from simulated import MemoryStore, context


def imported(folder: Path, *texts: str) -> tuple[Outcome, MemoryStore]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"r{number}.json")
        paths[-1].write_text(text, encoding="utf-8")
    with context(folder / "journals") as ctx:
        outcome = import_files(ctx, paths)
        assert isinstance(ctx.store, MemoryStore)
        return outcome, ctx.store


def test_a_file_becomes_a_run_that_names_it(tmp_path: Path) -> None:
    outcome, store = imported(tmp_path, json.dumps(report(job("first"), job("second"))))
    ((_, run),) = outcome.taken
    assert store.runs == [run]
    assert (run.kind, run.title) == ("import", "fio-3.33 r0.json: first, second")
    assert [cell.workload.name for cell in run.cells] == ["first", "second"]
    said = {note.code: note.message for note in run.notes}["imported"]
    assert said.startswith(
        f"imported from {tmp_path}/r0.json, written by fio-3.33, measured until 2026-09-01 12:00:00 UTC"
    )
    assert "the host named with this run is the one that read it" in said
    entries = documents(outcome)
    assert [entry["workload"]["name"] for entry in entries] == ["first", "second"]
    assert all((entry["run"], entry["file"]) == (run.id, f"{tmp_path}/r0.json") for entry in entries)
    assert all(entry["latency_us"]["hdr"] is None and entry["latency_us"]["p50"] == 100 for entry in entries)


def test_its_time_is_that_of_the_measurement(tmp_path: Path) -> None:
    outcome, _ = imported(tmp_path, json.dumps(report(job("first"))))
    ((_, run),) = outcome.taken
    assert (run.started_at.isoformat(), run.ended_at.isoformat()) == (
        "2026-09-01T11:59:59.750000+00:00", "2026-09-01T12:00:00.250000+00:00",
    )  # fmt: skip
    assert run.id.startswith("20260901-115959-")


def test_a_result_that_was_taken_in_before_is_not_stored_again(tmp_path: Path) -> None:
    """Under another name, and behind another result in one file."""
    first, second = (json.dumps(report(job(name)), indent=2) for name in ("first", "second"))
    for name, text in {"a.json": first, "b.json": f"{first}\n{second}\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    store = open_store()
    with context(tmp_path / "journals") as ctx:
        outcome = import_files(replace(ctx, store=store), [tmp_path / "a.json", tmp_path / "b.json"])
    (_, one), (_, again), (_, other) = outcome.taken
    assert (one.id, outcome.status) == (again.id, ExitStatus.DONE)
    assert len(store.summaries()) == 2
    said = [note.message for note in again.notes if note.code == "import-known"]
    assert said == [f"{tmp_path}/b.json was imported before, as run {one.id}, and is not stored again"]
    assert "import-known" not in {note.code for note in (*one.notes, *other.notes)}


def test_a_result_without_a_time_begins_when_its_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text(hpcc(), encoding="utf-8")
    clock, read = VirtualClock(), foreign.read

    def slowly(path: Path) -> Imported:
        clock.sleep(9.0)
        return replace(read(path), started_at=None, ended_at=None)

    monkeypatch.setattr(foreign, "read", slowly)
    began_at = clock.now()
    with context(tmp_path / "journals") as ctx:
        ((_, run),) = import_files(replace(ctx, clock=clock), [tmp_path / "a.txt"]).taken
    assert (run.started_at, run.ended_at) == (began_at, clock.now())


def test_a_result_that_was_taken_in_before_gets_the_tags_of_now(tmp_path: Path) -> None:
    """Else `compare tag:after` would find nothing of what was just tagged."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(report(job("first"))), encoding="utf-8")
    store = open_store()
    with context(tmp_path / "journals") as ctx:
        for tags in (("before",), ("after",), ()):
            ((_, run),) = import_files(replace(ctx, store=store, tags=tags), [path]).taken
            assert set(tags) <= set(run.tags)
    assert [run.tags for run in store.summaries()] == [("before", "after")]


def test_ios_that_failed_there_end_it_as_they_would_here(tmp_path: Path) -> None:
    outcome, _ = imported(tmp_path, json.dumps(report(job("good"), job("bad", error=5, total_err=17))))
    assert outcome.status is ExitStatus.WORLD_FAILED
    ((_, run),) = outcome.taken
    assert "I/Os failed: 17 of job bad" in [note.message for note in run.notes]


def test_an_error_that_ended_a_job_counts_beside_a_count_of_none(tmp_path: Path) -> None:
    """As fio writes it with `continue_on_error=read` where a write failed."""
    outcome, _ = imported(tmp_path, json.dumps(report(job("bad", error=5, total_err=0))))
    assert outcome.status is ExitStatus.WORLD_FAILED
    ((_, run),) = outcome.taken
    assert [cell.errors for cell in run.cells] == [1]


def test_bytes_a_second_that_the_bytes_and_the_time_contradict_are_said(tmp_path: Path) -> None:
    made = job("odd")
    made["read"]["bw_bytes"] *= 10
    outcome, _ = imported(tmp_path, json.dumps(report(made)))
    assert outcome.status is ExitStatus.DONE_IN_PART
    ((_, run),) = outcome.taken
    (said,) = [note.message for note in run.notes if note.code == "figures-differ"]
    assert " MB/s of reads, and " in said


def test_a_rate_that_the_ios_and_the_time_contradict_is_said(tmp_path: Path) -> None:
    made = job("odd")
    made["read"]["iops"] *= 10
    outcome, _ = imported(tmp_path, json.dumps(report(made)))
    assert outcome.status is ExitStatus.DONE_IN_PART
    ((_, run),) = outcome.taken
    (said,) = [note.message for note in run.notes if note.code == "figures-differ"]
    assert said.startswith("job odd says ")


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    outcome, store = imported(tmp_path, "nothing", json.dumps(report()), '{"fio version": "fio-3.33"')
    assert len(store.runs) == 1
    assert [failure.path.name for failure in outcome.failures] == ["r0.json", "r2.json"]
    assert [failure.error.id for failure in outcome.failures] == ["import-unknown", "import-broken"]
    assert outcome.status is ExitStatus.DONE_IN_PART


def test_results_one_behind_the_other_are_runs_of_their_own(tmp_path: Path) -> None:
    """As `fio --output-format=json >> FILE` leaves them."""
    texts = [json.dumps(report(job(name)), indent=2) for name in ("first", "second", "third")]
    outcome, store = imported(tmp_path, f"{texts[0]}\nfio: a warning\n{{\n{texts[1]}\n{texts[2]}\n")
    assert [run.title for run in store.runs] == [
        f"fio-3.33 r0.json: {name}" for name in ("first", "second", "third")
    ]
    assert (len(outcome.taken), outcome.failures, outcome.status) == (3, (), ExitStatus.DONE)


def test_a_result_behind_another_that_is_cut_off_is_said(tmp_path: Path) -> None:
    first, second = (json.dumps(report(job(name)), indent=2) for name in ("first", "second"))
    outcome, store = imported(tmp_path, f"{first}\n{second[:-300]}")
    assert [run.title for run in store.runs] == ["fio-3.33 r0.json: first"]
    ((message, status),) = [(failure.error.message, failure.error.id) for failure in outcome.failures]
    assert (status, outcome.status) == ("import-broken", ExitStatus.DONE_IN_PART)
    assert message.startswith(f"{tmp_path}/r0.json, line ")
    old = second.replace("fio-3.33", "fio-2.21")
    outcome, _ = imported(tmp_path, f"{first}\n{old}")
    (failure,) = outcome.failures
    line = first.count("\n") + 2
    assert failure.error.message.startswith(
        f"{tmp_path}/r0.json, from line {line} on: the document was written by fio-2.21"
    )


def test_files_that_are_all_bad_are_no_success_in_part(tmp_path: Path) -> None:
    outcome, store = imported(tmp_path, "nothing", "nothing either")
    assert (outcome.taken, store.runs) == ((), [])
    assert outcome.status is ExitStatus.DONE_IN_PART


def test_the_only_file_being_bad_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError, match=r"r0\.json is in no format") as caught:
        imported(tmp_path, "nothing")
    assert caught.value.status is ExitStatus.DONE_IN_PART
