"""What is read from MariaDB's and MySQL's own words: versions, resets, direct I/O, and the view files of each release."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import _queries, mariadb
from plimsoll.databases._mariadb_counts import counted
from plimsoll.facts import Snapshot
from plimsoll.proof.statements import statements

NOON = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("10.11.19-MariaDB-0+deb12u1", "mariadb", 101119),
        ("5.5.5-10.6.18-MariaDB-log", "mariadb", 100618),
        ("11.4.2-MariaDB", "mariadb", 110402),
        ("8.0.36", "mysql", 80036),
        ("9.1.0-commercial", "mysql", 90100),
        ("5.5.5-log", "mysql", 50505),
    ],
)
def test_versions(text: str, kind: str, number: int) -> None:
    assert mariadb.version_of(text) == (kind, number)


def test_a_version_that_is_none_is_refused() -> None:
    with pytest.raises(PlimsollError) as refused:
        mariadb.version_of("unknown")
    assert refused.value.id == "database-refused"


@pytest.mark.parametrize("major", [8, 9, 10, 11, 12, 13])
def test_each_release_has_each_view_once(major: int) -> None:
    views = {
        "server",
        "login",
        "settings",
        "global_status",
        "innodb_metrics",
        "file_summary",
        "log_place",
        "moment",
    }
    assert set(_queries.for_version("mariadb", major)) == views


@pytest.mark.parametrize(
    ("settings", "direct"),
    [
        ({"innodb_flush_method": "O_DIRECT"}, True),
        ({"innodb_flush_method": "fsync"}, False),
        ({"innodb_flush_method": "O_DIRECT", "innodb_data_file_buffering": "ON"}, False),
        ({"innodb_data_file_buffering": "OFF"}, True),
        ({}, None),
    ],
)
def test_direct_io(settings: dict[str, str], direct: bool | None) -> None:
    assert mariadb._direct_io(settings) is direct


def test_resets_are_told_by_when_they_were() -> None:
    flushed = mariadb._resets(NOON, {"uptime": 100, "uptime_since_flush_status": 40}, [])
    assert flushed == {"global_status": datetime(2026, 3, 1, 11, 59, 20, tzinfo=UTC)}
    assert mariadb._resets(NOON, {"uptime": 100, "uptime_since_flush_status": 100}, []) == {
        "global_status": None
    }
    rows = [{"enabled_at": datetime(2026, 3, 1, 13, 30), "zone_s": 7200}]  # noqa: DTZ001 - as the driver gives it
    enabled = mariadb._resets(NOON, {"uptime": 100, "uptime_since_flush_status": 100}, rows)
    assert enabled["innodb_metrics"] == datetime(2026, 3, 1, 11, 30, tzinfo=UTC)


def snapshot(**totals: float | None) -> Snapshot:
    return Snapshot(
        taken_at=NOON, clock_offset_s=0, clock_offset_error_s=0, started_at=NOON - timedelta(hours=1),
        system_identifier="x", resets={}, io=(),
        totals={name.replace("__", "."): value for name, value in totals.items()},
    )  # fmt: skip


def test_rolled_back_transactions_are_no_commits() -> None:
    first: Mapping[str, float] = dict.fromkeys(
        ("trx_rw_commits", "trx_ro_commits", "trx_nl_ro_commits", "trx_rollbacks"), 0.0
    )
    last = {"trx_rw_commits": 50.0, "trx_ro_commits": 3.0, "trx_nl_ro_commits": 7.0, "trx_rollbacks": 10.0}

    def of(values: Mapping[str, float]) -> Snapshot:
        return snapshot(**{f"innodb_metrics__{name}": value for name, value in values.items()})

    assert counted(of(first), of(last)).commits == 50
    assert counted(of({}), of({})).commits is None
    del last["trx_rollbacks"]
    assert counted(of(first), of(last)).commits is None


def test_hits_are_what_was_asked_for_and_not_read() -> None:
    def of(read: float, asked: float) -> Snapshot:
        return snapshot(
            global_status__innodb_pages_read=read, global_status__innodb_buffer_pool_read_requests=asked
        )

    counts = counted(of(10, 100), of(40, 200))
    assert (counts.block_reads, counts.block_hits) == (30, 70)
    # Reading ahead can fetch more than was asked for.
    assert counted(of(10, 100), of(400, 200)).block_hits == 0
    assert counts.log_syncs is None


def test_slob_is_not_written_for_mysql() -> None:
    """A server of MySQL's calls its dialect by its own name, for which there is no folder."""
    with pytest.raises(PlimsollError) as refused:
        statements("mysql", "slob", "work")
    assert refused.value.id == "proof-unsupported"
    assert statements("mariadb", "slob", "work", {"number": 1})
