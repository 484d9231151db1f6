"""What was made of groups of files: known again by its files, believed only whole, gone once nobody needs it."""

from __future__ import annotations

import errno
import gzip
import os
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.facts import Note
from plimsoll.ports.folders import Folder
from plimsoll.reports import fleet, kept_groups
from plimsoll.reports.fleet import _groups
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Entry
from simulated import context


def work(group: Sequence[Source]) -> int:
    """Something to be done."""
    return len(group)


def other(group: Sequence[Source]) -> int:
    """Something else."""
    return -len(group)


class Deadly:
    """Runs a program where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch forged",)


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    with context(tmp_path / "journals") as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("a")
    return path


def part(value: object) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def opened(ctx: Context, file: Path, function: object = work) -> KeptGroups:
    return KeptGroups(ctx, function, [Entry(file)])  # type: ignore[arg-type]


def test_what_is_kept_is_there_for_the_next_one(ctx: Context, file: Path) -> None:
    group = [Source(str(file), path=str(file))]
    notes = [Note(code="x", message="y")]
    with opened(ctx, file) as kept:
        key = kept.key_of(group)
        assert not kept.has(key)
        kept.keep(key, [part(notes), part(7)])
    with opened(ctx, file) as again:
        assert again.key_of(group) == key
        assert again.has(key)
        assert [again.unpacked(one) for one in again.load(key) or ()] == [notes, 7]
        again.forget()
    with opened(ctx, file) as third:
        assert not third.has(key)


def test_it_is_of_that_work_over_those_files_alone(ctx: Context, file: Path) -> None:
    group = [Source(str(file), path=str(file))]
    with opened(ctx, file) as kept:
        key = kept.key_of(group)
        kept.keep(key, [part(1)])
    with opened(ctx, file, other) as unlike:
        assert not unlike.has(key)
    file.write_text("ab")
    with opened(ctx, file) as changed:
        assert not changed.has(changed.key_of(group))
    file.unlink()
    with opened(ctx, file) as gone:
        assert gone.key_of(group) is None
        assert not gone.has(None)
        gone.keep(None, [part(1)])


def test_members_are_known_by_their_content(ctx: Context, file: Path) -> None:
    with opened(ctx, file) as kept:
        keys = {
            kept.key_of([Source("a.zip", name, content=content)])
            for name in "mn"
            for content in (b"one", b"two")
        }
    assert len(keys) == 4


def test_a_command_of_the_same_kind_that_is_at_work_is_not_disturbed(ctx: Context, file: Path) -> None:
    with opened(ctx, file) as first:
        first.keep("x", [part(1)])
        with opened(ctx, file) as second:
            assert not second.has("x")
            second.keep("x", [part(2)])
            second.forget()
        assert first.has("x")
        assert first.load("x") == [part(1)]


def test_what_vanished_meanwhile_is_no_longer_there(ctx: Context, file: Path, tmp_path: Path) -> None:
    with opened(ctx, file) as kept:
        kept.keep("x", [part(1)])
        assert kept.has("x")
        for path in (tmp_path / "state").rglob("x"):
            path.unlink()
        assert kept.load("x") is None


def test_a_file_that_was_changed_and_has_its_time_again_is_read_again(ctx: Context, file: Path) -> None:
    group = [Source(str(file), path=str(file))]
    before = file.stat()
    with opened(ctx, file) as kept:
        key = kept.key_of(group)
        # The kernel's clock of files moves on some hundred times in a second.
        while file.stat().st_ctime_ns == before.st_ctime_ns:
            file.write_text("b")
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        after = file.stat()
        assert (after.st_size, after.st_mtime_ns, after.st_ino) == (
            before.st_size,
            before.st_mtime_ns,
            before.st_ino,
        )
        assert kept.key_of(group) != key


def test_what_could_not_be_opened_is_not_known_again(ctx: Context, file: Path) -> None:
    error = WorldError("report-unopenable", "could not read a.txt: too many open files")
    with opened(ctx, file) as kept:
        assert kept.key_of([Source(str(file), path=str(file)), Source("b.txt", error=error)]) is None


def test_on_a_full_disk_what_is_kept_is_read_still_and_forgotten_at_the_end(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    told: list[str] = []
    append = Folder.append

    def full(self: Folder, name: str, content: bytes, is_settled: bool = False) -> None:
        append(self, name, content[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    with (
        context(tmp_path / "journals", lambda event: told.append(str(event))) as ctx,
        opened(ctx, file) as kept,
    ):
        kept.keep("x", [part(1)])
        monkeypatch.setattr(Folder, "append", full)
        for name in "yz":
            kept.keep(name, [part(2)])
        assert kept.has("x")
        assert kept.load("x") == [part(1)]
        assert kept_names(tmp_path) == ["x"]
        kept.forget()
    assert kept_names(tmp_path) == []
    assert len([one for one in told if "is not kept" in one and "no space left" in one]) == 1


def kept_names(tmp_path: Path) -> list[str]:
    """Of all files that are kept."""
    return [path.name for path in (tmp_path / "state").rglob("*") if path.is_file()]


def test_nothing_is_run_that_somebody_put_there(ctx: Context, file: Path, tmp_path: Path) -> None:
    with opened(ctx, file) as kept:
        kept.keep("x", [part(1)])
        with pytest.raises(pickle.UnpicklingError, match="is no fact"):
            kept.unpacked(part(Deadly()))
    assert not (tmp_path / "forged").exists()


def test_what_does_not_load_is_not_kept(ctx: Context, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of a release whose facts had another field, or that named another class: it is read again."""
    note = part(Note(code="x", message="y"))
    with monkeypatch.context() as before:
        before.setattr(Note, "__getstate__", lambda _: ("x",))
        fewer = part(Note(code="x", message="y"))
    strange = {
        "fewer": fewer,
        "cut": note[:-3],
        "empty": b"",
        "gone": note.replace(b"plimsoll.facts._fact", b"plimsoll.facts._gone"),
        "unnamed": note.replace(b"\x8c\x04Note", b"\x8c\x04Nose"),
    }
    with opened(ctx, file) as kept:
        for name, content in strange.items():
            kept.keep(name, [part(1), content])
            assert not kept.has(name), name
        kept.keep("whole", [note])
        assert kept.has("whole")


