"""Targets added one by one, from end to end on simulated devices, which all share one set of servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import LadderCurve, Run, TargetLadder
from plimsoll.flows.calibrate_ladder import measure_ladder
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context


def run_with(
    journals: Path, target: str, count: int, repeats: int = 3, **asked: Any
) -> tuple[Run, TargetLadder]:
    """The stored run of so many equal targets."""
    given: dict[str, Any] = {"duration_s": 0.5, "small_depth": 4, "large_depth": 0} | asked
    with context(journals) as ctx:
        run = measure_ladder(ctx, CalibrateRequest((target,) * count, ladder=True, repeats=repeats, **given))
        assert ctx.store.load(run.id) == run
    assert run.ladder is not None
    return run, run.ladder


def only(found: TargetLadder) -> LadderCurve:
    (curve,) = found.curves
    return curve


def test_servers_enough_for_all_are_linear(tmp_path: Path) -> None:
    run, found = run_with(tmp_path, "sim:law=constant,mean=1ms,servers=16", 4)
    curve = only(found)
    assert run.kind == "calibrate"
    assert [step.rate for step in curve.steps] == pytest.approx([4000, 8000, 12000, 16000], rel=0.01)
    assert [step.linearity for step in curve.steps] == pytest.approx([1, 1, 1, 1], rel=0.01)
    assert curve.flat_from is None
    assert [one.rate for one in curve.alone] == pytest.approx([4000] * 4, rel=0.01)


def test_servers_for_two_are_full_from_the_third_on(tmp_path: Path) -> None:
    """Three targets with four outstanding each, and eight servers."""
    _, found = run_with(tmp_path, "sim:law=constant,mean=1ms,servers=8", 4)
    curve = only(found)
    assert curve.flat_from == 3
    assert curve.steps[-1].linearity == pytest.approx(0.5, rel=0.02)
    low, high = curve.steps[-1].linearity_ci95 or (0.0, 0.0)
    assert low <= curve.steps[-1].linearity <= high
    assert "from target 3 on, more bring next to nothing" in curve.reason


def test_each_target_has_clients_of_its_own(tmp_path: Path) -> None:
    _, found = run_with(tmp_path, "sim:servers=16", 3, large_depth=2, repeats=2)
    small, large = found.curves
    assert (small.size, small.depth, large.size, large.depth) == ("small", 4, "large", 2)
    groups = small.steps[-1].cell.groups
    assert [(group.name, group.depth) for group in groups] == [("small 1", 4), ("small 2", 4), ("small 3", 4)]
    assert {io.name for io in large.steps[1].cell.classes} == {"large_read_1", "large_read_2"}


def test_the_links_are_named_where_they_are_full(tmp_path: Path) -> None:
    """1 MiB in 1.3 ms by two servers is 1,613 MB/s, which two ports of 8GFC carry and no more."""
    run, found = run_with(
        tmp_path, "sim:law=constant,mean=1300us,servers=2", 3, small_depth=0, large_depth=2, links="2x8gfc"
    )
    assert run.links is not None
    assert run.links.used_share == pytest.approx(0.976, rel=0.01)
    assert only(found).flat_from == 2
    assert only(found).reason.endswith(
        "2 × 8GFC carry 1,653 MB/s, of which 98 % were used at most: the links are full."
    )


def test_more_than_the_links_carry_is_a_warning(tmp_path: Path) -> None:
    run, _ = run_with(tmp_path, "sim:servers=16", 2, small_depth=0, large_depth=4, links="1x8gfc", repeats=2)
    assert [note.code for note in run.notes] == ["links-exceeded"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"count": 1}, "a ladder of one target"),
        ({"repeats": 1}, "says nothing of noise"),
        ({"small_depth": 0, "large_depth": 0}, "neither small nor large"),
        ({"large_pattern": "sequential"}, "at random places"),
    ],
)
def test_words_that_do_not_fit_are_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        run_with(tmp_path, "sim:", **{"count": 2} | changes)
    assert said in caught.value.message


def test_storage_that_fails_in_the_middle_keeps_the_whole_repeats(tmp_path: Path) -> None:
    run, found = run_with(tmp_path, "sim:mean=1ms,gone_after=1000", 2, duration_s=1.0)
    assert "point-failed" in [note.code for note in run.notes]
    assert found.repeats < 3
