"""The summary in both layouts, and that its best values are values of the CSV files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import facts_builder
import orion_builder
from plimsoll import __version__
from plimsoll.dialects.orion.files_write import file_texts
from plimsoll.dialects.orion.grid import LAYOUTS, Layout
from plimsoll.dialects.orion.summary_text import Outcome, summary_txt

FIXTURES = Path(__file__).parent / "fixtures"


def as_ours(name: str, layout: Layout) -> list[str]:
    """A published summary, with our first line."""
    lines = (FIXTURES / layout / name).read_text().splitlines()
    return [f"ORION VERSION {layout} (written by plimsoll {__version__})", *lines[1:]]


def test_11_1_is_as_published() -> None:
    lines = summary_txt(orion_builder.published(), "11.1").splitlines()
    assert lines == as_ours("mytest_20100305_1230_summary.txt", "11.1")


def test_12_1_is_as_published_but_for_what_only_a_distribution_tells() -> None:
    oltp = orion_builder.outcome(
        "-run oltp -testname test1",
        iops={(1, 0): 7698, (17, 0): 9899},
        mbps={},
        latency_us={(1, 0): 123.58, (17, 0): 1711.4},
        targets=(orion_builder.target("/dev/sdc", 1073741824),),
    )
    expected = [
        line for line in as_ours("test1_20130722_0953_summary.txt", "12.1") if "Read Latency" not in line
    ]
    # The original speaks of striping whatever was asked; this test's volume is not striped.
    pattern = "Sequential stream pattern: serial concatenation for all streams"
    expected = [pattern if line.startswith("Sequential stream") else line for line in expected]
    assert summary_txt(oltp, "12.1").splitlines() == expected


def test_what_was_asked_is_said_in_both_layouts() -> None:
    line = "-run advanced -type seq -num_streamIO 2 -simulate raid0 -stripe 4096 -write 30 -cache_size 512 -duration 5"
    asked = orion_builder.outcome(line, {}, {}, {})
    old, new = summary_txt(asked, "11.1").splitlines(), summary_txt(asked, "12.1").splitlines()
    assert {
        "Commandline:", line, "IO Types: Small Random IOs, Large Sequential Streams",
        "Number of Concurrent IOs Per Stream: 2", "Simulated Array Type: RAID 0", "Stripe Depth: 4096 KB", "Write: 30%",
        "Cache Size: 512 MB", "Duration for each Data Point: 5 seconds",
    } <= set(old)  # fmt: skip
    assert {
        "Command line:", line, "IO types: small random IOs, large sequential streams",
        "Number of concurrent IOs per stream: 2", "Sequential stream pattern: RAID-0 striping for all streams",
        "Writes: 30%", "Cache size: 512 MB", "Duration for each data point: 5 seconds",
    } <= set(new)  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_without_a_point_there_is_no_best_value(layout: Layout) -> None:
    assert "imum" not in summary_txt(orion_builder.outcome("-run simple", {}, {}, {}), layout)


rates = st.floats(0.01, 5e6)


@given(
    layout=st.sampled_from(LAYOUTS),
    iops=st.dictionaries(st.tuples(st.integers(1, 5), st.integers(0, 2)), rates),
    mbps=st.dictionaries(st.tuples(st.integers(0, 5), st.integers(1, 2)), rates),
    latency=st.dictionaries(st.tuples(st.integers(1, 5), st.integers(0, 2)), rates),
)
def test_the_best_values_are_values_of_the_csv_files(
    layout: Layout,
    iops: dict[tuple[int, int], float],
    mbps: dict[tuple[int, int], float],
    latency: dict[tuple[int, int], float],
) -> None:
    outcome = orion_builder.outcome("-run normal -num_disks 1", iops, mbps, latency)
    texts = file_texts(outcome, layout)
    for name, file, best in (
        ("Maximum Large MBPS", "mbps.csv", max),
        ("Maximum Small IOPS", "iops.csv", max),
        ("Minimum Small Latency", "lat.csv", min),
    ):
        printed = by_spot(texts[file])
        found = re.search(rf"{name}=(\S+) (?:usecs )?@ Small=(\d+) and Large=(\d+)", texts["summary.txt"])
        assert (found is None) == (not printed)
        if found is not None:
            assert float(found[1]) == best(printed.values()) == printed[int(found[2]), int(found[3])]


def by_spot(csv: str) -> dict[tuple[int, int], float]:
    """The values of a file, read in the plainest way."""
    lines = csv[csv.index("Large/Small") :].splitlines()
    smalls = [int(word) for word in lines[0].split(",")[1:]]
    found = {}
    for line in lines[1:]:
        large, *words = line.split(",")
        found |= {(s, int(large)): float(w) for s, w in zip(smalls, words, strict=False) if w.strip()}
    return found


def test_of_equal_values_the_lowest_load_is_named() -> None:
    level = orion_builder.outcome(
        "-run simple -num_disks 1", {(3, 0): 100.2, (2, 0): 99.9, (4, 0): 100.0}, {}, {}
    )
    assert "Maximum Small IOPS=100 @ Small=2 and Large=0" in summary_txt(level, "11.1")


def test_points_that_failed_stand_in_the_trace_alone() -> None:
    good = orion_builder.published()
    cell = facts_builder.cell(None).model_copy(update={"errors": 3, "classes": ()})
    worse = good.found.points[-1].model_copy(update={"cell": cell, "large_mb_per_s": 9e9})
    found = good.found.model_copy(update={"points": (*good.found.points[:-1], worse)})
    texts = file_texts(Outcome("t", good.asked, found, good.targets), "11.1")
    assert "9000000000" not in texts["mbps.csv"] + texts["summary.txt"]
    assert "3 I/Os failed" in texts["trace.txt"]
