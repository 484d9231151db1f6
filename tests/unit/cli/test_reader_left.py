"""Readers that leave: only that of standard output is told by 141, and in place of 0 alone; that of the talk takes nothing."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

import command
from plimsoll.base.errors import ExitStatus
from plimsoll.cli import main
from plimsoll.cli.session import Session
from plimsoll.facts import Note
from reportgen.restamp import write_folder


@contextmanager
def nobody_reads() -> Iterator[BinaryIO]:
    """A pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        yield pipe


class Left(io.StringIO):
    """Standard output whose reader has left; what it holds is not handed on."""

    def flush(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize("verb", ["advise", "demand", "trend", "read"])
def test_a_reader_of_the_talk_that_left_takes_no_result(verb: str, tmp_path: Path) -> None:
    """It was 141 with nothing printed and nothing stored, as one report could not be read and nobody was there to be told."""
    folder = tmp_path / "reports"
    folder.mkdir()
    write_folder(folder, 2, rows=1)
    (folder / "notes.txt").write_text("dear diary\n")
    store = tmp_path / "store.sqlite"
    with nobody_reads() as pipe:
        done = subprocess.run(
            command.command(verb, folder, "--json", "--store", store),
            stdout=subprocess.PIPE, stderr=pipe, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 5
    assert json.loads(done.stdout)["kind"] == verb
    assert store.exists()


def test_a_reader_of_events_on_standard_error_takes_no_result() -> None:
    with nobody_reads() as pipe:
        done = subprocess.run(
            command.command("io", "sim:", "--runtime", "100ms", "--events", "-", "--json"),
            stdout=subprocess.PIPE, stderr=pipe, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout)["kind"]) == (0, "io")


def test_a_standard_error_that_was_closed_takes_no_result() -> None:
    words = command.command("io", "sim:", "--runtime", "100ms", "--json")
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *words], stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert (done.returncode, json.loads(done.stdout)["kind"]) == (0, "io")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("io", "sim:", "--runtime", "100ms"), 141),
        (("io", "sim:error=0.5", "--runtime", "100ms"), 4),
        (("line", "sim:mean=100us", "--slo", "p99=200us", "--trial", "1s"), 1),
        (("store", "show", "none"), 2),
        (("io", "sim:", "--frob"), 2),
        ((), 2),
    ],
)
@pytest.mark.parametrize("form", ["table", "json"])
def test_that_a_reader_left_is_told_in_place_of_0_alone(
    words: Sequence[str], status: int, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", Left())
    assert main.run([*words, *(("--format", form) if words else ())]) == status


@pytest.mark.parametrize("is_json", [True, False])
def test_what_was_interrupted_is_so_whoever_reads(
    is_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in `plimsoll io … | tee log`, where Ctrl-C ends both; why a command ended is told beside the document that nobody has."""
    monkeypatch.setattr("sys.stdout", Left())
    here = Session(ctx=None, json=is_json)  # type: ignore[arg-type]
    notes = [Note(code="io-error", message="a doubt")]
    assert here.finish("io", {}, lambda: None, notes, ExitStatus.INTERRUPTED) == 130
    assert capsys.readouterr().err == "note: a doubt\n"


@pytest.mark.parametrize(
    ("error", "status", "id"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 70, "internal"),
        (SystemExit(1), 70, "internal"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_another_pipe_that_breaks_is_no_reader(
    error: BaseException,
    status: int,
    id: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The parser makes an exit of its own of each of them, without a word."""

    def fail(ctx: object, asked: object) -> None:
        raise error

    monkeypatch.setattr("plimsoll.flows.io.measure_io", fail)
    assert main.run(["io", "sim:", "--json"]) == status
    told = capsys.readouterr()
    assert json.loads(told.out)["data"]["id"] == id
    assert told.err.startswith("error: ")
