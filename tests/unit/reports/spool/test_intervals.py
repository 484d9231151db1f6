"""Intervals of a spool: each two moments of one database, no difference across a start, and rows on their own lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector_spools import MadeInstance, MadeSnapshot, counted, echoed, history, paged, spool, two, wrapped
from plimsoll.native import reports as native
from plimsoll.reports.spool.intervals import SpoolInterval, intervals_of
from plimsoll.reports.spool.snapshots import read_spool

TIMES = tuple(f"2024-05-01T10:{minute:02}:00+02:00" for minute in range(0, 60, 5))


def read(text: str) -> list[SpoolInterval]:
    return intervals_of(read_spool(text))


def sections(one: SpoolInterval) -> dict[str, list[dict[str, object]]]:
    """The typed rows of an interval's page."""
    content = native.read_report(b"\n" * one.lines_before + one.page)
    assert json.loads(content.summary())["problems"] == []
    return {name: table.rows() for name, table in content.sections().items()}


def values(one: SpoolInterval, view: str, key: str, column: str) -> dict[object, object]:
    return {row[key]: row[column] for row in sections(one)[view] if row[column] is not None}


def test_the_head_says_whose_and_when() -> None:
    (one,) = read(two())
    head = one.head
    assert (head["db_name"], head["db_id"], head["instance"], head["host"]) == ("SHOP", 77, "shop1", "db1")
    assert (head["begin_time"], head["end_time"]) == ("2024-05-01T10:00:00", "2024-05-01T10:05:00")
    assert (head["elapsed_s"], head["db_time_s"], head["db_cpu_s"]) == (300.0, 120.0, 60.0)
    assert (head["rac"], head["cdb"], head["container"], head["block_bytes"]) == (False, False, None, 8192)
    assert one.problems == ()


def test_every_table_is_read_with_its_numbers() -> None:
    (one,) = read(two(cdb=True, containers={"1": "CDB$ROOT", "3": "SALES"}))
    assert values(one, "instance_activity", "statistic", "total")["physical read total IO requests"] == 30_000
    assert "logons current" not in values(one, "instance_activity", "statistic", "total")
    assert values(one, "foreground_waits", "event", "total_wait_s")["db file sequential read"] == 15.0
    assert values(one, "background_waits", "event", "waits") == {"log file parallel write": 3_000}
    assert values(one, "iostat_by_filetype", "filetype", "writes_per_s")["Log File"] == 10.0
    assert values(one, "iostat_by_filetype", "filetype", "small_read_us")["Data File"] == 600.0
    assert values(one, "iostat_by_function", "function", "small_writes")["DBWR"] == 5_900
    assert values(one, "tablespace_io", "tablespace", "reads") == {"USERS": 28_000, "TEMP": 300}
    assert values(one, "tablespace_io", "tablespace", "pdb") == {"USERS": "CDB$ROOT", "TEMP": "CDB$ROOT"}
    assert values(one, "wait_histogram", "bucket_end_us", "bucket_waits") == {512.0: 15_000, 1024.0: 10_000}
    assert values(one, "segments", "object_name", "value") == {"ORDERS": 40_000}
    assert values(one, "time_model", "statistic", "time_s") == {"DB CPU": 60.0, "DB time": 120.0}
    assert values(one, "os_statistics", "statistic", "value")["NUM_CPUS"] == 8
    assert values(one, "sga_advisory", "target_bytes", "db_time_factor") == {float(1 << 30): 1.25}
    assert values(one, "buffer_pool_advisory", "size_bytes", "physical_reads") == {float(512 << 20): 70_000}


@pytest.mark.parametrize(
    "shown", [str, echoed, paged, lambda text: wrapped(text, 44), lambda text: paged(wrapped(text, 60))]
)
def test_each_row_stands_on_the_line_that_it_is_from(shown: object) -> None:
    assert callable(shown)
    text = str(shown(two()))
    (one,) = read(text)
    lines = text.replace("\f", "").split("\n")
    for view, key in (
        ("instance_activity", "statistic"),
        ("foreground_waits", "event"),
        ("segments", "object_name"),
    ):
        for row in sections(one)[view]:
            begin = int(str(row["line"])) - 1
            assert lines[begin].lstrip("SQL> ").startswith(":")
            assert str(row[key]).replace(" ", "") in "".join(lines[begin : begin + 12]).replace(" ", "")


def test_moments_that_follow_each_other_give_an_interval_each() -> None:
    text = spool(
        *(MadeSnapshot([MadeInstance(counted(scale))], taken=TIMES[int(scale)]) for scale in (1.0, 2.0, 4.0))
    )
    found = read(text)
    assert [one.head["begin_time"][11:16] for one in found] == ["10:05", "10:10"]
    assert [one.head["elapsed_s"] for one in found] == [300.0, 600.0]
    assert [values(one, "instance_activity", "statistic", "total")["redo writes"] for one in found] == [
        3_000,
        6_000,
    ]


