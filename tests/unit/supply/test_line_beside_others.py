"""The line search beside I/O of others that the device's own counters show: what missed beside them is made again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from made_up_trials import made_up
from plimsoll.base.limits import TRIALS_BESIDE_OTHERS_MAX
from plimsoll.facts import AtDevices, Cell, Line
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.sharing import with_sharing
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.workloads import workload

SEARCH = Search(parse_slo("p99=1ms"), workload("randread", 8192), start_rate=100_000)
ALONE, LEFT_OVER = 115_000.0, 61_000.0
OTHERS_BYTES_PER_S = 400e6


def at_devices(cell: Cell, others_bytes_per_s: float) -> AtDevices:
    ours = cell.ios * 8192
    others = round(others_bytes_per_s * (cell.warm_up_s + cell.runtime_s))
    return AtDevices(
        devices=("vda",), reads=cell.ios, read_bytes=ours, writes=0, write_bytes=0, device_reads=cell.ios + others // 8192,
        device_read_bytes=ours + others, device_writes=0, device_write_bytes=0,
        others_bytes_per_s=others_bytes_per_s or None,
    )  # fmt: skip


def searched(others_in: range, errors: int = 0) -> Line:
    """A search in which others take half of the device in these trials, controls not counted."""
    made = -1

    def measure(**asked: Any) -> Cell:
        nonlocal made
        made += asked["rate"] != SEARCH.start_rate / 20
        beside = made in others_in
        cell = cast(Cell, made_up("io_uring", 0.3, 0.0, LEFT_OVER if beside else ALONE)(**asked))
        failed = errors if beside and asked["rate"] >= LEFT_OVER else 0
        found = at_devices(cell, OTHERS_BYTES_PER_S if beside else 0.0)
        return cell.model_copy(update={"at_devices": found, "errors": failed})

    return with_sharing(find_line(replace(SEARCH, budget_s=90.0), cast(Any, measure)))


def void(line: Line) -> list[str]:
    return [trial.void_reason or "" for trial in line.trials if trial.held is None]


def test_a_trial_that_missed_beside_others_is_made_again() -> None:
    """The third trial, at 100,000, misses beside others alone: the line was thought to lie below it."""
    line = searched(range(2, 4))
    assert [(trial.rate, trial.held) for trial in line.trials[2:5]] == [
        (100_000, None),
        (100_000, None),
        (100_000, True),
    ]
    assert line.outcome == "found"
    assert line.ci95 is not None
    assert line.ci95[0] <= ALONE <= line.ci95[1]
    assert all("others were at work on vda, which moved" in reason for reason in void(line))
    assert line.shared is not None
    assert [note.code for note in line.notes].count("shared-storage") == 1


def test_of_others_who_stay_the_line_is_what_they_leave() -> None:
    line = searched(range(1_000))
    assert len(void(line)) == TRIALS_BESIDE_OTHERS_MAX
    assert line.ci95 is not None
    assert line.ci95[0] <= LEFT_OVER <= line.ci95[1]
    assert line.shared is not None
    assert line.shared.others_mb_per_s == pytest.approx(OTHERS_BYTES_PER_S / 1e6, rel=0.01)


def test_failed_ios_are_excused_by_nobody() -> None:
    line = searched(range(2, 4), errors=3)
    assert line.trials[2].held is False
    assert void(line) == []


def test_nobody_there_is_nothing_said() -> None:
    line = searched(range(0))
    assert (line.shared, void(line)) == (None, [])
