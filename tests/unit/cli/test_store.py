"""`plimsoll store delete` and `prune`: what is named goes, after a look if one is asked for; nothing else does."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import facts_runs
from kept_series import SERIES, keep_all, made_series
from plimsoll.cli.main import run
from plimsoll.facts import KeptRowsKind
from plimsoll.store import new_run_id, open_store


@pytest.fixture
def ids() -> list[str]:
    """Three line searches and an I/O run in the default store: 400, 200, 100 and 0 days old."""
    made = []
    for days, kept in [(400, facts_runs.line_run()), (200, facts_runs.io_run()), (100, facts_runs.line_run()),
                       (0, facts_runs.line_run())]:  # fmt: skip
        at = datetime.now(UTC) - timedelta(days=days, minutes=1)
        own = {"id": new_run_id(at), "started_at": at, "ended_at": at + timedelta(seconds=5)}
        open_store().save(kept.model_copy(update=own))
        made.append(own["id"])
    return made


def left() -> set[str]:
    return {one.id for one in open_store().summaries()}


def said(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    status = run([*words, "--json"])
    document = json.loads(capsys.readouterr().out)
    return document["data"] | {"status": status}


def test_a_dry_run_says_what_would_go_and_takes_nothing(
    ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = said(capsys, "store", "prune", "--older-than", "150d", "--dry-run")
    assert data == {"removed": [ids[1], ids[0]], "freed_bytes": None, "dry_run": True, "status": 0}
    assert run(["store", "delete", "latest", "--dry-run"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith(ids[3])
    assert out[-1] == "1 run would be removed"
    assert left() == set(ids)


def test_prune_takes_what_is_older_of_one_kind_or_all(
    ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = said(capsys, "store", "prune", "--older-than", "150d", "--kind", "io")
    assert data["removed"] == [ids[1]]
    assert data["freed_bytes"] > 1000
    assert left() == {ids[0], ids[2], ids[3]}
    assert run(["store", "prune", "--older-than", "99d"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("2 runs removed, ")
    assert left() == {ids[3]}
    assert run(["store", "prune", "--older-than", "99d"]) == 0
    assert capsys.readouterr().out == "no run is that old\n"


def test_all_named_runs_go_or_none(ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "store", "delete", ids[0], "no-such-run")["status"] == 2
    assert left() == set(ids)
    assert said(capsys, "store", "delete", ids[0], ids[0], ids[1])["removed"] == [ids[0], ids[1]]
    assert left() == {ids[2], ids[3]}


@pytest.mark.parametrize("age", ["1000000d", "99999999999999999999d"])
def test_an_age_before_the_calendar_is_nobodys(
    ids: list[str], age: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "store", "prune", "--older-than", age)["removed"] == []
    assert left() == set(ids)


def test_a_kind_that_no_run_has_is_named(ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", "prune", "--older-than", "1d", "--kind", "lines"]) == 2
    assert "no run is of the kind 'lines'" in capsys.readouterr().err


def test_kind_unknown_has_its_id(ids: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "store", "prune", "--older-than", "1d", "--kind", "lines")["id"] == "kind-unknown"


@pytest.mark.parametrize("words", [["store", "list"], ["store", "prune", "--older-than", "1d"]])
def test_a_kind_that_there_is_not_is_no_empty_answer(
    words: list[str], ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--kind", "asess"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(
        "error: no run is of the kind 'asess'\nhint: Did you mean assess? Kinds: advise, assess, calibrate, "
    )


def test_a_kind_of_which_there_is_no_run_is_an_empty_answer(
    ids: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["store", "list", "--kind", "settle"]) == 0
    assert capsys.readouterr().out == "no run fits\n"


def test_thinning_is_looked_at_first_and_then_done(capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store()
    small = [
        (kept, [part for part in rows if part.kind != "relations"]) for kept, rows in made_series(4, 1)[::8]
    ]
    keep_all(store, small)
    (whole,) = store.snapshot_series()
    words = ("store", "thin", "--hours-after", "1d", "--days-after", "2d")
    looked = said(capsys, *words, "--dry-run")
    (series,) = looked["series"]
    assert looked["dry_run"]
    assert (series["series"], series["snapshots"], series["size_bytes"]) == (SERIES, whole.snapshots, None)
    assert series["removed"] > 10
    assert store.snapshot_series() == [whole]
    (done,) = said(capsys, *words, "shop")["series"]
    assert (done["removed"], done["days"]) == (series["removed"], series["days"])
    left = whole.snapshots - done["removed"]
    assert [one.snapshots for one in store.snapshot_series()] == [left]
    assert done["size_bytes"] is not None
    assert run(["store", "thin"]) == 0
    assert SERIES in capsys.readouterr().out
    (gone,) = said(capsys, *words, "--keep-for", "2d")["series"]
    assert 0 < gone["forgotten"] < left
    assert list(store.kept_rows(SERIES, "intervals"))
    store.forget_snapshots(SERIES, whole.last_at + timedelta(days=1))
    assert run(["store", "thin"]) == 0
    assert "no snapshots are kept" in capsys.readouterr().out


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_what_is_old_by_our_clock_alone_stays_and_that_is_said(
    dry: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its newest snapshot is of years ago, or our clock is years ahead: nobody knows."""
    store = open_store()
    for kept, _ in made_series(2, 1)[:200:8]:
        store.keep_snapshot(kept)
    (before,) = store.snapshot_series()
    assert run(["store", "thin", "--keep-for", "10d", *dry]) == 0
    told = capsys.readouterr().err
    assert f"snapshots of {SERIES} from {before.first_at:%Y-%m-%dT%H:%M:%S}+00:00 on stay as they are" in told
    assert "older than 10 days only if the clock is right about a time in which none was taken" in told
    assert [one.snapshots for one in store.snapshot_series()] == [before.snapshots]


