"""Demands of several databases as one: what is summed, what stays unknown, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from demand_snapshots import START, database
from judged_demands import second, whole
from plimsoll.base.errors import UsageError
from plimsoll.demand.cover import workloads_of
from plimsoll.demand.summed import LOGS_ALIKE
from plimsoll.demand.together import Together, together
from plimsoll.facts import ClassDemand, Demand, DemandInterval, HeldBack, Note
from plimsoll.facts.demand import LOCAL_TIMES, LOWER_BOUND, SEVERAL


def of(name: str, found: Sequence[DemandInterval], **changes: Any) -> Demand:
    own = database(name=name, system_identifier=name, **changes.pop("database", {}))
    return whole(found).model_copy(update={"database": own, **changes})


def steady(
    name: str, rates: Sequence[float], begin_s: float = 0.0, step_s: float = 1.0, **changes: Any
) -> Demand:
    return of(name, [span(begin_s + step_s * n, step_s, rate) for n, rate in enumerate(rates)], **changes)


def span(begin_s: float, length_s: float, reads: float) -> DemandInterval:
    begin = START + timedelta(seconds=begin_s)
    end = begin + timedelta(seconds=length_s)
    return second(0, reads).model_copy(update={"begin_time": begin, "end_time": end, "duration_s": length_s})


def gap(begin_s: float, length_s: float = 1.0) -> DemandInterval:
    nothing = {"classes": {}, "iops": None, "mb_per_s": None, "gap": "the server was restarted"}
    return span(begin_s, length_s, 0.0).model_copy(update=nothing)


def sum_of(*demands: Demand) -> Demand:
    found = together(demands)
    return found.sum_of(range(len(demands)))


def refused(*demands: Demand) -> UsageError:
    with pytest.raises(UsageError) as caught:
        sum_of(*demands)
    return caught.value


def amount(demand: Demand, begin_s: float, end_s: float) -> float:
    """I/Os between two moments, by the mean of each interval."""
    begin, end = START + timedelta(seconds=begin_s), START + timedelta(seconds=end_s)
    lengths = [
        (one, (min(end, one.end_time) - max(begin, one.begin_time)).total_seconds())
        for one in demand.intervals
    ]
    return sum((one.iops or 0.0) * max(0.0, length) for one, length in lengths)


def test_peaks_that_do_not_coincide_do_not_add_up() -> None:
    found = sum_of(steady("shop", [100.0] * 5 + [10.0] * 5), steady("crm", [20.0] * 5 + [80.0] * 5))
    assert [one.iops for one in found.intervals] == [120.0] * 5 + [90.0] * 5
    assert found.peak is not None
    assert found.peak.iops == 120.0 < 100.0 + 80.0
    assert found.database.name == "shop + crm"
    assert found.database.kind == SEVERAL


def test_classes_are_summed_each_by_itself() -> None:
    one = of("shop", [second(n, 100.0, 131_072.0 * 4, 10.0) for n in range(4)])
    other = of("crm", [second(n, 30.0, 131_072.0 * 2, 5.0) for n in range(4)])
    classes = sum_of(one, other).intervals[0].classes
    assert {name: found.ops_per_s for name, found in classes.items()} == {
        "small_read": 130.0,
        "large_read": 6.0,
        "small_write": 15.0,
    }
    assert classes["large_read"].bytes_per_s == 6 * 131_072.0


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_steps_no_io_is_lost_and_none_is_made(seed: int) -> None:
    """Over the time that all have in common the sum of the amounts is the amount of the sum."""
    rng = random.Random(seed)
    demands = [
        steady(
            f"db{number}",
            [rng.uniform(0, 1000) for _ in range(40)],
            rng.choice([0.0, 0.25, rng.uniform(0, 3)]),
            rng.choice([1.0, 1.5, 2.0]),
        )
        for number in range(rng.randint(2, 4))
    ]
    found = together(demands)
    made = found.sum_of(range(len(demands)))
    begin_s, end_s = ((moment - START).total_seconds() for moment in (found.begin, found.end))
    apart = sum(amount(one, begin_s, end_s) for one in demands)
    assert amount(made, begin_s, end_s) == pytest.approx(apart, rel=1e-3)
    ends = [one.end_time for one in made.intervals]
    assert ends[:-1] == [one.begin_time for one in made.intervals[1:]]
    peak = made.peak
    assert peak is not None
    largest = max(part.iops or 0.0 for moment in found.known for part in moment.parts)
    assert largest <= (peak.iops or 0.0) <= sum(one.peak.iops or 0.0 for one in demands if one.peak) + 1e-6
    turned = together(demands[::-1]).sum_of(range(len(demands)))
    assert [one.iops for one in turned.intervals] == pytest.approx([one.iops for one in made.intervals])


def test_half_a_second_apart_peaks_meet_for_half_a_second() -> None:
    found = sum_of(steady("shop", [0.0, 100.0, 0.0, 0.0]), steady("crm", [0.0, 100.0, 0.0, 0.0], begin_s=0.5))
    together_s = sum(one.duration_s for one in found.intervals if one.iops == 200.0)
    assert together_s == 0.5


def test_what_one_does_not_know_of_a_second_nobody_knows() -> None:
    one = of("shop", [second(0, 100.0), gap(1.0), second(2, 100.0), second(3, 100.0)])
    made = sum_of(one, steady("crm", [50.0] * 4))
    assert [found.iops for found in made.intervals] == [150.0, None, 150.0, 150.0]
    assert made.intervals[1].gap == "of shop: the server was restarted"
    assert made.intervals[1].classes == {}


def test_a_time_in_which_one_was_not_watched_is_no_quiet_time() -> None:
    one = of("shop", [second(0, 100.0), second(3, 100.0), second(4, 100.0)])
    made = sum_of(one, steady("crm", [50.0] * 5))
    assert [found.gap for found in made.intervals] == [
        None,
        "shop was not watched",
        "shop was not watched",
        None,
        None,
    ]


def test_some_of_them_are_summed_where_these_are_known() -> None:
    one = of("shop", [second(0, 100.0), gap(1.0), second(2, 100.0), second(3, 100.0)])
    found = together([one, steady("crm", [50.0] * 4), steady("hr", [7.0] * 4)])
    made = found.sum_of((1, 2))
    assert [each.iops for each in made.intervals] == [57.0] * 4
    assert [each.iops for each in found.sum_of((0, 1)).intervals] == [150.0, None, 150.0, 150.0]
    assert made.database.name == "crm + hr"


def test_two_that_ask_for_much_in_a_gap_of_a_third_make_a_lower_bound() -> None:
    """Neither does alone, with what the others ask for on average."""
    shop = steady("shop", [600.0, 10.0, 10.0, 10.0, 450.0, 10.0])
    crm = steady("crm", [10.0, 10.0, 10.0, 10.0, 450.0, 10.0])
    third = of(
        "hr", [second(0, 20.0), second(1, 20.0), second(2, 20.0), second(3, 20.0), gap(4.0), second(5, 20.0)]
    )
    quiet = steady("crm", [10.0] * 6)
    (note,) = [note for note in sum_of(shop, crm, third).notes if note.code == LOWER_BOUND]
    assert "shop and crm together asked for 900 I/Os per second" in note.message
    assert not any(note.code == LOWER_BOUND for note in sum_of(shop, quiet, third).notes)


def test_a_single_one_of_them_has_the_mixes_that_it_has_alone() -> None:
    alone = of("shop", [second(n, 100.0 + 37 * (n % 5), 1e6 * (n % 3)) for n in range(20)])
    found = together([alone, steady("crm", [50.0] * 20)])
    mixes, own = workloads_of(found.sum_of([0])), workloads_of(alone)
    assert [mix.asked.workload for mix in mixes.mixes] == [mix.asked.workload for mix in own.mixes]


def test_counters_that_were_late_count_for_what_is_sure() -> None:
    late = second(2, 400.0).model_copy(update={"doubt": "late", "late_s_max": 1.0})
    one = of("shop", [second(0, 100.0), second(1, 0.0), late, second(3, 100.0)])
    made = sum_of(one, steady("crm", [50.0] * 4))
    assert [each.iops for each in made.intervals] == [150.0, 50.0, 250.0, 150.0]
    assert not any(each.late_s_max for each in made.intervals)


def test_an_hour_and_a_second_are_no_finer_than_an_hour() -> None:
    made = sum_of(steady("shop", [100.0] * 60), steady("dwh", [10.0], begin_s=-1800.0, step_s=3600.0))
    assert made.resolution_s == 3600.0
    assert {one.iops for one in made.intervals} == {110.0}


def test_zones_are_aligned() -> None:
    shifted = [
        one.model_copy(
            update={
                "begin_time": one.begin_time.astimezone(timezone(timedelta(hours=5))),
                "end_time": one.end_time.astimezone(timezone(timedelta(hours=5))),
            }
        )
        for one in steady("crm", [1.0, 2.0]).intervals
    ]
    made = sum_of(steady("shop", [10.0, 20.0]), of("crm", shifted))
    assert [one.iops for one in made.intervals] == [11.0, 22.0]
    assert made.intervals[0].begin_time == START
    assert made.intervals[0].begin_time.tzinfo is UTC


def test_clocks_without_a_zone_are_not_mixed_with_others() -> None:
    local = Note(code=LOCAL_TIMES, message="the zone is not known")
    error = refused(steady("shop", [1.0] * 4), steady("crm", [1.0] * 4, notes=(local,)))
    assert error.id == "demands-clocks"
    assert "crm is not known, and that of shop is" in error.message
    naive = [
        one.model_copy(
            update={key: getattr(one, key).replace(tzinfo=None) for key in ("begin_time", "end_time")}
        )
        for one in steady("crm", [1.0] * 4).intervals
    ]
    assert refused(steady("shop", [1.0] * 4), of("crm", naive)).id == "demands-clocks"
    made = sum_of(*(steady(name, [1.0] * 4, notes=(local,)) for name in ("shop", "crm")))
    assert "the clocks of shop and crm are taken to be in one zone" in made.notes[-1].message


@pytest.mark.parametrize(("begin_s", "is_refused"), [(0.0, False), (5.0, False), (5.5, True), (60.0, True)])
def test_demands_with_little_time_in_common_are_refused(begin_s: float, is_refused: bool) -> None:
    """Ten seconds of the shorter one: of five and more the sum is judged."""
    demands = steady("shop", [1.0] * 10), steady("crm", [1.0] * 30, begin_s=begin_s)
    if not is_refused:
        assert together(demands)
        return
    error = refused(*demands)
    assert error.id == "demands-apart"
    assert "shop from 2025-01-02 03:04:05 to 2025-01-02 03:04:15" in error.message


def test_nothing_known_of_one_is_refused() -> None:
    error = refused(steady("shop", [1.0] * 4), of("crm", [gap(0.0), gap(1.0)]))
    assert (error.id, error.message) == ("demands-apart", "nothing is known of what crm asked for")


def test_a_database_counts_once() -> None:
    assert refused(steady("shop", [1.0] * 4), steady("shop", [2.0] * 4)).id == "demands-twice"
    elsewhere = steady("shop", [2.0] * 4).model_copy(update={"database": database(system_identifier="43")})
    found = together([steady("shop", [1.0] * 4), elsewhere])
    assert found.names == ("shop (shop)", "shop (43)")


@pytest.mark.parametrize(
    ("places", "is_refused"),
    [
        (("me@db.example:5432/shop", "monitor@db.example:5432/crm"), True),
        (("db.example/shop", "db.example/crm"), True),
        (("me@db.example:5432/shop", "me@standby.example:5432/crm"), False),
        (("me@db.example:5432/shop", "me@db.example:5433/crm"), False),
        (("db.example", "db.example"), False),
    ],
)
def test_a_server_counts_once(places: tuple[str, str], is_refused: bool) -> None:
    """Its counters are of all its databases: two of them would count each I/O twice. Hosts of reports are no connections."""
    demands = [
        steady(name, [1.0] * 4).model_copy(
            update={"database": database(name=name, location=place, system_identifier="42")}
        )
        for name, place in zip(("shop", "crm"), places, strict=True)
    ]
    if not is_refused:
        assert together(demands).names == ("shop", "crm")
        return
    error = refused(*demands)
    assert (error.id, "shop and crm are of one server" in error.message) == ("demands-twice", True)


def pluggable(name: str, service: str, instance: int = 1) -> Demand:
    own: dict[str, Any] = {
        "kind": "oracle",
        "location": f"me@db.example:1521/{service}",
        "system_identifier": f"4711/{instance}",
    }
    return steady("shop", [1.0] * 4).model_copy(update={"database": database(name=name, **own)})


def test_pluggable_databases_of_one_container_are_two() -> None:
    """Each has counters of its own; the container's are of both."""
    shop, crm = pluggable("CDB1/SHOP", "shop"), pluggable("CDB1/CRM", "crm")
    assert together([shop, crm]).names == ("CDB1/SHOP", "CDB1/CRM")
    other = pluggable("CDB1/SHOP", "shop_reports", instance=2)
    assert "two of the demands are of the database CDB1/SHOP" in refused(shop, crm, other).message
    error = refused(shop, pluggable("CDB1", "cdb1"))
    assert (error.id, "CDB1/SHOP is a pluggable database of CDB1" in error.message) == ("demands-twice", True)
    root = pluggable("CDB1/CDB$ROOT", "cdb1")
    assert refused(root, crm).id == refused(root, pluggable("CDB1", "cdb1")).id == "demands-twice"


