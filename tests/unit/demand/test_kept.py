"""Demand of kept snapshots: no difference across what makes one meaningless, and every such time has its reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from demand_snapshots import RESET, START, database, row, snapshot
from plimsoll.base import limits
from plimsoll.base.errors import UsageError
from plimsoll.demand.kept import demand_of_kept
from plimsoll.facts import Database, Demand, KeptSnapshot, Note

STEP_S = 600.0
RATE = 50


def kept(number: float, collector: str = "first", of: Database | None = None, **changes: Any) -> KeptSnapshot:
    """One of each ten minutes of a server that reads 50 blocks a second."""
    reads = int(number * STEP_S * RATE)
    shot = snapshot(
        number * STEP_S, (row(reads=reads, read_bytes=reads * 8192, read_time_ms=reads * 0.5),), **changes
    )
    return KeptSnapshot(series="me@db/shop", database=of or database(), snapshot=shot, collector=collector)


def found(*series: KeptSnapshot) -> Demand:
    demand = demand_of_kept(series)
    assert demand is not None
    return demand


def codes(demand: Demand) -> list[str]:
    return [note.code for note in demand.notes]


def test_fewer_than_two_are_no_demand() -> None:
    assert demand_of_kept([]) is None
    assert demand_of_kept([kept(0)]) is None


def test_neighbours_are_intervals_also_of_two_runs_of_the_collector() -> None:
    """The second run began when another clock of ours had just begun: it is not compared with the first one's."""
    demand = found(kept(0), kept(1), kept(2, "second", monotonic_s=3.0), kept(3, "second", monotonic_s=603.0))
    assert [one.gap for one in demand.intervals] == [None] * 3
    assert [one.duration_s for one in demand.intervals] == [STEP_S] * 3
    assert [one.iops for one in demand.intervals] == pytest.approx([RATE] * 3)
    assert demand.resolution_s == STEP_S
    assert not {"gap", "snapshots-missed", "clock-step"} & set(codes(demand))


def test_a_time_without_a_collector_is_named_and_is_one_average() -> None:
    demand = found(kept(0), kept(1), kept(2), kept(20, "second"), kept(21, "second"))
    assert [one.gap for one in demand.intervals] == [None] * 4
    assert demand.intervals[2].duration_s == 18 * STEP_S
    assert codes(demand).count("snapshots-missed") == 1
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(RATE)


RESTART = START + timedelta(seconds=1.5 * STEP_S)
OTHER_LIVES = {
    "restarted": {"started_at": RESTART},
    "another server": {"system_identifier": "43"},
    "standby": {"moment": {"databases": 3.0, "in_recovery": 1.0}},
    "were reset": {"resets": {"pg_stat_io": RESTART}},
    "dropped": {"database_oids": (1, 4, 6)},
    "apart": {"clock_offset_s": 30.0, "collector": "second"},
}


@pytest.mark.parametrize("reason", OTHER_LIVES)
def test_what_parts_two_lives_of_the_counters_is_a_gap_with_its_reason(reason: str) -> None:
    """Even where all counters of the second life are higher than those of the first."""
    primary = {"moment": {"databases": 3.0, "in_recovery": 0.0}, "database_oids": (1, 4, 5)}
    changed = {**primary, **OTHER_LIVES[reason]}
    demand = found(kept(0, **primary), kept(1, **primary), kept(2, **changed), kept(3, **changed))
    assert [one.gap is None for one in demand.intervals] == [True, False, True]
    assert reason in (demand.intervals[1].gap or "")
    assert demand.intervals[1].classes == {}
    assert codes(demand).count("gap") == 1
    assert demand.mean is not None
    assert demand.mean.duration_s == 2 * STEP_S


def set_back(number: int, collector: str, by_s: float, is_here: bool) -> KeptSnapshot:
    """One that was taken after the server's clock was set back; and ours with it, where the server is on our machine."""
    taken_at = START + timedelta(seconds=number * STEP_S - by_s)
    one = kept(number, collector, taken_at=taken_at, clock_offset_s=0.0 if is_here else -by_s)
    return one.but(boot="b")


