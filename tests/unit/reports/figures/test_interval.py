"""What becomes of a report's figures: the best source of each, its cells, and the reason where there is none."""

from __future__ import annotations

import pytest

from plimsoll.facts import ReportedClass, ReportedInterval
from tiny_reports import TOTALS, activity, filetypes, interval, io_profile, load_profile, report, waits

FILETYPES = [
    ("Data File", "3G", "5,000.00", "520M", "40G", "996.00", "44.50M", "1.25ms", "9.50ms"),
    ("Log File", "0M", "0.00", "0M", "4G", "1,000.00", "4.10M", "", ""),
    ("Temp File", "120M", "2.00", ".12M", "250M", "4.00", ".25M", "1.00ms", ""),
]


def whole(**counts: int) -> ReportedInterval:
    return interval(activity(TOTALS | counts))


def figures(one: ReportedClass) -> tuple[float | None, float | None]:
    return one.ops_per_s, one.bytes_per_s


def test_small_and_large_are_told_apart_by_the_statistics() -> None:
    found = whole()
    assert found.gap is None
    assert found.doubts == ()
    assert not found.is_lower_bound
    reads, large = found.classes["small_read"], found.classes["large_read"]
    assert figures(reads) == pytest.approx((4000.0, 4000 * 8192), rel=1e-3)
    assert figures(large) == pytest.approx((1000.0, 1000 * 524_288), rel=1e-3)
    assert "128 KiB" in (reads.definition or "")
    writes = found.classes["small_write"]
    assert writes.ops_per_s == pytest.approx(1400.0, rel=1e-3)
    assert found.classes["large_write"].ops_per_s == pytest.approx(100.0, rel=1e-3)
    assert found.commits_per_s == pytest.approx(400.0, rel=1e-3)


def test_each_figure_names_its_cells() -> None:
    origins = {origin.figure: origin for origin in whole().classes["small_read"].origins}
    cells = origins["ops_per_s"].cells
    assert origins["ops_per_s"].source == "Instance Activity"
    assert [cell.row for cell in cells] == [
        "physical read total IO requests",
        "physical read total multi block requests",
    ]
    first = cells[0]
    assert (first.section, first.column) == ("Instance Activity Stats", "per Second")
    assert first.value == "5,000.00"
    assert first.line is not None
    assert "−" in origins["ops_per_s"].how


def test_bytes_that_are_printed_together_are_bounded_on_both_sides() -> None:
    found = whole()
    for small, large, total in (
        ("small_read", "large_read", TOTALS["physical read total bytes"]),
        ("small_write", "large_write", TOTALS["physical write total bytes"] - 4_000_000 * 512),
    ):
        (low, value, high), other = bounds(found.classes[small]), bounds(found.classes[large])  # type: ignore[index]
        assert low <= value <= high
        assert other[0] <= other[1] <= other[2]
        assert value + other[1] == pytest.approx(total / 1000, rel=1e-3)


def bounds(one: ReportedClass) -> tuple[float, float, float]:
    found = one.bytes_per_s_min, one.bytes_per_s, one.bytes_per_s_max
    assert None not in found
    return found  # type: ignore[return-value]


def test_without_large_requests_nothing_is_estimated() -> None:
    counts = {
        "physical read total multi block requests": 0,
        "physical read total bytes": 5_000_000 * 8192,
    }
    found = interval(activity(TOTALS | counts))
    assert figures(found.classes["large_read"]) == (0.0, 0.0)
    assert found.classes["small_read"].bytes_per_s_min is None
    assert found.classes["small_read"].bytes_per_s == pytest.approx(5000 * 8192, rel=1e-3)


def test_redo_is_told_from_other_writes_and_forced_each_time() -> None:
    redo = whole().classes["redo_write"]
    assert redo.ops_per_s == pytest.approx(500.0, rel=1e-3)
    assert redo.syncs_per_s == redo.ops_per_s
    assert redo.is_forced
    assert redo.bytes_per_s == pytest.approx(4_000_000 * 512 / 1000, rel=1e-3)
    origin = next(one for one in redo.origins if one.figure == "bytes_per_s")
    assert "512 bytes a block of the log" in origin.how


