"""The few operations that change the file system: whole or not at all, and never over what is there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from plimsoll.ports import files


def test_text_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    files.write_text_atomically(path, "text, first version")
    files.write_text_atomically(path, "text, zweite Fassung, größer")
    assert path.read_text(encoding="utf-8") == "text, zweite Fassung, größer"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_a_write_that_fails_leaves_the_old_text_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        files.write_text_atomically(path, "text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


def test_lines_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    files.append_line(path, "one")
    files.append_line(path, "two")
    assert path.read_text() == "one\ntwo\n"


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


def test_a_folder_has_exactly_the_mode_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        state = files.make_folder(tmp_path / "open", 0o755)
    finally:
        os.umask(before)
    assert stat.S_IMODE(state.st_mode) == 0o755


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


def test_bytes_are_added_settled_and_moved(tmp_path: Path) -> None:
    files.append_bytes(tmp_path / "part", b"one,")
    files.append_bytes(tmp_path / "part", b"two")
    files.settle(tmp_path / "part")
    files.settle(tmp_path)
    files.move(tmp_path / "part", tmp_path / "whole")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("whole", b"one,two")]
