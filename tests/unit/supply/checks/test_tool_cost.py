"""What we cost ourselves, from the engine that does nothing."""

from __future__ import annotations

import pytest

import facts_builder
from plimsoll.supply.checks.tool_cost import CHECK
from simulated_cells import Scripted, reads


@pytest.mark.parametrize(("iops", "passed"), [(100_000.0, True), (4_999_000.0, True), (5_100_000.0, False)])
def test_the_share_is_of_a_measuring_thread_at_the_measured_rate(iops: float, passed: bool) -> None:
    """The scripted null engine takes 0.1 µs of a thread per I/O."""
    cell = facts_builder.cell(None, reads()).model_copy(update={"iops": iops})
    probe = Scripted(lambda asked: 1.0, cell)
    check = CHECK.judge(probe)
    assert check is not None
    assert check.passed is passed
    assert check.figures["tool_us_per_io"] == pytest.approx(0.1)
    assert check.figures["thread_share"] == pytest.approx(iops * 1e-7)
    assert [asked.engine for asked in probe.asked] == ["null"]


def test_without_ios_there_is_no_cost() -> None:
    check = CHECK.judge(Scripted(lambda asked: 1.0, changes={"ios": 0}))
    assert check is not None
    assert check.passed is None


def test_virtual_time_costs_nothing() -> None:
    virtual = facts_builder.cell(None, reads()).model_copy(update={"engine": "sim"})
    assert CHECK.judge(Scripted(lambda asked: 1.0, virtual)) is None
