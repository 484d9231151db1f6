"""What was found in each of many reports waits packed, in little room, and is what it was when it is asked for."""

from __future__ import annotations

import os
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from plimsoll.base.packing import Packer
from plimsoll.facts import Report
from plimsoll.flows.taken_advice import AdvisedReport, AllAdvised, TakenAdvice, packed
from plimsoll.reports.reader import Reading
from plimsoll.rules import Advised, without_waits


def advised(number: int) -> Advised:
    return without_waits(
        f"{number}.html", "ash", db_name="SHOP", db_id=7, begin_time=f"2024-05-01T{number:02}"
    )


def report(number: int, **changes: Any) -> Report:
    fields = {
        "file": f"{number}.html",
        "sha256": f"{number:064}",
        "kind": "ash",
        "status": "ok",
        "platform": "Linux",
    }
    return Report.model_validate(fields | changes)


def taken(*reports: Report) -> TakenAdvice:
    made, packer = TakenAdvice(), Packer()
    for number, one in enumerate(reports):
        made.take(AdvisedReport(Reading(one), packed(advised(number), packer)))
    return made


def test_each_is_what_it_was_and_texts_that_recur_are_there_once() -> None:
    packer = Packer()
    found = AllAdvised([packed(advised(number), packer) for number in range(3)])
    assert list(found) == [advised(number) for number in range(3)]
    assert list(found[1:]) == [advised(1), advised(2)]
    first, second = found[0].verdict, found[1].verdict
    assert first.reason is second.reason
    assert first.db_name is second.db_name


def test_what_is_no_fact_is_not_made() -> None:
    class Forged:
        def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
            return os.system, ("true",)

    found = AllAdvised([Packer().packed(pickle.dumps(Forged()), "idle")])
    with pytest.raises(pickle.UnpicklingError, match="system is no fact"):
        found[0]


def test_copies_and_other_prints_are_left_out_and_told() -> None:
    snaps = {"db_name": "SHOP", "begin_snap": 1, "end_snap": 2}
    text, page = report(0, form="text", **snaps), report(1, form="html", **snaps)
    once, notes = taken(text, page, report(2), report(3, sha256=f"{2:064}")).once()
    assert [one.verdict.file for one in once] == ["1.html", "2.html"]
    assert [(note.code, note.message.split(" ")[0]) for note in notes] == [
        ("report-twice", "3.html"),
        ("interval-twice", "0.html"),
    ]


def grown_bytes(make: Callable[[int], Any], many: int = 300) -> int:
    """What so many of them take that came from another process."""
    sent = [pickle.dumps(make(number)) for number in range(many)]
    tracemalloc.start()
    try:
        held: list[Any] = []
        waiting = TakenAdvice()
        for one in sent:
            found = pickle.loads(one)
            if isinstance(found, AdvisedReport):
                waiting.take(found)
            else:
                held.append(found)
        assert len(held) + len(waiting) == many
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def test_they_wait_in_less_than_half_the_room() -> None:
    packer = Packer()
    packed(advised(0), packer)  # what the others are packed against
    short = grown_bytes(
        lambda number: AdvisedReport(Reading(report(number)), packed(advised(number), packer))
    )
    assert short < grown_bytes(lambda number: (report(number), advised(number))) / 2