def test_there_is_no_difference_across_a_start() -> None:
    started = "2024-05-01T10:02:00"
    text = spool(
        MadeSnapshot([MadeInstance(counted(10.0))], taken=TIMES[0]),
        MadeSnapshot([MadeInstance(counted(11.0), started=started)], taken=TIMES[1]),
        MadeSnapshot([MadeInstance(counted(12.0), started=started)], taken=TIMES[2]),
    )
    across, after = read(text)
    assert [one.code for one in across.problems] == ["collector-restart"]
    assert "instance_activity" not in sections(across)
    assert after.problems == ()
    assert values(after, "instance_activity", "statistic", "total")["redo writes"] == 3_000


def test_a_cluster_is_one_interval_with_its_instances() -> None:
    made = [
        MadeSnapshot([MadeInstance(counted(scale)), MadeInstance(counted(3 * scale), number=2)], taken=taken)
        for scale, taken in ((10.0, TIMES[0]), (11.0, TIMES[1]))
    ]
    (one,) = read(spool(*made))
    assert one.head["instance"] is None
    assert one.head["rac"]
    assert [each.instance for each in one.head["instances"]] == ["shop1", "shop2"]
    assert values(one, "instance_activity", "statistic", "total")["redo writes"] == 12_000
    assert values(one, "os_statistics", "statistic", "value")["NUM_CPUS"] == 16
    assert "sga_advisory" not in sections(one), "estimates of instances are no sum"
    assert "segments" not in sections(one)


def test_an_instance_that_left_leaves_no_sum() -> None:
    text = spool(
        MadeSnapshot([MadeInstance(counted(10.0)), MadeInstance(counted(10.0), number=2)], taken=TIMES[0]),
        MadeSnapshot([MadeInstance(counted(11.0))], taken=TIMES[1], parallel=True),
    )
    (one,) = read(text)
    assert [each.code for each in one.problems] == ["collector-instance-missing"]
    assert "instance_activity" not in sections(one)


def test_a_daylight_saving_change_makes_no_hour() -> None:
    text = spool(
        MadeSnapshot([MadeInstance(counted(10.0))], taken="2024-10-27T02:55:00+02:00"),
        MadeSnapshot([MadeInstance(counted(11.0))], taken="2024-10-27T02:05:00+01:00"),
    )
    assert read(text)[0].head["elapsed_s"] == 600.0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (spool(MadeSnapshot([MadeInstance(counted())])), "of 1 snapshots 1 say whose they are"),
        (two().replace("10:05:00", "10:00:00"), "at the same moment"),
        (":V|plimsoll-collect|9|T|.\n", "no snapshot"),
        (two().replace(":D|", ":Dx|"), "of 2 snapshots 0 say whose they are"),
    ],
)
def test_a_spool_without_an_interval_says_why(text: str, why: str) -> None:
    (one,) = read(text)
    assert one.page == b""
    assert one.problems[0].code == "collector-no-interval"
    assert why in one.problems[0].message


def test_databases_are_told_apart() -> None:
    shop = [
        MadeSnapshot([MadeInstance(counted(scale))], taken=taken)
        for scale, taken in ((10.0, TIMES[0]), (11.0, TIMES[2]))
    ]
    mail = [
        MadeSnapshot([MadeInstance(counted(scale))], taken=taken, db="MAIL", db_id=78)
        for scale, taken in ((20.0, TIMES[1]), (22.0, TIMES[3]))
    ]
    found = read(spool(shop[0], mail[0], shop[1], mail[1]))
    assert [(one.head["db_name"], one.head["elapsed_s"]) for one in found] == [
        ("SHOP", 600.0),
        ("MAIL", 600.0),
    ]


WHOLE = two()
WHOLE_ROWS = {
    (
        view,
        tuple(
            sorted((name, str(value)) for name, value in row.items() if name not in ("table_index", "line"))
        ),
    )
    for view, rows in sections(read(WHOLE)[0]).items()
    for row in rows
}