def test_what_an_older_plimsoll_watched_of_two_pluggable_databases_says_how_to_tell_them_apart() -> None:
    error = refused(pluggable("CDB1", "shop"), pluggable("CDB1", "crm"))
    assert (error.id, "pluggable databases" in (error.hint or "")) == ("demands-twice", True)
    same = refused(pluggable("CDB1", "shop"), pluggable("CDB1", "shop"))
    assert "pluggable" not in (same.hint or "")


def test_intervals_at_the_same_time_are_refused() -> None:
    twice = of("shop", [span(0.0, 10.0, 1.0), span(5.0, 10.0, 1.0)])
    error = refused(twice, steady("crm", [1.0] * 15))
    assert (error.id, "03:04:10" in error.message) == ("demands-twice", True)


def test_too_many_are_refused() -> None:
    many = [steady(f"db{number}", [1.0]) for number in range(101)]
    assert refused(*many).id == "demands-many"


@pytest.mark.parametrize(("step_s", "is_told"), [(1.0, False), (2.0, False), (5.0, True), (60.0, True)])
def test_that_longer_intervals_hide_whether_peaks_meet_is_told(step_s: float, is_told: bool) -> None:
    coarse = steady("dwh", [10.0] * round(60 / step_s), step_s=step_s)
    made = sum_of(steady("shop", [100.0] * 60), coarse, steady("crm", [7.0] * 60))
    assert [note.code for note in made.notes] == (["steps-unlike"] if is_told else [])
    assert all(
        "dwh is known as means of" in note.message and "of 1 s:" in note.message for note in made.notes
    )


