"""Thinning that is killed at any moment, beside a writer, leaves a store that a later one ends as if nothing had happened."""

from __future__ import annotations

import random
import shutil
import time
from datetime import timedelta
from pathlib import Path

import pytest

from demand_snapshots import START
from kept_series import SERIES, keep_all, made_series
from plimsoll.store import SqlStore, open_store
from zygote import Zygote, zygote

PROGRAM = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from thinning_process import work"
DAYS, KILLS = 3, 8
NOW = (START + timedelta(days=DAYS, minutes=1)).isoformat()


@pytest.mark.timeout(240)
def test_kills_beside_a_writer(tmp_path: Path) -> None:
    draw, made = random.Random(21), made_series(DAYS, 7)
    kept, later = made[:-KILLS], made[-KILLS:]
    locations = [str(tmp_path / name) for name in ("killed.sqlite", "whole.sqlite")]
    first = open_store(locations[0])
    keep_all(first, kept)
    shutil.copy(*locations)
    with zygote(PROGRAM) as parent:
        for snapshot, rows in later:
            process = parent.started(locations[0], NOW)
            time.sleep(draw.uniform(0.0, 0.3))
            first.keep_snapshot(snapshot, rows)
            process.kill()
        for location in locations:
            _end(parent, location)
    whole = open_store(locations[1])
    for snapshot, rows in later:
        whole.keep_snapshot(snapshot, rows)
    assert _content(first) == _content(whole)
    assert len(list(first.snapshots(SERIES))) < len(made) / 2


def _end(parent: Zygote, location: str) -> None:
    process = parent.started(location, NOW)
    lines = list(iter(lambda: process.stdout.readline().strip(), "done"))
    process.ended()
    assert "" not in lines, "it did not end by itself"


def _content(store: SqlStore) -> tuple[list[str], list[str]]:
    kinds = ("relations", "sizes", "waits", "intervals")
    rows = [repr(part) for kind in kinds for part in store.kept_rows(SERIES, kind)]
    return [repr(one) for one in store.snapshots(SERIES)], rows
