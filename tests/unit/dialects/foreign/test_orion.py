"""The reader of ORION's files: published layouts, what breaks them, and the way there and back."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import orion_builder
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign.orion import READER
from plimsoll.dialects.orion.files_write import ENDINGS, write_files
from plimsoll.dialects.orion.grid import LAYOUTS, Layout
from plimsoll.facts import Calibration, LatencyBucket, PointSpread

FIXTURES = Path(__file__).parents[1] / "orion" / "fixtures"
OLD, NEW = FIXTURES / "11.1", FIXTURES / "12.1"
MB = 1.048576
SUMMARY = (OLD / "mytest_20100305_1230_summary.txt").read_text()


def read(path: Path) -> tuple[Imported, Calibration]:
    assert READER.recognises(path)
    found = READER.read(path)
    assert found.calibration is not None
    return found, found.calibration


def error(path: Path) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught:
        READER.read(path)
    assert caught.value.hint
    return caught.value


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the published files of 11.1, to be broken."""
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def changed(file: Path, was: str, now: str) -> Path:
    text = file.read_text()
    assert was in text
    file.write_text(text.replace(was, now, 1))
    return file


def test_11_1_is_read() -> None:
    found, calibration = read(OLD / "mytest_20100305_1230_summary.txt")
    assert (found.tool, found.tool_version) == ("orion", "ORION 11.1.0.7.0")
    assert found.title == "simple test mytest of 2010-03-05 12:30"
    assert [(target.path, target.kind, target.span_bytes) for target in found.targets] == [
        ("/dev/vdb", "device", 21474836480)
    ]
    assert (calibration.shape, calibration.matrix, calibration.disks) == ("simple", "basic", 1)
    assert (calibration.small_bytes, calibration.large_bytes, calibration.duration_s) == (8192, 1048576, 60)
    assert (calibration.large_pattern, calibration.write_share) == ("random", 0)
    assert (calibration.small_depths, calibration.large_depths) == ((0, 1, 2, 3, 4, 5), (0, 1, 2))
    small = {
        p.small_depth: (p.small_iops, p.small_latency_us_mean) for p in calibration.points if p.small_depth
    }
    assert small == {1: (2302, 430), 2: (4398, 450), 3: (5450, 550), 4: (6006, 670), 5: (6210, 800)}
    large = {p.large_depth: p.large_mb_per_s for p in calibration.points if p.large_depth}
    assert large == pytest.approx({1: 271.58 * MB, 2: 374.26 * MB})
    assert calibration.max_small_iops is not None
    assert (calibration.max_small_iops.value, calibration.max_small_iops.small_depth) == (6210, 5)
    assert calibration.min_small_latency_us is not None
    assert calibration.min_small_latency_us.value == 430
    assert found.notes == ()


def test_averages_are_no_distributions_and_have_a_knee_all_the_same() -> None:
    """Rate ÷ mean latency is 9.8 with two outstanding, 9.9 with three and 9.0 with four."""
    _, calibration = read(OLD / "mytest_20100305_1230_iops.csv")
    assert all(point.cell is None for point in calibration.points)
    knee = calibration.knee
    assert knee is not None
    assert (knee.small_depth, knee.iops) == (3, pytest.approx(5450))
    assert knee.latency_us_mean == pytest.approx(550)
    assert knee.iops_range is None, "each load was measured once"


def test_12_1_is_read() -> None:
    found, calibration = read(NEW / "test1_20130722_0953_lat.csv")
    assert (calibration.shape, calibration.matrix, calibration.disks) == ("oltp", "row", 1)
    assert calibration.small_depths == tuple(range(1, 21))
    assert [(p.small_depth, p.small_iops, p.small_latency_us_mean) for p in calibration.points] == [
        (1, 7698, 123.58),
        (17, 9899, 1711.4),
    ]
    assert calibration.max_large_mb_per_s is None
    assert found.notes == ()