def test_one_burst_factor_holds_for_all() -> None:
    one, other = steady("shop", [1.0] * 4, burst_factor=2.0), steady("crm", [1.0] * 4, burst_factor=2.0)
    assert sum_of(one, other).burst_factor == 2.0
    error = refused(one, steady("crm", [1.0] * 4))
    assert (error.id, error.message) == (
        "demands-bursts",
        "the demands have different burst factors: shop 2, crm none",
    )


@pytest.mark.parametrize(
    ("own", "expected"),
    [((False, False), False), ((False, None), None), ((None, True), True), ((False, True), True)],
)
def test_one_that_is_held_back_makes_all_a_lower_bound(
    own: tuple[bool | None, bool | None], expected: bool | None
) -> None:
    demands = [
        steady(name, [1.0] * 4, held_back=HeldBack(is_held_back=found, reason="so it looks"))
        for name, found in zip(("shop", "crm"), own, strict=True)
    ]
    held = sum_of(*demands).held_back
    assert held is not None
    assert held.is_held_back is expected
    assert expected is False or held.reason.startswith("of crm, ")


def test_the_largest_share_of_a_cache_counts_for_all() -> None:
    behind: dict[str, Any] = {"database": {"direct_io": False}}
    one, other = steady("shop", [1.0] * 4), steady("crm", [1.0] * 4, cached_read_share=0.4, **behind)
    made = sum_of(one, other)
    assert (made.cached_read_share, made.database.direct_io) == (0.4, None)
    unknown = steady("hr", [1.0] * 4, **behind)
    assert sum_of(one, other, unknown).cached_read_share is None
    direct = sum_of(one, steady("crm", [1.0] * 4))
    assert (direct.cached_read_share, direct.database.direct_io) == (None, True)


