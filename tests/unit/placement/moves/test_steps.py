"""A plan held against a catalogue: what is done, to do, or left, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.placement.moves.carry_out import check_done
from plimsoll.placement.moves.catalogue import Relation
from plimsoll.placement.moves.steps import Step, Temp, steps_of
from plimsoll.placement.scripts.moves import Move

SPACES = ["pg_default", "fast", "Odd, one"]
TEMP = Temp("shop", "pg_default", "")


def relation(**words: Any) -> Relation:
    given: dict[str, Any] = {
        "oid": 20000, "schema": "s", "name": "t", "kind": "r", "persistence": "p", "is_catalog": False, "space": "pg_default",
        "size_bytes": 8192, "table_oid": 20000, "is_exclusion": False, "is_valid": True,
    }  # fmt: skip
    return Relation(**{**given, **words})


def step(move: Move | None = None, *found: Relation, temp: Temp = TEMP) -> Step:
    (made,) = steps_of([move or Move("s.t", "table", "pg_default", "fast", 1)], found, SPACES, temp)
    return made


def test_where_it_lies_decides() -> None:
    assert step(None, relation()).state == "to do"
    assert step(None, relation(space="fast")).state == "done"
    elsewhere = step(None, relation(space="third"))
    assert (elsewhere.state, elsewhere.reason) == (
        "left",
        "it lies in third, not in pg_default as when it was planned",
    )
    assert step(None).state == "left"


def test_an_index_that_is_not_valid_is_not_done() -> None:
    move = Move("s.t", "index", "pg_default", "fast", 1)
    assert step(move, relation(kind="i", space="fast", is_valid=False)).state == "to do"
    assert step(move, relation(kind="i")).builds_index
    assert not step(move, relation(kind="i", is_exclusion=True)).builds_index


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"kind": "p"}, "a partitioned table holds nothing itself"),
        ({"kind": "S"}, "a sequence cannot be moved"),
        ({"kind": "z"}, "nothing is known here that moves it"),
        ({"persistence": "t"}, "a temporary table ends with its session"),
        ({"is_catalog": True}, "a catalog of the server stays where it is"),
    ],
)
def test_what_cannot_be_moved_says_why(words: dict[str, Any], said: str) -> None:
    found = step(None, relation(**words))
    assert found.state == "left"
    assert found.reason.startswith(said)


def test_the_server_says_what_an_object_is() -> None:
    """A plan may call a materialised view a table."""
    found = step(None, relation(kind="m"))
    assert found.statement is not None
    assert found.statement.sql == 'ALTER MATERIALIZED VIEW "s"."t" SET TABLESPACE "fast"'


@pytest.mark.parametrize(
    ("setting", "target", "state"),
    [
        ("", "fast", "to do"),
        ("fast", "fast", "done"),
        ('"Odd, one"', "fast", "left"),
        ("fast, other", "fast", "left"),
        ("", "gone", "left"),
    ],
)
def test_temporary_files_by_the_databases_setting(setting: str, target: str, state: str) -> None:
    move = Move("temp", "temp", "pg_default", target, None)
    assert step(move, temp=Temp("shop", "pg_default", setting)).state == state


def test_a_setting_that_is_not_known_as_ours_is_not_taken_back() -> None:
    temp = Temp("shop", "pg_default", "fast", is_kept=True)
    found = step(Move("temp", "temp", "fast", "pg_default", None), temp=temp)
    assert found.state == "left"
    assert found.reason.endswith('Take it back yourself: ALTER DATABASE "shop" RESET temp_tablespaces')


def test_temporary_files_go_back_to_nothing_set() -> None:
    found = step(Move("temp", "temp", "fast", "pg_default", None), temp=Temp("shop", "pg_default", "fast"))
    assert found.statement is not None
    assert found.statement.sql == 'ALTER DATABASE "shop" RESET temp_tablespaces'


@pytest.mark.parametrize(
    ("words", "is_minimal", "logged"),
    [
        ({}, False, 8192),
        ({}, True, 0),
        ({"persistence": "u"}, False, 0),
        ({"kind": "i"}, True, 8192),
        ({"kind": "i", "is_exclusion": True}, True, 0),
    ],
)
def test_what_a_copy_writes_into_wal(words: dict[str, Any], is_minimal: bool, logged: int) -> None:
    """An index that is built concurrently is logged at any wal_level: it takes several transactions."""
    assert step(None, relation(**words)).log_bytes(is_minimal=is_minimal) == logged


def test_a_statement_that_did_nothing_is_told() -> None:
    with pytest.raises(
        WorldError, match=r"s.t is not in fast after it was moved there: the catalog has it where it was"
    ) as caught:
        check_done(step(None, relation()))
    assert caught.value.id == "moves-not-there"
    check_done(step(None, relation(space="fast")))


@pytest.mark.parametrize(
    ("planned", "now", "said"),
    [
        (3 << 30, 12 << 30, "it has 12 GiB today, and 3 GiB in the plan"),
        (3 << 30, 1 << 30, "it has 1 GiB today, and 3 GiB in the plan"),
        (3 << 30, 5 << 30, ""),
        (8192, 1 << 20, ""),
        (None, 12 << 30, ""),
    ],
)
def test_an_object_that_is_not_as_planned_is_told_before_it_moves(
    planned: int | None, now: int, said: str
) -> None:
    made = step(Move("s.t", "table", "pg_default", "fast", planned), relation(size_bytes=now))
    assert made.state == "to do"
    assert made.reason.startswith(said)
    assert bool(made.reason) == bool(said)


def test_the_size_of_a_table_is_that_with_its_toast_table() -> None:
    table = Move("s.t", "table", "pg_default", "fast", 1 << 30)
    toast = Move("pg_toast.pg_toast_1", "toast", "pg_default", "fast", 11 << 30, "s.t")
    (both,) = steps_of([toast, table], [relation(size_bytes=12 << 30)], SPACES, TEMP)
    assert (both.move, both.reason) == (table, "")


def test_a_toast_table_without_its_table_is_left() -> None:
    toast = Move("pg_toast.pg_toast_1", "toast", "pg_default", "fast", 1 << 20, "s.t")
    (alone,) = steps_of([toast], [], SPACES, TEMP)
    assert alone.state == "left"