def test_temporary_files_are_shown_and_not_added() -> None:
    found = whole()
    temp = found.classes["temp_read"]
    assert temp.counted_in == ("small_read", "large_read")
    assert temp.bytes_per_s == pytest.approx(16 * 8192, rel=1e-3)
    assert temp.ops_per_s is None
    assert "blocks" in temp.unknown["ops_per_s"]
    assert found.iops == pytest.approx(7000.0, rel=1e-3)
    total = TOTALS["physical read total bytes"] + TOTALS["physical write total bytes"]
    assert found.mb_per_s == pytest.approx(total / 1e9, rel=1e-3)


def test_types_of_files_tell_requests_to_log_and_temporary_files() -> None:
    found = interval(activity(TOTALS), filetypes(FILETYPES))
    redo, temp = found.classes["redo_write"], found.classes["temp_write"]
    assert figures(redo) == pytest.approx((1000.0, 4.1 * 2**20))
    assert "each member" in (redo.definition or "")
    assert figures(temp) == pytest.approx((4.0, 0.25 * 2**20))
    assert found.classes["small_read"].latency_us_mean == 1250.0
    assert found.classes["large_read"].latency_us_mean == 9500.0


def test_times_of_two_sections_are_held_against_each_other() -> None:
    rows = [("Data File", "3G", "5,000.00", "520M", "40G", "996.00", "44.50M", "9.60us", "397.02ms")]
    events = [("db file sequential read", "40,000", "16", "0.4"), ("direct path read", "9,000", "9", "1.0")]
    found = interval(activity(TOTALS), filetypes(rows), waits(events))
    assert found.classes["small_read"].latency_us_mean == pytest.approx(400.0)
    assert found.classes["large_read"].latency_us_mean == pytest.approx(397_020.0)
    small, large = (one for one in found.doubts if one.code == "latencies-differ")
    assert small.message.startswith(
        "IOStat by Filetype says 10 µs for each small read, and sessions waited 400 µs"
    )
    assert small.message.endswith("the time of wait events is shown")
    assert large.message.endswith("the time of IOStat by Filetype is shown")
    assert {cell.value for cell in small.cells} >= {"9.60us"}


def test_times_that_a_queue_may_explain_are_no_doubt() -> None:
    events = [("db file sequential read", "40,000", "160", "4")]
    found = interval(activity(TOTALS), filetypes(FILETYPES), waits(events))
    assert found.classes["small_read"].latency_us_mean == 1250.0
    assert all(one.code != "latencies-differ" for one in found.doubts)


def test_a_log_that_is_hardly_written_is_counted_in_blocks() -> None:
    rows = [("Log File", "0M", "0.00", "0M", "3M", "1.00", "0M", "", "")]
    counts = {"redo writes": 500, "redo blocks written": 2000, "redo size": 900_000, "redo wastage": 50_000}
    found = interval(activity(TOTALS | counts), filetypes(rows)).classes["redo_write"]
    assert found.bytes_per_s == pytest.approx(2 * 2 * 512, rel=0.02)
    assert "2.00 requests for each write" in found.origins[1].how


def test_types_of_files_are_taken_when_there_is_nothing_else() -> None:
    found = interval(filetypes(FILETYPES))
    reads = found.classes["small_read"]
    assert figures(reads) == pytest.approx((5002.0, 520.12 * 2**20))
    assert "does not tell small from large" in (reads.definition or "")
    assert "large_read" not in found.classes
    assert found.classes["small_write"].ops_per_s == pytest.approx(1000.0)


def test_the_io_profile_is_taken_before_the_load_profile() -> None:
    rows = [
        ("Total Requests:", "150.0", "100.0", "50.0"),
        ("Total (MB):", "3.0", "2.0", "1.0"),
        ("Redo Requests:", "10.0", "", "10.0"),
        ("Redo (MB):", "0.5", "", "0.5"),
    ]
    load = load_profile({"Physical reads:": "90.0", "Read IO requests:": "80.0"})
    found = interval(io_profile(rows), load)
    assert figures(found.classes["small_read"]) == pytest.approx((100.0, 2 * 2**20))
    assert figures(found.classes["small_write"]) == pytest.approx((40.0, 0.5 * 2**20))
    assert figures(found.classes["redo_write"]) == pytest.approx((10.0, 0.5 * 2**20))
    assert found.classes["small_read"].source == "IO Profile"


