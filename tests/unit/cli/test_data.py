"""Tables as data: every figure of the JSON document stands in a table, unrounded and under its field's name."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import facts_runs
from plimsoll.cli import main
from plimsoll.cli.data import of_runs, print_table
from plimsoll.facts import Watch
from plimsoll.facts.document import apart
from plimsoll.results import kinds, main_kind
from plimsoll.store import open_store
from plimsoll.store.tables import table_name

RUNS = facts_runs.all_runs()


def leaves(value: Any) -> Iterator[str]:
    """All values of a document as text; what is unknown has none."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    elif value is not None:
        yield json.dumps(value)


def of_cell(text: str) -> Iterator[str]:
    try:
        yield from leaves(json.loads(text))
    except ValueError:
        yield json.dumps(text)


@pytest.mark.parametrize("name", RUNS)
def test_csv_has_every_figure_of_the_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    run = RUNS[name]
    found: Counter[str] = Counter()
    for table in of_runs([run]):
        print_table(table, "csv")
        heading, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
        assert tuple(heading) == table.columns
        for row in rows:
            found.update(leaf for cell in row for leaf in of_cell(cell))
    document, _ = apart(run.model_dump(mode="json")["results"])
    wanted = Counter(leaf for leaf in leaves(document) if leaf[0] in "-0123456789")
    assert wanted <= found, wanted - found


@pytest.mark.parametrize("name", RUNS)
def test_the_first_table_is_one_that_the_kind_declares(name: str) -> None:
    kind = kinds()[main_kind(RUNS[name]) or ""]
    declared = [table_name(fact) for fact in kind.rows]
    first, *others = of_runs([RUNS[name]])
    assert declared
    assert first.name in declared or not {one.name for one in others if one.has_rows} & set(declared)


def test_what_found_nothing_is_the_heading_of_the_table_that_it_would_be() -> None:
    """A script reads the same columns, whether there was anything or not."""
    run = RUNS["watched"]
    found: Watch = run.results["watch"]
    empty = run.model_copy(update={"watch": found.but(rows=(), groups=())})
    whole, none = (of_runs([one])[0] for one in (run, empty))
    assert (whole.name, whole.has_rows, none.has_rows) == (none.name, True, False)
    assert whole.columns == none.columns


def test_ndjson_says_what_csv_says(capsys: pytest.CaptureFixture[str]) -> None:
    table = of_runs([RUNS["line"]])[0]
    print_table(table, "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    print_table(table, "ndjson")
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert table.name == "trials"
    assert len(rows) == len(objects) == 15
    for row, one in zip(rows, objects, strict=True):
        assert float(row["latency_us_p99"]) == one["latency_us_p99"]
        assert one["held"] in (True, False, None)
        assert (row["void_reason"] == "") == (one["void_reason"] is None)


@pytest.fixture
def stored() -> str:
    run = RUNS["io"].model_copy(update={"id": "20250314-092650-abcdef"})
    open_store().save(run)
    return run.id


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main.run(list(words))
    seen = capsys.readouterr()
    return status, seen.out, seen.err


def test_standard_output_has_the_table_alone(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = asked(capsys, "store", "show", stored, "--format", "csv", "--table", "cells")
    (row,) = csv.DictReader(io.StringIO(out))
    cell = RUNS["io"].cell
    assert cell is not None
    assert (status, float(row["iops"]), float(row["latency_us_p99"])) == (0, cell.iops, cell.latency_us.p99)


def test_a_table_without_rows_is_its_heading_and_the_others_are_named(
    stored: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = asked(capsys, "store", "show", stored, "--format", "csv", "--table", "trials")
    assert (status, out.count("\n")) == (0, 1)
    assert out.startswith("run_id,place,")
    assert err.startswith("note: trials has no rows here")
    assert "cells" in err


def test_json_may_be_asked_for_in_both_ways(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, short, _ = asked(capsys, "store", "list", "--json")
    _, long, _ = asked(capsys, "store", "list", "--format", "json")
    assert json.loads(long) == json.loads(short)
    status, _, err = asked(capsys, "store", "list", "--json", "--format", "csv")
    assert (status, "ask for two forms" in err) == (2, True)
    status, out, _ = asked(capsys, "store", "show", "none", "--format=json")
    assert json.loads(out)["data"]["status"] == status != 0


def test_a_verb_without_tables_does_nothing_of_what_was_asked(
    stored: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    status, out, err = asked(capsys, "report", stored, "--out", str(page), "--format", "csv")
    assert (status, out, page.exists()) == (2, "", False)
    assert "cannot be used here" in err


def test_an_empty_store_has_the_heading_of_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "store", "list", "--format", "csv")[1].startswith("id,kind,title,")
    assert asked(capsys, "store", "predictions", "--format", "ndjson")[:2] == (0, "")


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_reader_who_leaves_is_told_nothing(
    stored: str, form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Left(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("sys.stdout", Left())
    status = main.run(["store", "show", stored, "--format", form])
    monkeypatch.undo()
    assert (status, capsys.readouterr().err) == (141, "")


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EPIPE])
@pytest.mark.parametrize("words", [["store", "list", "--format", "csv"], ["store", "show", "none", "--json"]])
def test_an_output_that_takes_nothing_ends_it_with_four_and_one_that_nobody_reads_with_its_own(
    words: list[str],
    reason: int,
    buffered: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(reason, os.strerror(reason))

        def write(self, text: str) -> int:
            return len(text) if buffered else self.flush() or 0

    monkeypatch.setattr("sys.stdout", Full())
    status = main.run(words)
    monkeypatch.undo()
    refused = "could not write to standard output: no space left on device" in capsys.readouterr().err
    # Where a run is not found, the error that was to be printed there is told beside it all the same, and is the status.
    gone = 2 if "none" in words else 141
    assert (status, refused) == ((4, True) if reason == errno.ENOSPC else (gone, False))


@pytest.mark.parametrize(
    "words", [["completion", "bash"], ["help", "io", "--tag", "x"], ["help", "--man", "pages"]]
)
def test_help_is_no_table_and_no_run(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = asked(capsys, *words, "--format", "csv")
    assert (status, out) == (2, "")
    assert "cannot be used here" in err or "no such option: --tag" in err
