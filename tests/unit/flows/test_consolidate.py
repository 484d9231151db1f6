"""Several databases on simulated storage whose capacity is known: all of them judged as one is, and the largest set that fits."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START, database
from facts_builder import verdict, workload
from judged_demands import DAY, DISK, LINE, named, second, verdict_of, whole, with_peak
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.context import Context
from plimsoll.demand.together import together as aligned
from plimsoll.facts import Consolidation, Demand, Run, Verdict
from plimsoll.flows.assess import assess
from plimsoll.flows.consolidate import SETS_MAX, consolidated, several_of
from plimsoll.flows.demand import write_demand
from plimsoll.predict.verdict import Measured
from plimsoll.requests.assess import AssessRequest
from plimsoll.results import answer, kinds, status
from simulated import context


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def judged(ctx: Context, folder: Path, demands: Sequence[Demand], target: str = DISK, **asked: Any) -> Run:
    places = []
    for demand in demands:
        place = folder / f"{demand.database.name}.json"
        write_demand(demand, place)
        places.append(str(place))
    words = {"target": target, "demand": places, "slo": "p99=5ms", "trial": 4.0, "seed": 1, "replay": False}
    return assess(ctx, AssessRequest.of_words({**words, **asked}))


def found_in(run: Run) -> Consolidation:
    assert run.consolidation is not None
    return run.consolidation


SHOP = with_peak("shop", 500.0, 4000.0, 0, 10)
CRM = with_peak("crm", 500.0, 4000.0, 10, 20)
HR = with_peak("hr", 100.0, 2500.0, 0, 10)
DWH = with_peak("dwh", 100.0, 5000.0, 5, 15)


def test_peaks_at_other_times_are_carried_where_their_sum_would_not_be(ctx: Context, tmp_path: Path) -> None:
    """Twice 5,000 are more than the disk does; one after the other they are not."""
    demands = [with_peak("shop", 500.0, 5000.0, 0, 10), with_peak("crm", 500.0, 5000.0, 10, 20)]
    run = judged(ctx, tmp_path, demands, replay=True)
    verdict, found = verdict_of(run), found_in(run)
    assert verdict.carries is True
    assert verdict.demand_iops == 5500.0
    assert (found.sum_of_peaks_iops, found.peak_iops, found.coincidences) == (10_000.0, 5500.0, ())
    assert found.fits == ("shop", "crm")
    assert status(run) is ExitStatus.DONE
    same = [with_peak("shop", 500.0, 5000.0, 0, 10), with_peak("crm", 500.0, 5000.0, 0, 10)]
    assert verdict_of(judged(ctx, tmp_path, same)).carries is False


def test_all_are_judged_as_their_sum_would_be_as_one(ctx: Context, tmp_path: Path) -> None:
    """The same intervals under one name: mixes, lines, replay and answer are the same."""
    together = judged(ctx, tmp_path, [SHOP, CRM], replay=True)
    summed = [second(n, 4500.0 if n < 20 else 1000.0) for n in range(DAY)]
    one = whole(summed).model_copy(update={"database": database(name="both")})
    alone = judged(ctx, tmp_path, [one], replay=True)
    apart, own = verdict_of(together), verdict_of(alone)
    assert own.mixes == apart.mixes
    assert (own.carries, own.headroom, own.headroom_ci95) == (
        apart.carries,
        apart.headroom,
        apart.headroom_ci95,
    )
    assert own.replay_headroom == apart.replay_headroom
    assert alone.consolidation is None
    assert "the databases together ask for 4,500" in apart.reason
    assert own.reason == apart.reason.replace("databases together ask", "database asks").replace(
        "databases together", "database"
    )


def test_the_largest_set_is_judged_as_all_were(ctx: Context, tmp_path: Path) -> None:
    run = judged(ctx, tmp_path, [SHOP, CRM, HR, DWH], replay=True)
    found = found_in(run)
    assert verdict_of(run).carries is False
    assert found.fits == ("shop", "crm", "hr")
    (own,) = found.sets
    assert own.carries is True
    assert own.headroom == pytest.approx(LINE / 7000, rel=0.05)
    assert "Driven as they were" in own.reason
    assert status(run) is ExitStatus.ANSWER_IS_NO
    assert answer(run).endswith("3 of 4 databases fit together: shop, crm and hr")
    assert kinds()["verdict"].data(run, "verdict")["consolidation"]["fits"] == ["shop", "crm", "hr"]


def minutes(name: str, rate: float, unknown: int = 0) -> Demand:
    """Half an hour of means, of which some were lost."""
    lost = {"gap": "it was restarted", "classes": {}, "iops": None, "mb_per_s": None}
    found = [
        second(0, rate).but(
            begin_time=START + timedelta(minutes=n),
            end_time=START + timedelta(minutes=n + 1),
            duration_s=60.0,
            **(lost if 9 < n < 10 + unknown else {}),
        )
        for n in range(30)
    ]
    return named(name, found)


@pytest.mark.parametrize(("unknown", "carries"), [(3, True), (6, None)])
def test_headline_and_status_say_what_is_not_seen(
    ctx: Context, tmp_path: Path, unknown: int, carries: bool | None
) -> None:
    """A fifth of the time of the sum is a nightly batch and more, and a minute hides every burst."""
    run = judged(ctx, tmp_path, [minutes("shop", 900.0), minutes("crm", 900.0, unknown)])
    assert verdict_of(run).carries is carries
    assert status(run) is (ExitStatus.DONE if carries else ExitStatus.DONE_IN_PART)
    assert answer(run).endswith(
        f", by means of 1 min; {round(100 * unknown / 30)} % of their time together is not known"
    )
    assert found_in(run).unknown_share == pytest.approx(unknown / 30)
    assert "steps-long" in {note.code for note in run.notes}


def test_weights_choose_another_set(ctx: Context, tmp_path: Path) -> None:
    """With the warehouse worth four, it stays: beside shop or hr it is too much at once, and beside crm as well."""
    run = judged(ctx, tmp_path, [SHOP, CRM, HR, DWH], weight="dwh=4")
    found = found_in(run)
    assert found.fits == ("hr", "dwh")
    assert [one.weight for one in found.databases] == [1, 1, 1, 4]
    assert found.sets[-1].weight == 5


def test_a_set_that_is_refused_rules_out_those_that_hold_it(ctx: Context, tmp_path: Path) -> None:
    """By the line that was found two fit just so, within what chance makes of it: what is measured decides, and is said."""
    heavy = with_peak("heavy", 100.0, 9000.0, 0, 10)
    run = judged(
        ctx, tmp_path, [with_peak("a", 100.0, 3935.0, 0, 10), with_peak("b", 100.0, 3935.0, 0, 10), heavy]
    )
    found = found_in(run)
    assert len(found.sets) <= SETS_MAX
    assert all("heavy" not in one.databases for one in found.sets)
    names = [set(one.databases) for one in found.sets]
    assert all(not early <= late for early, late in combinations(names, 2))


@pytest.mark.parametrize("seed", range(6))
def test_what_fits_is_what_the_capacity_says(tmp_path: Path, seed: int) -> None:
    """Random peaks, none of whose sums lies near the line: the set is the largest whose sum never goes beyond it."""
    rng = random.Random(seed)
    demands, most = away_from_the_line(rng)
    carried = max(
        (chosen for chosen, peak in most.items() if peak < LINE),
        key=lambda chosen: (len(chosen), sum(map(reads_of, (demands[n] for n in chosen)))),
    )
    with context(tmp_path / "journals") as ctx:
        found = found_in(judged(ctx, tmp_path, demands))
    assert found.fits == tuple(f"db{n}" for n in carried)


def reads_of(demand: Demand) -> float:
    """All of it: one size of read is all there is, so that it goes as the bytes."""
    return sum(one.iops or 0.0 for one in demand.intervals)


def away_from_the_line(rng: random.Random) -> tuple[list[Demand], dict[tuple[int, ...], float]]:
    """Five demands that do not all fit, and the most that each set of them asks for at once."""
    while True:
        demands = []
        for number in range(5):
            high, begin = rng.choice([2000.0, 3000.0, 5000.0]) * rng.uniform(0.9, 1.1), 5 * rng.randrange(3)
            demands.append(with_peak(f"db{number}", 50.0, high, begin, begin + 5))
        most = {
            chosen: max(
                sum(demands[n].intervals[second_].iops or 0.0 for n in chosen) for second_ in range(DAY)
            )
            for size in range(1, 6)
            for chosen in combinations(range(5), size)
        }
        is_near = any(0.9 * LINE < peak < 1.1 * LINE for peak in most.values())
        if not is_near and max(most.values()) > LINE:
            return demands, most


def fitting(ctx: Context, peaks: Sequence[float], line: float, held: float = 1.0) -> Consolidation:
    """On a storage that carries `line`, of which each measurement knows only that a share of it held; all peaks at once."""
    asked: list[int] = []

    def judge(demand: Demand) -> tuple[Verdict, tuple[Measured, ...]]:
        asked.append(len(demand.database.name.split(" + ")))
        iops = max(one.iops or 0.0 for one in demand.intervals)
        mix = Measured(workload(), iops, held_iops=line if held == 1.0 else min(line, iops) * held)
        return verdict(iops < line, line / iops, iops), (mix,)

    demands = [with_peak(f"db{n}", 10.0, high, 0, 5) for n, high in enumerate(peaks)]
    several = several_of(aligned(demands), {})
    found = consolidated(ctx, several, *judge(several.whole), judge)
    assert len(asked) <= 1 + SETS_MAX
    return found


def test_of_equal_databases_one_refusal_proves_enough(ctx: Context) -> None:
    """By lines that chance made too high three of six fit, and they do not: then no three do."""
    found = fitting(ctx, [350.0] * 6, 1000.0, held=1.1)
    assert [(len(one.databases), one.carries) for one in found.sets] == [(3, False), (2, True)]
    assert found.fits is not None
    assert len(found.fits) == 2


@pytest.mark.parametrize("held", [0.5, 0.2])
def test_lower_bounds_of_lines_do_not_say_that_not_one_fits(ctx: Context, held: float) -> None:
    found = fitting(ctx, [400.0, 700.0, 800.0], 1000.0, held)
    assert found.fits == ("db0",)


def test_that_not_one_fits_is_measured_of_each_or_of_one_that_asks_for_the_same(ctx: Context) -> None:
    found = fitting(ctx, [1100.0] * 5, 1000.0)
    assert found.fits == ()
    assert [len(one.databases) for one in found.sets] == [1]


def test_that_not_one_fits_is_not_said_of_those_that_were_not_measured(ctx: Context) -> None:
    """Each is too much alone, at a time of its own."""
    demands = [with_peak(f"db{n}", 10.0, 1100.0, n, n + 1) for n in range(5)]
    several = several_of(aligned(demands), {})
    mixes = (Measured(workload(), 1100.0, held_iops=1000.0),)
    no = verdict(False, 0.9, 1100.0)
    found = consolidated(ctx, several, no, mixes, lambda demand: (no, mixes))
    assert (found.fits, len(found.sets)) == (None, SETS_MAX)
    assert "Which of them do is not known" in found.reason


def test_long_intervals_need_a_burst_factor_for_all(ctx: Context, tmp_path: Path) -> None:
    hours = [
        one.model_copy(update={"resolution_s": 3600.0})
        for one in (with_peak("shop", 100.0, 200.0, 0, 10), with_peak("crm", 100.0, 200.0, 0, 10))
    ]
    run = judged(ctx, tmp_path, hours)
    assert verdict_of(run).carries is None
    assert found_in(run).fits is None
    assert "give a --burst-factor" in verdict_of(run).reason
    assert status(run) is ExitStatus.DONE_IN_PART
    assert verdict_of(judged(ctx, tmp_path, hours, burst_factor=3.0)).carries is True


def test_where_nothing_was_asked_for_it_cannot_be_told(ctx: Context, tmp_path: Path) -> None:
    idle = [with_peak(name, 0.0, 0.0, 0, 1) for name in ("shop", "crm")]
    run = judged(ctx, tmp_path, idle)
    assert verdict_of(run).carries is None
    assert found_in(run).carries is None


def test_a_backup_runs_beside_all_of_them(ctx: Context, tmp_path: Path) -> None:
    run = judged(
        ctx,
        tmp_path,
        [SHOP, CRM],
        target="sim:law=constant,mean=20us,us_per_mib=5200us",
        backup="1g",
        window="1h",
    )
    assert run.work_window is not None
    assert run.work_window.fits is True
    assert run.consolidation is not None


def test_weights_are_checked(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no database hrr among shop and crm") as caught:
        judged(ctx, tmp_path, [SHOP, CRM], weight="hrr=2")
    assert caught.value.id == "weight-unreadable"
    for word in ("shop", "shop=", "=2", "shop=0", "shop=1001", "shop=-1", "shop=1.5", "shop=²"):
        with pytest.raises(UsageError, match="is no weight of a database") as caught:
            judged(ctx, tmp_path, [SHOP, CRM], weight=word)
        assert caught.value.id == "weight-unreadable"
    with pytest.raises(UsageError, match="--weight would have no effect without several demands"):
        judged(ctx, tmp_path, [SHOP], weight="shop=2")
