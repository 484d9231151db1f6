"""Pluggable databases of one instance are databases of their own."""

from __future__ import annotations

from dataclasses import replace

from advice_reports import interval, report
from plimsoll.rules import Advised, advice_of, advise

BEGINS = ("2024-05-01T10:00:00", "2024-05-01T11:00:00")


def _advised(container: str, event: str, begin: str) -> Advised:
    found = interval(report({event: (9_000, 900.0)}, db_time_s=2000.0, cpu_s=400.0))
    names = {"db_name": "SHOP", "db_id": 7, "instance": "shop", "begin_time": begin}
    return advise(replace(found, container=container, file=f"{container}-{begin}"), **names)


def test_no_container_is_the_neighbour_of_another() -> None:
    events = {"PDB1": "db file sequential read", "PDB2": "enq: TX - row lock contention"}
    found = [_advised(name, event, begin) for begin in BEGINS for name, event in events.items()]
    assert not advice_of(found).changes


def test_intervals_of_one_container_are_neighbours() -> None:
    found = [
        _advised("PDB1", "db file sequential read", BEGINS[0]),
        _advised("PDB1", "enq: TX - row lock contention", BEGINS[1]),
    ]
    assert len(advice_of(found).changes) == 1
