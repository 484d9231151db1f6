"""Standard output is written whole, or the command says that it could not be: also where it is closed, or not buffered."""

from __future__ import annotations

import fcntl
import io
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import command
from plimsoll.cli import output
from plimsoll.store import open_store


class Short(io.RawIOBase):
    """Takes little at a time, as a pipe whose reader was stopped may."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: memoryview) -> int:  # type: ignore[override]
        part = bytes(data[:3])
        self.taken += part
        return len(part)


class Full(Short):
    """Takes nothing, and does not wait."""

    def write(self, data: memoryview) -> None:  # type: ignore[override]
        return None


def unbuffered(raw: io.RawIOBase) -> io.TextIOWrapper:
    """A stream as Python makes it with PYTHONUNBUFFERED."""
    return io.TextIOWrapper(raw, encoding="utf-8", write_through=True)  # type: ignore[arg-type,type-var]


def test_what_a_short_write_leaves_is_written() -> None:
    raw = Short()
    stream = unbuffered(raw)
    print("a line of some letters", file=output.written_whole(stream))
    assert raw.taken == b"a line of some letters\n"


def test_what_is_not_taken_is_an_error() -> None:
    stream = unbuffered(Full())
    with pytest.raises(BlockingIOError):
        print("a line", file=output.written_whole(stream))


def test_a_stream_with_a_buffer_stays() -> None:
    stream = io.TextIOWrapper(io.BytesIO())
    assert output.written_whole(stream) is stream


@pytest.mark.parametrize("surroundings", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize(
    "words", [("read", "--schema", "--json"), ("read", "--schema")], ids=["json", "table"]
)
def test_a_pipe_that_is_full_and_does_not_wait_is_an_error(
    words: Sequence[str], surroundings: dict[str, str]
) -> None:
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writing, False)
    try:
        done = subprocess.run(
            command.command(*words),
            stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, env={**os.environ, **surroundings},
        )  # fmt: skip
    finally:
        os.close(writing)
        os.close(reading)
    assert done.returncode == 4
    assert done.stderr.startswith("error: could not write to standard output: ")


def test_what_is_not_buffered_is_the_same_document() -> None:
    done = [command.plimsoll("read", "--schema", "--json", PYTHONUNBUFFERED=word) for word in ("", "1")]
    assert done[0].stdout == done[1].stdout
    assert (done[1].returncode, json.loads(done[1].stdout)["kind"]) == (0, "read-schema")


def closed(redirected: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """The command, with standard streams closed before its start as a shell does it."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirected}', "sh", *command.command(*words)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--version",),
        ("--help",),
        ("io", "sim:", "--runtime", "100ms"),
        ("io", "sim:", "--runtime", "100ms", "--json"),
        ("store", "list", "--format", "csv"),
    ],
)
def test_a_standard_output_that_was_closed_is_an_error(words: Sequence[str]) -> None:
    done = closed(">&-", *words)
    assert done.returncode == 4
    assert done.stderr.splitlines()[0] == "error: could not write to standard output: bad file descriptor"


@pytest.mark.parametrize("redirected", [">&-", "<&- >&-", "<&- >&- 2>&-"])
def test_nothing_that_is_opened_lies_in_the_place_of_a_closed_stream(redirected: str, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    done = closed(redirected, "io", "sim:", "--runtime", "100ms", "--store", store)
    assert done.returncode == 4
    (summary,) = open_store(str(store)).summaries()
    assert open_store(str(store)).load(summary.id).cell is not None


def test_a_command_that_prints_nothing_needs_no_standard_output(tmp_path: Path) -> None:
    done = closed(">&- 2>&-", "io", "sim:", "--runtime", "100ms", "--frob")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
