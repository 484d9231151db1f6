"""Files that other hosts read: as the host of the command sees them, and else it is said which host sees what."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.context.apart import Pieces, pieces
from plimsoll.ports import files, processes
from plimsoll.reports import fleet, same_files
from plimsoll.reports.sources import Source
from plimsoll.reports.walk import Walk
from simulated import context

HOST = processes.host_name()


class There:
    """Another host: before it gets a group something happens, and it looks for files in a folder of its own."""

    is_elsewhere = True

    def __init__(self, here: Path) -> None:
        self.here, self.there = here, here
        self.asked: list[list[str]] = []
        self.before: Callable[[], None] = lambda: None

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        raise AssertionError("nothing is read on this host")

    def apart(
        self,
        function: Callable[[Sequence[Any]], Any],
        groups: Iterable[Sequence[Any]],
        warn: Callable[[str], None] = print,
    ) -> Iterator[Pieces[Any, Any]]:
        for group in groups:
            self.asked.append([Path(source.file).name for source in group])
            happens, self.before = self.before, lambda: None
            happens()
            yield [(group, found) for _, found in pieces(function, [self._moved(source) for source in group])]

    def _moved(self, source: Source) -> Source:
        if source.path is None:
            return source
        path = Path(source.path)
        assert path.is_absolute()
        return replace(source, path=str(self.there / path.relative_to(self.here)))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Context, There]]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text(f"text of {name}")
    monkeypatch.chdir(tmp_path)
    with context(tmp_path / "journals") as ctx:
        there = There(folder)
        yield replace(ctx, executor=there), there


def texts(group: Sequence[Source]) -> list[str]:
    """Name and content of each, or why it could not be read."""

    def one(source: Source) -> str:
        try:
            return f"{source.file}: {source.take().decode()}"
        except PlimsollError as error:
            return f"{source.file}: {error.id}"

    return [one(source) for source in group]


def read(ctx: Context) -> list[str]:
    """By the short names that the command was given."""
    entries = list(Walk([Path("in")]).entries())
    return [text for group in fleet.each(ctx, texts, entries) for text in group]


EXPECTED = ["in/a: text of a", "in/b: text of b", "in/c: text of c"]


def another(there: There) -> Path:
    """What that host has under the same name: a copy with its times."""
    folder = there.here.parent / "other"
    folder.mkdir()
    for path in there.here.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
        state = path.stat()
        os.utime(folder / path.name, ns=(state.st_atime_ns, state.st_mtime_ns))
    there.there = folder
    return folder


def test_few_files_are_read_there_too_by_their_whole_names(made: tuple[Context, There]) -> None:
    ctx, there = made
    assert read(ctx) == EXPECTED
    assert there.asked == [["a", "b", "c"]]


def test_a_copy_with_its_times_will_do(made: tuple[Context, There]) -> None:
    ctx, there = made
    another(there)
    assert read(ctx) == EXPECTED


def error_of(ctx: Context) -> WorldError:
    """By which the command ends."""
    with pytest.raises(WorldError) as caught:
        read(ctx)
    return caught.value


def test_a_file_that_is_not_there_is_named(made: tuple[Context, There]) -> None:
    ctx, there = made
    place = another(there) / "b"
    place.unlink()
    error = error_of(ctx)
    assert error.id == "cluster-file-missing"
    assert error.message == f"a worker on {HOST} sees no {place}, which is here"
    assert "rsync --archive" in (error.hint or "")


def test_another_file_under_that_name_is_named(made: tuple[Context, There]) -> None:
    ctx, there = made
    place = another(there) / "b"
    place.write_text("others")
    os.utime(place, (0, 0))
    os.utime(there.here / "b", ns=(0, 1_500_000_000))
    error = error_of(ctx)
    assert error.id == "cluster-file-differs"
    assert error.message == (
        f"a worker on {HOST} sees another {place}: 6 bytes of 1970-01-01T00:00:00.000000000+00:00; "
        "here it is 9 bytes of 1970-01-01T00:00:01.500000000+00:00"
    )


def test_times_are_told_as_exactly_as_they_are_compared() -> None:
    """Also those of years that no calendar has, which file systems keep."""
    told = [same_files._told((9, ns)) for ns in (1_000_000_001, 1_000_000_002, -1, 2**62 * 100)]
    assert told == [
        "9 bytes of 1970-01-01T00:00:01.000000001+00:00",
        "9 bytes of 1970-01-01T00:00:01.000000002+00:00",
        "9 bytes of 1969-12-31T23:59:59.999999999+00:00",
        "9 bytes of 461168601842.738790400 s since 1970",
    ]


def test_a_file_of_the_same_length_and_another_time_is_another(made: tuple[Context, There]) -> None:
    ctx, there = made
    os.utime(another(there) / "c", (0, 0))
    assert error_of(ctx).id == "cluster-file-differs"


def test_what_is_not_to_be_opened_there_is_named(
    made: tuple[Context, There], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx, there = made
    place = another(there) / "b"
    real = files.open_regular

    def refused(path: str | Path) -> Any:
        if Path(path) == place:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(files, "open_regular", refused)
    error = error_of(ctx)
    assert error.id == "cluster-file-refused"
    assert error.message == (
        f"a worker on {HOST} could not open {place}, which this user may read here: permission denied"
    )


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda place: place.symlink_to(place.name)])
def test_what_is_no_file_there_is_another(made: tuple[Context, There], make: Callable[[Path], None]) -> None:
    """A folder, a pipe, and a link to itself."""
    ctx, there = made
    place = another(there) / "b"
    place.unlink()
    make(place)
    error = error_of(ctx)
    assert error.id == "cluster-file-differs"
    assert error.message.startswith(f"a worker on {HOST} sees another {place}: ")
    assert "; here it is a file of 9 bytes of " in error.message
    assert "rsync --archive" in (error.hint or "")


def test_a_file_that_was_changed_meanwhile_is_read_as_it_is_now(made: tuple[Context, There]) -> None:
    ctx, there = made

    def change() -> None:
        (there.here / "b").write_text("a longer text of b")

    there.before = change
    assert read(ctx) == ["in/a: text of a", "in/b: a longer text of b", "in/c: text of c"]
    assert len(there.asked) == 2


def test_a_file_that_went_meanwhile_is_told_by_itself(made: tuple[Context, There]) -> None:
    ctx, there = made
    there.before = (there.here / "b").unlink
    assert read(ctx) == ["in/a: text of a", "in/b: report-changed", "in/c: text of c"]


def test_a_file_that_changes_all_the_time_ends_it(made: tuple[Context, There]) -> None:
    ctx, there = made

    def grow() -> None:
        with (there.here / "b").open("a") as file:
            file.write("more")
        there.before = grow

    grow()
    assert error_of(ctx).id == "cluster-file-differs"
    assert len(there.asked) == 4