def spreads_of(calibration: Calibration) -> dict[tuple[int, str], PointSpread]:
    return {(p.small_depth, spread.name): spread for p in calibration.points for spread in p.spreads}


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The summary of 12.1 with the histogram that ends it."""
    shutil.copytree(NEW, tmp_path / "new")
    summary = tmp_path / "new" / "test1_20130722_0953_summary.txt"
    summary.write_text(summary.read_text() + (NEW / "histogram.txt").read_text())
    return summary


def test_12_1_tells_moments_and_a_histogram_without_a_label(whole: Path) -> None:
    """The histogram stands behind the line of the least latency, 41 to 4,496 µs, and counts 7,698 a second over 60 seconds."""
    found = spreads_of(read(whole)[1])
    assert sorted(found) == [(1, "small_read"), (17, "small_read")]
    least, most = found[1, "small_read"], found[17, "small_read"]
    assert (most.mean_us, most.min_us, most.max_us, most.stddev_us) == (1711, 791, 12316, 454)
    assert (most.ios, most.buckets, most.bound_us(0.5)) == (None, (), None)
    assert (least.ios, least.min_us, least.max_us) == (461_911, 41, 4496)
    assert least.buckets[0] == LatencyBucket(low_us=32, high_us=64, ios=10)
    assert least.buckets[-1] == LatencyBucket(low_us=4096, high_us=8192, ios=8)
    assert (least.bound_us(0.5), least.bound_us(0.99), least.bound_us(1)) == (128, 512, 8192)


def test_a_histogram_under_the_label_of_another_point_goes_to_its_own(whole: Path) -> None:
    """12.1 gave the histogram of the least latency the label of the most IOPS."""
    heading = "Small Read / Write Latency Histogram @ Small={} and Large=0\n        Latency:                # of IOs"
    changed(whole, "        Latency:                # of IOs", heading.format(17))
    found = spreads_of(read(whole)[1])
    assert (found[1, "small_read"].ios, found[17, "small_read"].ios) == (461_911, None)
    changed(whole, "Histogram @ Small=17", "Histogram @ Small=3")
    changed(whole, "min=41 us", "min=400 us")
    found = spreads_of(read(whole)[1])
    assert found[3, "small_read"].ios == 461_911, "where nothing contradicts the label, it holds"


LATER = """
Minimum Small Latency=0.43 @ Small=1 and Large=0
Small Read Latency: avg=97.677 us, min=63.652 us, max=2133.198 us, std dev=47.348 us @ Small=1 and Large=0
Small Write Latency: avg=99.001 us, min=70.000 us, max=200.000 us, std dev=1.000 us @ Small=1 and Large=0
Small Read / Write Latency Histogram @ Small=1 and Large=0
        Latency:                         # of IOs (read)          # of IOs (write)
        0 - 32         us:               0 (  0.00%)              0 (  0.00%)
       32 - 64         us:              10 (  1.00%)              0 (  0.00%)
       64 - 128        us:             980 ( 99.00%)              5 ( 50.00%)
      128 - 268435456  us:              10 (100.00%)              5 (100.00%)
