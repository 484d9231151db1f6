"""Output for machines: one document on standard output in success and failure, events as lines, talk beside it."""

from __future__ import annotations

import base64
import errno
import hashlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll import __version__
from plimsoll.base.errors import WorldError
from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.cli import main, output, parser
from plimsoll.cli.output import envelope
from plimsoll.cli.session import Session
from plimsoll.facts import Advice, IntervalVerdict, Note

SIM = ("sim:mean=100us", "--runtime", "500ms")


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any], str]:
    """Exit status, the one document, and standard error."""
    capsys.readouterr()
    status = main.run([*words, "--json"])
    seen = capsys.readouterr()
    (line,) = seen.out.splitlines()
    document = json.loads(line)
    held = document.get("distributions", {})
    assert [name for name in document if name != "distributions"] == [
        "plimsoll",
        "schema",
        "kind",
        "data",
        "warnings",
    ]
    assert set(_distributions(document["data"])) == set(held)
    for digest, content in held.items():
        assert hashlib.sha256(base64.b64decode(content, validate=True)).hexdigest() == digest
    assert document["schema"] == 1
    return status, document, seen.err


def _distributions(data: Any) -> Iterator[str]:
    """What latencies anywhere in it name."""
    if isinstance(data, dict):
        yield from (data["hdr"] for _ in [0] if data.get("hdr"))
        for part in data.values():
            yield from _distributions(part)
    elif isinstance(data, list):
        for part in data:
            yield from _distributions(part)


