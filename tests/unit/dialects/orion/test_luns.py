"""The .lun file: one path a line, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.dialects.orion.luns import read_luns


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b with blank"):
        (tmp_path / name).write_text("")


def error(testname: str) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught:
        read_luns(testname)
    return caught.value


def test_blank_lines_and_blanks_around_are_ignored() -> None:
    Path("t.lun").write_text("\n  a \t\r\n\r\nb with blank\nsim:mean=1ms\n\n")
    luns = read_luns("t")
    assert luns.targets == ("a", "b with blank", "sim:mean=1ms")
    assert (luns.testname, luns.file, luns.notes) == ("t", Path("t.lun"), ())


def test_the_last_line_needs_no_end() -> None:
    Path("t.lun").write_text("a")
    assert read_luns("t").targets == ("a",)


def test_a_name_with_a_folder_is_found_there(tmp_path: Path) -> None:
    (tmp_path / "t.lun").write_text("a\n")
    assert read_luns(str(tmp_path / "t")).file == tmp_path / "t.lun"


def test_a_name_that_ends_in_lun_is_taken_and_said() -> None:
    Path("t.lun").write_text("a\n")
    luns = read_luns("t.lun")
    assert (luns.testname, luns.targets) == ("t", ("a",))
    assert luns.notes[0].code == "orion-testname"
    assert "t.lun.lun" in luns.notes[0].message


def test_where_the_original_finds_its_file_so_do_we() -> None:
    Path("t.lun").write_text("a\n")
    Path("t.lun.lun").write_text("b with blank\n")
    luns = read_luns("t.lun")
    assert (luns.testname, luns.targets, luns.notes) == ("t.lun", ("b with blank",), ())


def test_a_missing_file_is_named() -> None:
    caught = error("t")
    assert caught.id == "orion-lun-missing"
    assert "no t.lun" in caught.message
    assert error("t.lun").id == "orion-lun-missing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "t.lun names no target"),
        ("\n \n", "t.lun names no target"),
        ("a\n\nnone\n", "t.lun:3: there is no none"),
        ("a\na\n", "t.lun:2: a stands on line 1 already"),
        ("a\0b\n", "t.lun is not a list of paths"),
        ("a\n" * 600_000, "t.lun is not a list of paths"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(text: str, said: str) -> None:
    Path("t.lun").write_text(text)
    caught = error("t")
    assert caught.id == "orion-lun-unreadable"
    assert said in caught.message


def test_a_path_that_cannot_be_printed_is_refused() -> None:
    Path("t.lun").write_bytes(b"a\n/dev/\xff\n")
    caught = error("t")
    assert caught.id == "orion-lun-unreadable"
    assert caught.message == "t.lun:2: the path is no text that can be printed"


def test_a_comment_is_no_path() -> None:
    Path("t.lun").write_text("# the data disks\na\n")
    caught = error("t")
    assert "t.lun:1" in caught.message
    assert "no comments" in (caught.hint or "")


def test_a_folder_of_that_name_is_refused() -> None:
    Path("t.lun").mkdir()
    assert error("t").id == "orion-lun-refused"
