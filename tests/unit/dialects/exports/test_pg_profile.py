"""Exports of pg_profile: with tabs and as CSV; what was reset in between, and what the log lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

import exports_made as made
from plimsoll.dialects import exports


def tables(steps: int = 3) -> dict:
    return made.pg_profile_tables(lambda step: 100.0 + step, lambda _: 50.0, steps)


@pytest.mark.parametrize("quoted", [False, True])
def test_what_psql_copies(tmp_path: Path, quoted: bool) -> None:
    found = made.read(tmp_path, made.pg_profile(tables(), quoted=quoted), name="export.csv")
    assert made.values(found, "local", "iops") == pytest.approx([150.0, 151.0, 152.0])
    assert made.begins(found, "local", "iops") == [0, 1, 2]
    assert made.lengths(found, "local", "iops") == {made.STEP_S}
    assert made.values(found, "local", "mb_per_s")[0] == pytest.approx((100 * 8192 + 2 * 50 * 4096) / 1e6)
    assert made.values(found, "local", "read_latency_us") == pytest.approx([2_000.0] * 3)
    assert made.values(found, "local/shop", "commits_per_s") == [50.0] * 3
    assert made.values(found, "local/shop", "size_gb") == [4.0] * 3
    assert made.begins(found, "local/shop", "size_gb") == [1, 2, 3]
    assert made.unread(found) == []
    assert exports.is_export(tmp_path / "export.csv")


def test_the_first_sample_counts_since_nobody_knows_when(tmp_path: Path) -> None:
    made_tables = tables()
    made_tables["samples"] = made_tables["samples"][1:]
    found = made.read(tmp_path, made.pg_profile(made_tables), name="export.csv")
    assert made.begins(found, "local", "iops") == [1, 2]


def test_what_was_reset_in_between_makes_a_gap(tmp_path: Path) -> None:
    made_tables = tables()
    made_tables["sample_stat_io"][2]["stats_reset"] = made.at(1).replace(minute=5).isoformat()
    made_tables["sample_stat_database"][1]["stats_reset"] = made.at(1).replace(minute=5).isoformat()
    found = made.read(tmp_path, made.pg_profile(made_tables), name="export.csv")
    assert made.begins(found, "local", "iops") == [0, 2]
    assert made.begins(found, "local/shop", "commits_per_s") == [0, 2]
    assert "counter-reset" in made.codes(found)


def test_before_18_the_log_is_missing_and_bytes_are_counts_times_a_size(tmp_path: Path) -> None:
    made_tables = tables()
    made_tables["sample_stat_io"] = [
        {**row, "read_bytes": None, "write_bytes": None, "op_bytes": 8192, "read_time": 0}
        for row in made_tables["sample_stat_io"]
        if row["object"] == "relation"
    ]
    found = made.read(tmp_path, made.pg_profile(made_tables), name="export.csv")
    assert made.values(found, "local", "mb_per_s")[0] == pytest.approx(125 * 8192 / 1e6)
    assert "log-missing" in made.codes(found)
    assert not any(key.metric == "read_latency_us" for key in found.points)
    for row in made_tables["sample_stat_io"]:
        row["op_bytes"] = None
    found = made.read(tmp_path, made.pg_profile(made_tables), name="export.csv")
    assert not any(key.metric.endswith("mb_per_s") for key in found.points if key.database == "local")


def test_where_nothing_follows_the_last_sample_may_be_cut(tmp_path: Path) -> None:
    made_tables = tables()
    del made_tables["sample_settings"]
    found = made.read(tmp_path, made.pg_profile(made_tables), name="export.csv")
    assert made.begins(found, "local", "iops") == [0, 1]
    assert "nothing follows the rows of sample 4" in next(
        n.message for n in found.notes if n.code == "sums-unknown"
    )


def test_broken_rows_are_told_with_their_line_and_sums_are_then_unknown(tmp_path: Path) -> None:
    text = made.pg_profile(tables())
    found = made.read(
        tmp_path, f'{text}3\t{{"server_id": 1\n6\t[]\n3\t{{"server_id": 1}}\nhello\n', name="export.csv"
    )
    (told,) = made.unread(found)
    assert f"line {len(text.splitlines()) + 1}: it is no JSON" in told
    assert "and 3 more parts" in told
    assert made.values(found, "local/shop", "commits_per_s") == [50.0] * 3
    assert "sums-unknown" in made.codes(found)
    assert not any(key.database == "local" for key in found.points)
