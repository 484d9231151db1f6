"""What pgwatch keeps: lines of its JSON sink, and tables as CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made


def counter(rate: float, steps: int = 3) -> list[float]:
    return made.counted(lambda _: rate, steps)


STAT_IO = {
    "reads": counter(100.0),
    "writes": counter(40.0),
    "extends": counter(10.0),
    "read_bytes_mb": counter(0.8),
    "write_bytes_mb": counter(0.3),
    "extend_bytes_mb": counter(0.1),
    "read_time_ms": counter(200.0),
    "write_time_ms": [0.0] * 4,
}


def test_lines_of_the_sink(tmp_path: Path) -> None:
    rows = made.pgwatch_rows("stat_io", STAT_IO, tag_backend_type="total")
    rows += made.pgwatch_rows("stat_io", STAT_IO, tag_backend_type="checkpointer")
    rows += made.pgwatch_rows("db_stats", {"xact_commit": counter(50.0), "blks_read": counter(7.0)})
    rows += made.pgwatch_rows("db_size", {"size_b": [4e9] * 3})
    rows += made.pgwatch_rows("bgwriter", {"buffers_clean": [1.0]})
    found = made.read(tmp_path, made.lines(rows), name="pgwatch.json")
    assert made.values(found, "shop", "iops") == pytest.approx([150.0] * 3)
    assert made.values(found, "shop", "mb_per_s") == pytest.approx([1.2] * 3)
    assert made.values(found, "shop", "commits_per_s") == pytest.approx([50.0] * 3)
    assert made.values(found, "shop", "size_gb") == [4.0] * 3
    assert made.values(found, "shop", "read_latency_us") == pytest.approx([2_000.0] * 3)
    assert {"metrics-left-out", "times-unknown", "reads-of-server"} <= made.codes(found)
    assert not any(key.metric == "write_latency_us" for key in found.points)
    assert found.off_files == 0


def test_tables_as_csv(tmp_path: Path) -> None:
    found = made.read(tmp_path, made.pgwatch_table(STAT_IO, {"backend_type": "total"}), name="stat_io.csv")
    assert made.values(found, "shop", "iops") == pytest.approx([150.0] * 3)
    assert made.begins(found, "shop", "iops") == [0, 1, 2]


def test_rows_of_a_kind_of_process_are_a_part(tmp_path: Path) -> None:
    found = made.read(
        tmp_path, made.pgwatch_table(STAT_IO, {"backend_type": "checkpointer"}), name="stat_io.csv"
    )
    assert not found.points


def test_where_a_column_is_missing_writes_are_at_least(tmp_path: Path) -> None:
    columns = {name: values for name, values in STAT_IO.items() if not name.startswith("extend")}
    found = made.read(tmp_path, made.lines(made.pgwatch_rows("stat_io", columns, tag_backend_type="total")))
    assert made.values(found, "shop", "write_per_s") == pytest.approx([40.0] * 3)
    assert "lower-bound" in made.codes(found)


def test_a_counter_that_began_anew_makes_a_gap(tmp_path: Path) -> None:
    columns = {"xact_commit": [7_200.0, 10_800.0, 0.0, 3_600.0], "blks_read": [0.0, 0.0, 0.0, 0.0]}
    found = made.read(tmp_path, made.lines(made.pgwatch_rows("db_stats", columns)))
    assert made.values(found, "shop", "commits_per_s") == [1.0, 1.0]
    assert made.begins(found, "shop", "commits_per_s") == [0, 2]
    assert "counter-reset" in made.codes(found)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 5: it is no JSON"),
        ("[]", "line 5: '[]' is no object"),
        ('{"metric": "db_stats", "data": [], "dbname": ""}', "line 5: it has no dbname"),
        ('{"metric": "db_stats", "data": [{}], "dbname": "a"}', "line 5.data[0]: it has no epoch_ns"),
        (
            '{"metric": "db_stats", "data": [{"epoch_ns": 5}], "dbname": "a"}',
            "line 5.data[0]: 5e-09 is no time",
        ),
    ],
)
def test_a_broken_line_is_told_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    text = made.lines(
        made.pgwatch_rows("db_stats", {"xact_commit": counter(50.0), "blks_read": counter(7.0)})
    )
    found = made.read(tmp_path, f"{text}{line}\n")
    assert told in made.unread(found)[0]
    assert made.values(found, "shop", "commits_per_s") == pytest.approx([50.0] * 3)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("2026-03-02,shop", "line 6: it ends too early"),
        ("2026-03-02,shop,x,", "line 6: its data is no JSON"),
        ("2026-03-02,shop,{},", "line 6: its data is of no metric that is read"),
        ('soon,shop,"{""size_b"": 5}",', "line 6: 'soon' is no time"),
    ],
)
def test_a_broken_row_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    found = made.read(tmp_path, f"{made.pgwatch_table(STAT_IO)}{line}\n", name="stat_io.csv")
    assert told in made.unread(found)[0]
    assert len(made.values(found, "shop", "iops")) == 3