def log(ops: float, syncs: float | None, size: int = 8192) -> dict[str, ClassDemand]:
    return {"redo_write": ClassDemand(ops_per_s=ops, bytes_per_s=ops * size, syncs_per_s=syncs, source="log")}


def with_log(name: str, classes: dict[str, ClassDemand], **settings: str) -> Demand:
    found = [
        one.model_copy(update={"classes": {**one.classes, **classes}})
        for one in steady(name, [10.0] * 4).intervals
    ]
    return of(name, found, database={"settings": settings})


def test_logs_of_one_way_stay_in_it() -> None:
    made = sum_of(*(with_log(name, log(5.0, 4.0), wal_sync_method="fdatasync") for name in ("shop", "crm")))
    assert made.database.settings["wal_sync_method"] == "fdatasync"
    redo = made.intervals[0].classes["redo_write"]
    assert (redo.ops_per_s, redo.syncs_per_s) == (10.0, 8.0)
    assert not made.notes


def test_logs_that_are_forced_otherwise_are_taken_as_the_dearer_and_it_is_said() -> None:
    one = with_log("shop", log(5.0, 4.0), wal_sync_method="fdatasync")
    other = with_log("crm", log(3.0, None), wal_block_size="4096")
    made = sum_of(one, other)
    assert [note.code for note in made.notes] == [LOGS_ALIKE]
    assert made.database.settings == {"wal_sync_method": "fdatasync", "wal_block_size": "8192"}
    assert made.intervals[0].classes["redo_write"].syncs_per_s == 4.0 + 3.0


