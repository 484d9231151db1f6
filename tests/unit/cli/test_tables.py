"""Tables at every width: what is shown is whole, what drops out is named, and into a pipe each row is one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

import facts_runs
from plimsoll.cli import output, tables
from plimsoll.cli.show import show_any, show_predictions, show_summaries
from plimsoll.cli.tables import Shown, filled, lines, table
from plimsoll.cli.width import fold, seen_width, words_of
from plimsoll.facts import PredictionSummary, RunSummary

RUNS = facts_runs.all_runs()


@dataclass
class Seen:
    """A table, and the lines that came of it."""

    made: Shown
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def left_out(self) -> list[str]:
        found = re.search(r"not shown in \d+ columns: (.*)", " ".join(self.lines))
        return [] if found is None else found[1].split(", ")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    """Every table that is printed from now on."""
    kept: list[Seen] = []

    def recorded(made: Shown, width: int | None) -> list[str]:
        kept.append(Seen(made, list(lines(made, width))))
        return kept[-1].lines

    monkeypatch.setattr(tables, "lines", recorded)
    return kept


def as_wide_as(width: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (output, tables):
        monkeypatch.setattr(module, "terminal_width", lambda stream: width)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_what_a_terminal_shows_is_whole_and_what_drops_out_is_named(
    width: int, monkeypatch: pytest.MonkeyPatch, seen: list[Seen], capsys: pytest.CaptureFixture[str]
) -> None:
    as_wide_as(width, monkeypatch)
    for run in RUNS.values():
        show_any(run)
    for line in capsys.readouterr().out.splitlines():
        assert seen_width(line) <= width or len(words_of(line.strip())) == 1, line
    assert len(seen) > 40
    for one in seen:
        _check_whole(one)
    assert any(one.left_out for one in seen) == (width < 200)


def _check_whole(one: Seen) -> None:
    kept = [at for at, name in enumerate(one.made.columns) if name and name not in one.left_out]
    assert len(kept) >= 2 or len(one.made.columns) == 1
    for row in one.made.rows:
        for at in kept:
            parts = (
                [row[at]]
                if one.made.numeric[at]
                else [word for word in words_of(row[at]) if not _is_long_path(word)]
            )
            assert all(part in one.text for part in parts), (row[at], one.text)


def _is_long_path(word: str) -> bool:
    """Of which folders in the middle may be left out; `test_a_long_path_keeps_its_ends` says which."""
    return word.startswith("/") and len(word) > tables._PATH_MIN


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/var/lib/postgresql/18/main/base/5/16384", "/var/…/main/base/5/16384"),
        ("/var/lib/postgresql/18/main/base/6/16384", "/var/…/main/base/6/16384"),
        ("/var/lib/postgresql/18/main/pg_wal/000000010000000000000009", "/var/…/000000010000000000000009"),
        ("/data/0123456789012345678901234567890123", "/data/0123456789012345678901234567890123"),
        ("/var/lib/short", "/var/lib/short"),
    ],
)
def test_a_long_path_keeps_its_ends(path: str, shown: str) -> None:
    assert tables._FOLDER.sub(tables._without_middle, path) == shown


def test_into_a_pipe_each_row_is_one_line_and_whole(
    seen: list[Seen], capsys: pytest.CaptureFixture[str]
) -> None:
    for run in RUNS.values():
        show_any(run)
    for one in seen:
        assert len(one.lines) == 1 + len(one.made.rows)
        assert not one.left_out
        for line, cells in zip(one.lines, (one.made.columns, *one.made.rows), strict=True):
            assert re.search(".*".join(map(re.escape, cells)), line), line


def test_a_line_for_each_run_keeps_its_id_and_its_answer_at_every_width(
    monkeypatch: pytest.MonkeyPatch, seen: list[Seen]
) -> None:
    as_wide_as(40, monkeypatch)
    run = facts_runs.io_run()
    result = "54,300 IOPS, p99 410 µs"
    show_summaries(
        [
            RunSummary(
                id="20261120-120000-abcdef", kind="io", title="a title of its own that is long", started_at=run.started_at,
                duration_s=2.0, interrupted=False, result=result,
            )
        ]
    )  # fmt: skip
    show_predictions(
        [
            PredictionSummary(
                run="20261120-120000-abcdef", predicted_at=run.started_at, title="t", target="/dev/mapper/a_name_of_a_device",
                database="orders", predicted="carries", headroom=2.31, state="open", settled_by=None, settled_at=None,
                observed=None, error_share=None,
            )
        ]
    )  # fmt: skip
    assert all("20261120-120000-abcdef" in one.text for one in seen)
    assert all(word in seen[0].text for word in words_of(result))
    assert seen[0].left_out == ["kind", "when", "what"]
    assert "headroom 2.3" in seen[1].text
    assert "target" in seen[1].left_out


def test_the_least_wanted_columns_drop_out_first() -> None:
    made = table("class", "mean", "p99", "max", spare=("mean",))
    made.add_row("small read", "1,234 µs", "2,345 µs", "3,456 µs")
    assert list(lines(made, 34))[-1] == "not shown in 34 columns: mean"
    assert "3,456 µs" not in "".join(lines(made, 24))


def test_a_path_loses_folders_in_its_middle_on_a_terminal_only() -> None:
    path = "/reports/of/2016/and/of/a/host/awr_1_173_174.html"
    made = filled(("report", "rows"), [(path, "1,234")], (False, True))
    assert list(lines(made, 40))[1].split() == ["/reports/…/awr_1_173_174.html", "1,234"]
    assert path in list(lines(made, None))[1]


def test_rows_stand_as_names_and_values_where_not_even_two_columns_fit() -> None:
    made = filled(("run", "answer"), [("20261120-120000-abcdef", "54,300")] * 2, (False, True))
    row = ["run:", "20261120-120000-abcdef", "answer: 54,300"]
    assert list(lines(made, 25)) == [*row, "", *row]


@pytest.mark.parametrize(
    ("text", "width", "parts"),
    [
        ("it took 12.3 ms at most", 12, ["it took", "12.3 ms at", "most"]),
        ("  a line with an indent", 14, ["  a line with", "  an indent"]),
        ("/a/path/without/blanks is whole", 10, ["/a/path/without/blanks", "is whole"]),
        ("名前 は 長い", 7, ["名前 は", "長い"]),
        ("nothing folds in a pipe", None, ["nothing folds in a pipe"]),
    ],
)
def test_sentences_fold_between_words(text: str, width: int | None, parts: Sequence[str]) -> None:
    assert list(fold(text, width)) == list(parts)