def test_blocks_of_an_old_release_are_bytes_and_no_requests() -> None:
    found = interval(activity({"physical reads": 90_000, "redo size": 5_000_000}), block_bytes=4096)
    reads = found.classes["small_read"]
    assert figures(reads) == (None, pytest.approx(90 * 4096))
    assert reads.unknown["ops_per_s"] == "the report prints blocks, but no requests, of reads"
    redo = found.classes["redo_write"]
    assert (redo.ops_per_s, redo.bytes_per_s) == (None, pytest.approx(5000.0))


def test_waits_for_single_reads_are_a_lower_bound() -> None:
    rows = [("db file sequential read", "40,000", "80", "2"), ("db file scattered read", "10,000", "90", "9")]
    found = interval(activity({"physical reads": 500_000}), waits(rows))
    reads = found.classes["small_read"]
    assert reads.at_least
    assert found.is_lower_bound
    assert figures(reads) == pytest.approx((50.0, 500 * 8192))
    assert "waited for" in (reads.definition or "")
    assert reads.latency_us_mean == pytest.approx(2000.0)


def test_tablespaces_tell_requests_before_waits_do() -> None:
    headings = ("Tablespace", "Reads", "Av Reads/s", "Av Rd(ms)", "Av Blks/Rd", "Writes", "Av Writes/s")
    rows = [
        ("USERS", "30,000", "30", "2.0", "4.0", "9,000", "9"),
        ("UNDO", "1,000", "1", "2.0", "1.0", "900", "1"),
    ]
    counts = {"physical reads": 121_000, "physical writes": 10_000}
    found = interval(activity(counts), ("Tablespace IO Stats", headings, rows))
    assert figures(found.classes["small_read"]) == pytest.approx((31.0, 121 * 8192))
    assert found.classes["small_write"].ops_per_s == pytest.approx(9.9)
    assert not found.classes["small_read"].at_least


def test_the_higher_of_two_sources_is_taken_and_both_are_shown() -> None:
    rows = [("TOTAL:", "3G", "9,000.00", "900M", "40G", "2,000.00", "60M", "", "")]
    found = interval(activity(TOTALS), filetypes(rows))
    reads = found.classes["small_read"]
    assert reads.ops_per_s == pytest.approx(7200.0, rel=1e-3)
    assert found.iops == pytest.approx(9000.0 + 1500.0 + 500.0, rel=1e-3)
    doubt = next(one for one in found.doubts if "reads per second" in one.message)
    assert doubt.code == "sources-differ"
    assert "IOStat by Filetype is taken" in doubt.message
    assert {cell.section for cell in doubt.cells} == {"Instance Activity Stats", "IOStat by Filetype summary"}


def test_a_printed_split_is_kept_in_its_shares_when_another_section_counts_more() -> None:
    rows = [("TOTAL:", "3G", "5,150.00", "540M", "40G", "2,000.00", "60M", "", "")]
    found = interval(activity(TOTALS), filetypes(rows))
    small, large = found.classes["small_read"], found.classes["large_read"]
    assert (small.ops_per_s, large.ops_per_s) == pytest.approx((4120.0, 1030.0), rel=1e-3)
    assert (small.bytes_per_s or 0.0) + (large.bytes_per_s or 0.0) == pytest.approx(540 * 2**20)
    origin = next(one for one in large.origins if one.figure == "ops_per_s")
    assert "× 1.030, as IOStat by Filetype holds more reads" in origin.how
    assert {cell.section for cell in origin.cells} == {
        "Instance Activity Stats",
        "IOStat by Filetype summary",
    }


def test_shares_that_the_bytes_are_too_few_for_are_not_taken() -> None:
    rows = [("TOTAL:", "3G", "50,000.00", "600M", "40G", "2,000.00", "60M", "", "")]
    found = interval(activity(TOTALS), filetypes(rows))
    assert found.classes["large_read"].ops_per_s == pytest.approx(1000.0, rel=1e-3)
    assert found.classes["small_read"].ops_per_s == pytest.approx(49_000.0, rel=1e-3)


def test_large_requests_are_never_of_less_than_they_can_be() -> None:
    counts = {"physical write total bytes": 1_400_000 * 4096 + 100_000 * 131_072 + 4_000_000 * 512}
    large = interval(activity(TOTALS | counts)).classes["large_write"]
    assert large.bytes_per_s == pytest.approx(100 * 131_072, rel=1e-3)


