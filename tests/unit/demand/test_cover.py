"""The mixes that stand for a demand: nothing that was asked for lies outside them, and what they ask beyond it is told."""

from __future__ import annotations

import itertools
import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demand_snapshots import START, database
from plimsoll.demand.cover import MIXES_MAX, SLACK_AIM, Mix, cover, excess, workloads_of
from plimsoll.demand.late import sure
from plimsoll.demand.workload import ASSUMED_LARGE_BYTES, of_interval
from plimsoll.facts import ClassDemand, Demand, DemandInterval
from plimsoll.facts.demand import DemandClassName

NAMES: tuple[DemandClassName, ...] = (
    "small_read", "large_read", "small_write", "large_write", "redo_write", "temp_read", "temp_write",
)  # fmt: skip


def asked(ops: float | None, size: float = 8192.0, syncs: float | None = None) -> ClassDemand:
    return ClassDemand(ops_per_s=ops, bytes_per_s=(ops or 0) * size, syncs_per_s=syncs, source="counters")


def interval(second: int, changes: dict[str, Any] | None = None, /, **classes: ClassDemand) -> DemandInterval:
    named: dict[DemandClassName, ClassDemand] = dict(classes)  # type: ignore[arg-type]
    begin = START + timedelta(seconds=second)
    made = DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, classes=named,
        iops=sum(one.ops_per_s or 0.0 for one in classes.values()),
        mb_per_s=sum(one.bytes_per_s or 0.0 for one in classes.values()) / 1e6,
    )  # fmt: skip
    return made.model_copy(update=changes or {})


def demand(*intervals: DemandInterval) -> Demand:
    return Demand(database=database(), resolution_s=1.0, intervals=intervals, peak=None, mean=None)


def figures(one: DemandInterval) -> dict[tuple[str, str], float]:
    """Requests that nobody counted are as many as their workload takes them for; the log's rate is that of its forced writes."""
    found: dict[tuple[str, str], float] = {
        (name, what): getattr(asked, what) or 0.0
        for name, asked in one.classes.items()
        for what in ("ops_per_s", "bytes_per_s", "syncs_per_s")
    }
    uncounted = {(name, "ops_per_s"): asked for name, asked in one.classes.items() if asked.ops_per_s is None}
    redo = one.classes.get("redo_write")
    if redo is not None:
        found["redo_write", "rate"] = redo.syncs_per_s or redo.ops_per_s or 0.0
    return found | {key: (asked.bytes_per_s or 0.0) / ASSUMED_LARGE_BYTES for key, asked in uncounted.items()}


def is_covered(one: DemandInterval, mix: Mix) -> bool:
    most = figures(mix.interval)
    return all(value <= most.get(key, 0.0) for key, value in figures(one).items())


RATES = st.one_of(st.just(0.0), st.floats(0.01, 1e5))


@st.composite
def seconds(draw: st.DrawFn) -> list[DemandInterval]:
    """Intervals with anything in them: classes that come and go, logs forced or not, gaps, late counters."""
    found = []
    for second in range(draw(st.integers(0, 30))):
        classes = {}
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=4, unique=True)):
            ops = draw(RATES)
            forced = draw(st.sampled_from([None, 0.0, 0.5, 1.0])) if name == "redo_write" else None
            size = draw(st.floats(512, 3e6))
            classes[name] = asked(ops, size, None if forced is None else forced * ops)
            if name.startswith("large") and draw(st.booleans()):
                classes[name] = classes[name].model_copy(update={"ops_per_s": None})
        changes: dict[str, Any] = draw(
            st.sampled_from([{}, {}, {"doubt": "late", "late_s_max": 3.0}, {"gap": "restart", "classes": {}}])
        )
        found.append(interval(second, changes, **classes))
    return found


@given(seconds())
@settings(deadline=None)
def test_every_known_interval_is_covered_by_one_of_at_most_five(found: list[DemandInterval]) -> None:
    mixes = cover(found)
    assert len(mixes) <= MIXES_MAX
    busy = [one for one in sure(found) if one.gap is None and any(figures(one).values())]
    for one in busy:
        assert any(is_covered(one, mix) for mix in mixes)
    assert sum(mix.intervals for mix in mixes) == len(busy)
    assert all(mix.slack >= 0 and is_covered(mix.largest, mix) for mix in mixes)
    for one, other in itertools.permutations(mixes, 2):
        assert not is_covered(one.interval, other)
    assert mixes == cover(found)


@given(seconds())
@settings(deadline=None)
def test_the_workloads_cover_the_intervals_too(found: list[DemandInterval]) -> None:
    """In I/Os and bytes of each class, and forced where one of them is: rounding to blocks takes nothing away."""
    made = [
        {io.name: io for io in one.asked.workload.classes}
        for one in workloads_of(demand(*found)).mixes
        if one.asked.workload
    ]
    for one in (one for one in sure(found) if one.gap is None):
        alone = of_interval(one, database()).workload
        for_real = figures(one)
        for_it = [
            mix for mix in made
            if all(
                io.name in mix
                and mix[io.name].weight >= (for_real[io.name, "syncs_per_s"] or for_real[io.name, "ops_per_s"]) * (1 - 1e-9)
                and mix[io.name].weight * mix[io.name].block_bytes >= for_real[io.name, "bytes_per_s"] * (1 - 1e-8)
                and mix[io.name].sync >= io.sync
                for io in (alone.classes if alone else ())
            )
        ]  # fmt: skip
        assert for_it or alone is None