def test_what_another_build_kept_is_not_gone_on_with(
    ctx: Context, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(ctx, file) as kept:
        kept.keep("x", [part(1)])
    monkeypatch.setattr(kept_groups, "installed", lambda: "another")
    with opened(ctx, file) as later:
        assert not later.has("x")


def test_what_nobody_went_on_with_is_forgotten(ctx: Context, file: Path, tmp_path: Path) -> None:
    with opened(ctx, file, other) as kept:
        kept.keep("x", [part(1)])
    [old] = {path.parent for path in (tmp_path / "state").rglob("x")}
    then_s = ctx.clock.now().timestamp() - 8 * 86_400
    os.utime(old, (then_s, then_s))
    with opened(ctx, file):
        assert not old.exists()
    with opened(ctx, file, other) as fresh:
        fresh.keep("x", [part(1)])
    with opened(ctx, file):
        assert old.exists()


def test_groups_are_some_megabytes_or_some_hundred_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FLEET_GROUP_CUT", 1 << 40)  # no name ends a group

    def sizes(count: int, size_bytes: int) -> list[int]:
        return [
            len(group) for group in _groups(Source(str(at), weight_bytes=size_bytes) for at in range(count))
        ]

    assert sizes(0, 1) == []
    assert sizes(450, 1) == [200, 200, 50]
    assert sizes(7, 3 << 20) == [3, 3, 1]
    assert sizes(2, 100 << 20) == [1, 1]


@pytest.mark.parametrize(
    ("plain", "size_bytes", "groups"),
    [(b"a" * 3_000_000, 3_000_000, [3, 3, 1]), (Random(1).randbytes(100_000), 1_500_000, [6, 1])],
    ids=["as it says", "fifteen times"],
)
def test_packed_files_weigh_what_comes_out_of_them(
    tmp_path: Path, plain: bytes, size_bytes: int, groups: list[int]
) -> None:
    paths = [tmp_path / f"{number}.gz" for number in range(7)]
    for path in paths:
        path.write_bytes(gzip.compress(plain, 1))
    found = list(sources([Entry(path, path.stat().st_size) for path in paths]))
    assert all(size_bytes <= one.grown_bytes < 1.01 * size_bytes for one in found)
    assert [len(group) for group in _groups(found)] == groups


def test_a_packed_file_that_is_cut_off_is_weighed_as_well(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"\x1f\x8b\x08")
    [found] = sources([Entry(path, 3)])
    assert (found.error, found.path) == (None, str(path))
    plain = tmp_path / "a.txt"
    plain.write_bytes(b"text")
    assert [one.grown_bytes for one in sources([Entry(plain, 4)])] == [0]