@pytest.mark.parametrize("is_here", [True, False])
@pytest.mark.parametrize("second", ["first", "second"])
def test_a_clock_that_was_set_back_shows_no_work_twice_and_none_at_once(second: str, is_here: bool) -> None:
    """Of an hour that the clock showed twice: 0 to 6 before it was set back, 7 to 15 after."""
    before = [kept(number).but(boot="b") for number in range(7)]
    after = [set_back(number, second, 3599.0, is_here) for number in range(7, 16)]
    in_order = sorted([*before, *after], key=lambda one: one.snapshot.taken_at)
    demand = found(*in_order)
    assert demand.peak is not None
    assert demand.peak.iops == pytest.approx(RATE)
    assert sum(one.duration_s for one in demand.intervals) == pytest.approx(15 * STEP_S)
    known_s = sum(one.duration_s for one in demand.intervals if one.gap is None)
    assert known_s == pytest.approx((15 if second == "first" else 9) * STEP_S)
    (note,) = [note for note in demand.notes if note.code == "clock-set-back"]
    assert note.message.startswith("5 snapshots were taken in a time that the server's clock showed twice")


def test_a_clock_that_was_set_between_two_runs_is_a_gap_also_where_both_clocks_are_one() -> None:
    forward = [set_back(number, "second", -1800.0, is_here=True) for number in (2, 3)]
    demand = found(*(kept(number).but(boot="b") for number in (0, 1)), *forward)
    gap = demand.intervals[1].gap
    assert gap == "the server's clock was set by +1800 s between two runs of the collector"
    assert [one.gap for one in (demand.intervals[0], demand.intervals[2])] == [None, None]


def test_a_machine_that_was_started_anew_has_another_clock() -> None:
    later = [kept(number, "second", monotonic_s=number * 1.0).but(boot="c") for number in (2, 3)]
    demand = found(*(kept(number).but(boot="b") for number in (0, 1)), *later)
    assert demand.intervals[1].gap is None
    assert demand.intervals[1].duration_s == STEP_S


@pytest.mark.parametrize("by_s", [0.1, 0.9])
@pytest.mark.parametrize("whose", ["ours", "the server's"])
def test_a_small_step_of_a_clock_between_two_runs_is_no_gap(whose: str, by_s: float) -> None:
    """A minute apart. The machine's own clock, which nobody sets, tells how long it was."""
    minute = STEP_S / 10
    later: dict[str, Any] = {"clock_offset_s": -by_s}
    if whose == "the server's":
        later = {"clock_offset_s": by_s, "taken_at": START + timedelta(seconds=minute + by_s)}
    demand = found(kept(0).but(boot="b"), kept(0.1, "second", **later).but(boot="b"))
    (interval,) = demand.intervals
    assert (interval.gap, interval.duration_s) == (None, minute)
    other_machine = kept(0.1, "second", **later).but(boot="c")
    assert found(kept(0).but(boot="b"), other_machine).intervals[0].gap is not None


def put_back(number: float, reads_from: float, **changes: Any) -> KeptSnapshot:
    """One of a machine that was put back to what it was at that step: its monotonic clock and its counters went on from there."""
    monotonic_s = 1000.0 + reads_from * STEP_S
    counted = kept(
        reads_from, monotonic_s=monotonic_s, taken_at=START + timedelta(seconds=number * STEP_S), **changes
    )
    return counted.but(boot="b", reverts=1)


@pytest.mark.parametrize("later_counts", [-5.0, 0.5])
def test_a_machine_that_was_put_back_to_an_earlier_state_goes_on_behind_a_gap(later_counts: float) -> None:
    """At once, and not when its clock has caught up; and also where its counters did not seem to go back."""
    before = [kept(number).but(boot="b") for number in range(8)]
    after = [put_back(8 + n, 7 + later_counts + n).but(boot="b") for n in range(4)]
    demand = found(*before, *after)
    assert [one.gap is None for one in demand.intervals] == [True] * 7 + [False] + [True] * 3
    assert demand.intervals[7].gap == (
        "the collector's machine was put back to an earlier state, and with it what it had counted"
    )
    assert [one.iops for one in demand.intervals if one.gap is None] == pytest.approx([RATE] * 10)
    assert [one.duration_s for one in demand.intervals] == pytest.approx([STEP_S] * 11)
    assert "clock-set-back" not in codes(demand)