def test_a_scan_beside_fewer_reads_is_a_mix_of_its_own() -> None:
    """The second with the most I/Os says nothing of bytes: here the scan runs in other seconds."""
    calm = [interval(s, small_read=asked(1300.0 + s)) for s in range(30)]
    scanning = [
        interval(s, small_read=asked(1000.0), large_read=asked(190.0, 131072.0)) for s in range(30, 60)
    ]
    mixes = cover(calm + scanning)
    assert [(mix.intervals, mix.slack) for mix in mixes] == [(30, 0.0), (30, 0.0)]
    assert sorted(mix.begin_time for mix in mixes) == [calm[-1].begin_time, scanning[0].begin_time]
    assert {round(mix.interval.mb_per_s or 0) for mix in mixes} == {11, 33}


def test_intervals_alike_share_a_mix_and_its_slack_is_told() -> None:
    one = interval(0, small_read=asked(1000.0), small_write=asked(950.0))
    other = interval(1, small_read=asked(950.0), small_write=asked(1000.0))
    (mix,) = cover([one, other])
    assert (mix.interval.iops, mix.intervals) == (2000.0, 2)
    assert 2000 / 1950 - 1 < mix.slack < SLACK_AIM
    assert mix.largest in (one, other)


def test_five_mixes_that_cannot_do_it_say_so() -> None:
    apart = [interval(n, None, **{name: asked(1000.0, 1e5)}) for n, name in enumerate(NAMES)]
    mixes = cover(apart)
    assert len(mixes) == MIXES_MAX
    assert max(mix.slack for mix in mixes) > 0.9


def test_small_intervals_are_joined_before_large_ones() -> None:
    """What is far below the rest decides nothing, however unlike its intervals are to each other."""
    large = [interval(n, None, **{name: asked(1000.0)}) for n, name in enumerate(NAMES[:4])]
    small = [interval(9 + n, None, **{name: asked(1.0)}) for n, name in enumerate(NAMES[4:])]
    mixes = cover(large + small)
    assert [mix.slack <= SLACK_AIM for mix in mixes if (mix.interval.iops or 0) > 900] == [True] * 4


def test_a_lump_of_late_counters_is_no_peak() -> None:
    steady = [interval(s, small_read=asked(1000.0)) for s in range(5)]
    lump = interval(9, {"doubt": "a transaction ended", "late_s_max": 9.0}, small_read=asked(8000.0))
    (mix,) = cover([*steady, lump])
    assert (mix.interval.iops, mix.intervals) == (1000.0, 6)
    (alone,) = cover([lump])
    assert alone.interval.iops == pytest.approx(800.0)


def test_a_log_forced_in_one_interval_is_forced_at_each_write_of_the_other() -> None:
    found = [
        interval(0, redo_write=asked(1000.0, 8192, 0.0)),
        interval(1, redo_write=asked(999.0, 8192, 980.0)),
    ]
    for mix in cover(found):
        redo = mix.interval.classes["redo_write"]
        assert (redo.ops_per_s, redo.syncs_per_s) in ((1000.0, 1000.0), (1000.0, 0.0), (999.0, 980.0))


def test_what_an_excess_costs_at_most() -> None:
    assert excess((100.0, 10.0), (100.0, 10.0)) == pytest.approx(1.0)
    assert excess((110.0, 11.0), (100.0, 10.0)) == pytest.approx(1.1)
    # Ten more of a hundred and ten, at ten times the price of the others.
    assert excess((100.0, 20.0), (100.0, 10.0)) == pytest.approx(300 / 200)
    assert excess((1000.0, 1.0), (1000.0, 0.0)) == pytest.approx(1.01)
    assert excess((1.0,), (0.0,)) == 1000.0


UNSIZED = ClassDemand(ops_per_s=900.0, bytes_per_s=None, source="counters")


def test_what_cannot_be_judged_is_one_clear_note() -> None:
    gap = interval(0, {"gap": "the server was restarted", "classes": {}})
    for found, word in (
        (demand(), "no interval"),
        (demand(gap), "the server was restarted"),
        (demand(interval(0, small_read=asked(0.0))), "asked nothing"),
        (demand(interval(0, small_read=UNSIZED, redo_write=asked(0.0))), "rate or size of everything"),
    ):
        made = workloads_of(found)
        assert made.mixes == ()
        assert word in made.notes[-1].message


def test_a_class_unknown_in_some_intervals_is_said() -> None:
    unknown = ClassDemand(ops_per_s=None, bytes_per_s=None, source="track_io_timing")
    made = workloads_of(demand(interval(0, small_read=asked(10.0)), interval(1, small_read=unknown)))
    assert [note.code for note in made.notes] == ["class-unknown"]
    assert made.notes[0].message == "small_read is unknown in 1 of 2 intervals (track_io_timing)"


def test_an_hour_of_seconds_of_which_none_covers_another() -> None:
    """Many intervals of which none covers another; how long it takes is for people to look at."""
    random_ = random.Random(5)
    found = [
        interval(s, None, **{name: asked(random_.lognormvariate(5, 0.3)) for name in NAMES})
        for s in range(3600)
    ]
    mixes = cover(found)
    assert 1 <= len(mixes) <= MIXES_MAX
    assert sum(mix.intervals for mix in mixes) == 3600