def test_what_one_did_not_count_of_a_class_is_not_known() -> None:
    unknown = {"small_read": ClassDemand(ops_per_s=None, bytes_per_s=8192.0, source="none")}
    found = [
        one.model_copy(update={"classes": unknown, "iops": None})
        for one in steady("crm", [1.0] * 4).intervals
    ]
    made = sum_of(steady("shop", [10.0] * 4), of("crm", found))
    small = made.intervals[0].classes["small_read"]
    assert (small.ops_per_s, small.bytes_per_s) == (None, 11 * 8192.0)
    assert made.is_lower_bound


def test_large_requests_that_nobody_counted_are_taken_as_their_workload_takes_them() -> None:
    uncounted = {"large_read": ClassDemand(ops_per_s=None, bytes_per_s=4 * 131_072.0, source="bytes")}
    found = [one.model_copy(update={"classes": uncounted}) for one in steady("crm", [0.0] * 4).intervals]
    one = of("shop", [second(n, 0.0, 2 * 131_072.0) for n in range(4)])
    assert sum_of(one, of("crm", found)).intervals[0].classes["large_read"].ops_per_s == 6.0
    alone = sum_of(of("hr", found), of("crm", found)).intervals[0].classes["large_read"]
    assert (alone.ops_per_s, alone.bytes_per_s) == (None, 8 * 131_072.0)


