"""Readings added up: rows of one role are one, and none is lost."""

from __future__ import annotations

import pytest

from plimsoll.facts import WatchedSize
from plimsoll.native.latency import latency_of_counts
from plimsoll.observe import tally
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.roles import OTHERS
from plimsoll.observe.seen_twice import SeenTwice
from plimsoll.observe.tally import Tally, Wanted
from seen_io import block_io


def added(*rows: BlockIo) -> Tally:
    made = Tally()
    for row in rows:
        made.add([row])
    return made


def test_processes_of_one_role_are_one_row_with_rates_sizes_and_the_whole_distribution() -> None:
    rows = [
        block_io(pid=1, ios=30, queue_us_mean=10.0),
        block_io(
            pid=2, ios=10, bytes=10 * 65_536, sizes=((65_536, 10),), queue_us_mean=50.0,
            service_us=latency_of_counts([(1_000.0, 10)]),
        ),
        block_io(pid=2, ios=10, queue_us_mean=50.0),
    ]  # fmt: skip
    (found,) = added(*rows).rows(5.0, SeenTwice())
    moved = 40 * 8_192 + 10 * 65_536
    assert (found.processes, found.ios, found.bytes) == (2, 50, moved)
    assert (found.iops, found.mb_per_s) == (10.0, moved / 5e6)
    assert found.size_bytes_mean == moved / 50
    assert found.sizes == (WatchedSize(bytes_max=8_192, ios=40), WatchedSize(bytes_max=65_536, ios=10))
    assert found.queue_us_mean == pytest.approx((30 * 10 + 20 * 50) / 50)
    assert found.latency_us.count == 50
    assert found.latency_us.mean == pytest.approx((40 * 100 + 10 * 1_000) / 50, rel=0.01)
    assert found.request_us_mean == pytest.approx(26 + 280, rel=0.01)


def test_roles_files_operations_and_disks_are_told_apart_and_most_ios_stand_first() -> None:
    ways = [{"role": "walwriter"}, {"file": "/a"}, {"operation": "write"}, {"device": "sdb"}, {}]
    rows = [block_io(ios=number, **way) for number, way in enumerate(ways, start=1)]
    found = added(*rows, *rows).rows(1.0, SeenTwice())
    assert [row.ios for row in found] == [10, 8, 6, 4, 2]


def test_a_wait_that_is_not_known_once_is_not_known() -> None:
    (found,) = added(block_io(), block_io(queue_us_mean=None)).rows(1.0, SeenTwice())
    assert (found.queue_us_mean, found.request_us_mean) == (None, None)


@pytest.mark.parametrize(("begun", "known"), [(990, 5.0), (989, None), (0, None)])
def test_a_wait_is_known_where_it_is_of_nearly_all(begun: int, known: float | None) -> None:
    """Those that were under way when the probe came are few, and those that went to the disk unseen many."""
    (found,) = added(block_io(ios=begun), block_io(ios=1_000 - begun, begun_ios=0, queue_us_mean=None)).rows(
        1.0, SeenTwice()
    )
    assert found.queue_us_mean == known


def test_a_flush_that_a_process_waits_for_is_timed_as_a_whole() -> None:
    (found,) = added(block_io(operation="flush-request", bytes=0, sizes=(), queue_us_mean=None)).rows(
        1.0, SeenTwice()
    )
    assert found.request_us_mean == found.latency_us.mean
    assert found.size_bytes_mean is None


def test_ios_of_processes_whose_title_was_never_read_are_counted() -> None:
    made = added(block_io(ios=5, is_untitled=True), block_io(role="postgres", ios=7))
    assert made.untitled == 5


def test_the_kernel_is_no_process() -> None:
    (found,) = added(block_io(role="kernel", pid=None)).rows(1.0, SeenTwice())
    assert found.processes == 0


def test_many_distributions_are_one_without_loss() -> None:
    (found,) = added(*[block_io(ios=3)] * 200).rows(1.0, SeenTwice())
    assert (found.ios, found.latency_us.count) == (600, 600)


def test_more_rows_than_are_kept_are_told_and_no_io_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "ROWS_MAX", 3)
    made = added(*(block_io(file=f"/file{number}", ios=5) for number in range(10)))
    found = made.rows(1.0, SeenTwice())
    assert sum(row.ios for row in found) == 50
    assert [(row.role, row.ios) for row in found if row.role == OTHERS] == [(OTHERS, 35)]
    assert made.folded == 35


@pytest.mark.parametrize(
    ("wanted", "has"),
    [
        (Wanted(), True),
        (Wanted(devices=("sda",)), True),
        (Wanted(devices=("sd",)), False),
        (Wanted(roles=("walwriter", "client backend")), True),
        (Wanted(roles=("client",)), False),
        (Wanted(files=("pg_wal",)), True),
        (Wanted(files=("base",)), False),
        (Wanted(devices=("sda",), files=("base",)), False),
    ],
)
def test_what_is_asked_for(wanted: Wanted, has: bool) -> None:
    assert wanted.has(block_io(file="/data/pg_wal/01")) is has


def test_an_unknown_file_is_no_file_that_was_asked_for() -> None:
    assert not Wanted(files=("a",)).has(block_io())
