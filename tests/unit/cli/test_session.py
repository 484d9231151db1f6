"""A command's surroundings: listeners that fail spoil nothing, Ctrl-C is asked once, results that were not stored say so."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import command
import fio_reports
from plimsoll import __version__
from plimsoll.base.errors import ExitStatus, WorldError
from plimsoll.cli.output import JsonFact
from plimsoll.cli.place import Place
from plimsoll.cli.session import Session, session
from plimsoll.facts import Advice, Note, Remark
from reportgen.restamp import write_folder


def test_events_that_cannot_be_written_are_told_once_and_spoil_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with session(Place(events="/dev/full")) as here:
        for word in ("one", "two"):
            here.ctx.remark("io", word)
        assert here.finish("io", {}, lambda: None) == 5
        assert here.finish("io", {}, lambda: None, status=ExitStatus.ANSWER_IS_NO) == 1
    told = capsys.readouterr().err
    assert told.count("could not write events to /dev/full: no space left on device") == 1
    assert told.splitlines()[1:] == ["one", "two"]


def test_a_disk_that_is_full_of_events_costs_no_result() -> None:
    done = command.plimsoll("io", "sim:", "--runtime", "100ms", "--events", "/dev/full", "--json")
    assert done.returncode == 5
    document = command.document(done)
    assert document["data"]["ios"] > 0
    (lost,) = [one for one in document["warnings"] if one["code"] == "events-lost"]
    assert f"warning: {lost['message']}" in done.stderr


def test_a_disk_that_fills_up_ends_the_events_with_a_whole_story_until_then(
    tmp_path: Path,
) -> None:
    """A file may not grow beyond a limit here; what comes later is not written, also when there would be room for it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with session(Place(json=True, events=str(tmp_path / "events"))) as here:
        here.ctx.remark("io", "one")
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
        try:
            here.ctx.remark("io", "x" * 300)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        here.ctx.remark("io", "three")
        assert [note.code for note in here.lost()] == ["events-lost"]
    assert "three" not in (tmp_path / "events").read_text()


def test_a_reader_of_events_that_leaves_has_what_it_wanted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with session(Place(json=True, events=str(tmp_path / "pipe"))) as here:
        os.close(reader)
        here.ctx.remark("io", "one")
        assert here.finish("io", {}, lambda: None) == 0


def test_events_are_written_as_they_happen_after_a_line_that_says_what_they_are(tmp_path: Path) -> None:
    with session(Place(events=str(tmp_path / "events"))) as here:
        here.ctx.remark("io", "one")
        first, second = (tmp_path / "events").read_text().splitlines()
    assert first == f'{{"plimsoll_events":1,"kind":"begin","plimsoll":"{__version__}"}}'
    assert json.loads(second)["message"] == "one"


def test_only_earlier_events_and_empty_files_are_replaced(tmp_path: Path) -> None:
    place = tmp_path / "events"
    place.touch()
    for _ in range(2):
        with session(Place(events=str(place))) as here:
            here.ctx.remark("io", "one")
        assert len(place.read_text().splitlines()) == 2
    for theirs in (
        '{"level":"info","msg":"started"}\n',
        '{"plimsoll": "0.1.0", "schema": 1, "kind": "io"}\n',
        "{}",
    ):
        place.write_text(theirs)
        with (
            pytest.raises(WorldError, match="holds something else") as refused,
            session(Place(events=str(place))),
        ):
            pass
        assert refused.value.id == "events-refused"
        assert place.read_text() == theirs


def test_the_command_is_recorded_without_passwords_and_can_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = [
        "demand",
        "--database",
        'postgresql://me:it\'s a "pw"@db/x',
        "--store",
        "me/tiger@db",
        "--out",
        "a b",
    ]
    monkeypatch.setattr(sys, "argv", ["/usr/bin/plimsoll", *words])
    with session(Place()) as here:
        command = here.ctx.command
    shown = ["demand", "--database", "postgresql://me:***@db/x", "--store", "me/***@db", "--out", "a b"]
    assert shlex.split(command) == ["plimsoll", *shown]


def test_signals_are_caught_within_and_let_go_after() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with session(Place()) as here:
        assert not here.ctx.cancel.is_set
        signal.raise_signal(signal.SIGTERM)
        assert here.ctx.cancel.is_set
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_store_that_is_not_needed_is_not_opened(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    with session(Place(store=str(place))):
        pass
    assert not place.exists()


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        (ExitStatus.DONE, 5),
        (ExitStatus.ANSWER_IS_NO, 1),
        (ExitStatus.INTERRUPTED, 130),
    ],
)
def test_a_result_that_was_not_stored_is_done_in_part(status: ExitStatus, ended: int) -> None:
    here = Session(ctx=None, json=True)  # type: ignore[arg-type]
    assert here.finish("io", {}, lambda: None, [Note(code="not-stored", message="x")], status) == ended
    assert here.finish("io", {}, lambda: None, [], status) == int(status)


