"""Rows of thinned days: bounded rows are named, waits say where nobody looked, and kinds that are refused stay refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from demand_snapshots import START
from plimsoll.demand.gained_rows import states
from plimsoll.demand.thinned_rows import added_up, chained_anew, newest_of_each_share
from plimsoll.facts import KeptRows, KeptRowsKind


def at(minute: int) -> Any:
    return START + timedelta(minutes=minute)


def part(minute: int, rows: str, kind: KeptRowsKind = "relations", **changes: Any) -> KeptRows:
    base: dict[str, Any] = {"columns": ("oid", "scans"), "rows": rows}
    return KeptRows(kind=kind, taken_at=at(minute), **{**base, **changes})


def test_changes_follow_the_kept_one_before() -> None:
    parts = [
        part(0, "1\t5\n2\t5"),
        part(1, "1\t6", after=at(0)),
        part(2, "3\t1", after=at(1), gone=("2",)),
        part(3, "1\t9", after=at(2), left_out=("3",)),
    ]
    first, last = chained_anew(parts, at(0), {at(0), at(3)})
    assert first == parts[0]
    assert (last.after, last.rows, last.gone, last.left_out) == (at(0), "1\t9", ("2",), ("3",))
    before = [(dict(one.lines), one.left_out) for one in states(parts)][-1]
    assert [(dict(one.lines), one.left_out) for one in states([first, last])][-1] == before


def test_other_columns_and_unknown_parts_begin_anew() -> None:
    parts = [
        part(0, "1\t5"),
        part(1, "", unknown="refused", columns=()),
        part(2, "1\t7\t8", columns=("oid", "scans", "blks_read")),
        part(3, "1\t9", after=at(-7)),
    ]
    made = chained_anew(parts, at(0), {at(minute) for minute in range(4)})
    assert [one.after for one in made] == [None] * 4
    assert [one.unknown for one in made] == [
        None,
        "refused",
        None,
        "the snapshot that these rows follow is not kept",
    ]


def test_bounded_rows_are_those_that_gained_most_and_the_others_are_named() -> None:
    parts = [part(0, "1\t5\n2\t5\n3\t5"), part(1, "1\t6\n2\t50\n3\t7", after=at(0))]
    first, last = chained_anew(parts, at(0), {at(0), at(1)}, rows_max=2)
    assert first.rows == "2\t5\n3\t5"
    assert first.left_out == ("1",)
    assert last.rows == "2\t50\n3\t7"
    assert last.left_out == ()


def wait(minute: int, seen: int | None) -> KeptRows:
    if seen is None:
        return KeptRows(kind="waits", taken_at=at(minute), unknown="nobody has looked yet")
    columns = ("backend_type", "wait_event", "seen")
    rows = f"client\t\\N\t{seen}"
    return part(minute, rows, "waits", columns=columns, keys=2, figures={"looks": 60.0, "missed": 0.0})


def test_waits_are_added_up_to_the_next_kept_moment() -> None:
    made = added_up([wait(0, 1), wait(1, 2), wait(2, 3), wait(3, 4)], {at(0), at(2)})
    assert [(one.taken_at, one.rows, one.figures.get("looks")) for one in made] == [
        (at(0), "client\t\\N\t1", 60.0),
        (at(2), "client\t\\N\t5", 120.0),
        (at(3), "client\t\\N\t4", 60.0),
    ]


def test_a_time_in_which_nobody_looked_is_told_beside_the_rest() -> None:
    (made,) = added_up([wait(0, None), wait(1, 2)], {at(1)})
    assert (made.unknown, made.rows, made.figures["looks"]) == (
        "nobody has looked yet",
        "client\t\\N\t2",
        60.0,
    )


def size(minute: int, share: int, rows: str) -> KeptRows:
    figures = {"shares": 2.0, "share": float(share)}
    return part(minute, rows, "sizes", columns=("oid", "size_bytes"), figures=figures)


def test_of_sizes_the_newest_of_each_share_stays_with_its_time() -> None:
    parts = [size(0, 0, "1\t10"), size(1, 1, "2\t20"), size(2, 0, "1\t30\n3\t5"), size(3, 1, "")]
    assert newest_of_each_share(parts) == parts[2:]
    assert [one.rows for one in newest_of_each_share(parts, rows_max=1)] == ["1\t30", ""]