def test_of_a_time_that_a_machine_lived_twice_the_second_one_counts() -> None:
    """Nobody set its clock after it was put back, so that its moments lie among those of the time that was lost."""
    before = [kept(number).but(boot="b") for number in range(8)]
    after = [put_back(3.5 + n, 3.5 + n) for n in range(8)]
    demand = found(*sorted([*before, *after], key=lambda one: one.snapshot.taken_at))
    known = [one for one in demand.intervals if one.gap is None]
    assert len(known) == 3 + 7
    assert [one.iops for one in known] == pytest.approx([RATE] * 10)
    assert codes(demand).count("gap") == 1
    assert codes(demand).count("clock-set-back") == 1


def of_one_put_back(number: float, counted: float) -> KeptSnapshot:
    """What another machine saw at that step of a server that had come as far as it was at an earlier one, by its clock too."""
    return kept(counted, monotonic_s=1000.0 + number * STEP_S).but(boot="elsewhere")


def test_a_server_that_was_put_back_and_counted_beyond_what_was_seen_is_told_by_its_clock() -> None:
    """Nothing else shows it: its counters did not go back between the two, and the collector's machine was not put back."""
    before = [of_one_put_back(number, number) for number in range(8)]
    demand = found(*before, *(of_one_put_back(9 + number, 7.5 + number) for number in range(3)))
    assert [one.gap for one in demand.intervals] == [None] * 10
    (note,) = [note for note in demand.notes if note.code == "clock-step"]
    assert (
        "the server's clock was set back by 15 min before 2025-01-02T04:19:05+00:00; our own" in note.message
    )
    assert "if its machine was put back to an earlier state" in note.message
    assert "clock-step" not in codes(found(*before))


def test_a_server_that_was_put_back_into_a_time_that_was_seen_is_told_too() -> None:
    before = [of_one_put_back(number, number) for number in range(8)]
    demand = found(*sorted([*before, of_one_put_back(8, 6.5)], key=lambda one: one.snapshot.taken_at))
    assert {"clock-step", "clock-set-back"} <= {*codes(demand)}


def test_a_database_that_was_made_is_no_gap() -> None:
    demand = found(kept(0, database_oids=(1, 4)), kept(1, database_oids=(1, 4, 9)))
    assert demand.intervals[0].gap is None


def test_wall_clocks_that_drift_within_what_clocks_do_are_no_gap() -> None:
    demand = found(kept(0), kept(1, "second", clock_offset_s=0.2), kept(2, "second", clock_offset_s=0.4))
    assert [one.gap for one in demand.intervals] == [None, None]


def test_settings_that_changed_are_named_and_half_timed_intervals_have_no_latency() -> None:
    untimed = database(io_timing=False, settings={**database().settings, "track_io_timing": "off"})
    timed = database(settings={**database().settings, "track_io_timing": "on"})
    demand = found(kept(0, of=untimed), kept(1, of=timed), kept(2, of=timed))
    latencies = [one.classes["small_read"].latency_us_mean for one in demand.intervals]
    assert latencies == [None, pytest.approx(500)]
    assert [note.message for note in demand.notes if note.code == "settings-changed"] == [
        f"track_io_timing was off and is on at {(START + timedelta(seconds=STEP_S)).isoformat()}"
    ]


def test_what_the_session_could_not_see_is_said() -> None:
    partial = Note(code="rights-partial", message="grant pg_monitor")
    last = kept(1).model_copy(update={"notes": (partial,)})
    assert partial in found(kept(0), last).notes


def test_a_series_of_any_length_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SERIES_INTERVALS_MAX", 3)
    assert len(found(*(kept(number) for number in range(4))).intervals) == 3
    with pytest.raises(UsageError) as refused:
        demand_of_kept(kept(number) for number in range(5))
    assert refused.value.id == "series-long"


