"""A result replaces an earlier one of its kind, and nothing else that somebody named by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.ports.files import write_text_atomically


def test_an_earlier_result_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    for text in ("<!doctype html>1", "<!doctype html>2"):
        write_text_atomically(path, text)
    assert path.read_text() == "<!doctype html>2"


@pytest.mark.parametrize("held", [b"\x00\x01\x02\x03data", b"{}", b"<"])
def test_anything_else_is_left_alone(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "data"
    path.write_bytes(held)
    with pytest.raises(FileExistsError, match="holds something else"):
        write_text_atomically(path, "<!doctype html>")
    assert path.read_bytes() == held
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


def test_an_empty_file_is_nobodys_data(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    write_text_atomically(path, "text")
    assert path.read_text() == "text"
