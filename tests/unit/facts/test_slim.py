"""Facts in little room are the same facts, in a third of it."""

from __future__ import annotations

import tracemalloc

import pytest

from plimsoll.facts import CellCounts, Note, Report, ReportInstance, ReportProblem
from plimsoll.facts.reported import Origin, PrintedCell, ReportedClass, ReportedInterval
from plimsoll.facts.slim import SlimFacts


def report(number: int) -> Report:
    """With something in each kind of field."""
    return Report(
        file=f"reports/{number}.html",
        sha256=f"{number:064d}",
        kind="awr",
        status="partial",
        platform="Linux x86 64-bit",
        db_id=number,
        rac=True,
        elapsed_s=3600.25,
        instances=(ReportInstance(instance=f"orcl{number}"),),
        cells=CellCounts(total=number + 1000),
        problems=(ReportProblem(message="the wait has no number", code="wait", line=number),),
    )


def interval(number: int) -> ReportedInterval:
    """With a mapping, and facts four deep."""
    cell = PrintedCell(section="Load Profile", row="reads", column="per second", value=f"{number}.0")
    origin = Origin(figure="ops_per_s", source="load_profile", how="as printed", cells=(cell,))
    one = ReportedClass(
        source="printed",
        ops_per_s=float(number),
        bytes_per_s=None,
        unknown={"bytes_per_s": "not printed"},
        origins=(origin,),
    )
    return ReportedInterval(
        file=f"{number}", kind="awr", classes={"small_read": one}, iops=float(number), mb_per_s=None
    )


FACTS = (
    [report(number) for number in range(5)],
    [interval(number) for number in range(5)],
    [Note(code="", message="")],
)


@pytest.mark.parametrize("facts", FACTS)
def test_each_is_what_it_was(facts: list[Report]) -> None:
    slim = SlimFacts(facts)
    assert list(slim) == facts
    assert [slim[place] for place in range(len(facts))] == facts
    assert slim[-1] == facts[-1]
    assert slim[1:3] == facts[1:3]
    assert slim == facts
    assert len(slim) == len(facts)
    assert [one.model_dump_json() for one in slim] == [one.model_dump_json() for one in facts]
    assert repr(slim) == repr(facts)


def test_they_are_sorted_and_replaced_as_in_a_list() -> None:
    facts = [report(number) for number in (3, 1, 2, 1)]
    slim = SlimFacts(facts)
    assert slim.sort(lambda one: one.db_id, "db_id") == [1, 3, 2, 0]
    assert [one.db_id for one in slim] == [1, 1, 2, 3]
    slim.replace(1, report(9))
    assert [one.db_id for one in slim] == [1, 9, 2, 3]
    with pytest.raises(IndexError):
        slim[4]


def test_some_fields_of_each_are_what_they_are() -> None:
    slim = SlimFacts(report(number) for number in range(3))
    assert [(one.file, one.problems, one.cells) for one in slim.parts("file", "problems", "cells")] == [
        (one.file, one.problems, one.cells) for one in slim
    ]
    assert [one.file for one in slim.parts("file")] == [one.file for one in slim]
    assert list(SlimFacts[Report]().parts("file", "kind")) == []


def test_a_copy_of_one_changes_nothing_here() -> None:
    slim = SlimFacts([report(1)])
    changed = slim[0].model_copy(update={"kind": "statspack"})
    assert (slim[0].kind, changed.kind) == ("awr", "statspack")


def taken_bytes(many: int, slim: bool) -> int:
    """What so many reports take."""
    tracemalloc.start()
    try:
        made = (Report.model_validate_json(report(number).model_dump_json()) for number in range(many))
        held = SlimFacts(made) if slim else list(made)
        taken = tracemalloc.get_traced_memory()[0]
        assert len(held) == many
        return taken
    finally:
        tracemalloc.stop()


def test_they_take_less_than_half_the_room() -> None:
    taken_bytes(1, slim=False)  # what is made once
    assert taken_bytes(500, slim=True) < taken_bytes(500, slim=False) / 2
