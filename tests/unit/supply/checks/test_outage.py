"""A server that was away: what the checks say of a rate over that time, and the trials of a line."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.base.units import format_rate
from plimsoll.charts import Subject
from plimsoll.facts import Arrivals, Cell, Outage, Point, Run, ServerPath, Window
from plimsoll.pages._cell import figures as page_figures
from plimsoll.pages.sections import measurements
from plimsoll.results import Grid, held_rate
from plimsoll.results._compared import cell_quantities
from plimsoll.results._words import of_cell
from plimsoll.supply import readings
from plimsoll.supply.checks import cliff, outage, stalls
from plimsoll.supply.slo import parse_slo
from simulated_cells import reads

TARGET = facts_builder.target()


def path(losses: int = 0) -> ServerPath:
    return ServerPath(
        address="10.0.0.1",
        requests=100,
        requests_per_s=10.0,
        mb_per_s=1.0,
        share=1.0,
        losses=losses,
        away_s=0.0,
    )


def cell(*outages: tuple[float, float, float], **changes: Any) -> Cell:
    """Of 10 s, with outages of start, duration and share."""
    made = facts_builder.cell(None, reads()).model_copy(update={"runtime_s": 10.0, "iops": 600.0})
    told = tuple(Outage(start_s=start, duration_s=lasted, share=share) for start, lasted, share in outages)
    return made.model_copy(update={"outages": told, "paths": (path(len(told)),), **changes})


@pytest.mark.parametrize(
    ("outages", "passed", "held"),
    [
        ((), True, 600.0),
        (((2.0, 4.0, 1.0),), False, 1000.0),
        (((2.0, 4.0, 0.5),), False, 750.0),
        (((2.0, 0.05, 1.0), (3.0, 0.1, 1.0)), True, 600.0),
        (((2.0, 0.15, 1.0), (3.0, 0.15, 1.0)), False, 600.0 * 10 / 9.7),
    ],
    ids=["none", "long", "half-of-the-jobs", "made-anew-at-once", "several"],
)
def test_a_rate_over_an_outage_is_none_that_was_held(
    outages: tuple[tuple[float, float, float], ...], passed: bool, held: float
) -> None:
    one = cell(*outages)
    check = outage.CHECK.judge(one, TARGET)
    assert check is not None
    assert check.passed is passed
    assert one.held_iops == pytest.approx(held)
    assert ("while the server was there" in held_rate(one)) == (not passed)


def test_what_arrives_at_a_rate_is_caught_up_and_not_told_as_more_than_was_asked_for() -> None:
    one = cell((2.0, 6.0, 1.0), iops=100.0, arrivals=Arrivals(kind="uniform", rate_per_s=100.0))
    assert one.held_iops == 100.0
    assert held_rate(one) == "100 I/Os per second over the whole time, though the server was away for 6 s"
    assert of_cell(one).startswith("100 IOPS over the whole time, server away for 6 s")
    check = outage.CHECK.judge(one, TARGET)
    assert check is not None
    assert check.passed is False
    assert check.reason.endswith(": 100 I/Os per second over the whole time")
    assert page_figures(one)[0][1] == "100"


def test_an_outage_is_a_stall() -> None:
    check = stalls.CHECK.judge(cell((2.0, 4.0, 1.0)), TARGET)
    assert check is not None
    assert check.passed is False
    assert check.figures["max_us"] == 4e6


def test_what_is_no_server_is_not_asked() -> None:
    assert outage.CHECK.judge(cell(paths=()), TARGET) is None


def test_the_words_name_when_how_long_and_how_many() -> None:
    words = outage.outage_words(cell((2.0, 4.0, 0.5), (8.0, 1.0, 1.0)))
    assert "for 50 % of the jobs for 4 s from 2 s on, the longest of 2 such times" in words


@pytest.mark.parametrize("lost", [True, False])
def test_a_fall_beside_a_lost_connection_may_be_its_doing(lost: bool) -> None:
    rates = [100.0] * 6 + [40.0] * 6
    windows = tuple(
        Window(start_s=float(at), duration_s=1.0, iops=rate, latency_us_p50=100.0)
        for at, rate in enumerate(rates)
    )
    one = cell(runtime_s=12.0, windows=windows, paths=(path(int(lost)),), depth=1)
    check = cliff.CHECK.judge(one, TARGET)
    assert check is not None
    assert check.passed is (None if lost else False)
    assert ("connection to the server was lost" in check.reason) == lost


def test_a_host_is_not_blamed_for_a_server_that_was_away() -> None:
    slo = parse_slo("p99=1ms")
    busy = {"processor_wait_share": 0.9, "host": None}
    assert readings.disturbance(slo, cell(**busy)) is not None
    assert readings.disturbance(slo, cell((2.0, 4.0, 1.0), **busy)) is None


@pytest.mark.parametrize("was_away", [True, False])
def test_all_rates_of_a_run_are_those_while_the_server_was_there(was_away: bool) -> None:
    one = cell(*([(2.0, 4.0, 1.0)] if was_away else []))
    two = tuple(
        io.model_copy(update={"name": name, "iops": 300.0}) for io in one.classes[:1] for name in "ab"
    )
    one = one.model_copy(update={"classes": two})
    title, rate, words = page_figures(one)[0]
    assert (title, rate) == ("Rate", "1,000" if was_away else "600")
    assert ("while the server was there; 600 over the whole time" in words) == was_away
    told = {figure.name: figure.value for figure in cell_quantities(one, "cell")}
    assert told["cell.classes.a.iops"] == pytest.approx(500.0 if was_away else 300.0)


def test_a_point_of_a_calibration_says_the_rate_of_its_own_check() -> None:
    one = cell((2.0, 4.0, 1.0))
    small = one.classes[0].model_copy(update={"name": "small reads", "iops": 600.0})
    large = small.model_copy(update={"name": "large reads", "mb_per_s": 30.0})
    for outages, factor in ((one.outages, 10 / 6), ((), 1)):
        measured = one.model_copy(update={"outages": outages, "classes": (small, large)})
        point = Point.measured(1, 1, measured)
        assert (point.small_iops, point.large_mb_per_s) == pytest.approx((600 * factor, 30 * factor))


def test_a_table_of_measurements_says_whose_rates_it_has() -> None:
    there = cell()
    away = there.model_copy(update={"outages": cell((2.0, 5.0, 1.0)).outages})
    rate = there.classes[0].iops
    for cells, factor in (((there,), 1), ((away,), 2)):
        table, *words = measurements.blocks(Subject(Run.model_construct(results={"cells": cells})))
        assert isinstance(table, Grid)
        assert table.table.rows[0][2] == format_rate(factor * rate)
        assert bool(words) == (factor > 1)
