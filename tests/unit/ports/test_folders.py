"""What is done in an open folder happens there, and follows no link; root enters no folder through a stranger's link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import NOBODY
from plimsoll.ports.folders import (
    Folder,
    Mark,
    NotRegularError,
    UntrustedError,
    ensured_folder,
    open_folder,
    open_trusted,
    why_untrusted,
)

ANY = Mark(b"")
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to another user")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    made = tmp_path / "folder"
    made.mkdir()
    with open_folder(made) as opened:
        yield opened


def test_it_stays_the_same_wherever_its_path_leads(tmp_path: Path, folder: Folder) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.path.rename(tmp_path / "moved")
    folder.path.symlink_to(elsewhere)
    folder.replace("page.html", b"text", ANY)
    folder.append("rows", b"1")
    folder.ensured_child("inner").close()
    assert list(elsewhere.iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "moved").iterdir()) == ["inner", "page.html", "rows"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc", "../up"])
def test_a_name_is_no_path(folder: Folder, name: str) -> None:
    for call in (folder.look, folder.open_file, folder.new_file, folder.child, folder.remove):
        with pytest.raises(ValueError, match="no name within a folder"):
            call(name)
    with pytest.raises(ValueError, match="no name within a folder"):
        folder.replace(name, b"", ANY)


def test_no_link_is_followed(tmp_path: Path, folder: Folder) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    (folder.path / "link").symlink_to(victim)
    (folder.path / "folder").symlink_to(tmp_path)
    for call in (folder.open_file, lambda name: folder.append(name, b"x")):
        with pytest.raises(OSError) as caught:  # noqa: PT011 - its number is looked at
            call("link")
        assert caught.value.errno == errno.ELOOP
    with pytest.raises(FileExistsError, match="it is a link"):
        folder.replace("link", b"x", ANY)
    with pytest.raises(FileExistsError):
        folder.new_file("link")
    for call in (folder.child, folder.ensured_child):
        with pytest.raises(NotADirectoryError):
            call("folder")
    folder.remove("folder")
    folder.remove("link")
    assert victim.read_bytes() == b"kept"
    assert folder.names() == []


@pytest.mark.parametrize(("path", "what"), [("/dev/null", "a character device"), ("/dev/stdout", "a link")])
def test_what_is_no_file_is_not_replaced(path: str, what: str) -> None:
    before = os.lstat(path)
    with open_folder(Path(path).parent) as folder, pytest.raises(FileExistsError, match=f"it is {what}"):
        folder.replace(Path(path).name, b"text", ANY)
    assert os.lstat(path).st_ino == before.st_ino


def test_a_pipe_is_neither_waited_for_nor_replaced(folder: Folder) -> None:
    os.mkfifo(folder.path / "pipe")
    with pytest.raises(NotRegularError, match="a pipe"):
        folder.open_file("pipe")
    with pytest.raises(FileExistsError, match="it is a pipe"):
        folder.replace("pipe", b"text", ANY)


def test_a_folder_has_exactly_the_mode_asked_for(folder: Folder) -> None:
    before = os.umask(0o077)
    try:
        with folder.new_child("open", 0o1755) as made:
            assert stat.S_IMODE(made.state.st_mode) == 0o1755
    finally:
        os.umask(before)
    with pytest.raises(FileExistsError):
        folder.new_child("open", 0o700)


def test_the_very_folder_is_removed_or_none(folder: Folder) -> None:
    with folder.new_child("tree", 0o700) as made:
        made.append("file", b"x")
        made.ensured_child("inner").close()
        identity = made.identity
    with pytest.raises(FileExistsError, match="another folder"):
        folder.remove_child("tree", (identity[0], identity[1] + 1))
    assert (folder.path / "tree" / "file").exists()
    folder.remove_child("tree", identity)
    assert folder.names() == []


def test_a_file_gets_its_name_in_another_folder_unless_it_is_taken(folder: Folder) -> None:
    with folder.ensured_child("work") as work:
        for content in (b"first", b"second"):
            work.append("rows", content)
            if content == b"first":
                work.publish("rows", "rows", folder)
            else:
                with pytest.raises(FileExistsError):
                    work.publish("rows", "rows", folder)
    assert (folder.path / "rows").read_bytes() == b"first"


def test_only_files_and_empty_folders_are_removed_one_by_one(folder: Folder) -> None:
    folder.ensured_child("empty").close()
    with folder.ensured_child("full") as full:
        full.append("file", b"x")
    folder.append("file", b"x")
    with pytest.raises(IsADirectoryError):
        folder.remove_file("full")
    for name in ("file", "gone"):
        folder.remove_file(name)
    for name in ("empty", "full", "gone"):
        folder.remove_if_empty(name)
    assert folder.names() == ["full"]


def test_parents_are_made_where_missing(tmp_path: Path) -> None:
    with ensured_folder(tmp_path / "a" / "b" / "c", 0o700) as made:
        assert stat.S_IMODE(made.state.st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700
    with ensured_folder(tmp_path / "a" / "b" / "c") as again:
        assert again.identity == made.identity


def test_links_on_the_way_are_followed_also_those_within_links(tmp_path: Path) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "relative").symlink_to("real/../real")
    (tmp_path / "absolute").symlink_to(tmp_path / "relative")
    with open_folder(tmp_path / "absolute" / "inner") as found:
        assert found.identity == open_folder(tmp_path / "real" / "inner").identity
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its number is looked at
        open_folder(tmp_path / "loop")
    assert caught.value.errno == errno.ELOOP


def test_a_folder_that_may_be_written_and_not_listed_will_do(tmp_path: Path) -> None:
    made = tmp_path / "drop"
    made.mkdir()
    made.chmod(0o300)
    with open_folder(made) as folder:
        folder.replace("text", b"x", ANY)
    made.chmod(0o700)
    assert (made / "text").read_bytes() == b"x"


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(50):
        with ensured_folder(tmp_path / str(number)) as folder:
            folder.replace("a", b"x", ANY)
            folder.new_file("b").close()
        with pytest.raises(FileNotFoundError):
            open_folder(tmp_path / "missing")
        with pytest.raises(NotADirectoryError):
            open_folder(tmp_path / str(number) / "a")
    assert len(os.listdir("/proc/self/fd")) == before


@root_only
def test_root_follows_no_link_that_somebody_else_made(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    link = tmp_path / "theirs"
    link.symlink_to(tmp_path / "secret")
    open_folder(link).close()
    os.lchown(link, NOBODY, NOBODY)
    with pytest.raises(UntrustedError, match=r"theirs is a link that user nobody made"):
        open_folder(link / "inner")


@root_only
def test_root_trusts_what_nobody_else_can_change(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    open_trusted(inner).close()
    inner.parent.chmod(0o777)
    assert why_untrusted(inner) == f"other users can write to {inner.parent}"
    inner.parent.chmod(0o1777)
    assert why_untrusted(inner) is None
    inner.parent.chmod(0o775)
    assert "can write to" in (why_untrusted(inner) or "")
    inner.parent.chmod(0o755)
    os.chown(inner.parent, NOBODY, NOBODY)
    with pytest.raises(UntrustedError, match="outer belongs to user nobody"):
        open_trusted(inner)
    os.chown(inner.parent, 0, 0)
    os.chown(inner, NOBODY, NOBODY)
    inner.chmod(0o1777)
    assert why_untrusted(inner) == f"{inner} belongs to user nobody"
    assert why_untrusted(tmp_path / "missing") is None


@root_only
def test_only_own_unfinished_files_are_removed(tmp_path: Path) -> None:
    names = [f".plimsoll-{digit * 16}.part" for digit in "01234"]
    for name in (*names[:2], ".plimsoll-0123.part", "kept"):
        (tmp_path / name).touch()
    os.chown(tmp_path / names[1], 65534, -1)
    (tmp_path / names[2]).mkdir()
    (tmp_path / names[3]).symlink_to(tmp_path / "kept")
    with open_folder(tmp_path) as folder:
        folder.remove_parts()
        assert folder.names() == sorted([*names[1:4], ".plimsoll-0123.part", "kept"])