def test_io_gives_at_least_what_the_contract_names(capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = run("io", *SIM, "--depth", "4", capsys=capsys)
    data = document["data"]
    assert (status, document["kind"], document["warnings"]) == (0, "io", [])
    assert {
        "iops",
        "mb_per_s",
        "ios",
        "runtime_s",
        "latency_us",
        "cpu_us_per_io",
        "cpu_s",
        "engine",
        "direct",
        "run",
    } <= set(data)
    assert {"mean", "min", "max", "stddev", "p50", "p90", "p99", "p999", "p9999"} <= set(data["latency_us"])
    assert set(data["cpu_s"]) == {"user", "system"}
    assert data["ios"] == pytest.approx(data["iops"] * data["runtime_s"], rel=0.01)
    assert data["latency_us"]["p9999"] is None, "too few I/Os for it: unknown, not 0"


def test_line_gives_at_least_what_the_contract_names(capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = run("line", "sim:mean=100us", "--trial", "10s", capsys=capsys)
    data = document["data"]
    assert (status, document["kind"]) == (0, "line")
    assert {"line_iops", "ci95", "slo", "trials", "outcome", "reason", "run"} <= set(data)
    assert data["ci95"][0] <= data["line_iops"] <= data["ci95"][1]
    assert {"rate", "achieved", "latency_us", "held"} <= set(data["trials"][0])


def test_a_line_that_never_held_is_an_answer_of_no(capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = run("line", "sim:mean=100us", "--slo", "p99=200us", "--trial", "1s", capsys=capsys)
    assert (status, document["data"]["line_iops"]) == (1, None)


def test_a_device_that_fails_is_the_worlds_failure(capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = run("io", "sim:error=0.5", "--runtime", "100ms", capsys=capsys)
    assert status == 4
    assert document["data"]["errors"] > 0
    assert "io-error" in [warning["code"] for warning in document["warnings"]]


def test_a_line_search_on_a_device_that_fails_is_one_too(capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = run("line", "sim:error=0.01", "--trial", "1s", capsys=capsys)
    assert (status, document["data"]["outcome"]) == (4, "never_held")
    assert document["data"]["reason"].endswith("I/Os failed")
    status, document, _ = run("line", "sim:error=1", "--trial", "1s", capsys=capsys)
    assert (status, document["kind"]) == (4, "error")


@pytest.mark.parametrize(
    ("words", "id", "status"),
    [
        (("io", "/no/such/file"), "target-missing", 2),
        (("io", "sim:", "--frob"), "usage", 2),
        (("report",), "usage", 2),
        (("report", "latest"), "run-unknown", 2),
        (("store", "show", "latest"), "run-unknown", 2),
        (("io", "sim:", "--events", "/no/such/folder/x"), "events-refused", 4),
    ],
)
def test_an_error_is_one_document_and_one_line(
    words: tuple[str, ...], id: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, document, err = run(*words, capsys=capsys)
    data = document["data"]
    assert (ended, document["kind"]) == (status, "error")
    assert data["id"] == id
    assert data["status"] == status
    assert err.startswith(f"error: {data['message']}\n")


def test_our_own_defect_is_a_document_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(asked: str) -> None:
        raise AssertionError("impossible")

    monkeypatch.setattr(parser, "build_app", fail)
    status, document, err = run("io", "sim:", capsys=capsys)
    assert (status, document["data"]["id"], document["data"]["status"]) == (70, "internal", 70)
    assert "please report" in err


@pytest.mark.parametrize("words", [("io", *SIM), ("line", "sim:", "--trial", "10s")])
def test_events_are_lines_of_json(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "events"
    run(*words, "--events", str(path), capsys=capsys)
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert events.pop(0) == {"plimsoll_events": 1, "kind": "begin", "plimsoll": __version__}
    assert all(event["kind"] in ("progress", "live", "remark") for event in events)
    assert all(event["stage"] for event in events)
    if words[0] == "line":
        assert any(
            event["kind"] == "progress" and 0 < event["share"] <= 1 for event in events if event.get("share")
        )


def test_events_can_go_to_standard_error() -> None:
    done = command.plimsoll("line", "sim:", "--trial", "10s", "--events", "-", "--json")
    assert done.returncode == 0
    assert command.document(done)["kind"] == "line"
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert len(events) > 10


def test_data_goes_out_and_talk_beside_it() -> None:
    done = command.plimsoll("line", "sim:", "--trial", "10s")
    assert done.returncode == 0
    assert done.stdout.startswith(f"The line for {DEFAULT_SLO} is ")
    assert "I/Os per second: p99" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_reader_that_leaves_is_no_defect() -> None:
    import subprocess

    piped = subprocess.run(
        f"{command.PROGRAM} line sim: --trial 10s 2>&1 | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in piped.stderr
    assert piped.returncode != 70


def test_unknown_is_null_and_never_a_bare_nan() -> None:
    assert json.loads(envelope("x", {"value": None}))["data"] == {"value": None}
    with pytest.raises(ValueError, match="not JSON compliant"):
        envelope("x", {"value": float("nan")})


def test_warnings_carry_code_and_message() -> None:
    document = json.loads(envelope("x", {}, [Note(code="page-cache", message="größer")]))
    assert document["warnings"] == [{"code": "page-cache", "message": "größer"}]


@pytest.mark.parametrize("large", [False, True])
def test_a_word_with_a_password_stands_in_no_document(
    large: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here as the name of a file; figures that look like a part of the password stay."""
    word = 'postgresql://me:"12345678@db/x'
    monkeypatch.setattr(sys, "argv", ["plimsoll", "read", word])
    data: Any = {"file": word, "path": word.replace("//", "/"), "bytes": 123456789}
    text = json.dumps(data)
    output.print_envelope("read", output.JsonText([text[:30], text[30:]]) if large else data)
    assert json.loads(capsys.readouterr().out)["data"] == {
        "file": "postgresql://me:***@db/x",
        "path": "postgresql:/me:***@db/x",
        "bytes": 123456789,
    }


def test_a_word_with_a_password_stands_in_no_warning_of_a_large_document(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    word = "me:s3cret@db/x"
    monkeypatch.setattr(sys, "argv", ["plimsoll", "advise", "--database", word])
    output.print_envelope("advise", output.JsonText(["{}"]), [Note(code="x", message=f"{word} says nothing")])
    [warning] = json.loads(capsys.readouterr().out)["warnings"]
    assert warning == {"code": "x", "message": "me:***@db/x says nothing"}


def _pieces(error: BaseException) -> Iterator[str]:
    yield '{"verdicts": ["'
    yield "x" * 100_000
    raise error


def _finished(pieces: Iterable[str]) -> Callable[..., Any]:
    """An application whose command finishes with these pieces of a document."""

    def made(asked: str) -> Any:
        def read(words: list[str], **_: Any) -> int:
            return Session(ctx=None, json=True).finish("read", output.JsonText(pieces), lambda: None)  # type: ignore[arg-type]

        return read

    return made


@pytest.mark.parametrize(
    ("error", "id", "status"),
    [(ValueError("nan"), "internal", 70), (KeyboardInterrupt(), "interrupted", 130)],
)
def test_a_document_that_fails_in_its_middle_leaves_nothing_behind(
    error: BaseException,
    id: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its first half stood before the document of the error, on one line."""
    monkeypatch.setattr(parser, "build_app", _finished(_pieces(error)))
    ended, document, _ = run("read", "x", capsys=capsys)
    assert (ended, document["data"]["id"]) == (status, id)


@pytest.mark.parametrize("at", [0, 1])
def test_after_a_document_that_was_interrupted_comes_no_other(
    at: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            if len(self.getvalue()) >= at:
                raise KeyboardInterrupt
            return super().write(text)

    slow = Slow()
    monkeypatch.setattr(parser, "build_app", _finished(['["', "x" * 100_000, '"]']))
    monkeypatch.setattr("sys.stdout", slow)
    assert main.run(["read", "x", "--json"]) == 130
    assert set(slow.getvalue().partition("x")[2]) <= {"x"}
    assert capsys.readouterr().err.startswith("error: interrupted\n")


def test_an_error_after_the_document_is_told_beside_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(asked: str) -> Any:
        def read(words: list[str], **_: Any) -> int:
            output.print_document(envelope("io", {}))
            raise WorldError("device-gone", "the device has gone")

        return read

    monkeypatch.setattr(parser, "build_app", build)
    status, document, err = run("io", "sim:", capsys=capsys)
    assert (status, document["kind"], err) == (4, "io", "error: the device has gone\n")


@pytest.mark.parametrize("bytes_max", [1, 1 << 20])
def test_a_long_document_waits_on_disk_and_is_the_same(
    bytes_max: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "DOCUMENT_BYTES_IN_MEMORY_MAX", bytes_max)
    data = ["é\ud800\r\n", "x" * 200_000, "\x1b"]
    output.print_envelope("read", output.JsonText(map(json.dumps, data[:1])))
    assert json.loads(capsys.readouterr().out)["data"] == data[0]
    pieces = [json.dumps(data, ensure_ascii=False)[n : n + 999] for n in range(0, 201_000, 999)]
    output.print_envelope("read", output.JsonText(pieces))
    assert json.loads(capsys.readouterr().out)["data"] == data


def test_a_document_for_which_there_is_no_room_on_disk_is_an_error_of_the_world(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("plimsoll.ports.files.open_spool", lambda bytes_max: Full())
    monkeypatch.setattr(parser, "build_app", _finished(["{}"]))
    status, document, _ = run("read", "x", capsys=capsys)
    assert (status, document["data"]["id"]) == (4, "output-refused")


@pytest.mark.parametrize("front", [{}, {"run": "r1"}])
def test_a_fact_in_pieces_is_the_same_document(
    front: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = IntervalVerdict(file="é.html", verdict="idle", reason="nothing", faster_storage_helps="no")
    advice = Advice(verdicts=(verdict, verdict), findings=(), notes=(Note(code="x", message="y"),))
    pieces = list(output.in_pieces(front, advice))
    output.print_envelope("advise", output.JsonFact(front, advice))
    assert json.loads(capsys.readouterr().out)["data"] == {**front, **advice.model_dump(mode="json")}
    assert "".join(pieces) == json.dumps({**front, **advice.model_dump(mode="json")}, ensure_ascii=False)
    assert sum("é.html" in piece for piece in pieces) == 2
