"""How many groups are on their way, by their number and by their bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from plimsoll.cluster import dask_flow
from plimsoll.reports.sources import Source


def taken_for_the_first(groups: Sequence[Any], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many groups are taken until there is one result; four threads and ten bytes may be on their way."""
    monkeypatch.setattr(dask_flow, "CLUSTER_BYTES_MAX", 10)
    taken = 0

    def counted() -> Iterator[Any]:
        nonlocal taken
        for group in groups:
            taken += 1
            yield group

    found = dask_flow.in_weighed_groups(lambda group: group, counted(), 4, lambda: None)
    assert next(found) == groups[0]
    seen = taken
    assert list(found) == groups[1:]
    return seen


def test_contents_are_bounded_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert taken_for_the_first([[Source("a.zip", "m", content=b"12345678")]] * 20, monkeypatch) == 2
    assert taken_for_the_first([[b"1234", b"1234"]] * 20, monkeypatch) == 2


def test_files_that_workers_open_are_bounded_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [[Source("a", weight_bytes=1 << 30, path=Path("a"))]] * 20
    assert taken_for_the_first(groups, monkeypatch) == 8


def test_one_that_weighs_too_much_by_itself_goes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert taken_for_the_first([[b"1" * 100]] * 20, monkeypatch) == 1


def test_who_leaves_stops_what_is_at_work() -> None:
    stopped: list[bool] = []
    found = dask_flow.in_weighed_groups(lambda group: group, [[b"a"]] * 20, 1, lambda: stopped.append(True))
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert stopped == [True]
