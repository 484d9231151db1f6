"""Which of the totals of a report is taken where they differ, the IO Profile's among them, and that each sentence names it."""

from __future__ import annotations

import pytest

from tiny_reports import TOTALS, activity, filetypes, interval, io_profile


def test_an_io_profile_that_holds_more_is_taken() -> None:
    rows = [("Total Requests:", "9,000.0", "7,000.0", "2,000.0"), ("Total (MB):", "670.0", "640.0", "30.0")]
    found = interval(activity(TOTALS), io_profile(rows))
    (doubt,) = [one for one in found.doubts if "reads per second" in one.message]
    assert doubt.message.endswith(
        "says 5,000.00 reads per second, and IO Profile 7,000.00; IO Profile is taken"
    )
    small, large = found.classes["small_read"], found.classes["large_read"]
    assert (small.ops_per_s, large.ops_per_s) == pytest.approx((5600.0, 1400.0), rel=1e-3)
    assert "IO Profile" in small.source
    assert found.iops == pytest.approx(7000.0 + 2000.0, rel=1e-3)
    assert (small.bytes_per_s or 0.0) + (large.bytes_per_s or 0.0) == pytest.approx(640 * 2**20)


def test_an_io_profile_without_bytes_has_those_of_the_statistics() -> None:
    found = interval(activity(TOTALS), io_profile([("Total Requests:", "9,000.0", "7,000.0", "2,000.0")]))
    small, large = found.classes["small_read"], found.classes["large_read"]
    assert (small.ops_per_s or 0.0) + (large.ops_per_s or 0.0) == pytest.approx(7000.0)
    total = TOTALS["physical read total bytes"] / 1000
    assert (small.bytes_per_s or 0.0) + (large.bytes_per_s or 0.0) == pytest.approx(total)


def test_bytes_that_are_too_few_for_the_requests_are_unknown() -> None:
    rows = [("Total Requests:", "9,000,000.0", "9,000,000.0", "2,000.0")]
    reads = interval(activity(TOTALS), io_profile(rows)).classes["small_read"]
    assert (reads.bytes_per_s, "bytes_per_s" in reads.unknown) == (None, True)


def test_an_io_profile_that_cannot_be_is_not_taken() -> None:
    rows = [
        ("Total Requests:", "9,000,000.0", "9,000,000.0", "2,000.0"),
        ("Total (MB):", "9.0", "9.0", "0.0"),
    ]
    found = interval(activity(TOTALS), io_profile(rows))
    assert found.classes["small_read"].ops_per_s == pytest.approx(4000.0, rel=1e-3)
    (doubt,) = [one for one in found.doubts if "reads per second" in one.message]
    assert doubt.code == "requests-impossible"
    assert doubt.message.startswith("IO Profile prints 9,000,000.0 reads per second of 1.0 bytes each")


def test_of_three_sources_each_sentence_names_the_one_that_is_taken() -> None:
    profile = [("Total Requests:", "9,000.0", "7,000.0", "2,000.0")]
    types = [("TOTAL:", "3G", "9,000.00", "900M", "40G", "2,000.00", "60M", "", "")]
    found = interval(activity(TOTALS), io_profile(profile), filetypes(types))
    said = [one.message for one in found.doubts if " reads per second" in one.message]
    assert len(said) == 2
    assert all(one.endswith("; IOStat by Filetype is taken") for one in said)
    assert found.iops == pytest.approx(9000.0 + 2000.0, rel=1e-3)
