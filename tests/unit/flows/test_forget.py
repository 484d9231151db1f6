"""Series that are removed while somebody still keeps snapshots: nothing goes that was not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from demand_snapshots import database, snapshot
from plimsoll.base.errors import SafetyError
from plimsoll.context import Context
from plimsoll.facts import KeptSnapshot
from plimsoll.flows.forget import forget
from plimsoll.requests.store import ForgetRequest
from simulated import MemoryStore, context

SERIES = ("me@db/crm", "me@db/shop")


def kept(number: int, series: str) -> KeptSnapshot:
    return KeptSnapshot(
        series=series, database=database(), snapshot=snapshot(600.0 * number), collector="one"
    )


class BusyStore(MemoryStore):
    """A collector keeps a snapshot as soon as the newest one was looked at."""

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        found = super().newest_snapshot(series)
        if found is not None and series == SERIES[1]:
            later = found.snapshot.taken_at + timedelta(minutes=10)
            self.keep_snapshot(found.but(snapshot=found.snapshot.but(taken_at=later)))
        return found


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


@pytest.mark.parametrize("store", [MemoryStore(), BusyStore()])
def test_what_is_kept_meanwhile_removes_nothing(ctx: Context, store: MemoryStore) -> None:
    for series in SERIES:
        for number in range(3):
            store.keep_snapshot(kept(number, series))
    ctx = Context(ctx.clock, ctx.events, ctx.cancel, ctx.scratch, ctx.executor, store)
    if type(store) is MemoryStore:
        assert [one.snapshots for one in forget(ctx, ForgetRequest(series=SERIES))] == [3, 3]
        assert store.series_names() == []
        return
    with pytest.raises(SafetyError, match="snapshots of me@db/shop were kept or removed meanwhile") as caught:
        forget(ctx, ForgetRequest(series=SERIES))
    assert caught.value.id == "series-running"
    assert [one.snapshots for one in store.snapshot_series()] == [3, 4]
