"""What may be measured, and what is refused with the way on: real files, on the file systems of this machine."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll import _core
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError, SafetyError, UsageError
from plimsoll.context import Context
from plimsoll.facts import Event, Progress
from plimsoll.flows import assess as assessing
from plimsoll.requests.assess import AssessRequest
from plimsoll.supply import targets
from plimsoll.supply.targets import Opened, Wish, opened
from simulated import context

MIB = 1 << 20
SIZE = 64 * MIB

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may mount file systems and make loop devices"
)


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a stranger, full of random data and on disk."""
    path = tmp_path_factory.mktemp("data") / "full.dat"
    with open(path, "wb") as file:
        for _ in range(SIZE // MIB):
            file.write(os.urandom(MIB))
        os.fsync(file.fileno())
    return path


def refused(ctx: Context, wish: Wish) -> PlimsollError:
    """The error that this wish ends with."""
    with pytest.raises(PlimsollError) as caught, opened(ctx, wish):
        pass
    assert caught.value.hint
    assert caught.value.message[0].islower() or caught.value.message.startswith("/")
    return caught.value


def first_read(made: Opened) -> bytes:
    with open(made.target.path, "rb") as file:
        return file.read(4096)


def test_a_file_is_measured_as_it_is(ctx: Context, filled: Path) -> None:
    before = filled.stat()
    with opened(ctx, Wish(str(filled))) as made:
        target = made.target
        assert (target.kind, target.span_bytes, target.ours, made.permit) == ("file", SIZE, False, None)
        assert target.file_system is not None
        assert target.contents is not None
        assert target.contents.zero_samples == 0
    assert (filled.stat().st_mtime_ns, filled.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_missing_path_is_refused_with_both_ways_on(ctx: Context, folder: Path) -> None:
    error = refused(ctx, Wish(str(folder / "none")))
    assert (error.id, error.status) == ("target-missing", ExitStatus.USAGE)
    assert error.hint is not None
    assert "--prefill" in error.hint
    assert refused(ctx, Wish(str(folder / "no" / "none"), prefill=True)).id == "target-missing"


def test_what_is_not_there_is_said_before_whose_disk_it_would_be(
    ctx: Context, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_use(path: Path, while_in_use: bool = False) -> None:
        raise SafetyError("target-in-use-by-database", "a running database uses it", "Name another.")

    for module in (targets, assessing):
        monkeypatch.setattr(module, "check_databases", in_use)
    none = str(folder / "none")
    assert refused(ctx, Wish(none)).id == "target-missing"
    assert refused(ctx, Wish(none, prefill=True)).id == "target-in-use-by-database"
    with pytest.raises(UsageError, match="there is no"):
        assessing.assess(ctx, AssessRequest(target=none, demand=("none.json",)))
    with pytest.raises(UsageError, match="there is no"), targets.opened_empty(ctx, Wish(none)):
        pytest.fail("it was opened")


def test_oranfstab_is_no_way_around_a_database_that_runs(
    ctx: Context, folder: Path, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_use(path: Path, while_in_use: bool = False) -> None:
        raise SafetyError("target-in-use-by-database", f"a running database uses {path}", "Name another.")

    monkeypatch.setattr(targets, "check_databases", in_use)
    tab = folder / "oranfstab"
    tab.write_text(f"server: filer\nexport: /vol mount: {filled.parent}\n")
    error = refused(ctx, Wish(str(filled), oranfstab=str(tab)))
    assert error.id == "target-in-use-by-database"
    assert str(filled) in error.message


def test_what_is_neither_file_nor_device_is_refused_at_once(ctx: Context, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for odd in (folder / "pipe", Path("/dev/zero")):
        assert refused(ctx, Wish(str(odd))).id == "target-odd"


@pytest.mark.parametrize(("held", "asked"), [(SIZE - MIB, None), (SIZE, SIZE // 2), (SIZE, SIZE + 1)])
def test_too_little_is_refused(ctx: Context, folder: Path, held: int, asked: int | None) -> None:
    path = folder / "small.dat"
    with open(path, "wb") as file:
        file.truncate(held)
    assert refused(ctx, Wish(str(path), asked)).id == "target-too-small"


def test_a_part_of_a_file_may_be_asked_for(ctx: Context, folder: Path) -> None:
    path = folder / "larger.dat"
    path.write_bytes(os.urandom(SIZE + MIB))
    with opened(ctx, Wish(str(path), SIZE)) as made:
        assert made.target.span_bytes == SIZE


def test_a_sparse_file_is_refused(ctx: Context, folder: Path) -> None:
    path = folder / "sparse.dat"
    with open(path, "wb") as file:
        file.write(os.urandom(MIB))
        file.truncate(SIZE)
    error = refused(ctx, Wish(str(path)))
    assert (error.id, error.status) == ("target-unwritten", ExitStatus.USAGE)
    assert "were never written" in error.message
    assert error.hint is not None
    assert "--prefill" in error.hint


def test_a_file_with_unwritten_extents_is_refused(ctx: Context, folder: Path) -> None:
    path = folder / "fallocated.dat"
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, SIZE)
    error = refused(ctx, Wish(str(path)))
    assert error.id == "target-unwritten"


def test_a_file_of_zeros_is_refused(ctx: Context, folder: Path) -> None:
    path = folder / "zeros.dat"
    with open(path, "wb") as file:
        for _ in range(SIZE // MIB):
            file.write(bytes(MIB))
        os.fsync(file.fileno())
    error = refused(ctx, Wish(str(path)))
    assert error.id == "target-unwritten"
    assert "nothing but zeros" in error.message


def test_copies_of_one_block_are_measured_and_said(ctx: Context, folder: Path) -> None:
    path = folder / "copies.dat"
    with open(path, "wb") as file:
        file.write(os.urandom(4096) * (SIZE // 4096))
        file.flush()
        os.fsync(file.fileno())
    with opened(ctx, Wish(str(path))) as made:
        assert [note.code for note in made.target.notes] == ["duplicate-data"]


def test_without_direct_io_the_page_cache_is_named(ctx: Context, filled: Path) -> None:
    with opened(ctx, Wish(str(filled), direct=False)) as made:
        assert [note.code for note in made.target.notes] == ["page-cache"]


def test_a_folder_gets_a_scratch_file_that_is_gone_after(ctx: Context, folder: Path) -> None:
    with opened(ctx, Wish(str(folder), SIZE)) as made:
        (entry,) = folder.iterdir()
        assert made.target.path == str(entry)
        assert (made.target.kind, made.target.ours, entry.stat().st_size) == ("scratch", True, SIZE)
        assert made.permit is not None
        assert first_read(made) != bytes(4096)
        contents = made.target.contents
        assert contents is not None
        assert (contents.hole_bytes or 0, contents.unwritten_bytes or 0, contents.zero_samples) == (0, 0, 0)
        assert contents.duplicate_samples == 0
    assert list(folder.iterdir()) == []


def test_it_is_gone_after_an_error_too(ctx: Context, folder: Path) -> None:
    def fail() -> None:
        with opened(ctx, Wish(str(folder), SIZE)):
            raise RuntimeError("while measuring")

    with pytest.raises(RuntimeError):
        fail()
    assert list(folder.iterdir()) == []


def test_a_prefilled_file_stays_and_can_be_measured_and_written_again(ctx: Context, folder: Path) -> None:
    path = folder / "kept.dat"
    with opened(ctx, Wish(str(path), SIZE, prefill=True)) as made:
        assert made.permit is not None
    assert [entry.name for entry in folder.iterdir()] == ["kept.dat"]
    assert path.stat().st_size == SIZE
    with opened(ctx, Wish(str(path))) as made:
        assert made.permit is None
    with opened(ctx, Wish(str(path), writes=True)) as made:
        assert made.permit is not None


@pytest.mark.parametrize("what", ["file", "empty", "link", "folder inside"])
def test_what_is_there_is_never_overwritten(ctx: Context, folder: Path, filled: Path, what: str) -> None:
    path = folder / "taken"
    if what == "link":
        path.symlink_to(folder / "elsewhere")
    elif what == "folder inside":
        (folder / "inner").mkdir()
        path.symlink_to(folder / "inner")
    else:
        path.write_bytes(b"" if what == "empty" else b"precious")
    before = path.lstat()
    wish = Wish(str(path), SIZE, prefill=True)
    if what == "folder inside":
        with opened(ctx, wish) as made:
            assert Path(made.target.path).parent == folder / "inner"
        assert list((folder / "inner").iterdir()) == []
    else:
        error = refused(ctx, wish)
        assert (error.id, error.status) == ("file-exists", ExitStatus.REFUSED_FOR_SAFETY)
    assert path.lstat().st_mtime_ns == before.st_mtime_ns
    assert not (folder / "elsewhere").exists()


def test_a_strangers_file_is_not_written_to(ctx: Context, filled: Path) -> None:
    error = refused(ctx, Wish(str(filled), writes=True))
    assert (error.id, error.status) == ("foreign-file-refused", ExitStatus.REFUSED_FOR_SAFETY)


def test_a_folder_without_room_is_refused_before_anything_is_written(ctx: Context, folder: Path) -> None:
    for wish in (Wish(str(folder), 1 << 60), Wish(str(folder / "new"), 1 << 60, prefill=True)):
        error = refused(ctx, wish)
        assert (error.id, error.status) == ("disk-full", ExitStatus.WORLD_FAILED)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("prefill", [False, True])
def test_a_write_that_fails_half_way_leaves_nothing(ctx: Context, folder: Path, prefill: bool) -> None:
    """A limit on the size of files stops us in the middle."""
    wish = Wish(str(folder / "new") if prefill else str(folder), SIZE, prefill=prefill)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE // 2, before[1]))
    try:
        error = refused(ctx, wish)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (error.id, error.status) == ("disk-full", ExitStatus.WORLD_FAILED)
    assert list(folder.iterdir()) == []


def test_a_name_that_cannot_be_given_leaves_nothing(ctx: Context, folder: Path) -> None:
    error = refused(ctx, Wish(str(folder / ("x" * 300)), SIZE, prefill=True))
    assert (error.id, error.status) == ("target-refused", ExitStatus.WORLD_FAILED)
    assert list(folder.iterdir()) == []


def test_a_link_that_leads_nowhere_is_refused(ctx: Context, folder: Path) -> None:
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    assert refused(ctx, Wish(str(folder / "a"))).id == "target-unreadable"


def test_a_name_that_is_a_link_at_one_moment_and_a_folder_at_the_next_is_refused(
    ctx: Context, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel says so where a link was seen, and is gone when it is read."""
    (folder / "a").symlink_to(folder)

    def gone(path: str, **_: Any) -> str:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    monkeypatch.setattr(os, "readlink", gone)
    error = refused(ctx, Wish(str(folder / "a")))
    assert (error.id, error.status) == ("target-unreadable", ExitStatus.WORLD_FAILED)


@pytest.mark.parametrize("prefill", [False, True])
def test_ctrl_c_while_writing_leaves_nothing(tmp_path: Path, folder: Path, prefill: bool) -> None:
    def listen(event: Event) -> None:
        if isinstance(event, Progress) and event.stage == "prefill":
            ctx.cancel.set()

    with context(tmp_path / "journals", listen) as ctx:
        wish = Wish(str(folder / "new") if prefill else str(folder), 64 * SIZE, prefill=prefill)
        with pytest.raises(Interrupted), opened(ctx, wish):
            pass
        assert list(folder.iterdir()) == []


def test_a_file_without_read_permission_is_refused_with_who_may(folder: Path) -> None:
    path = folder / "secret.dat"
    path.write_bytes(b"x")
    command.forbid(path)
    done = command.plimsoll("io", path, powerless=True)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        f"error: could not open {path} for reading: permission denied\n"
        "hint: Devices are readable for root and group disk; files need read permission.\n"
    )


def test_a_folder_without_write_permission_is_refused(folder: Path) -> None:
    command.forbid(folder)
    done = command.plimsoll("io", folder, "--size", "64m", powerless=True)
    assert done.returncode == 4
    assert "permission denied" in done.stderr
    assert "PLIMSOLL_SCRATCH" in done.stderr


@pytest.mark.parametrize("words", [(), ("--prefill",), ("--rw", "randwrite")])
def test_a_file_in_a_folder_that_may_not_be_entered_is_refused(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "data").write_bytes(b"x")
    command.forbid(folder)
    done = command.plimsoll("io", folder / "data", *words, powerless=True)
    assert done.returncode == 4
    assert done.stderr.startswith("error: could not ")
    assert "permission denied" in done.stderr


@needs_root
def test_a_device_is_read_and_not_written_unasked(ctx: Context, filled: Path) -> None:
    device = subprocess.run(
        ["losetup", "--find", "--show", filled], capture_output=True, text=True, check=False
    )
    if device.returncode:
        pytest.skip(f"no loop device can be made here: {device.stderr.strip()}")
    path = device.stdout.strip()
    try:
        with opened(ctx, Wish(path)) as made:
            assert (made.target.kind, made.target.span_bytes, made.permit) == ("device", SIZE, None)
            assert made.target.device is not None
            assert made.target.device.name == Path(path).name
        for wish in (Wish(path, writes=True), Wish(path, SIZE, prefill=True)):
            error = refused(ctx, wish)
            assert (error.id, error.status) == ("device-not-empty", ExitStatus.REFUSED_FOR_SAFETY)
        done = command.here("io", path, "--runtime", "200ms", "--json")
        assert command.document(done)["data"]["ios"] > 0
        assert command.here("io", path, "--rw", "randwrite", "--runtime", "200ms").returncode == 3
    finally:
        subprocess.run(["losetup", "--detach", path], check=True)


@pytest.fixture
def mounted(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of the kind and options that the test names."""
    kind, options = request.param
    place = tmp_path / kind
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", kind, "-o", options, "none", place], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no {kind} can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@needs_root
@pytest.mark.parametrize("mounted", [("tmpfs", "size=160m")], indirect=True)
def test_a_full_disk_is_named_and_left_as_it_was(mounted: Path, tmp_path: Path) -> None:
    """Room that was there when it was looked at may be taken by another program while we write."""
    with context(tmp_path / "journals") as ctx, pytest.MonkeyPatch.context() as patch:
        patch.setattr(targets, "_check_room", lambda folder, size: None)
        error = refused(ctx, Wish(str(mounted), 512 * MIB))
    assert (error.id, error.status) == ("disk-full", ExitStatus.WORLD_FAILED)
    assert list(mounted.iterdir()) == []


@needs_root
@pytest.mark.parametrize("mounted", [("ramfs", "mode=755")], indirect=True)
def test_a_file_system_without_direct_io_is_named_with_the_way_on(mounted: Path) -> None:
    done = command.here("io", mounted, "--size", "64m", "--runtime", "200ms")
    assert done.returncode == 4
    assert "refuses direct I/O" in done.stderr
    assert "--no-direct" in done.stderr
    assert "page cache" in done.stderr
    assert list(mounted.iterdir()) == []
    done = command.here("io", mounted, "--size", "64m", "--runtime", "200ms", "--no-direct", "--json")
    result: dict[str, Any] = command.document(done)
    assert result["data"]["direct"] is False
    assert "page-cache" in [warning["code"] for warning in result["warnings"]]
    assert list(mounted.iterdir()) == []


def test_what_the_core_says_of_a_file_is_kept(ctx: Context, filled: Path) -> None:
    found = _core.inspect_file(str(filled), 256)
    with opened(ctx, Wish(str(filled))) as made:
        contents = made.target.contents
        assert contents is not None
        assert (contents.size_bytes, contents.method, contents.samples) == (
            SIZE,
            found["method"],
            found["samples"],
        )
        assert made.target.direct_alignment_bytes == found["direct_alignment_bytes"]


def test_more_samples_than_anybody_needs_are_refused(filled: Path) -> None:
    with pytest.raises(_core.CoreError) as caught:
        _core.inspect_file(str(filled), 1 << 30)
    assert caught.value.id == "samples-invalid"