def test_a_series_whose_collector_ended_is_looked_at_first_and_then_removed_with_all_that_is_kept_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = open_store()
    keep_all(store, made_series(2, 1)[::40])
    for kept, _ in made_series(2, 1)[:2]:
        store.keep_snapshot(kept.but(series="me@other/crm"))
    assert run(["store", "thin", "shop"]) == 0
    assert list(store.kept_rows(SERIES, "intervals"))
    other, whole = sorted(store.snapshot_series(), key=lambda one: one.series != "me@other/crm")
    capsys.readouterr()
    looked = said(capsys, "store", "forget", SERIES, "--dry-run")
    assert looked["dry_run"]
    assert looked["series"] == [whole.model_dump(mode="json")]
    assert len(store.snapshot_series()) == 2
    assert run(["store", "forget", SERIES]) == 0
    told = capsys.readouterr().out
    assert SERIES in told
    assert "1 series removed" in told
    assert store.snapshot_series() == [other]
    kinds: tuple[KeptRowsKind, ...] = ("intervals", "relations", "waits", "host")
    assert not any(list(store.kept_rows(SERIES, kind)) for kind in kinds)
    assert run(["store", "forget", SERIES]) == 2
    assert run(["store", "forget", "crm"]) == 2
    assert store.snapshot_series() == [other], "a part of a name is too little"


def test_a_series_that_cannot_be_read_stops_no_other_and_the_status_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = open_store()
    for kept, _ in made_series(3, 1)[::12]:
        store.keep_snapshot(kept)
        store.keep_snapshot(kept.but(series="a@other/crm"))
    with store.database.connect() as connection, store.database.transaction(connection):
        connection.execute("UPDATE counter_snapshots SET zlib = substr(zlib, 3) WHERE series = 'a@other/crm'")
    for dry in (["--dry-run"], []):
        assert run(["store", "thin", "--hours-after", "1d", "--days-after", "2d", *dry]) == 5
        told = capsys.readouterr()
        assert SERIES in told.out
        assert "a@other/crm is thinned no further than to what cannot be read" in told.err
    thinned = {one.series: one.snapshots for one in store.snapshot_series()}
    assert thinned[SERIES] < thinned["a@other/crm"]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
def test_a_series_whose_collector_may_still_run_is_not_removed_nor_any_other(
    dry: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    store = open_store()
    (ended, _), (newest, _) = made_series(2, 1)[:2]
    store.keep_snapshot(ended)
    moment = datetime.now(UTC) - timedelta(hours=3)
    taken = newest.snapshot.model_copy(update={"taken_at": moment})
    store.keep_snapshot(newest.but(series="me@other/crm", snapshot=taken))
    assert run(["store", "forget", SERIES, "me@other/crm", *dry, "--json"]) == 3
    refused = json.loads(capsys.readouterr().out)["data"]
    assert refused["id"] == "series-running"
    assert "the newest snapshot of me@other/crm was taken 3 h ago" in refused["message"]
    assert len(store.snapshot_series()) == 2


def test_what_cannot_be_thinned_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", "thin", "--hours-after", "14d", "--days-after", "14d"]) == 2
    assert run(["store", "thin", "nobody"]) == 2
