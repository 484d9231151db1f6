"""Whose an invalid index is: by a number that we wrote down, on that table, with a name that the server gives such indexes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.placement.moves.catalogue import Here, Invalid
from plimsoll.placement.moves.journal import Built, Journal

HERE = Here("shop", 16400, "7300000000000000000", False, "pg_default")
LEFT = Invalid(502, "s", "i_ccnew", 400, "fast")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "plimsoll" / "moves"


def test_what_was_noted_is_known_to_the_next_command(state: Path) -> None:
    assert not Journal(HERE).is_ours(LEFT)
    journal = Journal(HERE)
    journal.note(Built(400, 501))
    journal.note(Built(400, 501, 502))
    journal.note(Built(400, 501, 502))
    assert journal.is_ours(LEFT)
    again = Journal(HERE)
    assert again.is_ours(LEFT)
    assert again.is_ours(replace(LEFT, oid=501, name="i_ccold1"))
    (file,) = state.iterdir()
    assert len(file.read_text().splitlines()) == 2
    assert state.stat().st_mode & 0o077 == 0


def test_a_number_alone_makes_nothing_ours() -> None:
    Journal(HERE).note(Built(400, 501, 502))
    journal = Journal(HERE)
    assert not journal.is_ours(replace(LEFT, oid=503))
    assert not journal.is_ours(replace(LEFT, table_oid=401))
    assert not journal.is_ours(replace(LEFT, name="i"))
    assert not journal.is_ours(replace(LEFT, name="i_ccold"))
    assert not journal.is_ours(replace(LEFT, oid=501))
    assert not Journal(replace(HERE, oid=16401)).is_ours(LEFT), "numbers mean something in one database"
    assert not Journal(replace(HERE, system_identifier="1")).is_ours(LEFT)


def test_nothing_is_ours_by_no_number() -> None:
    Journal(HERE).note(Built(400, 501))
    assert not Journal(HERE).is_ours(replace(LEFT, oid=0))


def test_where_temporary_files_were_sent_last_is_known() -> None:
    journal = Journal(HERE)
    assert not journal.has_set_temp("")
    journal.note_temp("fast")
    assert (Journal(HERE).has_set_temp("fast"), Journal(HERE).has_set_temp("slow")) == (True, False)
    journal.note_temp("")
    again = Journal(HERE)
    assert (again.has_set_temp("fast"), again.has_set_temp("")) == (False, True)


@pytest.mark.parametrize(
    "line",
    [
        b'{"temp_space": "fast", "made_oid": 1}',
        b"{",
        b"[]",
        b'{"table_oid": 1}',
        b'{"table_oid": "x", "index_oid": 2}',
        b"\xff\xfe",
        b'"' + b"[" * 5000,
        b"null",
    ],
)
def test_a_damaged_line_says_nothing_and_harms_no_other(state: Path, line: bytes) -> None:
    Journal(HERE).note(Built(400, 501, 502))
    (file,) = state.iterdir()
    file.write_bytes(line + b"\n" + file.read_bytes() + b'{"table_oid": 4')
    assert Journal(HERE).is_ours(LEFT)


def test_a_journal_that_cannot_be_kept_stops_it(tmp_path: Path) -> None:
    (tmp_path / "plimsoll").write_text("a file in its place")
    with pytest.raises(WorldError) as caught:
        Journal(HERE)
    assert caught.value.id == "moves-journal"


def test_a_link_in_its_place_is_not_followed(state: Path, tmp_path: Path) -> None:
    state.mkdir(parents=True)
    other = tmp_path / "other"
    other.write_text('{"table_oid": 400, "index_oid": 501, "made_oid": 502}\n')
    os.symlink(other, state / f"{HERE.system_identifier}-{HERE.oid}.journal")
    with pytest.raises(WorldError) as caught:
        Journal(HERE)
    assert caught.value.id == "moves-journal"
