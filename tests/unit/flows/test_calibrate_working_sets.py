"""Working sets from end to end on simulated devices with a cache, and on a real file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from asked_plans import asked_plans
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.facts import Event, Plan, Remark, Run, WorkingSetSweep
from plimsoll.flows.calibrate_working_sets import measure_working_sets
from plimsoll.requests.calibrate import CalibrateRequest
from simulated import context

MIB, GIB = 1 << 20, 1 << 30
SIZES = (16 * MIB, 64 * MIB, 256 * MIB, GIB)


def run_with(
    journals: Path, *targets: str, sizes: tuple[int, ...] = SIZES, repeats: int = 3, heard: list[Event] | None = None,
    **asked: Any,
) -> tuple[Run, WorkingSetSweep]:  # fmt: skip
    """The stored run."""
    given: dict[str, Any] = {"duration_s": 0.5} | asked
    with context(journals, [].append if heard is None else heard.append) as ctx:
        run = measure_working_sets(
            ctx, CalibrateRequest(targets, working_sets=sizes, repeats=repeats, **given)
        )
        assert ctx.store.load(run.id) == run
    assert run.working_sets is not None
    return run, run.working_sets


@pytest.mark.parametrize(("cache", "low", "high"), [("100m", 64, 256), ("300m", 256, 1024)])
def test_the_cache_of_a_simulated_device_is_found_between_two_sizes(
    tmp_path: Path, cache: str, low: int, high: int
) -> None:
    run, found = run_with(tmp_path, f"sim:mean=1ms,servers=4,cache={cache},cache_us=20us")
    assert run.kind == "calibrate"
    (step,) = found.caches
    assert (step.low_bytes, step.high_bytes) == (low * MIB, high * MIB)
    assert [one.set_bytes for one in found.sets] == list(SIZES)
    level = [one for one in found.sets if one.set_bytes <= low * MIB]
    assert all(one.latency_us_p50 == pytest.approx(20, rel=0.01) for one in level)
    assert found.reason.startswith(f"A cache ends between {low} MiB and")


def test_without_a_cache_none_is_seen(tmp_path: Path) -> None:
    _, found = run_with(tmp_path, "sim:mean=1ms,servers=4")
    assert found.caches == ()
    assert "No cache seen between 16 MiB and 1 GiB" in found.reason
    assert all(one.iops_ci95 and one.iops_ci95[0] <= one.iops <= one.iops_ci95[1] for one in found.sets)


def test_a_cache_beyond_the_largest_set_is_not_seen_and_that_is_said(tmp_path: Path) -> None:
    _, found = run_with(tmp_path, "sim:mean=1ms,cache=2g,cache_us=20us")
    assert found.caches == ()
    assert "more than the other, would not show" in found.reason


def test_the_cost_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    heard: list[Event] = []
    run_with(tmp_path, "sim:", heard=heard)
    remarks = [event.message for event in heard if isinstance(event, Remark)]
    assert remarks[0].startswith("4 sizes × 3 repeats × 0.5 s: 6 s measured; before it 4 GiB are read")
    assert remarks[1].startswith("within 16 MiB:")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    return asked_plans(monkeypatch, "set_run")


def test_each_set_is_read_once_whole_before_it_is_measured_and_sizes_take_turns(
    tmp_path: Path, calls: list[Plan]
) -> None:
    _, found = run_with(tmp_path, "sim:", "sim:", sizes=(8 * MIB, 32 * MIB), repeats=2, small_depth=4)
    spans = [sum(target.span_bytes for target in plan.targets) // MIB for plan in calls]
    assert spans == [8, 8, 32, 32] * 2
    before, after = calls[0::2], calls[1::2]
    assert {plan.group.classes[0].pattern for plan in before} == {"shuffled"}
    assert [plan.ios_max for plan in before] == [8, 32] * 2
    assert {plan.group.classes[0].pattern for plan in after} == {"random"}
    assert {plan.group.depth for plan in calls} == {4}
    assert len({plan.seed for plan in calls}) == len(calls)
    assert all(one.read_once_share is not None and one.read_once_share > 0.97 for one in found.sets)
    assert found.depth == 4


def test_a_real_file_is_visited_no_further_than_the_set(tmp_path: Path) -> None:
    """psync, which every machine has; the rates are the machine's, and none of this test."""
    run, found = run_with(
        tmp_path / "journals",
        str(tmp_path),
        sizes=(4 * MIB, 16 * MIB),
        repeats=2,
        duration_s=0.1,
        engine="psync",
    )
    assert run.target is not None
    assert run.target.span_bytes == 16 * MIB
    for one in found.sets:
        io = one.cell.classes[0]
        assert io.space_blocks == one.set_bytes // 8192
        assert one.read_once_share is not None
        assert one.read_once_share > 0.9


def test_a_folder_gets_a_file_as_large_as_the_largest_set(tmp_path: Path) -> None:
    run, _ = run_with(
        tmp_path / "j", str(tmp_path), sizes=(MIB, 2 * MIB), repeats=2, duration_s=0.05, engine="psync"
    )
    assert run.target is not None
    assert run.target.span_bytes == 2 * MIB


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        seen: list[str] = []

        def hear(event: Event) -> None:
            if isinstance(event, Remark) and event.message.startswith("within"):
                seen.append(event.message)
                if len(seen) == 6:
                    ctx.cancel.set()

        object.__setattr__(ctx, "events", hear)
        asked = CalibrateRequest(("sim:cache=100m,cache_us=5us",), working_sets=SIZES, duration_s=0.2)
        run = measure_working_sets(ctx, asked)
    found = run.working_sets
    assert found is not None
    assert run.interrupted
    assert found.repeats == 1
    assert found.caches == ()
    assert found.reason.startswith("Too little")
    assert [len(one.iops_repeats) for one in found.sets] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("target", "measured"), [("sim:mean=100us,gone_after=5000", 0), ("sim:mean=10ms,gone_after=200", 2)]
)
def test_storage_that_fails_is_told(tmp_path: Path, target: str, measured: int) -> None:
    """In the middle of what is measured, and of what is read before the third size."""
    run, found = run_with(tmp_path, target)
    assert "point-failed" in [note.code for note in run.notes]
    assert found.caches == ()
    assert len(found.sets) == measured


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sizes": (64 * MIB,)}, "shows no step"),
        ({"sizes": (4096, 64 * MIB)}, "does not fit"),
        ({"sizes": (64 * MIB, 1 << 50)}, "does not fit"),
        ({"repeats": 1}, "cannot tell a cache from chance"),
        ({"write_share": 0.5}, "asks for writes"),
    ],
)
def test_words_that_do_not_fit_are_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        run_with(tmp_path, "sim:", **changes)
    assert caught.value.id == "calibrate-unfit"
    assert said in caught.value.message


def test_a_target_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError):
        run_with(tmp_path / "j", str(tmp_path / "none"))