"""


def test_cumulative_histograms_of_reads_and_writes_are_read(old: Path) -> None:
    summary = old / "mytest_20100305_1230_summary.txt"
    changed(summary, "Minimum Small Latency=0.43 @ Small=1 and Large=0\n", LATER)
    found = spreads_of(read(summary)[1])
    reads, writes = found[1, "small_read"], found[1, "small_write"]
    assert (reads.ios, reads.mean_us, writes.ios) == (1000, 97.677, 10)
    assert [(bucket.low_us, bucket.high_us, bucket.ios) for bucket in writes.buckets] == [
        (64, 128, 5),
        (128, 268435456, 5),
    ]


def test_hist_txt_tells_every_point(old: Path) -> None:
    text = "".join(
        f"{size} Read / Write Latency Histogram @ Small={small} and Large={large}\n"
        "        Latency:                # of IOs (read)          # of IOs (write)\n"
        f"        0 - 1           us:             {small}                       0\n"
        f"        2 - 4           us:             {large}                       7\n\n"
        for size, small, large in (("Small", 5, 0), ("Large", 0, 2))
    )
    (old / "mytest_20100305_1230_hist.txt").write_text("Contains histograms.\n\n" + text)
    found, calibration = read(old)
    assert old / "mytest_20100305_1230_hist.txt" in found.files
    told = {(p.small_depth, p.large_depth): p.spreads for p in calibration.points if p.spreads}
    assert [(spread.name, spread.ios) for spread in told[5, 0]] == [("small_read", 5), ("small_write", 7)]
    assert told[5, 0][0].buckets == (LatencyBucket(low_us=0, high_us=2, ios=5),)
    assert [(spread.name, spread.ios) for spread in told[0, 2]] == [("large_read", 2), ("large_write", 7)]


@pytest.mark.parametrize(
    ("was", "now", "reason"),
    [
        (
            "64 - 128         us:             364355",
            "64 - 128         us:             x",
            "as a row of a histogram",
        ),
        ("64 - 128 ", "16 - 128 ", "does not rise"),
        ("avg=124 us", "avg=? us", "as mean, least and largest latency"),
    ],
)
def test_a_torn_histogram_is_said_with_its_line(was: str, now: str, reason: str, whole: Path) -> None:
    found = error(changed(whole, was, now))
    assert found.id == "orion-unreadable"
    assert reason in found.message
    assert f"{whole}:" in found.message


def test_columns_that_a_printer_folded_are_read(tmp_path: Path) -> None:
    shutil.copytree(NEW, tmp_path / "new")
    summary = tmp_path / "new" / "test1_20130722_0953_summary.txt"
    changed(summary, ",     10", ",\n10")
    for name in ("iops", "lat", "mbps"):
        (tmp_path / "new" / f"test1_20130722_0953_{name}.csv").unlink()
    _, calibration = read(summary)
    assert calibration.small_depths == tuple(range(1, 21))


@pytest.mark.parametrize(
    "name",
    ["_summary.txt", "_iops.csv", "_mbps.csv", "_lat.csv", "_hist.txt", ""],
    ids=lambda name: name or "beginning",
)
def test_a_test_is_found_by_any_of_its_names(name: str, old: Path) -> None:
    (old / "mytest_20100305_1230_hist.txt").write_text("")
    by_name, by_folder = READER.read(old / f"mytest_20100305_1230{name}"), READER.read(old)
    assert READER.recognises(old / f"mytest_20100305_1230{name}")
    assert READER.recognises(old)
    assert by_name == by_folder


def test_a_summary_alone_tells_its_best_points(tmp_path: Path) -> None:
    """As people paste them into a page: no other file, and a name of its own."""
    paste = tmp_path / "paste.txt"
    paste.write_text(
        SUMMARY.replace("374.26", "1554.54")
        .replace("6210", "19019")
        .replace("0.43 @ Small=1", "0.26 @ Small=5")
    )
    found, calibration = read(paste)
    spots = [
        (p.small_depth, p.large_depth, p.small_iops, p.small_latency_us_mean) for p in calibration.points
    ]
    assert spots == [(5, 0, 19019, 260), (0, 2, None, None)]
    assert calibration.points[1].large_mb_per_s == pytest.approx(1554.54 * MB)
    assert [note.code for note in found.notes] == ["orion-files-missing"]


def test_latency_has_the_unit_that_the_file_says(old: Path) -> None:
    """11.2 writes microseconds, with `usecs` in the summary, also where its tables have no paragraph."""
    summary = changed(old / "mytest_20100305_1230_summary.txt", "0.43 @", "430.00 usecs @")
    changed(old / "mytest_20100305_1230_lat.csv", "   0.43", " 430.00")
    found, calibration = read(summary)
    assert calibration.points[0].small_latency_us_mean == 430
    assert found.notes == ()


@pytest.mark.parametrize(("version", "us"), [("10.2.0.1.0", 430), ("11.2.0.4.0", 0.43), ("19.3.0.0.0", 0.43)])
def test_without_any_unit_the_version_tells(version: str, us: float, old: Path) -> None:
    summary = changed(old / "mytest_20100305_1230_summary.txt", "11.1.0.7.0", version)
    changed(summary, "Minimum Small Latency=0.43 @ Small=1 and Large=0\n", "")
    assert read(summary)[1].points[0].small_latency_us_mean == us


def test_windows_files_are_read(old: Path) -> None:
    for file in old.iterdir():
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    changed(old / "mytest_20100305_1230_summary.txt", "/dev/vdb", "\\\\.\\D:")
    found, calibration = read(old)
    assert len(calibration.points) == 7
    assert (found.targets[0].path, found.targets[0].kind) == ("\\\\.\\D:", "device")


def test_lines_of_later_versions_are_no_obstacle(old: Path) -> None:
    summary = old / "mytest_20100305_1230_summary.txt"
    spread = "Small Read Latency: avg=169.594 us, min=128.415 us, max=1924.721 us, std dev=13.566 us @ Small=10 and Large=0\n"
    summary.write_text(summary.read_text() + spread + (OLD / "histogram.txt").read_text())
    assert len(read(summary)[1].points) == 7 + 1, "a point that only the latencies name is one all the same"


def test_files_that_do_not_belong_together_are_noted(old: Path) -> None:
    changed(old / "mytest_20100305_1230_iops.csv", "6210", "6211")
    assert [note.code for note in read(old)[0].notes] == ["orion-files-differ"]


@pytest.mark.parametrize(
    ("file", "was", "now", "said"),
    [
        ("iops.csv", "Large/Small", "Small", "no line begins with Large/Small"),
        ("iops.csv", "Large/Small,      1", "Large/Small1", "iops.csv:1: cannot read 'Large/Small1"),
        ("iops.csv", "      2,", "      x,", "iops.csv:1: cannot read 'x'"),
        ("iops.csv", "      2,", "      1,", "iops.csv:1: the loads of the header do not rise"),
        ("iops.csv", "   4398", "   -398", "iops.csv:2: cannot read '-398' as a value"),
        ("iops.csv", "   4398", "    nan", "iops.csv:2: cannot read 'nan' as a value"),
        ("iops.csv", "   6210", "   6210,      1", "iops.csv:2: 6 values, but the header has 5"),
        ("iops.csv", "          2\n", "          1\n", "iops.csv:4: a second row for 1 large"),
        ("iops.csv", "          2\n", "        two\n", "iops.csv:4: cannot read 'two'"),
        ("summary.txt", "ORION VERSION", "VERSION", "first line does not begin with ORION VERSION"),
        ("summary.txt", "8 KB", "8 bytes", "summary.txt:8: cannot read '8 bytes'"),
        ("summary.txt", "Small IO size: 8 KB\n", "", "no line 'Small IO size: …'"),
        ("summary.txt", "Write: 0%", "Write: some", "summary.txt:12: cannot read 'some'"),
        ("summary.txt", "60 seconds", "soon", "summary.txt:14: cannot read 'soon'"),
        ("summary.txt", "-run simple", "-run wild", "summary.txt:4: the command line does not say which run"),
        ("summary.txt", "-num_disks 1", "-num_disks ?", "summary.txt:4: cannot read the value of -num_disks"),
        (
            "summary.txt",
            "-run simple",
            "-run advanced -matrix odd",
            "summary.txt:4: the command line names a matrix",
        ),
        ("summary.txt", "Small=5", "Small=?", "summary.txt:23: cannot read 'Maximum Small IOPS=6210"),
        ("summary.txt", "Size: 2", "Size: ?", "summary.txt:19: cannot read 'Name: /dev/vdb"),
        (
            "summary.txt",
            "Large Columns:,      0",
            "Large Columns:,      ?",
            "summary.txt:16: cannot read '?'",
        ),
    ],
)
def test_what_is_broken_is_said_with_file_and_line(
    file: str, was: str, now: str, said: str, old: Path
) -> None:
    changed(old / f"mytest_20100305_1230_{file}", was, now)
    caught = error(old / "mytest_20100305_1230_summary.txt")
    assert caught.id == "orion-unreadable"
    assert said in caught.message


def test_without_a_summary_nobody_knows_what_the_figures_are_of(old: Path) -> None:
    (old / "mytest_20100305_1230_summary.txt").unlink()
    table = old / "mytest_20100305_1230_iops.csv"
    assert READER.recognises(table)
    assert not READER.recognises(old)
    caught = error(table)
    assert caught.id == "orion-summary-missing"
    assert "mytest_20100305_1230_summary.txt" in caught.message
    assert error(old).id == "orion-summary-missing"


def test_of_several_tests_in_a_folder_one_must_be_named(old: Path) -> None:
    (old / "other_20110101_0000_summary.txt").write_text(SUMMARY)
    caught = error(old)
    assert caught.id == "orion-tests-several"
    assert "other_20110101_0000_summary.txt" in (caught.hint or "")


@pytest.mark.parametrize("text", ["", "{}", "Name,Value\n1,2\n", "\0\0"])
def test_what_is_something_else_is_not_recognised(text: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    assert not READER.recognises(file)
    assert not READER.recognises(tmp_path)
    assert not READER.recognises(tmp_path / "none")


@pytest.mark.parametrize(
    "line", ["1" * 500_000 + "x", "Name:" + " " * 500_000, "1\n" * 400_000, "Small Columns:" + ",1" * 200_000]
)
@pytest.mark.parametrize("file", ["summary.txt", "iops.csv"])
def test_long_lines_and_many_lines_are_no_long_wait(file: str, line: str, old: Path) -> None:
    """Within the time limit of a test, and with an error at most."""
    with open(old / f"mytest_20100305_1230_{file}", "a") as target:
        target.write(f"Small Columns:{line}\n{line}\n")
    survives(old)


def test_a_file_beyond_any_measure_is_refused(old: Path) -> None:
    with open(old / "mytest_20100305_1230_iops.csv", "ab") as file:
        file.truncate(17 << 20)
    assert "far larger" in error(old).message


@contextmanager
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as made:
        yield Path(made)


RUNS = (
    "-run simple -num_disks 2",
    "-run normal -num_disks 1",
    "-run oltp -num_disks 3 -write 20",
    "-run dss -testname bulk",
    "-run advanced -matrix row -num_large 3 -size_small 4 -size_large 256 -duration 7",
    "-run advanced -matrix col -num_small 2 -type seq -num_streamIO 8 -simulate raid0",
    "-run advanced -matrix point -num_small 5 -num_large 7 -write 100 -cache_size 64",
    "-run advanced -matrix max -num_small 30 -num_large 4",
    "-run advanced -matrix detailed -num_disks 30",
)
values = st.floats(0.01, 2e6)


@settings(max_examples=60)
@given(line=st.sampled_from(RUNS), layout=st.sampled_from(LAYOUTS), data=st.data())
def test_what_is_written_is_read_back(line: str, layout: Layout, data: st.DataObject) -> None:
    """Equal to half of the last digit that the files print, and to the digit when it is written once more."""
    loads = orion_builder.outcome(line, {}, {}, {}).found
    small = [(s, large) for s in loads.small_depths if s for large in loads.large_depths]
    large = [(s, large) for s in loads.small_depths for large in loads.large_depths if large]
    iops, latency = (data.draw(st.lists(values, min_size=len(small), max_size=len(small))) for _ in range(2))
    mbps = data.draw(st.lists(values, min_size=len(large), max_size=len(large)))
    wrote = orion_builder.outcome(
        line,
        dict(zip(small, iops, strict=True)),
        dict(zip(large, mbps, strict=True)),
        dict(zip(small, latency, strict=True)),
    )
    with folder() as place:
        write_files(place / "t_20260101_0000", wrote, layout)
        got = READER.read(place).calibration
    assert got is not None
    assert settings_of(got) == settings_of(wrote.found)
    unit = 10 if layout == "11.1" else 0.01
    assert len(got.points) == len(wrote.found.points)
    for before, after in zip(wrote.found.points, got.points, strict=True):
        assert (after.small_depth, after.large_depth) == (before.small_depth, before.large_depth)
        assert after.small_iops == within(before.small_iops, 1)
        assert after.small_latency_us_mean == within(before.small_latency_us_mean, unit)
        assert after.large_mb_per_s == within(before.large_mb_per_s, 0.01 * MB)


def within(value: float | None, unit: float) -> object:
    return None if value is None else pytest.approx(value, abs=0.5001 * unit, rel=1e-12)


def settings_of(found: Calibration) -> dict[str, object]:
    """What was asked; a load of 0 alone is no column of the files."""
    asked = found.model_dump(
        include={
            "shape", "matrix", "disks", "small_bytes", "large_bytes", "large_pattern", "write_share", "duration_s",
            "streams_depth",
        }
    )  # fmt: skip
    depths = {name: tuple(d for d in getattr(found, name) if d) for name in ("small_depths", "large_depths")}
    return {**asked, **depths}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reading_and_writing_again_gives_the_same_tables(layout: Layout) -> None:
    first = orion_builder.published()
    with folder() as one, folder() as two:
        before = write_files(one / "t", first, layout)
        again = READER.read(one).calibration
        assert again is not None
        outcome = type(first)(first.testname, first.asked, again, first.targets)
        after = write_files(two / "t", outcome, layout)
        assert [path.read_bytes() for path in after] == [path.read_bytes() for path in before]


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(ENDINGS), st.binary(max_size=300)), st.booleans())
def test_arbitrary_bytes_never_crash_it(contents: dict[str, bytes], headed: bool) -> None:
    with folder() as place:
        for ending, content in contents.items():
            heads = {"summary.txt": b"ORION VERSION 1\n"}
            start = heads.get(ending, b"Large/Small,1,2\n") if headed else b""
            (place / f"t_{ending}").write_bytes(start + content)
        for path in (place, place / "t", *place.iterdir()):
            survives(path)


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), layout=st.sampled_from(("11.1", "12.1")))
def test_mutated_files_never_crash_it(seed: int, layout: str) -> None:
    chance = random.Random(seed)
    with folder() as place:
        for file in (FIXTURES / layout).glob("*_*_*_*"):
            (place / file.name).write_bytes(mutated(file.read_bytes(), chance))
        survives(next(place.glob("*_iops.csv")))


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Some bytes replaced, removed, doubled; often by such as mean something here."""
    out = bytearray(content)
    for _ in range(chance.randrange(4)):
        at, length = chance.randrange(len(out)), chance.randrange(1, 12)
        piece = bytes(
            chance.choice(b"0123456789,.:=@-% \n\0\xff\xb2AeNn") for _ in range(chance.randrange(8))
        )
        out[at : at + length] = chance.choice((piece, out[at : at + length] * 3, b""))
    return bytes(out)


def survives(path: Path) -> None:
    """Either there is a calibration, or an error of one line."""
    READER.recognises(path)
    said = ""
    try:
        assert READER.read(path).calibration is not None
    except PlimsollError as error:
        said = error.message
    assert "\n" not in said


def test_import_finds_a_test_by_folder_and_by_beginning(old: Path) -> None:
    by_folder = foreign.read(old)
    assert by_folder == foreign.read(old / "mytest_20100305_1230")
    assert by_folder.tool == "orion"


def test_import_of_a_folder_without_a_test_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        foreign.read(tmp_path)
    assert caught.value.id == "import-unknown"
