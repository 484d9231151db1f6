"""What rows gained comes back from what was kept of them: exactly, or as unknown."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import pytest

from demand_snapshots import START, snapshot
from plimsoll.base import limits
from plimsoll.databases import CountedRows
from plimsoll.demand.changed_rows import ChangedRows
from plimsoll.demand.deltas import Gap
from plimsoll.demand.gained_rows import Gained, ends, gained, states
from plimsoll.facts import KeptRows

COLUMNS = ("oid", "name", "blocks", "scans")
Rows = dict[str, tuple[int, int]]


def at(minute: float) -> datetime:
    return START + timedelta(minutes=minute)


def counted(rows: Rows, **words: Any) -> CountedRows:
    lines = [f"{key}\tt{key}\t{blocks}\t{scans}" for key, (blocks, scans) in rows.items()]
    return CountedRows("relations", COLUMNS, names=1, lines=lines, **words)


def kept(*history: Rows, changes: ChangedRows | None = None, first: int = 0, **words: Any) -> list[KeptRows]:
    """Rows of each minute, as one run of a collector keeps them."""
    changes = changes or ChangedRows("relations")
    made: list[KeptRows] = []
    for minute, rows in enumerate(history, first):
        made.append(changes.kept_of(counted(rows, **words), at(minute)))
        changes.confirm()
    return made


def between(parts: list[KeptRows], begin: int, end: int, **after: Any) -> Gained | Gap | None:
    found = ends(parts, at(begin), at(end))
    if found is None:
        return None
    return gained(snapshot(60.0 * begin), snapshot(60.0 * end, **after), *found)


def known(found: Gained | Gap | None) -> dict[str, tuple[float | None, float | None]]:
    assert isinstance(found, Gained), found
    return {row.key[0]: (row.gains["blocks"], row.gains["scans"]) for row in found.rows}


def test_any_interval_of_a_history_has_the_true_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come, go for good, grow and rest; two runs of a collector, the second of which begins with all rows."""
    draw = random.Random(7)
    rows: Rows = {}
    history: list[Rows] = []
    for minute in range(40):
        rows = {key: value for key, value in rows.items() if draw.random() > 0.03}
        for key in draw.sample(sorted(rows), len(rows) // 3):
            rows[key] = (rows[key][0] + draw.randint(0, 9), rows[key][1] + draw.randint(0, 2))
        rows[f"{minute}"] = (draw.randint(1, 9), 0)
        history.append(dict(rows))
    parts = [*kept(*history[:20]), *kept(*history[20:], first=20)]
    for _ in range(200):
        begin, end = sorted(draw.sample(range(40), 2))
        olds, news = history[begin], history[end]
        truth = {
            key: (blocks - olds.get(key, (0, 0))[0], scans - olds.get(key, (0, 0))[1])
            for key, (blocks, scans) in news.items()
        }
        assert known(between(parts, begin, end)) == {key: gain for key, gain in truth.items() if any(gain)}
    monkeypatch.setattr(limits, "ROWS_KEPT_MAX", 5)
    bounded = kept(*history)
    for begin, end in ((0, 39), (10, 30), (38, 39)):
        found = between(bounded, begin, end)
        exact = known(between(parts, begin, end))
        assert isinstance(found, Gained)
        assert known(found).items() <= exact.items()
        assert len(exact) - len(found.rows) <= len(found.unkept)


def test_names_come_back_as_they_are() -> None:
    part = kept({"5": (1, 0)})[0]
    odd = part.but(rows="5\ta\\tb\\\\n\\nc\\x\t4\t0")
    found = between([kept({})[0], odd.but(after=at(0), taken_at=at(1))], 0, 1)
    assert isinstance(found, Gained)
    assert found.rows[0].names == ("a\tb\\n\nc" + "x",)
    nameless = between([kept({})[0], odd.but(after=at(0), taken_at=at(1), rows="5\t\\N\t4\t\\N")], 0, 1)
    assert isinstance(nameless, Gained)
    assert (nameless.rows[0].names, dict(nameless.rows[0].gains)) == ((None,), {"blocks": 4.0, "scans": None})


def test_a_row_that_went_back_gained_at_least_what_it_has() -> None:
    found = between(kept({"5": (9, 4), "6": (1, 1)}, {"5": (3, 5), "6": (2, 1)}), 0, 1)
    assert isinstance(found, Gained)
    assert {row.key[0]: (row.gains["blocks"], row.gains["scans"], row.at_least) for row in found.rows} == {
        "5": (3.0, 5.0, True),
        "6": (1.0, 0.0, False),
    }


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ({"started_at": START}, "the server was restarted"),
        ({"system_identifier": "43"}, "another server answered"),
        ({"moment": {"databases": 3.0, "in_recovery": 1.0}}, None),
    ],
)
def test_nothing_is_gained_across_another_life(after: dict[str, Any], reason: str | None) -> None:
    found = between(kept({"5": (1, 1)}, {"5": (2, 1)}), 0, 1, **after)
    assert isinstance(found, Gap) is (reason is not None)
    if isinstance(found, Gap):
        assert reason is not None
        assert reason in found.reason