def test_requests_of_a_few_bytes_cannot_be() -> None:
    rows = [("TOTAL:", "3G", "298,914,443.02", "700M", "40G", "2,000.00", "50M", "", "")]
    found = interval(activity(TOTALS), filetypes(rows))
    assert found.classes["small_read"].ops_per_s == pytest.approx(4000.0, rel=1e-3)
    assert [one.code for one in found.doubts if "which cannot be" in one.message] == ["requests-impossible"]


def test_the_io_profile_is_held_against_the_statistics() -> None:
    rows = [("Total Requests:", "7,000.0", "5,100.0", "2,000.0")]
    found = interval(activity(TOTALS), io_profile(rows))
    doubt = next(one for one in found.doubts if one.code == "sources-differ")
    assert "5,100.00" in doubt.message
    assert [cell.value for cell in doubt.cells] == ["5,000.00", "5,100.0"]


def test_the_load_profile_is_held_against_totals() -> None:
    assert interval(activity(TOTALS), load_profile({"Redo size:": "1,900,000.0"})).doubts == ()
    found = interval(activity(TOTALS), load_profile({"Redo size:": "2,900,000.0"}))
    assert [one.code for one in found.doubts] == ["total-differs"]


def detail(*rows: tuple[str, ...]) -> str:
    """Statspack's detail, in text as it prints it."""
    head = """
IO Stat by Function - detail  DB/Inst: ABC/abc  Snaps: 1-2
-> ordered by IO (Read)

                   ----------- Read ---------- ----------- Write ---------
                   Small Large  Small  Large   Small Large  Small  Large
                   Read  Read   Data   Data    Write Write  Data   Data
Function           Reqs  Reqs   Read   Read    Reqs  Reqs   Writn  Writn
------------------ ----- ----- ------ -------- ----- ----- ------ --------
"""
    widths = (18, 5, 5, 6, 8, 5, 5, 6, 8)
    lines = [
        " ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return head + "\n".join(lines) + "\n          " + "-" * 61 + "\n"


def test_statspack_counts_small_and_large_with_their_bytes() -> None:
    found = from_text(
        detail(
            ("Buffer Cache Reads", "50K", "", "400M", "", "", "", "", ""),
            ("Direct Reads", "2000", "10K", "16M", "5000M", "", "", "", ""),
            ("LGWR", "100", "", "2M", "", "20K", "10", "80M", "10M"),
            ("DBWR", "", "", "", "", "30K", "100", "250M", "90M"),
        )
    )
    assert figures(found.classes["small_read"]) == pytest.approx((52.1, 418 * 2**20 / 1000))
    assert figures(found.classes["large_read"]) == pytest.approx((10.0, 5000 * 2**20 / 1000))
    assert figures(found.classes["small_write"]) == pytest.approx((30.0, 250 * 2**20 / 1000))
    assert figures(found.classes["large_write"]) == pytest.approx((0.1, 90 * 2**20 / 1000))
    assert figures(found.classes["redo_write"]) == pytest.approx((20.01, 90 * 2**20 / 1000))


def from_text(text: str) -> ReportedInterval:
    from plimsoll import _core
    from plimsoll.reports.figures.interval import interval_of

    return interval_of(report(kind="statspack", form="text"), _core.read_report(text.encode()))


def test_functions_that_statspack_leaves_out_are_missed() -> None:
    text = """
Instance Activity Stats  DB/Inst: ABC/abc  Snaps: 1-2

Statistic                                      Total     per Second    per Trans
--------------------------------- ------------------ -------------- ------------
physical write total IO requests              60,000           60.0          2.5
physical write total multi block                 300            0.3          2.5
physical write total bytes               600,000,000      600,000.0          2.5
          -------------------------------------------------------------
"""
    log_writer = ("LGWR", "100", "", "2M", "", "20K", "10", "80M", "10M")
    others = ("Others", "5000", "", "40M", "", "10K", "100", "250M", "90M")
    found = from_text(text + detail(log_writer, others))
    assert [one.code for one in found.doubts] == ["functions-missing"]
    assert found.classes["large_write"].ops_per_s == pytest.approx(0.3 - 0.01)
    assert found.classes["small_write"].ops_per_s == pytest.approx(60 - 0.3 - 20.0)


def counted_writes(requests: int, megabytes: int) -> str:
    """Writes in the statistics of Statspack, in text, without large ones."""
    return f"""
Instance Activity Stats  DB/Inst: ABC/abc  Snaps: 1-2

Statistic                                      Total     per Second    per Trans
--------------------------------- ------------------ -------------- ------------
physical write total IO requests  {requests:>18,} {requests / 1000:>14,.1f}          2.5
physical write total bytes        {megabytes << 20:>18,} {megabytes * 1048.576:>14,.1f}          2.5
          -------------------------------------------------------------
"""


LGWR = ("LGWR", "100", "", "2M", "", "20K", "", "80M", "")
DBWR = ("DBWR", "", "", "", "", "30K", "1000", "240M", "300M")


def test_a_detail_that_holds_a_little_less_still_tells_small_from_large() -> None:
    found = from_text(counted_writes(54_100, 680) + detail(LGWR, DBWR))
    assert [one.code for one in found.doubts] == ["functions-missing"]
    small, large = found.classes["small_write"], found.classes["large_write"]
    assert "shares" in (large.definition or "")
    assert figures(small) == pytest.approx((33.0, 240 * 2**20 / 1000 * 1.1), rel=1e-3)
    assert figures(large) == pytest.approx((1.1, 300 * 2**20 / 1000 * 1.1), rel=1e-3)


def test_a_detail_that_holds_more_than_the_statistics_is_taken() -> None:
    found = from_text(counted_writes(40_000, 500) + detail(LGWR, DBWR))
    assert [one.code for one in found.doubts] == ["sources-differ"]
    assert "IOStat by Function is taken" in found.doubts[0].message
    assert figures(found.classes["large_write"]) == pytest.approx((1.0, 300 * 2**20 / 1000))


def test_large_writes_of_the_log_are_taken_from_the_large_ones() -> None:
    sizes = {"(   4KB)": 400_000, "( 128KB)": 50_000, "( 256KB)": 30_000, "(1024KB)": 15_000, "(inf)": 5_000}
    counts = {f"redo write size count {words}": count for words, count in sizes.items()}
    found = whole(**counts)
    assert found.classes["large_write"].ops_per_s == pytest.approx(100.0 - 50.0, rel=1e-3)
    assert found.classes["small_write"].ops_per_s == pytest.approx(2000.0 - 100.0 - 450.0, rel=1e-3)
    assert found.iops == pytest.approx(7000.0, rel=1e-3)
    origin = next(
        one for one in found.classes["large_write"].origins if one.how.startswith("large writes − those")
    )
    assert "redo write size count (1024KB)" in {cell.row for cell in origin.cells}


def test_a_log_of_large_writes_on_average_has_no_small_ones() -> None:
    counts = {
        "redo writes": 50_000, "redo blocks written": 20_000_000, "redo size": 9_900_000_000, "redo wastage": 100_000_000,
        "physical write total bytes": 1_850_000 * 8192 + 50_000 * 262_144 + 10_240_000_000,
    }  # fmt: skip
    found = whole(**counts)
    assert found.classes["large_write"].ops_per_s == pytest.approx(100.0 - 50.0, rel=1e-3)
    assert found.classes["small_write"].ops_per_s == pytest.approx(1900.0, rel=1e-3)


def test_without_elapsed_time_nothing_is_a_rate_and_nothing_is_zero() -> None:
    rows = [(name, f"{total:,}", "", "") for name, total in TOTALS.items()]
    table = ("Instance Activity Stats", ("Statistic", "Total", "per Second", "per Trans"), rows)
    found = interval(table, elapsed_s=None, begin_time=None, end_time=None)
    assert (found.iops, found.mb_per_s, found.duration_s) == (None, None, None)
    assert "no elapsed time" in (found.gap or "")
    for one in found.classes.values():
        assert figures(one) == (None, None)
        assert "no elapsed time" in one.unknown["ops_per_s"]


def test_an_instance_that_was_started_inside_spoils_the_interval() -> None:
    found = interval(activity(TOTALS), startup_time="2024-05-01T10:05:00")
    assert "started at 2024-05-01T10:05:00, inside the interval" in (found.gap or "")
    assert interval(activity(TOTALS), startup_time="2024-05-01T09:59:00").gap is None
    backwards = interval(activity(TOTALS), end_time="2024-05-01T09:00:00")
    assert "before it begins" in (backwards.gap or "")
    negative = interval(activity(TOTALS), elapsed_s=-600.0)
    assert negative.gap == "the report prints an elapsed time of -600 s"
    assert interval(activity(TOTALS), elapsed_s=-600.0, begin_time=None).gap == negative.gap


@pytest.mark.parametrize("kind", ["ash", "addm", "awr-diff", "awr-miner", "osprep"])
def test_kinds_that_count_nothing_say_so(kind: str) -> None:
    found = interval(activity(TOTALS), kind=kind)
    assert found.classes == {}
    assert found.iops is None
    assert found.gap


def test_a_report_without_any_count_says_so() -> None:
    found = interval(load_profile({"Logons:": "1.0"}))
    assert found.gap == "the report prints no count of reads, writes or redo"
    assert found.classes["small_read"].unknown["ops_per_s"] == "the report prints no count of reads"


def test_a_container_does_not_own_its_log() -> None:
    counts = {name: total for name, total in TOTALS.items() if not name.startswith("redo")}
    found = interval(activity(counts | {"redo size": 1_000_000}), kind="awr-pdb")
    redo = found.classes["redo_write"]
    assert redo.ops_per_s is None
    assert "container" in redo.unknown["ops_per_s"]
    assert redo.bytes_per_s == pytest.approx(1000.0)
    assert found.scope == "container"
    assert found.classes["small_write"].ops_per_s == pytest.approx(1900.0, rel=1e-3)


def test_a_cluster_has_totals_and_shares_of_its_instances() -> None:
    headings = ("I#", "Function Name", "Requests Total", "Requests IOs/s", "Requests Reads/s", "Requests Writes/s",
                "MB Total", "MB IO MB/s", "MB Read MB/s", "MB Write MB/s")  # fmt: skip
    rows = [
        ("*", "Total", "700,000", "700.00", "500.00", "200.00", "5,000", "50.00", "40.00", "10.00"),
        ("1", "Total", "300,000", "300.00", "250.00", "50.00", "2,000", "20.00", "15.00", "5.00"),
        ("2", "Total", "400,000", "400.00", "250.00", "150.00", "3,000", "30.00", "25.00", "5.00"),
    ]
    redo = [("1", "10.50"), ("2", "20.00"), ("Sum", "30.50")]
    found = interval(
        ("IOStat by Function", headings, rows),
        ("System Statistics - Per Second", ("I#", "Redo Size (k)/s"), redo),
        kind="awr-global",
        instance=None,
        instance_number=None,
        rac=True,
    )
    assert found.scope == "cluster"
    assert found.classes["small_read"].ops_per_s == 500.0
    assert [one.instance_number for one in found.instances] == [1, 2]
    assert [one.writes_per_s for one in found.instances] == [50.0, 150.0]
    assert found.instances[1].read_bytes_per_s == 25 * 2**20
    assert [one.redo_bytes_per_s for one in found.instances] == [10.5 * 1024, 20 * 1024]
    assert found.instances[1].origins[0].cells[0].value == "250.00"


def test_an_instance_of_impossible_counts_has_none() -> None:
    headings = (
        "I#",
        "Function Name",
        "Requests Reads/s",
        "Requests Writes/s",
        "MB Read MB/s",
        "MB Write MB/s",
    )
    rows = [("1", "Total", "133,920,716.97", "50.00", "385.84", "5.00")]
    found = interval(("IOStat by Function", headings, rows), kind="awr-global", instance=None, rac=True)
    (one,) = found.instances
    assert (one.reads_per_s, one.writes_per_s) == (None, 50.0)
    assert "less than a sector" in one.unknown["reads_per_s"]


def test_a_count_that_went_backwards_is_shown_and_not_used() -> None:
    found = whole(**{"physical read total IO requests": -5_000})
    assert [one.code for one in found.doubts] == ["count-negative"]
    assert found.doubts[0].cells[0].row == "physical read total IO requests"
    assert found.classes["small_read"].ops_per_s is None


def test_counts_that_contradict_each_other_are_shown() -> None:
    found = whole(**{"physical write total multi block requests": 1_900_000})
    assert [one.code for one in found.doubts] == ["requests-contradict"]
    assert "large_write" not in found.classes
    assert found.classes["small_write"].ops_per_s == pytest.approx(1500.0, rel=1e-3)


def test_names_that_a_report_cuts_are_known() -> None:
    counts = {name[:32]: total for name, total in TOTALS.items()}
    found = interval(activity(counts))
    assert found.classes["large_read"].ops_per_s == pytest.approx(1000.0, rel=1e-3)
    assert found.classes["temp_write"].bytes_per_s == pytest.approx(32 * 8192, rel=1e-3)
