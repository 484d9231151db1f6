"""The line search beside a server that goes away: its trials are void for that reason, and no host is blamed for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import facts_builder
from made_up_trials import made_up
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Cell, Check, Line, Outage
from plimsoll.results.line import line_status
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.line_checks import judge_trials
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.workloads import workload

SEARCH = Search(parse_slo("p99=1ms"), workload("randread", 8192), start_rate=100_000)
OUTAGE = (Outage(start_s=0.2, duration_s=5.0, share=1.0),)


def _checks(cell: Cell) -> Sequence[Check]:
    return passive_checks(cell, facts_builder.target())


def searched(*away: int, for_good: bool = False) -> Line:
    """Of a server that is away in the trials of those numbers, or from the first of them on; then threads waited for a CPU too."""
    steady = made_up("nfs", 0.3, 0.0, held_below=80_000)
    made: list[Cell] = []

    def measure(**asked: Any) -> Cell:
        cell = steady(**asked)
        number = len(made)
        if number in away or (for_good and number >= away[0]):
            cell = cell.model_copy(update={"outages": OUTAGE, "processor_wait_share": 0.9})
        made.append(cell)
        return cell

    return find_line(SEARCH, cast(Any, measure))


def test_a_server_that_stays_away_is_the_end_of_the_search() -> None:
    line = searched(4, for_good=True)
    assert (line.outcome, line.line_iops) == ("failed", None)
    assert "there was no connection to the server for 5 s from 0.2 s on" in line.reason
    assert line_status(line) is ExitStatus.WORLD_FAILED
    assert not {"host-busy", "processor-bound"} & {note.code for note in line.notes}
    assert all(
        trial.held is None and "no connection" in (trial.void_reason or "") for trial in line.trials[4:]
    )


def test_a_line_beside_a_server_that_came_back_is_not_valid() -> None:
    line = searched(4)
    assert line.outcome == "found"
    hit = [trial for trial in (*line.trials, *line.controls) if trial.cell.outages]
    assert len(hit) == 1
    (check,) = (one for one in judge_trials(line, _checks) if one.name == "outage")
    assert check.passed is False
    assert check.reason.endswith("there was no connection to the server for 5 s from 0.2 s on")
    assert line_status(line.model_copy(update={"checks": (check,)})) is ExitStatus.ANSWER_IS_NO


def test_a_line_of_a_server_that_was_there_has_no_such_check() -> None:
    assert judge_trials(searched(10_000), _checks) == ()
