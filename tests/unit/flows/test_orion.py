"""`plimsoll orion` from the .lun file to the files, on simulated devices in virtual time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import simulated
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.facts import Event, Remark, Run
from plimsoll.flows.orion import Written, prepare, run_orion
from plimsoll.requests.orion import OrionRequest

SIM = "sim:mean=100us,servers=4"


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    monkeypatch.chdir(tmp_path)
    Path("orion.lun").write_text(f"{SIM}\n")
    with simulated.context(tmp_path / "journals") as made:
        yield made


def written(ctx: Context, line: str) -> Written:
    return run_orion(ctx, prepare(ctx, OrionRequest(tuple(line.split()))))


def text(of: Written, ending: str) -> str:
    return next(path for path in of.files if path.name.endswith(ending)).read_text()


def spots(run: Run) -> list[tuple[int, int]]:
    assert run.calibration is not None
    return [(point.small_depth, point.large_depth) for point in run.calibration.points]


@pytest.mark.parametrize(
    ("line", "minutes"),
    [
        ("-run simple", 9),
        ("-run normal", 19),
        ("-run simple -num_disks 6", 44),
        ("-run simple -duration 1", 1),
        ("-run simple -duration 600", 90),
    ],
)
def test_the_minutes_are_announced_as_the_original_does(ctx: Context, line: str, minutes: int) -> None:
    assert prepare(ctx, OrionRequest(tuple(line.split()))).minutes == minutes


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-run simple", [(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (0, 1), (0, 2)]),
        ("-run oltp", [(small, 0) for small in range(1, 21)]),
        ("-run dss", [(0, large) for large in range(1, 16)]),
        ("-run advanced -matrix point -num_small 3 -num_large 2", [(3, 2)]),
        ("-run advanced -matrix row -num_large 2", [(small, 2) for small in range(6)]),
        ("-run advanced -matrix col -num_small 2", [(2, large) for large in range(3)]),
    ],
)
def test_the_points_of_a_run_are_measured(ctx: Context, line: str, expected: list[tuple[int, int]]) -> None:
    assert spots(written(ctx, f"{line} -duration 1").run) == expected


def test_the_run_is_stored_with_what_was_asked(ctx: Context) -> None:
    words = "-run advanced -matrix point -num_small 2 -num_large 1 -size_small 4 -size_large 256 -duration 1 -num_disks 3"
    run = written(ctx, words).run
    assert ctx.store.load("latest") == run
    found = run.calibration
    assert found is not None
    assert (found.shape, found.matrix, found.disks, found.duration_s) == ("custom", "point", 3, 1.0)
    assert (found.small_bytes, found.large_bytes, found.large_pattern) == (4096, 262144, "random")


def test_streams_and_writes_reach_the_engine(ctx: Context) -> None:
    words = "-run advanced -type seq -num_streamIO 2 -write 50 -matrix point -num_small 0 -num_large 2 -duration 1 -cache_size 0"
    run = written(ctx, words).run
    assert run.calibration is not None
    (point,) = run.calibration.points
    assert point.cell is not None
    ops = {io.name: io.op for io in point.cell.classes}
    assert ops == {"large_read": "read", "large_write": "write"}
    assert (run.calibration.streams_depth, run.calibration.write_share) == (2, 0.5)


def test_the_files_say_what_the_run_found(ctx: Context) -> None:
    made = written(ctx, "-run simple -duration 1")
    assert made.run.calibration is not None
    best = made.run.calibration.max_small_iops
    assert best is not None
    assert f"Maximum Small IOPS={best.value:.0f} @ Small={best.small_depth} and Large=0" in text(
        made, "summary.txt"
    )
    assert "Total Data Points: 8\n" in text(made, "summary.txt")
    assert f"Name: {SIM}  Size: {1 << 40}\n1 FILEs found.\n" in text(made, "summary.txt")
    assert text(made, "trace.txt").count("\n") == 7
    assert text(made, "hist.txt").count("Histogram @") == 7


def test_a_megabyte_is_that_of_the_original(ctx: Context) -> None:
    """A large I/O of 1024 KB is 1 MB: a constant 1 ms each makes 1000 of them a second, one at a time."""
    Path("orion.lun").write_text("sim:law=constant,mean=1ms\n")
    made = written(ctx, "-run dss -duration 1")
    assert "\n          1,1000.00\n" in text(made, "mbps.csv")


def test_the_trace_is_told_as_it_grows(ctx: Context) -> None:
    lines: list[str] = []
    made = run_orion(ctx, prepare(ctx, OrionRequest(("-run", "simple", "-duration", "1"))), lines.append)
    assert "".join(f"{line}\n" for line in lines) == text(made, "trace.txt")


def test_an_interrupted_test_keeps_what_it_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orion.lun").write_text(f"{SIM}\n")
    seen: list[Event] = []

    def stop_after_two(event: Event) -> None:
        seen.extend([event] if isinstance(event, Remark) else [])
        if len(seen) == 2:
            ctx.cancel.set()

    with simulated.context(tmp_path / "journals", stop_after_two) as ctx:
        made = written(ctx, "-run simple -duration 1")
    assert made.run.interrupted
    row = text(made, "iops.csv").splitlines()[1]
    assert row.count(",") == 2
    assert "Total Data Points: 8" in text(made, "summary.txt")


def test_nothing_is_measured_where_the_files_cannot_go(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        prepare(ctx, OrionRequest(("-run", "simple"), output_dir=str(tmp_path / "none")))
    assert caught.value.id == "orion-output-missing"


def test_a_second_test_in_the_same_minute_leaves_the_first_alone(ctx: Context) -> None:
    first = written(ctx, "-run simple -duration 1")
    kept = [path.read_bytes() for path in first.files]
    second = written(ctx, "-run simple -duration 1")
    assert not {*first.files} & {*second.files}
    assert [path.read_bytes() for path in first.files] == kept


def test_a_file_that_is_not_ours_is_not_written_to(ctx: Context, tmp_path: Path) -> None:
    """-write goes through the same gate as every other verb's writes."""
    data = tmp_path / "data"
    data.write_bytes(b"precious" * (8 << 20))
    Path("orion.lun").write_text(f"{data}\n")
    with pytest.raises(PlimsollError) as caught:
        written(ctx, "-run oltp -write 50 -duration 1")
    assert caught.value.id == "foreign-file-refused"
    assert data.read_bytes() == b"precious" * (8 << 20)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "orion.lun"]


def test_a_run_whose_files_cannot_be_written_is_not_lost(ctx: Context) -> None:
    test = prepare(ctx, OrionRequest(("-run", "simple", "-duration", "1")))
    Path(f"{test.prefix.name}_lat.csv").write_text("somebody was faster")
    with pytest.raises(PlimsollError) as caught:
        run_orion(ctx, test)
    assert caught.value.id == "orion-output-refused"
    assert ctx.store.load("latest").id in (caught.value.hint or "")
