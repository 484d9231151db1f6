"""What each role did over time adds up to the rows, however long it was watched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import facts_watch
from plimsoll.facts import WatchedIo, WatchedStretch
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe.course import ROLES_MAX, STRETCHES_MAX, Course
from plimsoll.observe.roles import OTHERS


def io_of(role: str, ios: int, us: float = 100.0) -> WatchedIo:
    return facts_watch.row(role=role, ios=ios, latency_us=latency_of_counts([(us, ios)]), is_again=False)


def course(*steps: list[WatchedIo], step_s: float = 1.0) -> tuple[WatchedStretch, ...]:
    made = Course()
    for number, rows in enumerate(steps):
        made.add(number * step_s, step_s, rows)
    return made.facts()


@given(
    st.lists(st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers(1, 500)), max_size=4), max_size=30)
)
def test_the_stretches_hold_every_io_once(steps: list[list[tuple[str, int]]]) -> None:
    found = course(*([io_of(role, ios) for role, ios in rows] for rows in steps))
    assert sum(one.ios for one in found) == sum(ios for rows in steps for _, ios in rows)
    assert sum(one.bytes for one in found) == 8_192 * sum(one.ios for one in found)


def test_each_role_has_every_stretch_and_one_that_did_nothing_has_none() -> None:
    found = course([io_of("writer", 5)], [], [io_of("reader", 7)])
    rates = {(one.begin_s, one.role): one.ios for one in found}
    assert rates == {
        (0.0, "reader"): 0, (0.0, "writer"): 5, (1.0, "reader"): 0, (1.0, "writer"): 0, (2.0, "reader"): 7, (2.0, "writer"): 0,
    }  # fmt: skip


def test_a_long_watch_is_kept_in_few_stretches_with_the_highest_p99_of_their_steps() -> None:
    steps = [[io_of("writer", 200, 5_000.0 if number == 700 else 100.0)] for number in range(1_000)]
    found = course(*steps)
    assert STRETCHES_MAX / 2 <= len(found) <= STRETCHES_MAX
    assert sum(one.ios for one in found) == 200_000
    assert found[-1].begin_s + found[-1].duration_s == 1_000.0
    assert {one.duration_s for one in found[:-1]} == {8.0}
    (late,) = [one for one in found if (one.latency_us_p99 or 0.0) > 1_000.0]
    assert late.begin_s <= 700.0 < late.begin_s + late.duration_s


def test_a_step_of_flushes_alone_has_no_ios_unless_there_were_flushes_alone_in_all() -> None:
    flushes = [facts_watch.row(role="kernel", operation="flush", ios=9, bytes=0, is_again=False)]
    found = course([io_of("writer", 5)], flushes, [])
    assert [(one.begin_s, one.role, one.ios) for one in found] == [
        (0.0, "writer", 5),
        (1.0, "writer", 0),
        (2.0, "writer", 0),
    ]
    assert [(one.role, one.ios) for one in course(flushes, flushes)] == [("kernel", 9), ("kernel", 9)]


def test_of_many_roles_the_others_are_one() -> None:
    names = [f"role {number}" for number in range(ROLES_MAX + 3)]
    found = course([io_of(name, 100 + number) for number, name in enumerate(names)])
    assert [one.role for one in found] == [*reversed(names[3:]), OTHERS]
    assert found[-1].ios == 100 + 101 + 102


def test_the_short_rest_of_a_watch_is_part_of_the_stretch_before_it() -> None:
    made = Course()
    made.add(0.0, 1.0, [io_of("writer", 100)])
    made.add(1.0, 0.01, [io_of("writer", 3)], is_rest=True)
    (found,) = made.facts()
    assert (found.ios, found.duration_s) == (103, 1.01)


def test_what_other_rows_hold_too_is_counted_at_one_disk() -> None:
    above = facts_watch.row(role="writer", device="loop0", above=("sda",), ios=40, is_again=True)
    below = facts_watch.row(role="writer", device="sda", ios=40, is_again=False)
    assert [one.ios for one in course([above, below])] == [40]


def test_too_few_ios_have_no_p99() -> None:
    assert [one.latency_us_p99 for one in course([io_of("writer", 99)])] == [None]


def test_a_step_that_came_late_takes_no_other_in() -> None:
    made, at_s = Course(), 0.0
    for duration_s in (2.3, *(1.0,) * 20, 2.2, 0.8, *(1.0,) * 20):
        made.add(at_s, duration_s, [io_of("writer", 5)])
        at_s += duration_s
    assert [one.duration_s for one in made.facts()] == [2.3, *(1.0,) * 20, 2.2, 0.8, *(1.0,) * 20]


def test_a_flush_counts_once_beside_the_request_for_it() -> None:
    asked = io_of("writer", 300).but(operation="flush-request", bytes=0)
    made = io_of("kernel", 300).but(operation="flush", bytes=0)
    found = course([io_of("writer", 300), asked, made])
    assert [(one.role, one.ios, one.bytes) for one in found] == [("writer", 600, 300 * 8_192)]
    assert [(one.role, one.ios) for one in course([made])] == [("kernel", 300)], "else nothing is seen of it"