def test_a_store_that_refuses_costs_no_result(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("something else\n" * 100)
    done = command.here("io", "sim:", "--runtime", "100ms", "--store", tmp_path / "store", "--json")
    assert done.returncode == 5
    document = command.document(done)
    assert document["data"]["ios"] > 0
    assert document["data"]["run"] is None, "no store knows its id"
    assert "not-stored" in [warning["code"] for warning in document["warnings"]]
    assert done.stderr.count("not stored") == 1, "people are told once"
    for words in (
        ("io", "sim:", "--runtime", "100ms"),
        ("line", "sim:", "--trial", "100ms", "--slo", "p99=50ms"),
    ):
        shown = command.here(*words, "--store", tmp_path / "store").stdout
        assert shown
        assert not re.search(r"\brun \d{8}-", shown)
    assert (tmp_path / "store").read_text().startswith("something else")


def test_no_document_names_a_run_that_no_store_knows(capsys: pytest.CaptureFixture[str]) -> None:
    advice = Advice(verdicts=(), findings=())

    def told(data: Any) -> Any:
        Session(ctx=None, json=True, known={"kept"}).finish("x", data, lambda: None)  # type: ignore[arg-type]
        return json.loads(capsys.readouterr().out)["data"]

    assert told({"run": "lost", "iops": 1}) == {"run": None, "iops": 1}
    assert told({"run": "kept"}) == {"run": "kept"}
    assert told([{"run": "lost", "a": 1}, {"run": "kept"}]) == [{"run": None, "a": 1}, {"run": "kept"}]
    assert told(JsonFact({"run": "lost"}, advice)) == {"run": None, **advice.model_dump(mode="json")}
    assert told(JsonFact({"run": "kept"}, advice))["run"] == "kept"
    assert told({"runs": ["lost"]}) == {"runs": ["lost"]}


def test_no_verb_names_a_run_that_was_not_stored(tmp_path: Path) -> None:
    """Those of the verbs that make their document themselves."""
    (tmp_path / "store").write_text("something else\n" * 100)
    (tmp_path / "reports").mkdir()
    write_folder(tmp_path / "reports", 2, rows=1)
    (tmp_path / "my.fio").write_text("[a]\nfilename=sim\\:\nsize=1m\n")
    (tmp_path / "fio.json").write_text(json.dumps(fio_reports.report(fio_reports.job())))
    for words in (
        ("advise", tmp_path / "reports"),
        ("demand", tmp_path / "reports"),
        ("trend", tmp_path / "reports"),
        ("fio", tmp_path / "my.fio"),
        ("import", tmp_path / "fio.json"),
    ):
        done = command.here(*words, "--store", tmp_path / "store", "--json")
        found = command.document(done)
        assert "not-stored" in [warning["code"] for warning in found["warnings"]], words
        parts = found["data"] if isinstance(found["data"], list) else [found["data"]]
        assert parts, words
        assert [one["run"] for one in parts] == [None] * len(parts), words
        kept = command.document(command.here(*words, "--store", tmp_path / "good", "--json"))
        parts = kept["data"] if isinstance(kept["data"], list) else [kept["data"]]
        stored = command.here("store", "list", "--store", tmp_path / "good", "--json")
        known = {one["id"] for one in command.document(stored)["data"]["runs"]}
        assert {one["run"] for one in parts} <= known


def test_advice_on_nothing_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    done = command.here("advise", tmp_path / "notes.txt", "--store", tmp_path / "store", "--json")
    assert command.document(done)["data"]["run"] is None
    assert not (tmp_path / "store").exists()


def test_no_password_is_kept_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = ["plimsoll", "demand", "--database", "postgresql://me:s3cret@db/shop"]
    monkeypatch.setattr(sys, "argv", typed)
    with session(Place()) as here:
        assert "s3cret" not in here.ctx.command
        assert "postgresql://me:***@db/shop" in here.ctx.command


@pytest.mark.parametrize(("code", "shown"), [("host-busy", 1), ("io-error", 1)])
def test_equal_notes_are_said_once(code: str, shown: int, capsys: pytest.CaptureFixture[str]) -> None:
    here: Any = Session(ctx=None, json=False)  # type: ignore[arg-type]
    here.finish("io", {}, lambda: None, [Note(code=code, message="a doubt")] * 3)
    assert capsys.readouterr().err.count("note: a doubt") == shown


def test_remarks_reach_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    with session(Place()) as here:
        here.ctx.events(Remark(stage="io", message="a word"))
    assert capsys.readouterr().err == "a word\n"


def test_what_is_said_of_several_things_is_said_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    here: Any = Session(ctx=None, json=False)  # type: ignore[arg-type]
    notes = [Note(code="slob-conf-unknown", message=f"nobody knows {key}") for key in "ABCDEFGHIJKLM"]
    here.finish("prove", {}, lambda: None, notes)
    shown = capsys.readouterr().err.splitlines()
    assert shown[:2] == ["note: nobody knows A", "note: nobody knows B"]
    assert shown[10:] == ["note: and 3 more such notes (slob-conf-unknown); --json has them all"]
