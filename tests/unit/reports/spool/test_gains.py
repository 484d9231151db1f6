"""What instances gained: known only where both snapshots tell."""

from __future__ import annotations

from decimal import Decimal

from collector_spools import MadeInstance, MadeSnapshot, counted, lines_of, spool, two
from plimsoll.reports.spool.gains import gains
from plimsoll.reports.spool.snapshots import read_spool

LATER = "2024-05-01T10:05:00+02:00"


def of(text: str, letter: str) -> dict[tuple[str, ...], tuple[Decimal | None, ...]]:
    first, last = read_spool(text).snapshots
    return {key: one.values for key, one in gains(first, last, letter).items()}


def test_a_gain_is_the_difference_and_has_the_line_of_the_second() -> None:
    text = two()
    first, last = read_spool(text).snapshots
    gain = gains(first, last, "S")["redo writes",]
    assert gain.values == (3_000,)
    assert ":S|" in text.split("\n")[gain.line - 1]
    assert "redo writes|33000" in text.split("\n")[gain.line - 1]


def test_gains_of_instances_are_added_up() -> None:
    made = [
        MadeSnapshot([MadeInstance(counted(scale)), MadeInstance(counted(2 * scale), number=2)], taken=taken)
        for scale, taken in ((10.0, "2024-05-01T10:00:00+02:00"), (11.0, LATER))
    ]
    assert of(spool(*made), "S")["redo writes",] == (9_000,)


def test_an_event_that_is_new_has_gained_all_of_it() -> None:
    before, after = counted(10.0), counted(11.0)
    del before["W"]["log file sync", "Commit"]
    text = spool(MadeSnapshot([MadeInstance(before)]), MadeSnapshot([MadeInstance(after)], taken=LATER))
    assert of(text, "W")["log file sync", "Commit"] == (5_500, 5_500 * 900)


def test_a_statistic_is_never_new() -> None:
    before, after = counted(10.0), counted(11.0)
    del before["S"]["redo writes",]
    text = spool(MadeSnapshot([MadeInstance(before)]), MadeSnapshot([MadeInstance(after)], taken=LATER))
    assert ("redo writes",) not in of(text, "S")


def test_what_a_damaged_line_hides_is_not_taken_for_nothing() -> None:
    text = two()
    _, line = next(one for one in lines_of(text, "W") if "log file sync" in one[1])
    assert ("log file sync", "Commit") not in of(text.replace(f"{line}\n", "", 1), "W")
    assert ("db file sequential read", "User I/O") in of(text.replace(f"{line}\n", "", 1), "W")


def test_a_space_that_a_wrap_lost_changes_no_gain() -> None:
    text = two().replace("db file sequential read|User", "db file sequentialread|User", 1)
    assert of(text, "W")["db file sequential read", "User I/O"] == (25_000, 15_000_000)


def test_a_sum_needs_all_instances() -> None:
    one, two_ = counted(10.0), counted(10.0)
    later, lost = counted(11.0), counted(11.0)
    del lost["S"]["redo writes",]
    made = [
        MadeSnapshot([MadeInstance(one), MadeInstance(two_, number=2)]),
        MadeSnapshot([MadeInstance(later), MadeInstance(lost, number=2)], taken=LATER),
    ]
    assert ("redo writes",) not in of(spool(*made), "S")
    assert ("redo size",) in of(spool(*made), "S")
