"""The few operations that change the file system: whole or not at all, and never over what is there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from plimsoll.ports import files


def test_text_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    files.write_text_atomically(path, "text, first version", "text")
    files.write_text_atomically(path, "text, zweite Fassung, größer", "text")
    assert path.read_text(encoding="utf-8") == "text, zweite Fassung, größer"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_a_write_that_fails_leaves_the_old_text_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        files.write_text_atomically(path, "text", "text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_an_empty_file_is_private_and_new(tmp_path: Path) -> None:
    path = tmp_path / "scratch"
    state = files.create_empty(path)
    assert stat.S_IMODE(state.st_mode) == 0o600
    assert state.st_size == 0
    with pytest.raises(FileExistsError):
        files.create_empty(path)


def test_an_empty_file_is_not_made_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        files.create_empty(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_removing_takes_files_folders_and_links_but_not_what_links_point_to(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "data").write_text("mine")
    (tmp_path / "link").symlink_to(kept)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "inner").symlink_to(kept)
    for name in ("link", "folder", "gone"):
        files.remove(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["kept"]
    assert (kept / "data").read_text() == "mine"


def test_a_file_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    assert files.read_text(tmp_path / "missing") is None
    assert files.read_text(tmp_path) is None
    (tmp_path / "value").write_bytes(b" 12\xff \n")
    assert files.read_text(tmp_path / "value") == "12\ufffd"


def test_free_space_is_what_this_user_may_still_write(tmp_path: Path) -> None:
    space = os.statvfs(tmp_path)
    free = files.free_bytes(tmp_path)
    assert free is not None
    assert 0 < free <= space.f_blocks * space.f_frsize


def test_a_file_system_without_a_size_does_not_say_how_much_is_free() -> None:
    assert files.free_bytes(Path("/proc")) is None


def test_a_regular_file_is_opened_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"content")
    with files.open_regular(tmp_path / "plain") as file:
        assert file.read() == b"content"
    os.mkfifo(tmp_path / "pipe")
    before = len(os.listdir("/proc/self/fd"))
    for path, what in (
        (tmp_path / "pipe", "a pipe"),
        (tmp_path, "a folder"),
        ("/dev/null", "a character device"),
    ):
        with pytest.raises(files.NotRegularError, match=f"it is {what}, not a file"):
            files.open_regular(path)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_became_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(os, "stat", lambda path: os.lstat(__file__))
    with pytest.raises(files.NotRegularError):
        files.open_regular(tmp_path / "pipe")


def test_an_input_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"x" * 100)
    assert files.read_input(path, 100) == b"x" * 100
    with pytest.raises(files.TooLargeError) as caught:
        files.read_input(path, 99)
    assert (caught.value.size_bytes, caught.value.bytes_max) == (100, 99)


def test_a_setting_of_the_kernel_is_read_whatever_the_limit() -> None:
    content = files.read_input("/proc/sys/vm/overcommit_memory", 64 << 20)
    assert content == Path("/proc/sys/vm/overcommit_memory").read_bytes()


def test_an_input_that_says_that_it_is_empty_is_read_up_to_its_limit() -> None:
    assert files.read_input("/proc/self/status", 1 << 20).startswith(b"Name:")
    with pytest.raises(files.TooLargeError) as caught:
        files.read_input("/proc/self/status", 10)
    assert caught.value.size_bytes is None


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/full", "/dev"])
def test_what_is_no_file_is_no_input(path: str) -> None:
    with pytest.raises(files.NotRegularError):
        files.read_input(path, 100)


def test_lines_go_to_a_new_file_to_an_earlier_one_of_their_kind_and_to_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "events"
    for text in (b'{"first": 1}\n', b'{"second": 2}\n'):
        with files.open_lines(path, b'{"') as file:
            assert path.read_bytes() == b"", "it has its name from the start"
            file.write(text)
        assert path.read_bytes() == text
    path.write_text("somebody's notes")
    with pytest.raises(FileExistsError, match="something else"):
        files.open_lines(path, b'{"')
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="No such device") as caught:
        files.open_lines(tmp_path / "pipe", b'{"')
    assert caught.value.errno == errno.ENXIO, "nobody reads it, and nobody waits for a reader"
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    with files.open_lines(tmp_path / "pipe", b'{"') as file:
        file.write(b"{}\n")
    assert os.read(reader, 100) == b"{}\n"
    os.close(reader)


def test_lines_go_to_what_a_shell_has_opened_for_them() -> None:
    reader, writer = os.pipe()
    with files.open_lines(Path(f"/dev/fd/{writer}"), b'{"') as file:
        file.write(b"{}\n")
    os.close(writer)
    with os.fdopen(reader, "rb") as read:
        assert read.read() == b"{}\n"