@pytest.mark.parametrize("cut", range(1, WHOLE.count("\n")))
def test_a_spool_that_is_cut_tells_it_and_nothing_that_is_wrong(cut: int) -> None:
    text = "\n".join(WHOLE.split("\n")[:cut]) + "\n"
    found = read(text)
    codes = {problem.code for one in found for problem in one.problems}
    second = WHOLE.index(":V|", 1)
    is_between = text.count("\n") == WHOLE[:second].count("\n")
    assert ("report-cut" in codes) != is_between
    for one in found:
        if one.page:
            rows = {
                (
                    view,
                    tuple(
                        sorted(
                            (name, str(value))
                            for name, value in row.items()
                            if name not in ("table_index", "line")
                        )
                    ),
                )
                for view, rows in sections(one).items()
                for row in rows
            }
            assert rows <= WHOLE_ROWS
        else:
            assert "collector-no-interval" in codes


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_damage_is_told_or_changes_nothing(data: st.DataObject) -> None:
    """One line is lost, cut, doubled, or has a sign that SQL*Plus would not print; what is still read is right."""
    lines = WHOLE.split("\n")
    at = data.draw(st.integers(0, len(lines) - 2))
    line = lines[at]
    place = data.draw(st.integers(0, max(0, len(line) - 1)))
    how = data.draw(st.sampled_from(("lose", "cut", "double", "hash")))
    made = {
        "lose": [],
        "cut": [line[:place]],
        "double": [line, line],
        "hash": [line[:place] + "#" + line[place + 1 :]],
    }[how]
    text = "\n".join([*lines[:at], *made, *lines[at + 1 :]])
    for one in read(text):
        if not one.page:
            continue
        rows = {
            (
                view,
                row.get("statistic") or row.get("event") or row.get("filetype") or row.get("function"),
                column,
            ): row[column]
            for view, rows in sections(one).items()
            for row in rows
            for column in (
                "total",
                "waits",
                "total_wait_s",
                "reads_per_s",
                "writes_per_s",
                "small_reads",
                "small_writes",
            )
            if row.get(column) is not None
        }
        for (view, name, column), value in rows.items():
            if name in NAMES:
                assert value == RIGHT[view, name, column] or one.problems, (how, line, place)
                if how != "hash":
                    assert value == RIGHT[view, name, column]


RIGHT = {
    (
        view,
        row.get("statistic") or row.get("event") or row.get("filetype") or row.get("function"),
        column,
    ): row[column]
    for view, rows in sections(read(WHOLE)[0]).items()
    for row in rows
    for column in (
        "total",
        "waits",
        "total_wait_s",
        "reads_per_s",
        "writes_per_s",
        "small_reads",
        "small_writes",
    )
    if row.get(column) is not None
}
NAMES = {name for _, name, _ in RIGHT}


@settings(deadline=None, max_examples=100)
@given(st.text(alphabet=":|.VTSDE0123456789 \n-+ab", max_size=300))
def test_any_text_behind_the_mark_has_an_answer(text: str) -> None:
    for one in read(f":V|plimsoll-collect|1|TDS|.\n{text}"):
        assert one.problems


def test_moments_are_told_in_thousandths_of_a_second() -> None:
    text = (
        two()
        .replace("T10:00:00+02:00", "T10:00:00.250+02:00")
        .replace("T10:05:00+02:00", "T10:05:00.875+02:00")
    )
    (one,) = read(text)
    assert one.head["elapsed_s"] == 300.625
    assert (one.head["begin_time"], one.head["end_time"]) == ("2024-05-01T10:00:00", "2024-05-01T10:05:00")


def test_history_gives_an_interval_for_each_snapshot_of_awr() -> None:
    past = history((7, TIMES[0], 1.0), (8, TIMES[6], 3.0), (9, TIMES[11], 4.0))
    now = two().split(":V|")
    found = read(f":V|{now[1]}{past}:V|{now[2]}")
    assert [one.head["elapsed_s"] for one in found] == [1800.0, 1500.0, 300.0]
    assert [values(one, "instance_activity", "statistic", "total")["redo writes"] for one in found] == [
        6_000,
        3_000,
        3_000,
    ]
    assert {one.head["db_name"] for one in found} == {"SHOP"}
    assert not [problem for one in found for problem in one.problems]


def test_a_history_that_is_cut_or_lacks_lines_tells_it() -> None:
    past = history((7, TIMES[0], 1.0), (8, TIMES[6], 3.0))
    first = two().split(":V|")[1]
    lost = "\n".join(
        line for line in past.split("\n") if not (line.startswith(":s|8|") and "redo writes" in line)
    )
    (one,) = read(f":V|{first}{lost}")
    assert [problem.code for problem in one.problems] == ["collector-lines-missing"]
    assert "redo writes" not in values(one, "instance_activity", "statistic", "total")
    (one,) = read(f":V|{first}{past.removesuffix(':E|end|.' + chr(10))}")
    assert "report-cut" in {problem.code for problem in one.problems}


def test_history_without_a_moment_before_it_is_of_no_known_database() -> None:
    (one,) = read(":V|plimsoll-collect|1||.\n:E|end|.\n" + history((7, TIMES[0], 1.0), (8, TIMES[6], 3.0)))
    assert one.problems[0].code == "collector-no-interval"
