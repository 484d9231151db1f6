"""How old kept snapshots are: what is asked of the store for it is little, however long the series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from demand_snapshots import database, snapshot
from plimsoll.context import Context
from plimsoll.facts import KeptSnapshot
from plimsoll.flows.kept_time import KeptTime
from simulated import MemoryStore
from simulated import context as simulated_context

END = datetime(2026, 11, 20, tzinfo=UTC)
DAY = timedelta(days=1)
AGE_S = 40 * 86_400.0
STEP = timedelta(minutes=10)


class CountingStore(MemoryStore):
    """Notes how many snapshots lie in each time that is asked for."""

    def __init__(self, moments: list[datetime]) -> None:
        super().__init__()
        shot = snapshot(0.0)
        self.moments = moments
        self.sample = KeptSnapshot(series="s", database=database(), snapshot=shot, collector="a")
        self.asked: list[int] = []

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        found = [
            one for one in self.moments if (since is None or one >= since) and (until is None or one <= until)
        ]
        if since is not None:
            self.asked.append(len(found))
        return (
            self.sample.but(snapshot=self.sample.snapshot.model_copy(update={"taken_at": one}))
            for one in found
        )


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with simulated_context(tmp_path) as made:
        yield made


def test_few_snapshots_are_read_of_a_long_series(ctx: Context) -> None:
    store = CountingStore([END - number * STEP for number in range(100 * 144, 0, -1)])
    before = KeptTime(replace(ctx, store=store), "s", END).before(AGE_S)
    assert abs(before - (END - timedelta(seconds=AGE_S))) <= STEP
    assert max(store.asked) <= 2
    assert len(store.asked) < 100


def test_decades_without_snapshots_cost_few_questions(ctx: Context) -> None:
    """One was taken by a clock that stood at 1970."""
    store = CountingStore(
        [datetime(1970, 1, 1, tzinfo=UTC), *(END - n * STEP for n in range(50 * 144, 0, -1))]
    )
    before = KeptTime(replace(ctx, store=store), "s", END).before(AGE_S)
    assert abs(before - (END - timedelta(seconds=AGE_S))) <= STEP
    assert len(store.asked) < 60
