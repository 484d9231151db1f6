"""What is said of databases together: peaks, when they coincide, and what that saves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

import pytest

from demand_snapshots import START, database
from judged_demands import second, whole
from plimsoll.demand.together import Together, together
from plimsoll.facts import Consolidation, Demand, SetVerdict
from plimsoll.predict.consolidation import COINCIDENCES_MAX, STEPS_MAX, Fitting, consolidation
from plimsoll.predict.storage_time import AtLine, share_of_time


def demand_of(name: str, rates: Sequence[float | None], step_s: float = 1.0) -> Demand:
    """None: nothing is known."""
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "it was restarted"}
    found = []
    for number, rate in enumerate(rates):
        begin = START + timedelta(seconds=number * step_s)
        times = {"begin_time": begin, "end_time": begin + timedelta(seconds=step_s), "duration_s": step_s}
        one = second(0, rate or 0.0).model_copy(update=times)
        found.append(one if rate is not None else one.model_copy(update=nothing))
    return whole(found).model_copy(update={"database": database(name=name, system_identifier=name)})


def of(*rates: Sequence[float | None], step_s: float = 1.0) -> Together:
    return together([demand_of(f"db{number}", own, step_s) for number, own in enumerate(rates)])


def told(found: Together, fitting: Fitting | None = None) -> Consolidation:
    return consolidation(found, [1] * len(found.names), fitting or Fitting(True))


def judged(*names: str, carries: bool | None) -> SetVerdict:
    return SetVerdict(
        databases=names, weight=len(names), carries=carries, headroom=None, reason="So it was measured."
    )


def test_peaks_at_other_times_save() -> None:
    found = told(of([100.0, 10.0, 10.0], [20.0, 20.0, 200.0]))
    assert (found.sum_of_peaks_iops, found.peak_iops) == (300.0, 210.0)
    assert found.saving_iops == pytest.approx(300 / 210)
    assert found.saving_mb == pytest.approx(300 / 210)
    assert found.peak_time == START + timedelta(seconds=2)
    assert [one.peak_time for one in found.databases] == [START, START + timedelta(seconds=2)]
    assert [one.iops_at_peak for one in found.databases] == [10.0, 200.0]
    assert not found.coincidences
    assert found.reason == (
        "Both databases fit together. Their peaks add up to 300 I/Os per second, and the most that they ask for at once is 210:"
        " 30 % less."
    )


def test_peaks_at_the_same_time_save_nothing() -> None:
    found = told(of([100.0, 10.0], [200.0, 20.0]))
    assert found.saving_iops == 1.0
    assert found.coincide_s == 1.0
    assert [one.databases for one in found.coincidences] == [("db0", "db1")]
    assert found.reason.endswith("is 300: they coincide.")


def test_a_gap_is_neither_a_calm_time_nor_a_peak() -> None:
    found = told(of([100.0, None, 10.0, 10.0], [5.0, 500.0, 5.0, 5.0]))
    assert (found.known_s, found.unknown_s, found.peak_iops) == (3.0, 1.0, 105.0)
    assert [step.iops for step in found.steps] == [(100.0, 5.0), (), (10.0, 5.0), (10.0, 5.0)]


def test_within_a_tenth_of_its_peak_it_is_at_its_peak() -> None:
    found = told(of([100.0, 90.0, 89.0], [10.0, 100.0, 100.0]))
    assert [(one.databases, one.duration_s) for one in found.coincidences] == [(("db0", "db1"), 1.0)]


def test_who_meets_whom_is_told_apart_hour_by_hour() -> None:
    """Quarters of an hour from 3:04 on: two meet in the first three, all three in the next, and the last two once more at four."""
    high, low = 100.0, 1.0
    found = told(
        of(
            [high, high, high, high, low, low],
            [high, high, high, high, low, high],
            [low, low, low, high, low, high],
            step_s=900.0,
        )
    )
    times = [(f"{one.begin_time:%H}", one.databases, one.duration_s) for one in found.coincidences]
    assert times == [
        ("03", ("db0", "db1", "db2"), 900.0),
        ("03", ("db0", "db1"), 2700.0),
        ("04", ("db1", "db2"), 900.0),
    ]
    assert found.coincide_s == 4500.0


def test_of_many_times_the_busiest_are_told() -> None:
    rates = [100.0 if n % 2 else 95.0 + n / 100 for n in range(60)]
    found = told(of(rates, rates, step_s=3600.0))
    assert (len(found.coincidences), found.coincidence_count) == (COINCIDENCES_MAX, 60)
    busiest = [one.iops or 0.0 for one in found.coincidences]
    assert busiest == sorted(busiest, reverse=True)


@pytest.mark.parametrize("seed", range(10))
def test_a_picture_of_many_moments_loses_no_peak_and_no_gap(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(STEPS_MAX, 3 * STEPS_MAX)
    own = [[rng.uniform(0, 100) if rng.random() > 0.01 else None for _ in range(count)] for _ in range(3)]
    found = told(of(*own))
    assert max(sum(step.iops) for step in found.steps) == pytest.approx(found.peak_iops)
    assert all(one.end_time == other.begin_time for one, other in pairwise(found.steps))
    lost_s = sum((step.end_time - step.begin_time).total_seconds() for step in found.steps if not step.iops)
    assert lost_s == pytest.approx(found.unknown_s)


def test_shares_of_the_storages_time_are_told_where_a_line_is_known() -> None:
    share = share_of_time([AtLine(1000.0, 1000.0 * 8192)])
    found = told(of([100.0, 500.0], [10.0, 10.0]), Fitting(True, share=share))
    assert [one.storage_share_max for one in found.databases] == pytest.approx([0.5, 0.01])
    assert {one.storage_share_max for one in told(of([1.0], [1.0])).databases} == {None}


@pytest.mark.parametrize(
    ("fitting", "fits", "said"),
    [
        (Fitting(True), ("db0", "db1", "db2"), "All 3 databases fit together."),
        (Fitting(None), None, "Whether all 3 databases fit together cannot be told."),
        (Fitting(False), None, "Not all 3 databases fit together. Which of them do is not known."),
        (
            Fitting(False, none_fits=True),
            (),
            "Not all 3 databases fit together, and not one of them fits alone.",
        ),
        (
            Fitting(False, (judged("db0", "db2", carries=True),)),
            ("db0", "db2"),
            "Not all 3 databases fit together: db0 and db2 do, without db1.",
        ),
        (
            Fitting(False, (judged("db0", "db2", carries=False), judged("db1", carries=True))),
            ("db1",),
            "Not all 3 databases fit together: db1 does, without db0 and db2.",
        ),
        (
            Fitting(False, (judged("db0", "db2", carries=False),)),
            None,
            "Not all 3 databases fit together. 1 smaller set did not either. Which of them do is not known.",
        ),
        (
            Fitting(False, (judged("db0", "db2", carries=None),)),
            None,
            "Not all 3 databases fit together. Whether db0 and db2 do cannot be told: So it was measured.",
        ),
    ],
)
def test_the_answer_in_words(fitting: Fitting, fits: tuple[str, ...] | None, said: str) -> None:
    found = told(of([1.0], [2.0], [3.0]), fitting)
    assert found.fits == fits
    assert found.reason.startswith(f"{said} Their peaks add up to 6")
    assert [one.fits for one in found.databases] == [
        None if fits is None else one.name in fits for one in found.databases
    ]
