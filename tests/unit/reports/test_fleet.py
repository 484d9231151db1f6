"""Groups of many files: in order whatever of them is kept, and no more taken once somebody asked to end."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import pytest

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.context import Context, Ended
from plimsoll.context.apart import Pieces, pieces
from plimsoll.flows.read import read_reports
from plimsoll.flows.read_outputs import Outputs
from plimsoll.ports.folders import Folder
from plimsoll.reports import archives, fleet
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Entry
from plimsoll.requests.read import ReadRequest
from simulated import context

FILES = 40


class Here:
    """Does it in this process and counts; groups with a deadly file end."""

    is_elsewhere = False

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.deadly = "07"

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(function, items)

    def apart(
        self,
        function: Callable[[Sequence[Any]], Any],
        groups: Iterable[Sequence[Any]],
        warn: Callable[[str], None] = print,
    ) -> Iterator[Pieces[Any, Any]]:
        def ask(group: Sequence[Source]) -> Any:
            self.asked.append([Path(source.file).name for source in group])
            return Ended("a whim") if self.deadly in self.asked[-1] else function(group)

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


def read_in_part(ctx: Context, entries: Sequence[Entry], function: Any, groups: int) -> None:
    """As a command does that is ended after so many groups."""
    found = fleet.each(ctx, function, entries)
    for _ in range(groups):
        next(found)
    found.close()  # pyright: ignore[reportAttributeAccessIssue]


def test_what_vanished_meanwhile_is_read_again(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made
    read_in_part(ctx, entries, names, 9)
    executor.asked.clear()
    monkeypatch.setattr(KeptGroups, "load", lambda self, key: None)
    assert [name for group in fleet.each(ctx, names, entries) for name in group] == EXPECTED
    assert ["00", "01", "02", "03"] in executor.asked


@pytest.mark.parametrize("change", ["removed", "added", "shorter"])
def test_a_file_more_or_less_leaves_the_groups_behind_the_next_bound(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    ctx, executor, entries = made
    executor.deadly = "none"
    ends = {"11", "29"}
    monkeypatch.setattr(fleet, "_ends_group", lambda source: Path(source.file).name in ends)
    read_in_part(ctx, entries, names, 9)
    executor.asked.clear()
    first = entries[0].path
    if change == "removed":
        first.unlink()
        entries = entries[1:]
    elif change == "added":
        (first.parent / "000").write_text("text")
        entries = [Entry(first.parent / "000", 4), *entries]
    else:
        first.write_text("t")
    list(fleet.each(ctx, names, entries))
    again = {name for group in executor.asked for name in group}
    # 38 and 39 had not been read when it was ended.
    assert again <= {
        "000",
        *(f"{number:02d}" for number in range(12)),
        *(f"{number}" for number in range(34, 40)),
    }
    assert {"01", "39"} <= again


def test_bounds_come_of_names_and_of_nothing_else(tmp_path: Path) -> None:
    many = [Source(str(tmp_path / f"awr_{number}.html"), weight_bytes=1000) for number in range(2000)]
    moved = [replace(source, file=f"/elsewhere/{Path(source.file).name}") for source in many]

    def told(found: Sequence[Source]) -> list[list[str]]:
        return [[Path(source.file).name for source in group] for group in fleet._groups(found)]

    whole, less = told(many), told(many[1:])
    assert told(moved) == whole
    assert whole[0] != less[0]
    assert len(whole) >= 10
    assert whole[5:] == less[len(less) - len(whole) + 5 :]


def test_where_the_first_folder_is_gone_the_rest_is_gone_on_from(
    made: tuple[Context, Here, list[Entry]],
) -> None:
    ctx, executor, entries = made
    executor.deadly = "none"
    alone = entries[0].path.parent / "aa"
    alone.mkdir()
    first = [Entry(alone / f"x{number}", 4) for number in range(4)]
    for entry in first:
        entry.path.write_text("text")
    read_in_part(ctx, [*first, *entries], names, 9)
    executor.asked.clear()
    assert len(list(fleet.each(ctx, names, entries))) == 10
    assert ["00", "01", "02", "03"] not in executor.asked


def test_where_nothing_is_left_to_read_again_that_is_told(made: tuple[Context, Here, list[Entry]]) -> None:
    with pytest.raises(WorldError, match="what an earlier command had read was taken away") as raised:
        fleet._read_again(made[0], names, fleet._Turn("x", True))
    assert raised.value.id == "kept-vanished"


def test_a_disk_that_gets_full_ends_nothing(
    made: tuple[Context, Here, list[Entry]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Folder, name: str, content: bytes, is_settled: bool = False) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ctx, _, entries = made
    read_in_part(ctx, entries, names, 9)
    entries[0].path.write_text("text that is longer")
    monkeypatch.setattr(Folder, "append", full)
    assert [name for group in fleet.each(ctx, names, entries) for name in group] == EXPECTED
    assert [path for path in (tmp_path / "state").rglob("*") if path.is_file()] == []


def test_memory_that_is_short_while_it_is_kept_ends_nothing(
    made: tuple[Context, Here, list[Entry]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(self: Folder, name: str, content: bytes, is_settled: bool = False) -> None:
        raise MemoryError

    ctx, _, entries = made
    monkeypatch.setattr(Folder, "append", without)
    assert [name for group in fleet.each(ctx, names, entries) for name in group] == EXPECTED
    assert [path for path in (tmp_path / "state").rglob("*") if path.is_file()] == []


def test_what_ended_a_process_is_tried_again_by_the_next_command(
    made: tuple[Context, Here, list[Entry]],
) -> None:
    ctx, executor, entries = made
    read_in_part(ctx, entries, names, 9)
    executor.deadly = "none"
    found = [name for group in fleet.each(ctx, names, entries) for name in group]
    assert found[6:9] == ["06", "07", "08"]


def test_what_no_process_was_started_for_again_is_told_otherwise(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made

    def lost(
        function: Callable[[Sequence[Any]], Any],
        groups: Iterable[Sequence[Any]],
        warn: Callable[[str], None] = print,
    ) -> Iterator[Pieces[Any, Any]]:
        ended = Ended("signal 9 (SIGKILL)", "could not start a process that reads: no memory")
        return ([(group, ended if "07" in group[-1].file else function(group))] for group in groups)

    monkeypatch.setattr(executor, "apart", lost)
    found = [one for group in fleet.each(ctx, told, entries) for one in group]
    assert [one == "" for one in found] == [not 4 <= number < 8 for number in range(FILES)]
    code, _, message = found[7].partition(": ")
    assert code == "report-reader-lost"
    assert message == (
        f"{entries[7].path} was not read: the process that was to read it was ended by signal 9 (SIGKILL), "
        "and then the command could not start a process that reads: no memory"
    )


def told(group: Sequence[Source]) -> list[str]:
    """The error of each file."""
    errors = (source.error for source in group)
    return ["" if error is None else f"{error.id}: {error.message}" for error in errors]


def taken(group: Sequence[Source]) -> list[str]:
    """What stands in each file, or why it could not be read."""

    def one(source: Source) -> str:
        try:
            return source.take().decode()
        except PlimsollError as error:
            return error.id

    return [one(source) for source in group]


def test_what_the_system_refused_is_tried_again_by_the_next_command(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made
    executor.deadly = "none"
    with monkeypatch.context() as broken:
        read = archives.read_bounded

        def refuses(stream: IO[bytes], name: str, **limits: Any) -> bytes:
            if name.endswith("05"):
                raise OSError(errno.EIO, "Input/output error")
            return read(stream, name, **limits)

        broken.setattr(archives, "read_bounded", refuses)
        found = fleet.each(ctx, taken, entries)
        assert [next(found) for _ in range(3)][1] == ["text", "report-unopenable", "text", "text"]
        found.close()  # pyright: ignore[reportAttributeAccessIssue]
    executor.asked.clear()
    assert list(fleet.each(ctx, taken, entries)) == [["text"] * 4] * 10
    assert executor.asked[:2] == [["04", "05", "06", "07"], ["12", "13", "14", "15"]]


def test_it_is_kept_until_what_was_made_of_it_is_written(
    made: tuple[Context, Here, list[Entry]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made
    executor.deadly = "none"
    asked = ReadRequest((str(entries[0].path.parent),), out=str(tmp_path / "out"), file_format="csv")
    with monkeypatch.context() as broken:

        def full(*_: object) -> list[Path]:
            raise OSError(errno.ENOSPC, "No space left on device")

        broken.setattr(Outputs, "finish", full)
        with pytest.raises(OSError, match="No space"):
            read_reports(ctx, asked)
    executor.asked.clear()
    assert len(read_reports(ctx, asked).reports) > 0
    assert executor.asked == []
    assert [path for path in (tmp_path / "state").rglob("*") if path.is_file()] == []


def test_few_files_are_read_one_by_one_here(
    made: tuple[Context, Here, list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, executor, entries = made
    monkeypatch.setattr(fleet, "FLEET_FILES_MIN", FILES + 1)
    found = list(fleet.each(ctx, names, entries, here=lambda group: [f"here {len(group)}"]))
    assert found == [["here 1"]] * FILES
    assert executor.asked == []
