"""Demands that their storage held back, and demands that it did not: made by queues of known kind, and counted over seeds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import timedelta

import pytest

from demand_snapshots import START
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.facts import BeneathServer, ClassDemand, DemandInterval

SEEDS = 200


def interval(
    second: int,
    iops: float,
    latency_us: float | None,
    active: float | None = None,
    waiting: float | None = None,
    stalled: float | None = None,
) -> DemandInterval:
    return DemandInterval(
        begin_time=START + timedelta(seconds=second),
        end_time=START + timedelta(seconds=second + 1),
        duration_s=1.0,
        classes={
            "small_read": ClassDemand(
                ops_per_s=iops, bytes_per_s=iops * 8192, latency_us_mean=latency_us, source="made"
            )
        },
        iops=iops,
        mb_per_s=iops * 8192 / 1e6,
        sessions_active=active,
        sessions_waiting=waiting,
        stalled_share=stalled,
    )


def waits_share(load: float, servers: int) -> float:
    """How much longer an I/O takes than alone, as a share (Sakasegawa's approximation of M/M/c)."""
    return load ** math.sqrt(2 * (servers + 1)) / (servers * (1 - load))


def open_load(random_of: random.Random) -> list[DemandInterval]:
    """Callers who do not wait for each other, on storage that is at most 75 % busy; its latency has bad seconds."""
    servers, service_us = random_of.choice([1, 2, 4, 8, 32]), random_of.choice([100.0, 500.0, 5000.0])
    highest = random_of.uniform(0.1, 0.75)
    found = []
    for second in range(60):
        load = min(0.75, highest * random_of.lognormvariate(0, 0.3))
        iops = max(1.0, random_of.gauss(1, 0.03)) * load * servers / service_us * 1e6
        bad = 3.0 if random_of.random() < 0.05 else 1.0
        latency_us = service_us * (1 + waits_share(load, servers)) * bad * random_of.lognormvariate(0, 0.15)
        flight = iops * latency_us / 1e6
        active = sum(random_of.random() < 0.5 for _ in range(round(3 * flight)))
        found.append(interval(second, iops, latency_us, float(active), float(min(active, round(flight)))))
    return found


def flat_open_load(random_of: random.Random) -> list[DemandInterval]:
    """The same rate each second, while latency goes up and down by half."""
    iops, latency_us = random_of.uniform(100, 20_000), random_of.uniform(80, 800)
    found = []
    for second in range(60):
        latency_now_us = latency_us * random_of.uniform(0.75, 1.25)
        places = round(3 * iops * latency_now_us / 1e6)
        active = sum(random_of.random() < 0.5 for _ in range(places))
        waiting = sum(random_of.random() < 0.67 for _ in range(active))
        found.append(
            interval(second, iops * random_of.gauss(1, 0.02), latency_now_us, float(active), float(waiting))
        )
    return found


def varying_callers(random_of: random.Random) -> list[DemandInterval]:
    """A closed loop whose callers come and go, beyond what the storage serves at once."""
    servers, service_us = random_of.choice([1, 2, 4, 8]), random_of.choice([200.0, 2000.0])
    found = []
    for second in range(60):
        callers = random_of.randint(servers, 8 * servers + 8)
        iops = servers / service_us * 1e6 * random_of.gauss(1, 0.04)
        found.append(interval(second, iops, callers / iops * 1e6))
    return found


def steady_callers(random_of: random.Random) -> list[DemandInterval]:
    """Sixteen clients of a device of 1,500 I/Os per second, who ask again at once: nothing varies but the looks."""
    return [
        interval(
            second, 1500 * random_of.gauss(1, 0.02), 10_600.0, float(random_of.choice([15, 16, 16, 16])), 15.0
        )
        for second in range(60)
    ]


def callers_in_lumps(random_of: random.Random) -> list[DemandInterval]:
    """The same clients where the storage lets go of a tenth of a second's I/Os at once: a look may come while most of them rest."""
    return [
        interval(second, 1550 * random_of.gauss(1, 0.03), 10_300.0, active, active)
        for second in range(12)
        for active in [float(random_of.choice([4, 5, 6, 16, 16, 16, 16, 16]))]
    ]


def seldom_seen(random_of: random.Random) -> list[DemandInterval]:
    """Callers who come by chance, looked at twelve times only."""
    flight = random_of.uniform(0.5, 8.0)
    counts = [float(sum(random_of.random() < flight / 100 for _ in range(100))) for _ in range(12)]
    return [
        interval(second, 5000 * random_of.gauss(1, 0.03), flight / 5000 * 1e6, count, count)
        for second, count in enumerate(counts)
    ]


@pytest.mark.parametrize(
    ("make", "held", "least"),
    [
        (seldom_seen, False, 0.97),
        (callers_in_lumps, True, 1.0),
        (open_load, False, 0.97),
        (flat_open_load, False, 1.0),
        (varying_callers, True, 0.97),
        (steady_callers, True, 1.0),
    ],
)
def test_it_is_right_nearly_always(
    make: Callable[[random.Random], list[DemandInterval]], held: bool, least: float
) -> None:
    found = [held_back(make(random.Random(seed))) for seed in range(SEEDS)]
    right = sum(one.is_held_back is held for one in found)
    assert right >= least * SEEDS, (right, next(one.reason for one in found if one.is_held_back is not held))


def test_the_evidence_is_told() -> None:
    (note,) = held_back_note(held_back(steady_callers(random.Random(1))))
    assert note.code == "held-back"
    assert "16 sessions hardly ever rested" in note.message
    flat = held_back(varying_callers(random.Random(1)))
    assert "more waited, and no more was done" in flat.reason


def test_a_host_that_stands_still_is_evidence() -> None:
    still = [interval(second, 900.0, None, stalled=0.95) for second in range(10)]
    assert held_back(still).is_held_back
    assert "95 %" in held_back(still).reason
    busy = [interval(second, 900.0, None, stalled=0.3) for second in range(10)]
    assert held_back(busy).is_held_back is False


def test_reads_that_take_as_long_as_a_queue_are_evidence_of_a_single_long_interval() -> None:
    assert held_back([interval(0, 1700.0, 24_000.0)]).is_held_back
    assert held_back([interval(0, 1700.0, 600.0)]).is_held_back is False


def test_a_volume_s_own_count_is_evidence() -> None:
    def seen(share: float) -> list[DemandInterval]:
        below = BeneathServer(devices=("nvme1n1",), limit_exceeded_share=share)
        return [interval(second, 900.0, None).model_copy(update={"beneath": below}) for second in range(10)]

    assert held_back(seen(0.3)).is_held_back
    assert "30 % of the time" in held_back(seen(0.3)).reason
    assert held_back(seen(0.0)).is_held_back is False


def test_what_nothing_tells_is_not_known() -> None:
    for known in ([], [interval(second, 900.0, None) for second in range(60)]):
        found = held_back(known)
        assert found.is_held_back is None
        assert held_back_note(found) == ()


def test_waiting_sessions_stand_for_what_is_in_flight_where_times_are_not_known() -> None:
    few = [interval(second, 1500.0, None, 20.0, 4.0) for second in range(30)]
    many = [interval(second, 1510.0, None, 40.0, 9.0) for second in range(30, 60)]
    assert held_back(few + many).is_held_back
    more = [interval(second, 3200.0, None, 40.0, 9.0) for second in range(30, 60)]
    assert held_back(few + more).is_held_back is False
