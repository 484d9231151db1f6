"""Which of InnoDB's totals become which class, what stays unknown, and which databases no demand can be made of."""

from __future__ import annotations

import pytest

from demand_snapshots import database, snapshot
from plimsoll.base.errors import WorldError
from plimsoll.demand import classes, intervals
from plimsoll.demand.deltas import Delta, difference
from plimsoll.facts import Database

PAGE = 16384
IDLE = {
    "innodb_data_reads": 0.0, "innodb_data_read": 0.0, "innodb_buffer_pool_read_ahead": 0.0, "innodb_pages_written": 0.0,
    "innodb_dblwr_writes": 0.0, "innodb_dblwr_pages_written": 0.0, "innodb_log_writes": 0.0, "innodb_os_log_written": 0.0,
    "created_tmp_disk_tables": 0.0, "sort_merge_passes": 0.0,
}  # fmt: skip


def mariadb(**changes: object) -> Database:
    given: dict[str, object] = {
        "kind": "mariadb",
        "block_bytes": PAGE,
        "version": "10.11.6-MariaDB",
        "version_number": 101106,
    }
    return database(18).model_copy(update=given | changes)


def delta(status: dict[str, float], **others: float) -> Delta:
    """Everything happened within two seconds."""
    totals = {f"global_status.{name}": value for name, value in (IDLE | status).items()}
    totals |= {name.replace("__", "."): value for name, value in others.items()}
    found = difference(snapshot(0, totals=dict.fromkeys(totals, 0.0)), snapshot(2.0, totals=totals))
    assert isinstance(found, Delta)
    return found


def test_each_class_has_its_counters() -> None:
    status = {
        "innodb_data_reads": 200.0, "innodb_data_read": 200.0 * PAGE, "innodb_pages_written": 60.0,
        "innodb_dblwr_writes": 2.0, "innodb_dblwr_pages_written": 60.0, "innodb_log_writes": 50.0,
        "innodb_os_log_written": 13_000.0,
    }  # fmt: skip
    found = classes.by_class(delta(status, file_summary__data_file_read_time_ms=40.0), mariadb())
    assert set(found) <= set(classes.NAMES)
    assert (found["small_read"].ops_per_s, found["small_read"].bytes_per_s) == (100, 100 * PAGE)
    assert found["small_read"].latency_us_mean == 200
    assert (found["small_write"].ops_per_s, found["small_write"].bytes_per_s) == (30, 30 * PAGE)
    assert (found["large_write"].ops_per_s, found["large_write"].mean_bytes) == (1, 30 * PAGE)
    assert (found["redo_write"].ops_per_s, found["redo_write"].bytes_per_s) == (25, 6500)
    assert found["redo_write"].syncs_per_s is None
    assert found["temp_write"].ops_per_s == 0


def test_syncs_are_counted_where_the_release_counts_them() -> None:
    found = classes.by_class(delta({"innodb_os_log_fsyncs": 10.0}), mariadb())
    assert found["redo_write"].syncs_per_s == 5


def test_reading_ahead_makes_the_wait_unknown() -> None:
    ahead = delta(
        {"innodb_data_reads": 10.0, "innodb_buffer_pool_read_ahead": 1.0},
        file_summary__data_file_read_time_ms=4.0,
    )
    assert classes.by_class(ahead, mariadb())["small_read"].latency_us_mean is None


@pytest.mark.parametrize("name", ["created_tmp_disk_tables", "sort_merge_passes"])
def test_temporary_files_are_unknown_once_there_are_any(name: str) -> None:
    found = classes.by_class(delta({name: 1.0}), mariadb())
    assert found["temp_read"].ops_per_s is None
    assert found["temp_write"].bytes_per_s is None


def test_a_counter_that_is_not_there_leaves_its_class_unknown() -> None:
    totals = delta({})
    del totals.totals["global_status.innodb_pages_written"]
    assert classes.by_class(totals, mariadb())["small_write"].ops_per_s is None


def test_an_interval_has_commits_and_no_doubt() -> None:
    """Sessions that end show nothing late: InnoDB counts at once."""
    totals = {f"global_status.{name}": value for name, value in IDLE.items()}
    totals |= {
        f"innodb_metrics.trx_{name}": 0.0
        for name in ("rw_commits", "ro_commits", "nl_ro_commits", "rollbacks")
    }
    before = snapshot(0, totals=totals).model_copy(update={"moment": {"sessions": 50.0}})
    after = snapshot(
        2.0, totals=totals | {"innodb_metrics.trx_rw_commits": 30.0, "innodb_metrics.trx_rollbacks": 10.0}
    )
    interval, _ = intervals.between(before, after.model_copy(update={"moment": {"sessions": 1.0}}), mariadb())
    assert interval.commits_per_s == 10
    assert interval.doubt is None


@pytest.mark.parametrize(
    ("changes", "code", "told"),
    [
        ({"settings": {"log_bin": "ON"}}, "binlog-uncounted", True),
        ({"settings": {"log_bin": "OFF"}}, "binlog-uncounted", False),
        ({"direct_io": False}, "page-cache", True),
        ({"direct_io": True}, "page-cache", False),
    ],
)
def test_notes(changes: dict[str, object], code: str, told: bool) -> None:
    assert (code in {note.code for note in classes.notes(mariadb(**changes), 0.0)}) is told


def test_a_database_without_a_sorting_is_refused() -> None:
    with pytest.raises(WorldError) as refused:
        classes.sorting(mariadb(kind="oracle"))
    assert refused.value.id == "demand-unsupported"
    assert "oracle" in refused.value.message
    assert "plimsoll demand FILE" in (refused.value.hint or "")
