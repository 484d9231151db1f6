"""Histograms in the two published forms: rows byte for byte, counts that add up."""

from __future__ import annotations

from pathlib import Path

import pytest

import orion_builder
import simulated
from plimsoll.dialects.foreign._orion_histogram import Latencies, read_latencies, spreads
from plimsoll.dialects.foreign._orion_lines import Lines
from plimsoll.dialects.orion.grid import LAYOUTS, Layout
from plimsoll.dialects.orion.histogram_text import cumulative_rows, hist_txt, histogram, plain_rows
from plimsoll.facts import Point
from plimsoll.flows.orion import prepare, run_orion
from plimsoll.requests.orion import OrionRequest

FIXTURES = Path(__file__).parent / "fixtures"
TO_END = 1 << 28


def test_the_cumulative_form_is_as_published() -> None:
    edges = [32, 64, 128, 256, 512, 1024, 2048, 4096, TO_END]
    reads = [0, 1, 1112243, 102320, 5434, 405, 259, 2, 0]
    assert cumulative_rows(edges, reads, [0] * 9) == (FIXTURES / "11.1" / "histogram.txt").read_text()


def test_the_plain_form_is_as_published() -> None:
    edges = [2**power for power in range(1, 29)]
    counts = {64: 10, 128: 364355, 256: 90531, 512: 4281, 1024: 2444, 2048: 244, 4096: 38, 8192: 8}
    reads = [counts.get(edge, 0) for edge in edges]
    assert plain_rows(edges, reads, [0] * 28) == (FIXTURES / "12.1" / "histogram.txt").read_text()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Point, ...]:
    """Points of a simulated device with reads and writes of both sizes."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "t.lun").write_text("sim:mean=100us,servers=4\n")
    line = (
        f"-run advanced -testname {folder / 't'} -duration 1 -write 30 -matrix max -num_small 1 -num_large 1"
    )
    with simulated.context(folder / "journals") as ctx:
        written = run_orion(ctx, prepare(ctx, OrionRequest(tuple(line.split()))))
    assert written.run.calibration is not None
    return written.run.calibration.points


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_io_is_in_one_row(mixed: tuple[Point, ...], layout: Layout) -> None:
    both = next(point for point in mixed if point.small_depth and point.large_depth)
    assert both.cell is not None
    for size in ("small", "large"):
        rows = [line.split("us:")[1].replace("(", " ").replace(")", " ").split() for line in
                histogram(both, size, layout).splitlines()[2:]]  # fmt: skip
        second = 3 if layout == "11.1" else 1
        reads, writes = (
            sum(int(row[0]) for row in rows),
            sum(int(row[second - (layout == "11.1")]) for row in rows),
        )
        ios = {io.name: io.ios for io in both.cell.classes}
        assert (reads, writes) == (ios[f"{size}_read"], ios[f"{size}_write"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_point_has_a_histogram_for_each_size_that_it_has(mixed: tuple[Point, ...], layout: Layout) -> None:
    headings = [line for line in hist_txt(mixed, layout).splitlines() if "Histogram @" in line]
    assert headings == [
        "Small Read / Write Latency Histogram @ Small=1 and Large=0",
        "Large Read / Write Latency Histogram @ Small=0 and Large=1",
        "Small Read / Write Latency Histogram @ Small=1 and Large=1",
        "Large Read / Write Latency Histogram @ Small=1 and Large=1",
    ]


def test_averages_alone_make_no_histogram() -> None:
    assert hist_txt(orion_builder.published().found.points, "11.1") == ""


def test_the_first_row_of_the_plain_form_holds_what_is_below_two_microseconds(
    mixed: tuple[Point, ...],
) -> None:
    cell = mixed[0].cell
    assert cell is not None
    read = next(io.latency_us for io in cell.classes if io.name == "small_read")
    assert read.min is not None
    assert read.min < 2
    first = histogram(mixed[0], "small", "12.1").splitlines()[2]
    assert first.startswith("        0 - 1 ")
    assert int(first.split("us:")[1].split()[0]) > 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read_back(mixed: tuple[Point, ...], layout: Layout) -> None:
    lines = Lines(Path("t_hist.txt"), tuple(hist_txt(mixed, layout).split("\n")))
    told = spreads(Latencies((), ()), read_latencies(lines))
    for point in mixed:
        assert point.cell is not None
        counted = {io.name: io.ios for io in point.cell.classes if io.ios}
        assert {one.name: one.ios for one in told[point.small_depth, point.large_depth]} == counted
