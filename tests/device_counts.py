"""Holds what a run says that it did against what the devices counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.facts import Cell, Fact, Run


def cells(fact: Any) -> Iterator[Cell]:
    """Every cell in a fact, however deep."""
    if isinstance(fact, Cell):
        yield fact
    elif isinstance(fact, Fact):
        for name in type(fact).model_fields:
            yield from cells(getattr(fact, name))
    elif isinstance(fact, Mapping):
        yield from cells(tuple(fact.values()))
    elif isinstance(fact, tuple):
        for part in fact:
            yield from cells(part)


def check_each(run: Run) -> list[Cell]:
    """The cells: each one's counts are the devices' own, I/O for I/O."""
    found = list(cells(run))
    assert found
    for cell in found:
        counted = cell.at_devices
        assert counted is not None
        assert counted.ios > 0
        assert (counted.reads, counted.read_bytes) == (counted.device_reads, counted.device_read_bytes)
        assert (counted.writes, counted.write_bytes) == (counted.device_writes, counted.device_write_bytes)
    return found
