"""What is kept of rows: all of them at first and once a day, else what changed since the store last took some."""

from __future__ import annotations

from datetime import timedelta

import pytest

from demand_snapshots import START
from plimsoll.base import limits
from plimsoll.databases import CountedRows
from plimsoll.demand import changed_rows
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.facts import KeptRows

COLUMNS = ("query_id", "calls", "exec_us")


def rows(*lines: str, columns: tuple[str, ...] = COLUMNS) -> CountedRows:
    return CountedRows("statements", columns, lines=lines, figures={"forgotten": 2.0}, reset_at=START)


class Taken:
    """Snapshots of each minute; each is confirmed unless it says otherwise."""

    def __init__(self) -> None:
        self.changes = ChangedRows("statements")

    def at(self, minute: float, *lines: str, confirmed: bool = True, **words: tuple[str, ...]) -> KeptRows:
        kept = self.changes.kept_of(rows(*lines, **words), START + timedelta(minutes=minute))
        if confirmed:
            self.changes.confirm()
        return kept


def minute(kept: KeptRows) -> float | None:
    """The one of the snapshot that it follows."""
    return None if kept.after is None else (kept.after - START).total_seconds() / 60


def test_the_first_is_whole_and_the_next_has_what_changed() -> None:
    taken = Taken()
    first = taken.at(0, "7\t1\t10", "8\t2\t20")
    assert (first.rows, minute(first), first.gone) == ("7\t1\t10\n8\t2\t20", None, ())
    assert (first.columns, first.keys, first.figures, first.reset_at) == (
        COLUMNS, 1, {"forgotten": 2.0}, START,
    )  # fmt: skip
    second = taken.at(1, "8\t3\t20", "9\t1\t1")
    assert (second.rows, minute(second), second.gone) == ("8\t3\t20\n9\t1\t1", 0, ("7",))
    third = taken.at(2, "8\t3\t20", "9\t1\t1")
    assert (third.rows, minute(third), third.gone) == ("", 1, ())


def test_what_the_store_did_not_take_is_kept_with_the_next() -> None:
    taken = Taken()
    taken.at(0, "7\t1\t10")
    taken.at(1, "7\t2\t20", confirmed=False)
    kept = taken.at(2, "7\t2\t20")
    assert (kept.rows, minute(kept)) == ("7\t2\t20", 0)


def test_what_could_not_be_read_says_so_and_the_next_goes_on_from_before() -> None:
    taken = Taken()
    taken.at(0, "7\t1\t10")
    odd = CountedRows("statements", unknown="permission denied")
    kept = taken.changes.kept_of(odd, START + timedelta(minutes=1))
    taken.changes.confirm()
    assert (kept.unknown, kept.rows) == ("permission denied", "")
    assert minute(taken.at(2, "7\t2\t20")) == 0


@pytest.mark.parametrize(("days", "is_whole"), [(0.99, False), (1.0, True), (1.5, True), (-0.1, True)])
def test_all_are_kept_again_after_a_day_and_when_the_clock_went_back(days: float, is_whole: bool) -> None:
    taken = Taken()
    taken.at(0, "7\t1\t10")
    kept = taken.at(days * limits.ROWS_WHOLE_S / 60, "7\t1\t10")
    assert (minute(kept), kept.rows) == ((None, "7\t1\t10") if is_whole else (0, ""))


def test_other_columns_begin_anew() -> None:
    taken = Taken()
    taken.at(0, "7\t1\t10")
    kept = taken.at(1, "7\t1", columns=("query_id", "calls"))
    assert (minute(kept), kept.rows) == (None, "7\t1")


def test_of_too_many_those_that_gained_most_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best in one thing comes before the second in all; who is left out is named, and kept when there is room."""
    monkeypatch.setattr(changed_rows, "_KEPT_MAX", {"statements": 2})
    taken = Taken()
    whole = taken.at(0, "6\t10\t1", "7\t9\t9", "8\t1\t10")
    assert (whole.rows, whole.left_out) == ("6\t10\t1\n8\t1\t10", ("7",))
    busy = taken.at(1, "6\t10\t2", "7\t9\t9", "8\t1\t12")
    assert (busy.rows, busy.left_out) == ("8\t1\t12\n6\t10\t2", ("7",))
    quiet = taken.at(2, "6\t10\t2", "7\t9\t9", "8\t1\t12")
    assert (quiet.rows, quiet.left_out) == ("7\t9\t9", ())
