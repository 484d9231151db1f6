"""The CSV files: 11.1's byte for byte, and 12.1's with its sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

import orion_builder
from plimsoll.dialects.orion.csv_text import iops_csv, lat_csv, mbps_csv
from plimsoll.dialects.orion.grid import Layout, grid
from plimsoll.dialects.orion.summary_text import Outcome

FIXTURES = Path(__file__).parent / "fixtures"


def texts(outcome: Outcome, layout: Layout) -> dict[str, str]:
    values = grid(outcome.asked, outcome.found, layout)
    return {
        "iops": iops_csv(values, layout),
        "lat": lat_csv(values, layout),
        "mbps": mbps_csv(values, layout),
    }


@pytest.mark.parametrize(("name", "size"), [("iops", 128), ("lat", 128), ("mbps", 100)])
def test_the_published_files_come_out_byte_for_byte(name: str, size: int) -> None:
    text = texts(orion_builder.published(), "11.1")[name]
    assert len(text.encode()) == size
    assert text == (FIXTURES / "11.1" / f"mytest_20100305_1230_{name}.csv").read_bytes().decode()


@pytest.mark.parametrize("name", ["iops", "lat", "mbps"])
def test_the_files_of_12_1_are_as_its_fixtures(name: str) -> None:
    text = texts(oltp(), "12.1")[name]
    assert text == (FIXTURES / "12.1" / f"test1_20130722_0953_{name}.csv").read_bytes().decode()


def oltp() -> Outcome:
    """`oltp` on one disk, with the two points of which a book prints the figures."""
    return orion_builder.outcome(
        "-run oltp -testname test1",
        iops={(1, 0): 7698, (17, 0): 9899},
        mbps={},
        latency_us={(1, 0): 123.58, (17, 0): 1711.4},
    )


def test_a_row_of_twenty_columns_is_as_wide_as_in_a_published_run_of_12_1() -> None:
    """There iops.csv, with one row, had 742 bytes, and mbps.csv, with none, 570: their sentences are equally long."""
    full = orion_builder.outcome(
        "-run oltp", iops={(small, 0): 1000 * small for small in range(1, 21)}, mbps={}, latency_us={}
    )
    found = texts(full, "12.1")
    assert len(found["iops"]) - len(found["mbps"]) == 742 - 570


def test_a_parser_that_takes_the_first_line_for_the_header_reads_11_1() -> None:
    """As automated tests of others do: columns from line 1, then one row after the other, by position."""
    lines = texts(orion_builder.published(), "11.1")["iops"].splitlines()
    columns = [int(word) for word in lines[0].split(",")[1:]]
    rows = {int(line.split(",")[0]): [int(word) for word in line.split(",")[1:]] for line in lines[1:]}
    assert dict(zip(columns, rows[0], strict=True)) == {1: 2302, 2: 4398, 3: 5450, 4: 6006, 5: 6210}
    assert rows[1] == rows[2] == []


def test_a_detailed_matrix_fills_its_rows() -> None:
    spots = [(small, large) for large in range(3) for small in range(6)]
    full = orion_builder.outcome(
        "-run normal -num_disks 1",
        iops={spot: 100 * sum(spot) for spot in spots if spot[0]},
        mbps={spot: 10 * sum(spot) for spot in spots if spot[1]},
        latency_us={spot: 1000 * sum(spot) for spot in spots if spot[0]},
    )
    found = texts(full, "11.1")
    assert found["iops"].splitlines()[2] == "          1,    200,    300,    400,    500,    600"
    assert found["mbps"].splitlines()[1] == "          1,  10.00,  20.00,  30.00,  40.00,  50.00,  60.00"
    assert found["lat"].splitlines()[3] == "          2,   3.00,   4.00,   5.00,   6.00,   7.00"


def test_what_was_not_measured_is_blank_and_never_0() -> None:
    partly = orion_builder.outcome(
        "-run simple -num_disks 1", iops={(1, 0): 10, (3, 0): 30}, mbps={}, latency_us={}
    )
    found = texts(partly, "11.1")
    assert found["iops"].splitlines()[1] == "          0,     10,       ,     30"
    assert found["mbps"].splitlines()[1:] == ["          1", "          2"]


def test_a_dss_run_has_large_loads_alone() -> None:
    bulk = orion_builder.outcome(
        "-run dss -num_disks 2", iops={}, mbps={(0, large): 100.0 for large in range(2, 31, 2)}, latency_us={}
    )
    found = texts(bulk, "11.1")
    assert found["mbps"].splitlines()[0] == "Large/Small,      0"
    assert found["mbps"].splitlines()[-1] == "         30, 100.00"
    assert found["iops"].splitlines()[0] == "Large/Small"


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("-run simple -num_disks 1", 8),
        ("-run simple -num_disks 6", 43),
        ("-run simple -num_disks 8", 38),
        ("-run normal -num_disks 1", 18),
        ("-run oltp -num_disks 1", 21),
        ("-run advanced -matrix point -num_small 4 -num_large 2", 1),
    ],
)
def test_points_are_counted_as_the_original_counts_them(line: str, points: int) -> None:
    outcome = orion_builder.outcome(line, {}, {}, {})
    assert grid(outcome.asked, outcome.found, "11.1").points == points


def test_one_point_of_one_size_keeps_its_row_and_its_column() -> None:
    large = orion_builder.outcome(
        "-run advanced -matrix point -num_small 0 -num_large 3", {}, mbps={(0, 3): 271.58}, latency_us={}
    )
    assert texts(large, "11.1")["mbps"].splitlines() == ["Large/Small,      0", "          3, 271.58"]
    small = orion_builder.outcome(
        "-run advanced -matrix point -num_small 4 -num_large 0", {(4, 0): 6006}, {}, latency_us={(4, 0): 670}
    )
    assert texts(small, "11.1")["iops"].splitlines() == ["Large/Small,      4", "          0,   6006"]
    assert texts(small, "11.1")["lat"].splitlines() == ["Large/Small,      4", "          0,   0.67"]