def test_notes_tell_whose_they_are() -> None:
    note = Note(code=LOWER_BOUND, message="requests are counted in part")
    made = sum_of(steady("shop", [1.0] * 4), steady("crm", [1.0] * 4, notes=(note,)))
    assert [(one.code, one.message) for one in made.notes] == [
        (LOWER_BOUND, "crm: requests are counted in part")
    ]


def test_a_peak_where_not_all_are_known_makes_a_lower_bound() -> None:
    calm, busy = steady("shop", [10.0] * 10), steady("crm", [500.0] + [10.0] * 10, begin_s=-1.0)
    made = sum_of(calm, busy)
    assert [note.code for note in made.notes] == ["not-shared", LOWER_BOUND]
    assert "crm alone asked for 500 I/Os per second from 2025-01-02 03:04:04" in made.notes[1].message
    quiet = sum_of(calm, steady("crm", [5.0] + [10.0] * 10, begin_s=-1.0))
    assert [note.code for note in quiet.notes] == ["not-shared"]


def test_reports_that_hardly_miss_each_other_leave_no_gap() -> None:
    apart = of("shop", [span(0.0, 1.0, 10.0), span(1.05, 1.0, 20.0), span(2.05, 1.0, 10.0)])
    made = sum_of(apart, steady("crm", [1.0] * 4))
    assert not any(one.gap for one in made.intervals)


def test_moments_are_what_the_demands_were_in_them() -> None:
    found: Together = together([steady("shop", [1.0, 2.0]), steady("crm", [3.0, 4.0])])
    assert [[part.iops for part in moment.parts] for moment in found.moments] == [[1.0, 3.0], [2.0, 4.0]]
    assert found.moments[-1].end_time == datetime(2025, 1, 2, 3, 4, 7, tzinfo=UTC)


def test_a_peak_outside_counts_with_what_the_others_ask_for_on_average() -> None:
    """crm was at 500 while nobody watched shop, which asks for 300 all the time: 800 where 700 are judged."""
    calm, busy = steady("shop", [300.0] * 10), steady("crm", [500.0] + [400.0] * 10, begin_s=-1.0)
    assert [note.code for note in sum_of(calm, busy).notes] == ["not-shared", LOWER_BOUND]
    below = steady("crm", [390.0] + [400.0] * 10, begin_s=-1.0)
    assert [note.code for note in sum_of(calm, below).notes] == ["not-shared"]


def test_a_peak_in_the_gap_of_another_makes_a_lower_bound() -> None:
    """What both asked for in that second is not known, and nobody may say that it fits."""
    gappy = of(
        "shop",
        [*(span(n, 1.0, 10.0) for n in range(5)), gap(5.0), *(span(n, 1.0, 10.0) for n in range(6, 12))],
    )
    made = sum_of(gappy, steady("crm", [10.0] * 5 + [500.0] + [10.0] * 6))
    assert [note.code for note in made.notes] == [LOWER_BOUND]
    assert "crm alone asked for 500 I/Os per second from 2025-01-02 03:04:10" in made.notes[0].message
    assert sum_of(gappy, steady("crm", [10.0] * 12)).notes == ()


@pytest.mark.parametrize(("step_s", "told"), [(1.0, []), (5.0, []), (60.0, ["steps-long"])])
def test_that_equal_steps_hide_bursts_is_told(step_s: float, told: list[str]) -> None:
    made = sum_of(*(steady(name, [9.0] * 20, step_s=step_s) for name in ("shop", "crm")))
    assert [note.code for note in made.notes] == told
    assert all("shop and crm are known as means of 1 min" in note.message for note in made.notes)
    assert steady("shop", [9.0], step_s=step_s).notes == ()