def test_a_reset_is_a_gap_and_other_columns_are() -> None:
    changes = ChangedRows("relations")
    parts = kept({"5": (1, 1)}, changes=changes)
    parts += kept({"5": (2, 1)}, changes=changes, first=1, reset_at=START)
    found = between(parts, 0, 1)
    assert isinstance(found, Gap)
    assert "relations were reset at" in found.reason
    fewer = kept({"5": (2, 1)}, first=2)[0].but(columns=COLUMNS[:3], rows="5\tt5\t2")
    assert isinstance(between([*parts[:1], fewer], 0, 2), Gap)


def test_rows_that_could_not_be_read_or_follow_what_is_gone_are_unknown() -> None:
    changes = ChangedRows("relations")
    parts = kept({"5": (1, 1)}, {"5": (2, 1)}, changes=changes)
    odd = changes.kept_of(CountedRows("relations", unknown="permission denied"), at(2))
    parts = [*parts, odd, *kept({"5": (4, 1)}, changes=changes, first=3)]
    assert known(between(parts, 1, 3)) == {"5": (2.0, 0.0)}
    assert between(parts, 1, 2) == Gap("permission denied")
    assert between(parts, 1, 4) is None
    orphans = between(parts[1:], 1, 3)
    assert orphans == Gap("the snapshot that these rows follow is not kept")


def test_two_collectors_keep_one_series_beside_each_other() -> None:
    """Each has changes of its own rows, and their snapshots lie between each other."""
    one, other = ChangedRows("relations"), ChangedRows("relations")
    parts = [
        kept({"5": (minute, 1)}, changes=other if minute % 2 else one, first=minute)[0] for minute in range(9)
    ]
    assert known(between(parts, 3, 8)) == {"5": (5.0, 0.0)}
    assert [dict(state.lines) for state in states(parts)] == [
        {"5": f"5\tt5\t{minute}\t1"} for minute in range(9)
    ]


def test_sums_are_unknown_where_some_of_them_was_forgotten() -> None:
    changes = ChangedRows("relations")
    parts = [
        kept(
            {"5": (minute, 1)},
            changes=changes,
            first=minute,
            figures={"forgotten": forgotten, "all.blocks": sum_},
        )[0]
        for minute, (forgotten, sum_) in enumerate([(1.0, 7.0), (1.0, 9.0), (4.0, 11.0)])
    ]
    same, lost = between(parts, 0, 1), between(parts, 0, 2)
    assert isinstance(same, Gained)
    assert same.figures == {"forgotten": 0.0, "all.blocks": 2.0}
    assert isinstance(lost, Gained)
    assert lost.figures == {"forgotten": 3.0, "all.blocks": None}
