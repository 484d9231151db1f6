"""The walk through a report of M. Ault's article on placement on Tier Zero (2012), step by step, with his conclusion at each step.

The article's figures are pictures; the report is made of the numbers that its text tells: 20,200 blocks a second that reach the
disks as some 750 requests, a disk system good for 2,800, I/O wait of more than half of the busy time beside idle CPUs, tablespaces
read in 10 to 25 ms, and direct path reads, temporary ones among them, on top of the waits.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advice_reports import CPUS, ELAPSED_S, interval, report
from plimsoll.facts import Finding
from plimsoll.predict.faster_storage import TIERS, Then
from plimsoll.rules import Storage, findings_of, judge
from plimsoll.rules._verdict import Judged
from tiny_reports import Table

BLOCKS, REQUESTS = 20_200 * 1000, 1_260 * 1000
"""Of which reads and writes at the disks are 750 a second: 16 blocks went with one request."""
DISKS = 24
"""Of 90 to 150 requests a second each; 2,800 lies between."""
BUSY_SHARE = 0.15
EVERY = CPUS * ELAPSED_S * 100


def tablespaces() -> Table:
    headings = (
        "Tablespace", "Reads", "Av Reads/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s", "Buffer Waits",
        "Av Buf Wt(ms)",
    )  # fmt: skip
    rows = [
        ("FIRST", "10,000", "10", "2.00", "1.00", "10", "0", "0", "0.00"),
        ("SECOND", "90,000", "90", "25.00", "16.00", "10", "0", "90,000", "4.00"),
        ("THIRD", "20,000", "20", "10.00", "16.00", "10", "0", "0", "0.00"),
    ]
    return "Tablespace IO Stats", headings, rows


def segments() -> Table:
    """The first few, which the article names; they make a small part of all reads."""
    headings = (
        "Owner",
        "Tablespace Name",
        "Object Name",
        "Subobject Name",
        "Obj. Type",
        "Physical Reads",
        "%Total",
    )
    rows = [
        ("TPCH", "DATA", "H_LINEITEM", "P1", "TABLE PARTITION", "1,636,200", "8.10"),
        ("TPCH", "DATA", "H_CUSTOMER", "P1", "TABLE PARTITION", "1,010,000", "5.00"),
        ("TPCH", "DATA", "H_PART", "P1", "TABLE PARTITION", "808,000", "4.00"),
    ]
    return "Segments by Physical Reads", headings, rows


def statements() -> Table:
    headings = ("Physical Reads", "Executions", "Reads per Exec", "%Total", "SQL Id")
    return "SQL ordered by Reads", headings, [("20,000,000", "1", "20,000,000.0", "90.00", "7zcfxggv196w2")]


def host() -> Table:
    values = {
        "BUSY_TIME": BUSY_SHARE * EVERY,
        "IDLE_TIME": (1 - BUSY_SHARE) * EVERY,
        "IOWAIT_TIME": 0.6 * BUSY_SHARE * EVERY,
        "NUM_CPUS": CPUS,
    }
    rows = [(name, f"{value:,.0f}", "") for name, value in values.items()]
    return "Operating System Statistics", ("Statistic", "Value", "End Value"), rows


STORAGE = Storage(TIERS["disk"], Then("Tier Zero", 200.0, 15.0, "the article"), DISKS)


@pytest.fixture(scope="module")
def walked() -> tuple[Mapping[str, Finding], Judged]:
    waits = {
        "direct path read": (150_000, 2_400.0),
        "direct path read temp": (90_000, 900.0),
        "direct path write temp": (40_000, 300.0),
        "db file sequential read": (20_000, 440.0),
    }
    counts = {
        "physical reads": BLOCKS, "physical read IO requests": REQUESTS,
        "physical read total IO requests": 500 * 1000, "physical write total IO requests": 250 * 1000,
        "user I/O wait time": 404_000, "sorts (disk)": 0,
    }  # fmt: skip
    data = report(
        waits,
        db_time_s=5_000.0,
        cpu_s=700.0,
        busy=None,
        counts=counts,
        more=[host(), tablespaces(), segments(), statements()],
    )
    seen = interval(data, STORAGE)
    return {one.rule: one for one in findings_of(seen)}, judge(seen)


Walked = tuple[Mapping[str, Finding], Judged]


def test_blocks_are_bundled_sixteen_to_a_request(walked: Walked) -> None:
    assert "16.0 with each" in walked[0]["many-blocks-per-request"].reason


def test_the_requests_are_within_what_the_disks_can_answer(walked: Walked) -> None:
    assert "spindles-exceeded" not in walked[0], (
        "750 a second of some 2,800: latency has another cause than their number"
    )


def test_cpus_are_idle_and_wait_for_io(walked: Walked) -> None:
    found = walked[0]["io-wait-beside-idle-cpu"]
    assert "CPUs waited" in found.reason
    assert found.severity == "hint"


def test_latency_says_that_the_disks_are_stressed(walked: Walked) -> None:
    found = walked[0]["reads-slow-for-tier"]
    assert "22,000 µs" in found.reason


def test_parallel_scans_are_on_top_of_the_waits(walked: Walked) -> None:
    assert walked[0]["direct-path-reads"].db_time_s == 2_400.0


def test_temporary_io_without_a_sort_on_disk_is_hash_joins(walked: Walked) -> None:
    found = walked[0]["work-areas-spill"]
    assert found.db_time_s == 1_200.0
    assert "no sort went to disk" in found.reason


def test_faster_storage_is_the_answer(walked: Walked) -> None:
    seen = walked[1]
    assert (seen.answer, seen.cause, seen.helps) == ("storage-bound", "direct path reads", "yes")
    assert seen.what_if[0].name == "Tier Zero"


def test_sessions_waited_longer_for_io_than_cpus_were_busy(walked: Walked) -> None:
    """The host's own I/O wait is not the whole of it."""
    reason = walked[0]["io-wait-beside-idle-cpu"].reason
    assert "CPUs waited" in reason
    assert "sessions waited 4,040 s for I/O, more than the 1,200 s for which CPUs were busy" in reason


def test_buffers_of_the_second_tablespace_are_waited_for(walked: Walked) -> None:
    assert (
        "buffers of SECOND: 90,000 waits of 4.0 ms, 7 % of DB time"
        in walked[0]["buffers-of-tablespace-busy"].reason
    )


def test_the_segments_to_begin_with_are_named_and_are_not_all(walked: Walked) -> None:
    reason = walked[0]["what-reads-most"].reason
    assert "TPCH.H_LINEITEM.P1 (8.1 %), TPCH.H_CUSTOMER.P1 (5.0 %)" in reason
    assert "the segments that are listed make 17 % of all" in reason


def test_so_the_statement_that_reads_most_is_named(walked: Walked) -> None:
    assert walked[0]["what-reads-most"].reason.endswith("most blocks are read by 7zcfxggv196w2")


def test_temporary_files_are_to_be_moved_where_memory_does_not_suffice(walked: Walked) -> None:
    assert "put temporary files on the fastest storage" in walked[0]["work-areas-spill"].advice
