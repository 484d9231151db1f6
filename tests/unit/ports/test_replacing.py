"""A result replaces an earlier one of its kind, and nothing else that somebody named by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.ports.files import write_text_atomically
from plimsoll.ports.folders import Mark, open_folder

START = "<!doctype html> ours"


def test_an_earlier_result_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    for text in (f"{START}1", f"{START}2"):
        write_text_atomically(path, text, START)
    assert path.read_text() == f"{START}2"


@pytest.mark.parametrize("held", [b"\x00\x01\x02\x03data", b"{}", b"<", b"<!doctype html> theirs"])
def test_anything_else_is_left_alone(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "data"
    path.write_bytes(held)
    with pytest.raises(FileExistsError, match="holds something else"):
        write_text_atomically(path, START, START)
    assert path.read_bytes() == held
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


def test_an_empty_file_is_nobodys_data(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    write_text_atomically(path, "text", "text")
    assert path.read_text() == "text"


def test_formats_that_begin_alike_are_known_by_their_end(tmp_path: Path) -> None:
    mark = Mark(b"PAR1", b"plimsoll_table")
    ours = b"PAR1" + bytes(100_000) + b"plimsoll_table" + bytes(40_000)
    with open_folder(tmp_path) as folder:
        for held, replaced in (
            (ours, True),
            (b"PAR1plimsoll_table" + bytes(100_000), False),
            (b"PAR1", False),
        ):
            (tmp_path / "rows").write_bytes(held)
            if replaced:
                folder.replace("rows", ours, mark)
            else:
                with pytest.raises(FileExistsError, match="holds something else"):
                    folder.replace("rows", ours, mark)
                assert (tmp_path / "rows").read_bytes() == held


@pytest.mark.parametrize("content", [b"other", b"PAR1 without"])
def test_what_would_not_be_known_again_is_a_mistake_of_ours(tmp_path: Path, content: bytes) -> None:
    with open_folder(tmp_path) as folder, pytest.raises(AssertionError, match="known again"):
        folder.replace("rows", content, Mark(b"PAR1", b"plimsoll_table"))
    assert list(tmp_path.iterdir()) == []
