"""What moves cost, by the database's own statements: what is read, written and logged, and who waits; unknown stays unknown."""

from __future__ import annotations

import pytest

import facts_placement
from facts_placement import GIB
from plimsoll.facts import MoveCost, MoveWait, PlanRow
from plimsoll.facts.placement import Meanwhile, ObjectKind
from plimsoll.placement.move_cost import dialect_of, totals, with_costs
from plimsoll.placement.scripts import oracle, postgres
from plimsoll.placement.scripts.moves import Dialect, moves_of
from plimsoll.placement.scripts.oracle import Server

OLDEST = Server()
BASE = facts_placement.placement().plan[0].but(move_cost=None)


def row(kind: ObjectKind, size: int | None = GIB, name: str = "s.o", parent: str | None = None) -> PlanRow:
    return BASE.but(object=name, kind=kind, bytes=size, parent=parent)


def cost(one: PlanRow, dialect: Dialect | None, server: Server = OLDEST) -> MoveCost:
    found = with_costs([one], dialect, server)[0].move_cost
    assert found is not None
    return found


def figures(one: MoveCost) -> tuple[int | None, int | None, int | None, Meanwhile | None]:
    return one.read_bytes, one.written_bytes, one.log_bytes, one.meanwhile


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("table", (GIB, GIB, GIB, "locked")),
        ("partition", (GIB, GIB, GIB, "locked")),
        ("toast", (GIB, GIB, GIB, "locked")),
        ("wal", (GIB, GIB, 0, "server down")),
        ("temp", (0, 0, 0, "online")),
        ("other", (None, None, None, None)),
    ],
)
def test_postgresql_copies_and_logs_all_of_it(kind: ObjectKind, expected: tuple[object, ...]) -> None:
    found = cost(row(kind), "postgres")
    assert figures(found) == expected
    assert not found.is_least


def test_a_concurrent_reindex_reads_the_table_twice_and_unknown_tables_stay_unknown() -> None:
    table, index = row("table", 5 * GIB, "s.t").but(tier="disk"), row("index", GIB, "s.i", "s.t")
    known = with_costs([table, index], "postgres", OLDEST)
    assert known[0].move_cost is None
    assert known[1].move_cost is not None
    assert figures(known[1].move_cost) == (11 * GIB, GIB, GIB, "online")
    assert figures(cost(index, "postgres")) == (None, GIB, GIB, "online")
    sizeless = with_costs([table.but(bytes=None), index], "postgres", OLDEST)
    assert sizeless[1].move_cost is not None
    assert sizeless[1].move_cost.read_bytes is None


@pytest.mark.parametrize(
    ("kind", "release", "edition", "meanwhile"),
    [
        ("table", "11.2", "standard", "writes wait"),
        ("table", "11.2", "enterprise", "online"),
        ("table", "19", "enterprise", "online"),
        ("table", "19", "standard", "writes wait"),
        ("partition", "11.2", "enterprise", "writes wait"),
        ("partition", "12.1", "enterprise", "online"),
        ("index", "19", "standard", "writes wait"),
        ("index", "11.2", "enterprise", "online"),
        ("lob", "12.1", "enterprise", "writes wait"),
        ("lob", "12.2", "enterprise", "online"),
    ],
)
def test_what_waits_on_oracle_is_by_release_and_edition(
    kind: ObjectKind, release: str, edition: oracle.Edition, meanwhile: Meanwhile
) -> None:
    found = cost(row(kind), "oracle", Server(oracle.release_of(release), edition))
    assert figures(found) == (GIB, GIB, GIB, meanwhile)
    assert found.is_least


def test_what_is_made_anew_on_oracle_is_not_copied() -> None:
    assert figures(cost(row("undo"), "oracle")) == (0, 0, 0, "online")
    assert figures(cost(row("redo"), "oracle")) == (0, None, 0, "online")
    assert figures(cost(row("other"), "oracle")) == (None, None, None, None)


def test_of_an_unknown_database_only_what_holds_on_any_is_said() -> None:
    found = cost(row("table"), None)
    assert figures(found) == (None, GIB, None, None)
    assert found.is_least
    assert "--dialect" in found.how
    assert figures(cost(row("temp"), None)) == (0, 0, 0, "online")


def test_kinds_of_objects_tell_the_database() -> None:
    assert dialect_of([row("table"), row("toast")]) == "postgres"
    assert dialect_of([row("table"), row("undo")]) == "oracle"
    assert dialect_of([row("table"), row("temp")]) is None
    assert dialect_of([row("undo"), row("wal")]) is None
    told = with_costs([row("table"), row("wal", name="wal")], None, OLDEST)
    assert [one.move_cost.meanwhile for one in told if one.move_cost] == ["locked", "server down"]


def test_totals_leave_out_what_is_unknown_and_count_it() -> None:
    rows = [row("table", 4 * GIB, "s.a"), row("index", GIB, "s.i"), row("table", 2 * GIB, "s.b")]
    found = totals(with_costs(rows, "postgres", OLDEST))
    assert found is not None
    assert (found.read_bytes, found.written_bytes, found.log_bytes) == (6 * GIB, 7 * GIB, 7 * GIB)
    assert (found.read_unknown, found.written_unknown, found.log_unknown) == (1, 0, 0)
    assert found.waits == (
        MoveWait(meanwhile="locked", moves=2, bytes=6 * GIB),
        MoveWait(meanwhile="online", moves=1, bytes=GIB),
    )
    assert totals([row("table").but(tier="disk")]) is None


def test_the_script_takes_the_locks_that_are_told() -> None:
    """Both speak of the same statements."""
    rows = [row("table", name="s.t"), row("index", name="s.i", parent="s.t")]
    told = with_costs(rows, "postgres", OLDEST)
    text = postgres.script(moves_of(told, {}), (), {})
    assert [one.move_cost.meanwhile for one in told if one.move_cost] == ["locked", "online"]
    assert "ACCESS EXCLUSIVE on the table" in text
    assert "reads and writes go on" in text
    for server in (OLDEST, Server((12, 1), "enterprise"), Server((19, 0), "enterprise")):
        for kind in ("partition", "index"):
            one = row(kind, name="S.O.P" if kind == "partition" else "S.O")
            text = oracle.script(moves_of([one], {}), (), server)
            assert ("online: " in text) == (cost(one, "oracle", server).meanwhile == "online"), text