def test_counts_are_those_of_known_intervals() -> None:
    commits = [0.0, 10.0, 5.0, 25.0]
    series = [
        kept(
            number,
            totals={"pg_stat_database.xact_commit": count},
            started_at=RESET if number < 2 else RESTART,
        )
        for number, count in enumerate(commits)
    ]
    assert found(*series).counts["pg_stat_database.xact_commit"] == 10.0 + 20.0


@pytest.mark.parametrize("apart", [0.00005, 0.1, 0.4])
def test_two_collectors_of_one_server_make_no_intervals_of_a_moment(apart: float) -> None:
    """What sessions hand in a second's worth at once would be a rate of that moment."""
    both = [kept(n + part, name) for n in range(6) for part, name in ((0.0, "first"), (apart, "second"))]
    demand = found(*both)
    assert min(one.duration_s for one in demand.intervals[1:]) >= 0.5 * STEP_S
    assert demand.resolution_s == pytest.approx(STEP_S)
    assert demand.mean is not None
    assert demand.mean.iops == pytest.approx(RATE, rel=1e-3)
    assert codes(demand).count("collectors-several") == 1
    assert "snapshots-missed" not in codes(demand)


def test_a_collector_that_is_started_again_with_shorter_steps_is_no_second_one() -> None:
    demand = found(kept(0), kept(1), *(kept(1 + n / 10, "second") for n in range(1, 21)))
    assert [one.duration_s for one in demand.intervals] == pytest.approx([STEP_S, *[60.0] * 20])
    assert "collectors-several" not in codes(demand)


def both(*moments: tuple[float, str]) -> list[KeptSnapshot]:
    """Of two collectors, at these steps."""
    return [kept(at, name) for at, name in moments]


BESIDE = 0.9 / STEP_S
"""So late after the first collector the second one looks."""


def test_a_second_collector_that_is_seen_first_in_a_span_makes_no_interval_of_a_moment() -> None:
    """As where it begins with --since: no step of either is known yet."""
    demand = found(*both(*((n + part, name) for n in range(4) for part, name in ((0, "a"), (BESIDE, "b")))))
    assert [one.duration_s for one in demand.intervals] == pytest.approx([STEP_S] * 3)
    assert codes(demand).count("collectors-several") == 1


def test_a_second_collector_that_is_started_again_makes_no_interval_of_a_moment() -> None:
    first = [(float(n), "a") for n in range(6)]
    second = [(n + BESIDE, "b" if n < 3 else "b, started again") for n in range(6)]
    demand = found(*both(*sorted([*first, *second])))
    assert [one.duration_s for one in demand.intervals] == pytest.approx([STEP_S] * 5)


def test_a_second_collector_behind_thinned_time_makes_no_interval_of_a_moment() -> None:
    """Its own step was hours, by what is left of it; that of the first is known again with its second snapshot."""
    thinned = [kept(6.0 * n, "a").but(removed_after=11) for n in range(20)]
    later = both(*((120.0 + n + part, name) for n in range(3) for part, name in ((0, "a"), (BESIDE, "b"))))
    demand = found(*thinned, *later)
    assert min(one.duration_s for one in demand.intervals) >= STEP_S / 2
    assert demand.peak is not None
    assert demand.peak.iops == pytest.approx(RATE, rel=0.01)


def test_the_first_snapshot_after_a_restart_of_the_server_counts_though_it_is_near() -> None:
    """Nothing is known of the time before it, and with it begins what is."""
    after = [kept(2 + n, "b", started_at=RESTART) for n in (0.1, 1.1)]
    demand = found(*both((0, "a"), (1, "a"), (2, "a")), *after)
    assert [one.gap is None for one in demand.intervals] == [True, True, False, True]


def test_a_put_back_that_another_machine_looks_into_is_a_gap() -> None:
    """Machine b is put back after the fourth snapshot; c, which was not, sees the counters in between."""
    first = [kept(number).but(boot="b") for number in range(4)]
    other = kept(4, "second").but(boot="c")
    after = [put_back(5 + n, 4.5 + n) for n in range(3)]
    demand = found(*first, other, *after)
    assert [one.gap is None for one in demand.intervals] == [True] * 4 + [False] + [True] * 2
    assert "put back" in (demand.intervals[4].gap or "")
