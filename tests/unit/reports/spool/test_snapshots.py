"""Snapshots hold what each statement printed, and tell what of it is missing, cut or contradicts itself."""

from __future__ import annotations

from decimal import Decimal

import pytest

from collector_spools import MadeInstance, MadeSnapshot, counted, lines_of, spool, two
from plimsoll.base.limits import SPOOL_PROBLEMS_MAX, SPOOL_SNAPSHOTS_MAX
from plimsoll.reports.spool.snapshots import Snapshot, read_spool

TEXT = two()


def problems(text: str) -> list[tuple[str, int | None]]:
    found = read_spool(text)
    every = [problem for one in found.snapshots for problem in one.problems] + found.problems
    return [(one.code, one.line) for one in every]


def first(text: str) -> Snapshot:
    return read_spool(text).snapshots[0]


def test_a_whole_spool_has_no_problems() -> None:
    found = read_spool(TEXT)
    assert problems(TEXT) == []
    assert [one.is_ended for one in found.snapshots] == [True, True]
    (instance,) = found.snapshots[1].instances.values()
    assert (instance.name, instance.host, instance.started_at.isoformat()) == (
        "shop1",
        "db1",
        "2024-01-01T08:00:00",
    )
    assert found.snapshots[1].database is not None
    assert found.snapshots[1].database.block_bytes == 8192
    assert found.snapshots[1].table("S").rows[1, ("redo writes",)].values == (Decimal(33_000),)


def test_a_lost_line_is_missed() -> None:
    number, lost = next(one for one in lines_of(TEXT, "S") if "redo writes" in one[1])
    found = first(TEXT.replace(f"{lost}\n", "", 1))
    assert not found.table("S").is_whole
    (problem,) = found.problems
    assert problem.code == "collector-lines-missing"
    assert problem.section == "gv$sysstat"
    assert "1 of 12 lines" in problem.message
    assert number < (problem.line or 0)


def test_a_lost_statement_is_missed() -> None:
    block = TEXT.split(":Q|F|")[1].split(":Q|")[0]
    (problem,) = first(TEXT.replace(f":Q|F|{block}", "", 1)).problems
    assert (problem.code, problem.message) == ("collector-lines-missing", "lines :F|: nothing of it is there")


def test_a_statement_may_print_nothing_where_there_is_nothing() -> None:
    made = counted()
    text = spool(
        MadeSnapshot([MadeInstance({letter: made[letter] for letter in made if letter not in "GAPMYH"})])
    )
    assert problems(text) == []
    text = spool(MadeSnapshot([MadeInstance({letter: made[letter] for letter in made if letter != "F"})]))
    assert [code for code, _ in problems(text)] == ["collector-lines-missing"]


def test_a_line_that_stands_there_twice_counts_once() -> None:
    _, line = next(iter(lines_of(TEXT, "S")))
    assert problems(TEXT.replace(line, f"{line}\n{line}", 1)) == []


def test_of_lines_with_one_number_that_differ_none_counts() -> None:
    _, line = next(one for one in lines_of(TEXT, "S") if "redo writes" in one[1])
    found = first(TEXT.replace(line, f"{line}\n{line.replace('30000', '30001')}", 1))
    assert (1, ("redo writes",)) not in found.table("S").rows
    assert [one.code for one in found.problems] == ["collector-line-damaged", "collector-lines-missing"]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("redo writes|30000|.", "redo writes|3O000|.", "is no number"),
        ("redo writes|30000|.", "redo writes|30000,5|.", "another decimal sign"),
        ("redo writes|30000|.", "redo writes|30000|7|.", "it has 3 values, and should have 2"),
        (":S|1|2|12|", ":S|1|2|13|", "others are of 12"),
        (":S|1|2|12|", ":S|1|99|12|", "line 99 of 12"),
        (":S|1|2|12|", ":S|x|2|12|", "no whole number"),
        (":S|1|2|12|", ":N|1|2|12|", "none that is known"),
        ("+02:00|.", "|.", "no time zone"),
        ("2024-05-01T10:00:00", "01.05.2024 10:00", "Invalid isoformat"),
        ("|8192|1.5|.", "|8192|1:5|.", "a half more than one"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_line(old: str, new: str, why: str) -> None:
    at = TEXT[: TEXT.index(old)].count("\n") + 1
    found = [one for one in first(TEXT.replace(old, new, 1)).problems if one.code == "collector-line-damaged"]
    assert found[0].line == at
    assert why in found[0].message


def test_decimal_commas_are_read_where_the_snapshot_writes_them() -> None:
    commas = two(comma=True)
    assert problems(commas) == []
    assert first(commas).table("M").rows == {
        key: type(row)(row.line, row.values) for key, row in first(TEXT).table("M").rows.items()
    }


def test_a_snapshot_of_another_version_is_not_read() -> None:
    found = read_spool(TEXT.replace(":V|plimsoll-collect|1|", ":V|plimsoll-collect|2|", 1))
    assert len(found.snapshots) == 1
    assert {one.code for one in found.snapshots[0].problems} == {
        "collector-version",
        "collector-line-damaged",
    }


def test_a_refused_statement_is_named_by_its_view() -> None:
    block = TEXT.split(":Q|U|gv$iostat_function|.\n")[1].split(":Q|")[0]
    text = TEXT.replace(block, "ERROR at line 7:\nORA-00942: table or view does not exist\n", 1)
    refused, missing = first(text).problems
    assert (refused.code, refused.section) == ("collector-refused", "gv$iostat_function")
    assert "ORA-00942" in refused.message
    assert missing.code == "collector-lines-missing"


def test_a_refused_wait_is_a_problem_of_the_moment_behind_it() -> None:
    said = "ORA-06550: line 2, column 5:\nPLS-00201: identifier 'DBMS_LOCK' must be declared\n"
    found = read_spool(TEXT.replace(":E|end|.\n", f":E|end|.\n{said}", 1))
    assert found.snapshots[0].problems == []
    assert [one.code for one in found.snapshots[1].problems] == ["collector-refused"] * 2


def test_problems_and_snapshots_have_bounds() -> None:
    text = ":V|plimsoll-collect|1|S|.\n" + ":S|1|1|1|a|b|.\n" * (SPOOL_PROBLEMS_MAX + 10)
    found = problems(text)
    assert len(found) == SPOOL_PROBLEMS_MAX
    assert found[-1][0] == "problems-many"
    many = read_spool(":V|plimsoll-collect|1||.\n:E|end|.\n" * (SPOOL_SNAPSHOTS_MAX + 1))
    assert len(many.snapshots) == SPOOL_SNAPSHOTS_MAX
    assert "no more are read" in many.problems[0].message
