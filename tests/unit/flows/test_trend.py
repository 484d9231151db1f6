"""`plimsoll trend` of CSV files, of reports and of the store: what is answered, and what cannot be asked is refused."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import facts_runs
import plimsoll
from kept_series import keep_all, made_series
from plimsoll.base.errors import ExitStatus, Interrupted, UsageError, WorldError
from plimsoll.cli.main import run as command
from plimsoll.facts import Demand, DemandInterval, KeptSnapshot
from plimsoll.flows.trend import trend_of
from plimsoll.requests.trend import TrendRequest
from plimsoll.store.sqlstore import open_store
from simulated import context
from tiny_reports import TOTALS, activity, awr

START = datetime(2026, 3, 2)  # noqa: DTZ001 - a report's own clock has no zone
DAYS = 35


def rows(metric: str, per_day: float, days: int = DAYS, database: str = "SHOP") -> str:
    """A value every six hours, with a season of the day."""
    lines = (
        f"{(START + timedelta(hours=6 * step)).isoformat()},{database},{metric},{100 + per_day * step / 4 + 9 * (step % 4)}"
        for step in range(4 * days)
    )
    return "\n".join(["time,database,metric,value", *lines, ""])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.sqlite"))
    Path("size.csv").write_text(rows("size_gb", 2.0))
    Path("short.csv").write_text(rows("iops", 2.0, days=5))
    return tmp_path


def answered(
    capsys: pytest.CaptureFixture[str], *words: str, status: ExitStatus = ExitStatus.DONE
) -> dict[str, Any]:
    """What a command answers in JSON."""
    capsys.readouterr()
    code = command(["trend", *words, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == status, [one["reason"] for one in found["data"]["series"]]
    assert found["kind"] == "trend"
    return found["data"]


@pytest.mark.usefixtures("folder")
def test_a_file_of_a_series_and_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = answered(capsys, "size.csv", "--limit", "size_gb=220")["series"]
    assert found["slope_per_day"] == pytest.approx(2.0, rel=0.05)
    assert found["step_s"] == 6 * 3_600
    assert found["limit_source"] == "as stated"
    # The busy quarters are 27 above the others: 100 + 2 x 35 + 27 = 197 at the end.
    assert found["days_to_limit"] == pytest.approx(11.5, abs=1.5)
    assert found["days_to_limit_low"] <= found["days_to_limit"] <= found["days_to_limit_high"]


@pytest.mark.usefixtures("folder")
def test_a_series_of_which_no_value_is_known_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    empty = "".join(f"2026-03-02T0{hour}:00,LOST,size_gb,,{hour % 2}\n" for hour in range(6))
    Path("both.csv").write_text(rows("size_gb", 2.0).replace("value", "value,instance", 1) + empty)
    found = answered(capsys, "both.csv", status=ExitStatus.DONE_IN_PART)
    assert [one["database"] for one in found["series"]] == ["SHOP"]
    assert found["unread"] == 1
    named = [note["message"] for note in found["notes"] if note["code"] == "series-empty"]
    assert named == [f"size_gb of LOST, instance {number}: none of its values is known" for number in "01"]


@pytest.mark.usefixtures("folder")
def test_a_floor_under_what_is_free(capsys: pytest.CaptureFixture[str]) -> None:
    Path("free.csv").write_text(rows("free_gb", -2.0))
    (found,) = answered(capsys, "free.csv", "--floor", "free_gb=10")["series"]
    # The low quarters are those without a season: 100 - 2 x 35 = 30 at the end.
    assert found["quiet"] == pytest.approx(30, abs=2)
    assert found["days_to_limit"] == pytest.approx(10, abs=1.5)
    assert (found["limit_is_floor"], found["growth"]) == (True, "shrinks")
    assert "its low hours reach 10, as stated, in 10 days" in found["reason"]
    (other,) = answered(capsys, "free.csv", "--floor", "free_gb=50")["series"]
    assert "its low hours are at or below 50" in other["reason"]
    (ceiling,) = answered(capsys, "free.csv", "--limit", "free_gb=150")["series"]
    assert "its busy hours stay below 150" in ceiling["reason"]
    (grows,) = answered(capsys, "size.csv", "--floor", "size_gb=50")["series"]
    assert "its low hours stay above 50" in grows["reason"]


@pytest.mark.usefixtures("folder")
def test_of_too_little_nothing_is_foretold(capsys: pytest.CaptureFixture[str]) -> None:
    series = answered(capsys, "short.csv", "size.csv", status=ExitStatus.DONE_IN_PART)["series"]
    assert [(one["metric"], one["refused"]) for one in series] == [("iops", True), ("size_gb", False)]
    assert command(["trend", "short.csv"]) == ExitStatus.DONE_IN_PART
    assert "Cannot tell: iops of SHOP: values of 5 days are too few" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_lines_that_cannot_be_read_make_it_part(capsys: pytest.CaptureFixture[str]) -> None:
    with Path("size.csv").open("a") as file:
        file.write("soon,SHOP,size_gb,1\n")
    found = answered(capsys, "size.csv", status=ExitStatus.DONE_IN_PART)
    assert found["unread"] == 1
    assert [note["code"] for note in found["notes"]] == ["lines-unread"]


@pytest.mark.usefixtures("folder")
def test_moments_that_are_told_twice_are_averaged_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("size.csv").read_text().splitlines(keepends=True)
    Path("again.csv").write_text("".join([lines[0], *lines[2:4]]))
    (elsewhere,) = answered(capsys, "size.csv", "again.csv")["notes"]
    assert elsewhere["code"] == "told-twice"
    assert elsewhere["message"].startswith(
        "again.csv: 2 values are of moments of which a file before it has one too"
    )
    with Path("size.csv").open("a") as file:
        file.write(lines[2])
    (within,) = answered(capsys, "size.csv")["notes"]
    assert within["code"] == "told-twice"
    assert (
        f"size.csv, line {len(lines) + 1}: size_gb of SHOP has a value of that time on line 3 too"
        in within["message"]
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("later", "told"), [({"hours": 3}, 140), ({"minutes": 7}, 140), ({"days": DAYS}, 0)])
def test_two_databases_of_one_name_are_told_though_their_moments_differ(
    later: dict[str, float], told: int
) -> None:
    text = rows("size_gb", 2.0)
    for step in range(4 * DAYS):
        moment = START + timedelta(hours=6 * step)
        text = text.replace(f"\n{moment.isoformat()},", f"\n+{(moment + timedelta(**later)).isoformat()},")
    Path("other.csv").write_text(text.replace("\n+", "\n"))
    notes = plimsoll.trend(["size.csv", "other.csv"]).notes
    assert [note.code for note in notes] == ["told-twice"] * (told > 0)
    assert all(f"other.csv: {told} values are of moments" in note.message for note in notes)


@pytest.mark.usefixtures("folder")
def test_the_page_and_the_store_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = answered(capsys, "size.csv", "--limit", "size_gb=220", "-o", "page.html")
    page = Path("page.html").read_text()
    assert all(words in page for words in ("Where it goes", "Days left", "Load by hour and weekday"))
    kept = open_store("runs.sqlite").load(found["run"])
    assert kept.trend is not None
    assert kept.trend.series[0].days_to_limit == found["series"][0]["days_to_limit"]
    assert open_store("runs.sqlite").columns(["days_to_limit"], known="days_to_limit") != []


def report_of(day: int, busy: float) -> bytes:
    begin = START + timedelta(days=day, hours=10)
    form = "%d-%b-%y %H:%M:%S"
    counts = {name: round(total * busy) for name, total in TOTALS.items()}
    end = begin + timedelta(seconds=1_000)
    return awr(
        activity(counts), begin=begin.strftime(form), end=end.strftime(form), startup="01-Jan-26 08:00"
    )


def test_of_what_was_left_it_is_not_said_that_it_holds_no_value(folder: Path) -> None:
    (folder / "one.html").write_bytes(report_of(1, 0.5))
    with context(folder / "journals") as ctx:
        ctx.cancel.set()
        with pytest.raises(Interrupted):
            trend_of(ctx, TrendRequest((str(folder / "one.html"),)))


@pytest.mark.usefixtures("folder")
def test_a_folder_of_reports(capsys: pytest.CaptureFixture[str]) -> None:
    Path("awr").mkdir()
    for day in range(21):
        Path(f"awr/{day:02}.html").write_bytes(report_of(day, 1 + day / 50))
    Path("awr/none.html").write_text("<p>no report</p>")
    data = answered(capsys, "awr", status=ExitStatus.DONE_IN_PART)
    assert [one["metric"] for one in data["series"]] == ["iops", "mb_per_s", "commits_per_s"]
    iops = data["series"][0]
    assert (iops["database"], iops["points"], iops["growth"], data["unread"]) == ("SHOP", 21, "grows", 1)
    assert iops["slope_per_day"] == pytest.approx(iops["days"][0]["mean"] / 50, rel=0.02)
    time = answered(capsys, "awr", "--metric", "db_time_s_per_s", status=ExitStatus.DONE_IN_PART)["series"]
    assert [(found["metric"], found["points"]) for found in time] == [("db_time_s_per_s", 21)]
    assert time[0]["mean"] == pytest.approx(1.98, rel=1e-3)
    one = answered(capsys, "awr", "--metric", "small_read_per_s", status=ExitStatus.DONE_IN_PART)["series"]
    assert [found["metric"] for found in one] == ["small_read_per_s"]


def kept_demand(days: int = 20) -> Demand:
    """A demand with an interval of an hour each day."""
    demand = facts_builder.demand()
    first = next(one for one in demand.intervals if one.gap is None)
    intervals: list[DemandInterval] = [
        first.but(
            begin_time=first.begin_time + timedelta(days=day),
            end_time=first.begin_time + timedelta(days=day, hours=1),
            duration_s=3_600.0,
            iops=1_000.0 + 10 * day,
        )
        for day in range(days)
    ]
    return demand.but(intervals=tuple(intervals))


@pytest.mark.usefixtures("folder")
def test_the_store_has_series_of_its_demands_and_a_line_to_hold_them_against(
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = open_store("runs.sqlite")
    kept = facts_runs.demand_run().model_copy(update={"demand": kept_demand()})
    line = facts_runs.line_run().model_copy(update={"id": "20260101-000000-line01"})
    for run in (kept, line):
        store.save(run)
    found = answered(capsys, "--line", line.id)
    print([(one["metric"], one["reason"]) for one in found["series"]])
    iops = next(one for one in found["series"] if one["metric"] == "iops")
    assert line.line is not None
    assert (iops["limit_value"], iops["points"]) == (line.line.safe_iops, 20)
    assert iops["slope_per_day"] == pytest.approx(10.0)
    assert iops["limit_source"] == f"the line of run {line.id}"
    assert "line-mix" in {note["code"] for note in found["notes"]}
    assert [one["points"] for one in answered(capsys, kept.id, "--metric", "iops")["series"]] == [20]
    with pytest.raises(UsageError) as caught:
        plimsoll.trend(line.id, store="runs.sqlite")
    assert caught.value.id == "demand-none"
    with pytest.raises(UsageError) as caught:
        plimsoll.trend("size.csv", line=kept.id, store="runs.sqlite")
    assert caught.value.id == "line-none"


@pytest.mark.usefixtures("folder")
def test_in_python_it_is_the_same() -> None:
    found = plimsoll.trend("size.csv", limit="size_gb=220")
    assert found.series[0].slope_per_day == pytest.approx(2.0, rel=0.05)
    assert found.frame().height == 1
    assert found.frame("days").height == DAYS
    assert found.unread == ()


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ({"paths": "size.csv", "limit": "size_gb"}, "limit-unreadable"),
        ({"paths": "size.csv", "limit": "size_gb=much"}, "limit-unreadable"),
        ({"paths": "size.csv", "limit": "size_gb=nan"}, "limit-unreadable"),
        ({"paths": "size.csv", "floor": "size_gb"}, "limit-unreadable"),
        ({"paths": "size.csv", "floor": "size_gb=1", "limit": "size_gb=2"}, "limit-twice"),
        ({"paths": "size.csv", "limit": ["size_gb=1", "size_gb=2"]}, "limit-twice"),
        ({"paths": "size.csv", "limit": "size=1"}, "metric-unknown"),
        ({"paths": "size.csv", "metric": "iops"}, "metric-unknown"),
        ({"paths": "empty.csv"}, "trend-nothing"),
        ({"paths": []}, "store-missing"),
        ({"paths": "no.csv"}, "file-missing"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_asked_is_refused(words: dict[str, Any], id: str) -> None:
    Path("empty.csv").write_text("time,database,metric,value\n")
    with pytest.raises(UsageError) as caught:
        plimsoll.trend(**words, store="runs.sqlite")
    assert caught.value.id == id


@pytest.mark.usefixtures("folder")
def test_a_file_without_one_good_value_names_the_line() -> None:
    Path("bad.csv").write_text("time,database,metric,value\n2026-01-01 00:00,a,iops,x\n")
    with pytest.raises(UsageError, match=r"bad\.csv, line 2: value 'x' is no number") as caught:
        plimsoll.trend("bad.csv", store="runs.sqlite")
    assert caught.value.id == "trend-nothing"


@pytest.mark.usefixtures("folder")
def test_without_numpy_its_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("plimsoll.predict.trend")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(WorldError, match="numpy is not installed") as caught:
        plimsoll.trend("size.csv")
    assert caught.value.id == "extra-missing"
    assert "'plimsoll-storage[trends]'" in (caught.value.hint or "")


@pytest.mark.usefixtures("folder")
def test_times_with_a_zone_are_said_to_be_utc(capsys: pytest.CaptureFixture[str]) -> None:
    text = Path("size.csv").read_text().replace(",SHOP", "+06:00,SHOP")
    Path("zone.csv").write_text(text)
    found = answered(capsys, "zone.csv")
    assert found["series"][0]["begin_time"] == "2026-03-01T18:00:00"
    assert "times-utc" in {note["code"] for note in found["notes"]}


def test_series_of_snapshots_that_a_collector_kept(folder: Path) -> None:
    """Of what is not noted yet as of what is; classes of I/O where one of them is asked for."""
    keep_all(open_store(), [(kept, ()) for kept, _ in made_series(16, 5)[::6]])
    asked = {"snapshots": "shop"}
    before = plimsoll.trend(**asked)
    assert {(one.database, one.metric) for one in before.series} == {
        ("shop", "iops"),
        ("shop", "mb_per_s"),
        ("shop", "commits_per_s"),
    }
    assert "times-utc" in {note.code for note in before.notes}
    assert command(["store", "thin", "--hours-after", "1d", "--days-after", "2d"]) == 0
    after = plimsoll.trend(**asked)
    assert after.series == before.series
    (latency,) = plimsoll.trend(**asked, metric="small_read_latency_us").series
    assert latency.mean == pytest.approx(500.0)


def numbered(kept: KeptSnapshot) -> KeptSnapshot:
    """With the number of its data, which servers of PostgreSQL tell."""
    return kept.but(database=kept.database.but(system_identifier="42"))


@pytest.mark.usefixtures("folder")
def test_a_standby_is_no_part_of_its_primary() -> None:
    """Their data have one number, and so would those of a machine that was copied: two servers are two series."""
    primary = [(numbered(kept), ()) for kept, _ in made_series(3, 5)[::6]]
    keep_all(open_store(), primary)
    (alone, *_) = plimsoll.trend(snapshots="shop").series
    place = {"location": "standby.example"}
    standby = [kept.but(series="me@standby/shop", database=kept.database.but(**place)) for kept, _ in primary]
    keep_all(open_store(), [(kept, ()) for kept in standby])
    found = plimsoll.trend(snapshots=["me@db/shop", "me@standby/shop"], metric="iops").series
    assert [one.database for one in found] == ["shop (db.example)", "shop (standby.example)"]
    assert [(one.points, one.mean) for one in found] == [(alone.points, alone.mean)] * 2


@pytest.mark.usefixtures("folder")
def test_a_database_that_moved_is_one_series() -> None:
    made = [numbered(kept) for kept, _ in made_series(3, 5)[::6]]
    new = {"series": "me@new/shop", "database": made[0].database.but(location="new.example")}
    half = len(made) // 2
    moved = [*made[:half], *(kept.but(**new) for kept in made[half:])]
    keep_all(open_store(), [(kept, ()) for kept in moved])
    found = plimsoll.trend(snapshots=["me@db/shop", "me@new/shop"], metric="iops").series
    assert [one.database for one in found] == ["shop"]


@pytest.mark.usefixtures("folder")
def test_what_two_sources_tell_of_one_moment_is_said() -> None:
    keep_all(open_store(), [(kept, ()) for kept, _ in made_series(3, 5)[::6]])
    first = made_series(16, 5)[0][0].snapshot.taken_at
    lines = [f"{(first + timedelta(hours=6 * step)).isoformat()},shop,iops,{step}" for step in range(8)]
    Path("own.csv").write_text("\n".join(["time,database,metric,value", *lines, ""]))
    notes = plimsoll.trend(["own.csv"], snapshots="shop").notes
    (told,) = [note.message for note in notes if note.code == "told-twice"]
    assert told.startswith("snapshots of me@db/shop: ")
    assert "of which what was read before has one too" in told


def test_a_series_of_snapshots_that_is_not_there_is_refused(folder: Path) -> None:
    open_store().save(facts_runs.io_run())
    assert command(["trend", "--snapshots", "shop"]) == 2


@pytest.mark.usefixtures("folder")
def test_a_series_of_which_nothing_is_left_reaches_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    gone = "".join(f"2026-03-{day:02d},GONE,size_gb,-5\n" for day in range(1, 31)).replace("size_gb", "iops")
    Path("gone.csv").write_text(f"{Path('size.csv').read_text()}{gone}")
    found = answered(capsys, "gone.csv", status=ExitStatus.DONE_IN_PART)
    assert {one["database"] for one in found["series"]} == {"SHOP"}
    assert found["unread"] == 1


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("days", "limit", "told"), [(DAYS - 5, "9e9", 1), (DAYS - 1, "9e9", 0), (DAYS - 5, None, 0)]
)
def test_a_series_that_ends_before_others_says_from_when_its_days_count(
    capsys: pytest.CaptureFixture[str], days: int, limit: str | None, told: int
) -> None:
    Path("old.csv").write_text(rows("size_gb", 2.0, days=days, database="OLD"))
    words = () if limit is None else ("--limit", f"size_gb={limit}")
    notes = answered(capsys, "size.csv", "old.csv", *words)["notes"]
    assert [note["code"] for note in notes] == ["ended-earlier"] * told
    assert all("size_gb of OLD ends 5 days before the last series" in note["message"] for note in notes)
