"""CSV files of series: what is read, what is a gap, and what is told with its line."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.demand.point_file import PointFile, is_point_file, read_points
from plimsoll.demand.points import SeriesKey, moment_of

HEAD = "time,database,metric,value\n"


def read(tmp_path: Path, text: str | bytes) -> PointFile:
    path = tmp_path / "s.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_points(path)


def test_columns_stand_in_any_order(tmp_path: Path) -> None:
    found = read(tmp_path, "Value;metric;instance;weight;time;DATABASE\n5.5;io;one;3;2026-11-20 09:00;SHOP\n")
    (points,) = found.points[SeriesKey("SHOP", "io")].values()
    assert list(found.points[SeriesKey("SHOP", "io")]) == ["one"]
    assert (points.value[0], points.weight[0], moment_of(points.begin_s[0])) == (
        5.5,
        3.0,
        "2026-11-20T09:00:00",
    )
    assert found.notes == []


def test_an_empty_value_is_no_point(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD}2026-11-20,SHOP,io,\n2026-11-21,SHOP,io,4\n\n")
    (points,) = found.points[SeriesKey("SHOP", "io")].values()
    assert list(points.value) == [4.0]
    assert isnan(points.weight[0])
    assert found.bad_lines == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("soon,SHOP,io,1", "'soon' is no time such as 2026-11-20T09:00"),
        ("0001-01-01T00:00+01:00,SHOP,io,1", "'0001-01-01T00:00+01:00' is of no year from 1900 to 2200"),
        ("9999-12-31T00:00,SHOP,io,1", "'9999-12-31T00:00' is of no year from 1900 to 2200"),
        ("2026-11-20,SHOP,io,much", "value 'much' is no number"),
        ("2026-11-20,SHOP,io,inf", "value 'inf' is no number"),
        ("2026-11-20,,io,1", "it has no database"),
        ("2026-11-20,SHOP", "it has no metric"),
        ("2026-11-20,SHOP,io", "it has no value"),
        ("2026-11-20,SHOP,io,0,95", "it has 5 cells where the first line names 4 columns"),
        ("2026-11-20,SHOP,io,12,", "it has 5 cells where the first line names 4 columns"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path, line: str, told: str) -> None:
    found = read(tmp_path, f"{HEAD}{line}\n2026-11-21,SHOP,io,4\n{line}\n")
    assert len(found.points) == 1
    assert found.bad_lines == 2
    (note,) = found.notes
    assert note.code == "lines-unread"
    assert f"s.csv, line 2: {told}, and 1 more line; what they say is missing" in note.message


def test_a_weight_below_nothing_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, "time,database,metric,value,weight\n2026-11-20,SHOP,io,1,-2\n")
    assert "weight -2 is below 0" in found.first_bad


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time,database,value\n", "its first line names no column metric"),
        ("", "its first line names no column time and no database and no metric and no value"),
        (b"time,database,metric,value\n\xff\n", "it is not UTF-8 text, from byte 28 on"),
        (
            f"{HEAD}2026-11-20T09:00Z,A,io,1\n2026-11-20T09:00,A,io,1\n",
            "some of its times have a zone and some have none",
        ),
        (f"{HEAD}{'x' * 140_000},A,io,1\n", "it is not CSV, line 2: field larger than field limit"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert caught.value.id == "points-unreadable"
    assert told in caught.value.message
    assert ("zone" in told) == ("with their zone" in (caught.value.hint or ""))


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as missing:
        read_points(tmp_path / "none.csv")
    assert missing.value.id == "file-missing"
    assert missing.value.hint == "Check its name and its folder, and that you may read it."
    with pytest.raises(WorldError) as caught:
        read_points(tmp_path)
    assert caught.value.id == "points-unreadable"


def test_files_are_told_by_their_names() -> None:
    assert is_point_file("a/B.CSV")
    assert not is_point_file("awr.html")


def test_one_line_that_cannot_be_read_is_told_of_as_one(tmp_path: Path) -> None:
    (note,) = read(tmp_path, f"{HEAD}2026-11-20,SHOP,io,much\n2026-11-21,SHOP,io,4\n").notes
    assert note.message.endswith("line 2: value 'much' is no number; what it says is missing")


SEVERAL = "time,database,metric,value,instance\n"


def test_values_of_one_moment_are_told_with_both_lines_and_how_many(tmp_path: Path) -> None:
    lines = [
        "2026-11-21,SHOP,io,4,",
        "2026-11-20,SHOP,io,4,",
        "2026-11-20,SHOP,size,4,",
        "2026-11-21,SHOP,io,6,",
    ]
    (note,) = read(tmp_path, SEVERAL + "\n".join(lines)).notes
    assert note.code == "told-twice"
    told = "s.csv, line 5: io of SHOP has a value of that time on line 2 too"
    assert note.message.endswith(f"{told}; values of one moment are averaged")
    more = read(tmp_path, SEVERAL + "\n".join([*lines, *lines[:2]]))
    assert more.repeats == 3
    assert f"{told}, and 2 more lines; values" in more.notes[0].message


@pytest.mark.parametrize(
    "lines",
    [
        ["2026-11-20,SHOP,io,4,", "2026-11-21,SHOP,io,4,"],
        ["2026-11-21,SHOP,io,4,", "2026-11-20,SHOP,io,4,"],
        ["2026-11-20,SHOP,io,4,one", "2026-11-20,SHOP,io,4,two"],
        ["2026-11-20,SHOP,io,4,", "2026-11-20,CRM,io,4,", "2026-11-20,SHOP,size,4,"],
        ["2026-11-20,SHOP,io,,", "2026-11-20,SHOP,io,4,"],
    ],
)
def test_one_value_of_a_moment_is_nothing_to_tell(tmp_path: Path, lines: list[str]) -> None:
    found = read(tmp_path, SEVERAL + "\n".join(lines))
    assert (found.repeats, found.notes) == (0, [])


def test_two_forms_of_one_moment_are_one(tmp_path: Path) -> None:
    text = f"{HEAD}2026-11-20T09:00Z,SHOP,io,1\n2026-11-20T10:00+01:00,SHOP,io,2\n"
    assert (
        "line 3: io of SHOP has a value of that time on line 2 too" in read(tmp_path, text).notes[0].message
    )


def test_lines_may_end_as_spreadsheets_of_old_end_them(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD}2026-11-20,SHOP,io,4\n2026-11-21,SHOP,io,5\n".replace("\n", "\r"))
    (points,) = found.points[SeriesKey("SHOP", "io")].values()
    assert (list(points.value), found.notes) == ([4.0, 5.0], [])


def test_a_column_of_which_there_are_two_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its first line names the column value 2 times"):
        read(tmp_path, "time,database,metric,value, Value\n2026-11-20,SHOP,io,4,7\n")


def test_columns_that_mean_nothing_here_are_told(tmp_path: Path) -> None:
    found = read(tmp_path, "time,database,metric,value,wieght,\n2026-11-20,SHOP,io,4,7,\n")
    (note,) = found.notes
    assert note.code == "columns-unread"
    assert note.message.startswith("columns that are not read: wieght; those that are: time, database,")
    assert found.bad_lines == 0
