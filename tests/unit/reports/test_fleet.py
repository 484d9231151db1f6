"""Groups of many files: in order whatever of them is kept, and no more taken once somebody asked to end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.context import Context, Ended
from plimsoll.context.apart import Pieces, pieces
from plimsoll.reports import fleet
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Entry
from simulated import context

FILES = 40


class Here:
    """Does it in this process and counts; groups with a deadly file end."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(function, items)

    def apart(
        self, function: Callable[[Sequence[Any]], Any], groups: Iterable[Sequence[Any]]
    ) -> Iterator[Pieces[Any, Any]]:
        def ask(group: Sequence[Source]) -> Any:
            self.asked.append([Path(source.file).name for source in group])
            return Ended("a whim") if "07" in self.asked[-1] else function(group)

        return (pieces(ask, group) for group in groups)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Context, Here, list[Entry]]]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(fleet, "FLEET_FILES_MIN", 10)
    monkeypatch.setattr(fleet, "FLEET_GROUP_FILES_MAX", 4)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:02d}").write_text("text")
    with context(tmp_path / "journals") as ctx:
        executor = Here()
        entries = [Entry(path, 4) for path in sorted(folder.iterdir())]
        yield replace(ctx, executor=executor), executor, entries


def names(group: Sequence[Source]) -> list[str]:
    """Of the files, with the error of those that have one."""
    return [
        Path(source.file).name + ("" if source.error is None else f" {source.error.id}") for source in group
    ]


EXPECTED = [f"{number:02d}{' report-ends-reader' if number == 7 else ''}" for number in range(FILES)]


def test_each_file_is_there_once_and_in_order(made: tuple[Context, Here, list[Entry]]) -> None:
    ctx, executor, entries = made
    assert [name for group in fleet.each(ctx, names, entries) for name in group] == EXPECTED
    assert [len(group) for group in executor.asked] == [4, 4, 1, 1, 1, 1, *[4] * 8]


def test_who_asks_again_after_an_end_gets_the_rest(made: tuple[Context, Here, list[Entry]]) -> None:
    ctx, executor, entries = made
    found = fleet.each(ctx, names, entries)
    taken = [next(found) for _ in range(3)]
    ctx.cancel.set()
    taken += list(found)
    assert [name for group in taken for name in group] == EXPECTED[: sum(map(len, taken))]
    assert len(taken) < FILES // 4
    asked = len(executor.asked)
    with context(Path(entries[0].path).parent.parent / "others") as fresh:
        again = replace(fresh, executor=executor)
        assert [name for group in fleet.each(again, names, entries) for name in group] == EXPECTED
        rest = {name for group in executor.asked[asked:] for name in group}
        assert rest.isdisjoint({"00", "01", "02", "03"})
        assert "39" in rest
        assert [name for group in fleet.each(again, names, entries) for name in group] == EXPECTED
    assert executor.asked[-1] == ["36", "37", "38", "39"]


def test_what_is_kept_between_others_comes_in_its_place(
    made: tuple[Context, Here, list[Entry]], tmp_path: Path
) -> None:
    ctx, executor, entries = made
    found = fleet.each(ctx, names, entries)
    for _ in range(9):
        next(found)
    found.close()  # pyright: ignore[reportAttributeAccessIssue]
    first = entries[0].path
    first.write_text("text that is longer")
    executor.asked.clear()
    assert [name for group in fleet.each(ctx, names, entries) for name in group] == EXPECTED
    assert executor.asked[0] == ["00", "01", "02", "03"]
    assert ["12", "13", "14", "15"] not in executor.asked
    assert executor.asked[-1] == ["36", "37", "38", "39"]


def test_few_files_are_read_one_by_one_here(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made
    monkeypatch.setattr(fleet, "FLEET_FILES_MIN", FILES + 1)
    found = list(fleet.each(ctx, names, entries, here=lambda group: [f"here {len(group)}"]))
    assert found == [["here 1"]] * FILES
    assert executor.asked == []
