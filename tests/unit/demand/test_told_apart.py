"""What databases are called where several have one name: by their data, and by where they are if both are known of one time."""

from __future__ import annotations

import pytest

from demand_snapshots import database
from plimsoll.demand.told_apart import Known, data_of, names_apart

DAY_S = 86_400.0


def at(place: str, begin: float, end: float, data: str = "42", name: str = "shop") -> Known:
    return Known(name, data, place, [(begin * DAY_S, end * DAY_S)])


@pytest.mark.parametrize(
    ("known", "names"),
    [
        ([at("db1", 0, 9), at("db2", 0, 9)], ["shop (db1)", "shop (db2)"]),
        ([at("db1", 0, 9), at("db2", 9, 12)], ["shop", "shop"]),
        ([at("db1", 0, 9), at("db2", 3, 4)], ["shop (db1)", "shop (db2)"]),
        ([at("db1", 0, 9), at("db1", 0, 9)], ["shop", "shop"]),
        ([at("db", 0, 9, "1"), at("db", 0, 9, "2")], ["shop (1)", "shop (2)"]),
        ([at("db1", 0, 9), at("db2", 0, 9), at("db3", 0, 9, "7")], ["shop (42, db1)", "shop (42, db2)", "shop (7)"]),
        ([at("db1", 0, 9), at("db2", 0, 9, name="crm")], ["shop", "crm"]),
        ([at("db1", 0, 9), Known("shop", "42")], ["shop", "shop"]),
    ],
)  # fmt: skip
def test_one_name_is_of_one_database(known: list[Known], names: list[str]) -> None:
    assert names_apart(known) == names


def test_a_server_without_a_database_keeps_its_name_whoever_logs_in_and_wherever_it_moves() -> None:
    seen = [
        ("mon@h1:3306", 0, 9),
        ("root@local socket", 9, 12),
        ("mon@h2:3306", 12, 15),
    ]
    moved = [at(place, begin, end, name="") for place, begin, end in seen]
    assert names_apart(moved) == ["mon@h1:3306"] * 3
    assert names_apart([*moved, at("mon@h9:3306", 0, 15, data="7", name="")])[-1] == "mon@h9:3306"


def test_two_servers_by_turns_are_one_that_moved_to_and_fro() -> None:
    by_turns = [at(f"db{day % 2}", day, day + 1) for day in range(6)]
    assert names_apart(by_turns) == ["shop"] * 6
    assert names_apart([*by_turns, at("db0", 1.2, 1.4)]) == ["shop (db0)", "shop (db1)"] * 3 + ["shop (db0)"]


def test_all_instances_of_an_oracle_database_have_one_number() -> None:
    instances = [database(kind="oracle", system_identifier=f"4711/{number}") for number in (1, 2)]
    assert {data_of(one) for one in instances} == {"4711"}
    assert data_of(database(system_identifier="47/1")) == "47/1"
    assert data_of(database(location="db.example/shop")) == "db.example/shop"


def test_a_server_of_which_no_database_was_named_has_a_name() -> None:
    assert names_apart([Known.of(database(name="", location="me@db.example:3306"))]) == ["me@db.example:3306"]
