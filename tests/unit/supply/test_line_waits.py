"""Trials that one long wait ended: they are made again to their end before they count, a limited number of times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from plimsoll.base.limits import TRIALS_TO_END_MAX
from plimsoll.facts import Cell
from plimsoll.native.latency import latency_of_counts
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.trials import GIVEN_UP
from plimsoll.supply.workloads import workload
from simulated import find
from simulated_cells import measured

LIMIT_US = 1000.0
SEARCH = Search(parse_slo("p99=1ms"), workload("randread", 8192), start_rate=10_000)


def test_a_storage_that_stands_still_once_has_the_line_of_all_its_ios(tmp_path: Path) -> None:
    """A stall in each trial makes one I/O in 180 late, and at 4,590 a second the queue makes as many. Trials that ended at the
    stall said a ninth of that."""
    line = find(tmp_path, "sim:mean=100us,stall_after=20000,stall=300ms", trial_s=100.0, seed=2)
    assert line.line_iops == pytest.approx(4590, rel=0.15)
    (void,) = [trial for trial in line.trials if trial.held is None]
    assert (void.void_reason, void.cell.ended_early) == (GIVEN_UP, "gave_up")


def test_a_stall_that_only_long_trials_bear_is_no_change_of_the_target(tmp_path: Path) -> None:
    """It made brief trials miss at rates that whole ones held."""
    line = find(tmp_path, "sim:mean=100us,stall_after=2000,stall=60ms", trial_s=20.0, seed=2)
    assert line.outcome == "found", line.reason
    assert line.line_iops == pytest.approx(4590, rel=0.15)


@pytest.mark.parametrize("late_share", [1.0, None])
def test_a_saturated_storage_costs_one_trial_more_at_most(tmp_path: Path, late_share: float | None) -> None:
    """Also where it was given up before anything was measured."""
    storage = WaitingStorage(measured(tmp_path, "sim:")[0], late_share, late_share_to_the_end=1.0)
    line = find_line(SEARCH, storage)
    assert line.outcome == "never_held"
    assert storage.to_the_end == 1


def test_trials_are_made_again_a_limited_number_of_times(tmp_path: Path) -> None:
    storage = WaitingStorage(measured(tmp_path, "sim:")[0], late_share=0.005, late_share_to_the_end=0.2)
    line = find_line(SEARCH, storage)
    assert line.line_iops is None
    assert storage.to_the_end == TRIALS_TO_END_MAX


@dataclass
class WaitingStorage:
    """Every trial is given up that may be, with that share of I/Os late until then; the others show another share."""

    cell: Cell
    late_share: float | None
    late_share_to_the_end: float
    to_the_end: int = 0

    def __call__(
        self,
        rate: float,
        runtime_s: float,
        warm_up_s: float,
        window_s: float,
        give_up_latency_us: float,
        seed: int,
    ) -> Cell:
        is_whole = give_up_latency_us >= 1e6 * runtime_s
        self.to_the_end += is_whole
        share = self.late_share_to_the_end if is_whole else self.late_share
        late = 0 if share is None else round(100_000 * share)
        counts = [] if share is None else [(100.0, 100_000 - late), (2 * LIMIT_US, late)]
        changes = {
            "latency_us": latency_of_counts([(us, ios) for us, ios in counts if ios]),
            "ended_early": "" if is_whole else "gave_up",
            "runtime_s": runtime_s if is_whole else runtime_s / 10,
            "offered_ios": None,
            "ios": round(rate * runtime_s),
            "windows": (),
        }
        return self.cell.model_copy(update=changes)
