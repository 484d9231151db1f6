"""The script for PostgreSQL: every statement reads as SQL, names stay names, and what it cannot move it says."""

from __future__ import annotations

from typing import Any

import pytest

from moved_plans import row, tier
from plimsoll.facts import PlanRow
from plimsoll.placement.scripts.moves import Move, moves_of
from plimsoll.placement.scripts.postgres import io_concurrency, page_cost, script, temp_statement, why_left

TIERS = [tier("disk", 5000.0), tier("flash", 100.0, iops_max=50_000.0, large_read_bytes=128 << 10)]
HOSTILE = ['"s; drop table x"."it\'s ""quoted"""', '"$$"."-- x"', 's."semi;colon"', "s.%s", "s.back\\slash"]


def made(rows: list[PlanRow], reverse: bool = False, database: str | None = "shop") -> str:
    return script(moves_of(rows, {}, reverse=reverse), TIERS, {}, database, reverse=reverse)


def code(text: str) -> list[str]:
    """Lines that are no comments."""
    return [line for line in text.splitlines() if line and not line.startswith("--")]


def test_each_kind_has_its_statement_with_lock_and_log() -> None:
    text = made(
        [
            row("s.t", "disk", "flash"),
            row("s.i", "disk", "flash", "index"),
            row("s.p", "disk", "flash", "partition"),
            row("temp", "disk", "flash", "temp"),
        ]
    )
    lines = code(text)
    assert 'ALTER TABLE "s"."t" SET TABLESPACE "flash";' in lines
    assert 'ALTER TABLE "s"."p" SET TABLESPACE "flash";' in lines
    at = lines.index('REINDEX (TABLESPACE "flash", CONCURRENTLY) INDEX "s"."i";')
    assert (lines[at - 1], lines[at + 1]) == ("SET lock_timeout = 0;", "SET lock_timeout = '5s';")
    assert 'ALTER DATABASE "shop" SET temp_tablespaces = "flash";' in lines
    assert "lock: ACCESS EXCLUSIVE on the table: nobody reads or writes it until the copy is done" in text
    assert "WAL: all of it, about 1 MiB" in text
    assert "first on every standby, at the same path" in text
    assert "-- flash: 4 MiB arrive" in text


def test_the_reverse_moves_back_and_sets_no_costs() -> None:
    rows = [row("s.t", "disk", "flash"), row("s.i", "disk", "flash", "index")]
    text = made(rows, reverse=True)
    assert [line for line in code(text) if "TABLESPACE" in line] == [
        'REINDEX (TABLESPACE "disk", CONCURRENTLY) INDEX "s"."i";',
        'ALTER TABLE "s"."t" SET TABLESPACE "disk";',
    ]
    assert not [line for line in code(text) if line.startswith("ALTER TABLESPACE")]
    assert '-- ALTER TABLESPACE "flash" RESET (random_page_cost, effective_io_concurrency);' in text
    assert text.startswith("-- Takes a placement back: 2 objects")


def test_costs_are_those_of_the_tier_or_not_said() -> None:
    flash = TIERS[1]
    assert page_cost(flash) == pytest.approx(16.0)
    assert io_concurrency(flash) == 5
    assert 'ALTER TABLESPACE "flash" SET (random_page_cost = 16, effective_io_concurrency = 5);' in made(
        [row("s.t", "disk", "flash")]
    )
    assert (page_cost(TIERS[0]), io_concurrency(TIERS[0])) == (None, None)
    text = made([row("s.t", "flash", "disk")])
    assert (
        "no random_page_cost, since the size of its large reads is not known; no effective_io_concurrency, since its iops_max"
        in text
    )
    assert not [line for line in code(text) if line.startswith("ALTER TABLESPACE")]


def test_a_tier_of_many_ios_at_once_stays_within_what_the_server_takes() -> None:
    assert io_concurrency(tier("x", 1e6, iops_max=1e6)) == 1000
    assert io_concurrency(tier("x", 1.0, iops_max=10.0)) == 1
    assert page_cost(tier("x", 100.0, large_read_bytes=8192)) == 1.0


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_a_name(name: str) -> None:
    text = made([row(name, "disk", "flash")])
    (moved,) = [line for line in code(text) if line.startswith("ALTER TABLE ")]
    assert statements(text)
    # What is outside of quotes is ours.
    assert bare(moved) == "ALTER TABLE . SET TABLESPACE ;"


def bare(line: str) -> str:
    pieces = line.replace('""', "").split('"')
    return "".join(pieces[::2])


def statements(text: str) -> list[Any]:
    """As a parser of this database's SQL reads them; what it does not know whole stays a command."""
    sqlglot = pytest.importorskip("sqlglot")
    return [
        sqlglot.parse_one(line.removesuffix(";"), read="postgres")
        for line in code(text)
        if line.startswith(("ALTER", "SET"))
    ]


@pytest.mark.parametrize("name", ["s.two\nlines", "s.bell\x07", "s.\u202eodd"])
def test_a_name_that_would_leave_its_line_is_left_out(name: str) -> None:
    text = made([row(name, "disk", "flash")])
    assert not [line for line in code(text) if line.startswith("ALTER TABLE ")]
    assert "left to you: its name holds a line break or another control character" in text
    assert text.isprintable() or all(one.isprintable() or one == "\n" for one in text)


def test_a_hostile_tablespace_runs_nothing() -> None:
    moves = [Move("s.t", "table", "disk", "x\nDROP TABLE y;", 1)]
    assert "\nDROP" not in script(moves, [], {}, None)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("wal", "the log moves while the server is down"),
        ("redo", "the log moves while the server is down"),
        ("toast", "a TOAST table moves with its table"),
        ("undo", "nothing is known here that moves an object of the kind undo"),
        ("other", "nothing is known here"),
    ],
)
def test_what_no_statement_moves_is_said(kind: Any, said: str) -> None:
    assert said in made([row("x.y", "disk", "flash", kind)])


@pytest.mark.parametrize("name", ["orders", "a.b.c", 'a.b"c'])
def test_a_name_whose_schema_cannot_be_told_is_left_out(name: str) -> None:
    reason = why_left(Move(name, "table", "disk", "flash", 1))
    assert reason is not None
    assert "its schema cannot be told from its name" in reason


def test_temporary_files_go_back_to_the_default() -> None:
    assert temp_statement("shop", "") == 'ALTER DATABASE "shop" RESET temp_tablespaces'
    assert 'ALTER DATABASE "DATABASE" SET temp_tablespaces = "flash"' in made(
        [row("temp", "disk", "flash", "temp")], database=None
    )


def test_sizes_that_are_not_known_are_said() -> None:
    text = made([row("s.t", "disk", "flash", size=None), row("s.u", "disk", "flash")])
    assert "-- flash: 1 MiB arrive, and 1 of unknown size" in text
    assert "s.t, table, unknown size" in text
