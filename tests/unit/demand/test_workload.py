"""The rules by which an interval becomes a mix: nothing is dropped in silence, rates are kept, sizes are whole blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_snapshots import START, database
from plimsoll.demand.workload import ASSUMED_LARGE_BYTES, LARGE_BYTES_MAX, of_interval, workload_of
from plimsoll.facts import ClassDemand, Demand, DemandInterval, Flush, Plan, PlanGroup
from plimsoll.facts.demand import DemandClassName
from plimsoll.host.filesystems import file_system
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Wish, on_opened, opened
from simulated import context

KIB = 1024


def interval(**classes: ClassDemand) -> DemandInterval:
    named: dict[DemandClassName, ClassDemand] = dict(classes)  # type: ignore[arg-type]
    return DemandInterval(
        begin_time=START, end_time=START, duration_s=1.0, classes=named, iops=None, mb_per_s=None
    )


def asked(ops: float | None, size: float, syncs: float | None = None) -> ClassDemand:
    return ClassDemand(ops_per_s=ops, bytes_per_s=(ops or 0) * size, syncs_per_s=syncs, source="counters")


def test_each_class_by_its_rule() -> None:
    mix = of_interval(
        interval(
            small_read=asked(1000, 8192),
            large_read=asked(50, 100 * KIB),
            small_write=asked(300, 8293),
            large_write=asked(0, 0),
            redo_write=asked(400, 9000, syncs=200),
            temp_write=asked(10, 8192),
        ),
        database(),
    )
    assert mix.workload is not None
    found = {io.name: io for io in mix.workload.classes}
    assert set(found) == {"small_read", "large_read", "small_write", "redo_write", "temp_write"}
    assert (found["small_read"].pattern, found["small_read"].block_bytes, found["small_read"].weight) == (
        "random",
        8192,
        1000,
    )
    assert (found["large_read"].pattern, found["large_read"].block_bytes) == ("sequential", 104 * KIB)
    writes = found["small_write"]
    assert (writes.op, writes.block_bytes, writes.weight) == ("write", 8192, pytest.approx(300 * 8293 / 8192))
    redo = found["redo_write"]
    assert redo.flush == Flush(every=1, call="fdatasync")
    assert (redo.pattern, redo.sync, redo.weight, redo.block_bytes) == (
        "sequential",
        False,
        pytest.approx(200 * 18000 / 16384),
        16384,
    )
    assert mix.iops == pytest.approx(1000 + 50 + 300 * 8293 / 8192 + 200 * 18000 / 16384 + 10)


@pytest.mark.parametrize(
    ("method", "sync", "flush"),
    [
        ("fdatasync", False, Flush(every=1, call="fdatasync")),
        ("fsync", False, Flush(every=1, call="fsync")),
        ("open_datasync", True, None),
        ("open_sync", True, None),
        (None, True, None),
    ],
)
def test_a_log_is_forced_as_the_server_does_it(method: str | None, sync: bool, flush: Flush | None) -> None:
    server = database()
    settings = {name: value for name, value in server.settings.items() if name != "wal_sync_method"}
    settings |= {"wal_sync_method": method} if method else {}
    server = server.model_copy(update={"settings": settings})
    mix = of_interval(interval(redo_write=asked(100, 8192, syncs=100)), server)
    assert mix.workload is not None
    (redo,) = mix.workload.classes
    assert (redo.sync, redo.flush) == (sync, flush)


@pytest.mark.parametrize("method", ["fdatasync", "fsync", "open_datasync"])
def test_each_way_of_forcing_is_driven_on_a_real_file(tmp_path: Path, method: str) -> None:
    """Each write waits until it is on stable storage."""
    mounted = file_system(tmp_path)
    if mounted is None or mounted.kind in ("tmpfs", "ramfs"):
        pytest.skip("forcing a file in memory takes no time")
    server = database()
    server = server.model_copy(update={"settings": {**server.settings, "wal_sync_method": method}})
    mix = of_interval(interval(redo_write=asked(100, 8192, syncs=100)), server)
    assert mix.workload is not None
    with (
        context(tmp_path) as ctx,
        opened(ctx, Wish(str(tmp_path), 8 << 20, writes=True, direct=False)) as made,
    ):
        plan = on_opened(Plan(groups=(PlanGroup.of(mix.workload, "psync"),), direct=False, ios_max=50), made)
        cell = measure(plan, made.permits, ctx.cancel, lambda live: None)
    assert (cell.ios, cell.errors) == (50, 0)
    forced = cell.classes[0].latency_us.p50
    with (
        context(tmp_path) as ctx,
        opened(ctx, Wish(str(tmp_path), 8 << 20, writes=True, direct=False)) as made,
    ):
        free = mix.workload.classes[0].model_copy(update={"sync": False, "flush": None})
        group = PlanGroup(name="free", engine="psync", classes=(free,))
        plan = on_opened(Plan(groups=(group,), direct=False, ios_max=50), made)
        unforced = measure(plan, made.permits, ctx.cancel, lambda live: None)
    assert forced is not None
    assert unforced.latency_us.p50 is not None
    assert forced > 2 * unforced.latency_us.p50, "a write that is forced is no write to memory"


def test_a_log_is_forced_little_more_often_than_it_was() -> None:
    mix = of_interval(interval(redo_write=asked(200, 11_000, syncs=200)), database())
    assert mix.workload is not None
    (redo,) = mix.workload.classes
    assert (redo.weight, redo.block_bytes) == (200, 16384)


def test_a_log_that_is_never_forced_is_plain_writing() -> None:
    mix = of_interval(interval(redo_write=asked(40, 64 * KIB, syncs=0)), database())
    assert mix.workload is not None
    (redo,) = mix.workload.classes
    assert (redo.sync, redo.weight, redo.block_bytes) == (False, 40, 64 * KIB)


def test_unknown_rates_are_named() -> None:
    unknown = ClassDemand(ops_per_s=None, bytes_per_s=None, source="not told apart")
    mix = of_interval(
        interval(small_read=asked(10, 8192), large_read=unknown, temp_read=unknown), database(15)
    )
    assert [note.message.split()[0] for note in mix.notes if note.code == "class-unknown"] == [
        "large_read",
        "temp_read",
    ]
    unsized = ClassDemand(ops_per_s=900.0, bytes_per_s=None, source="counters")
    none = of_interval(interval(small_read=unsized), database(15))
    assert [note.code for note in none.notes] == ["class-unknown", "demand-unknown"]
    assert none.notes[0].message == "small_read is not in the mix: its size is unknown (counters)"


def test_requests_that_moved_no_bytes_have_no_size() -> None:
    none = of_interval(interval(small_read=asked(500, 0), large_write=asked(9, 0)), database())
    assert none.workload is None
    assert "for 500 I/Os per second moved no bytes" in none.notes[0].message
    assert [note.code for note in none.notes] == ["class-unknown", "class-unknown", "demand-unknown"]


def test_bytes_without_requests_get_an_assumed_size() -> None:
    large = ClassDemand(ops_per_s=None, bytes_per_s=10.0 * ASSUMED_LARGE_BYTES, source="pg_stat_io")
    mix = of_interval(interval(large_read=large), database(17))
    assert mix.workload is not None
    assert (mix.workload.classes[0].block_bytes, mix.iops) == (ASSUMED_LARGE_BYTES, 10)
    assert [note.code for note in mix.notes] == ["large-size-assumed"]


def test_huge_requests_are_several() -> None:
    mix = of_interval(interval(large_write=asked(2, 16 * LARGE_BYTES_MAX)), database())
    assert mix.workload is not None
    assert (mix.workload.classes[0].block_bytes, mix.iops) == (LARGE_BYTES_MAX, 32)
    (note,) = mix.notes
    assert (note.code, "4 MiB where 64 MiB each were counted" in note.message) == ("requests-split", True)
    whole = of_interval(interval(large_write=asked(2, LARGE_BYTES_MAX)), database())
    assert (whole.iops, whole.notes) == (2, ()), "driven as one request, as it was made"


def test_bytes_far_off_are_said() -> None:
    mix = of_interval(interval(redo_write=asked(100, 700, syncs=100)), database())
    assert [note.code for note in mix.notes] == ["bytes-off"], "redo is written in whole pages indeed"
    reads = of_interval(interval(small_read=asked(3000, 512)), database())
    (note,) = reads.notes
    assert (note.code, note.message) == (
        "sizes-up",
        "in whole blocks the mix moves 24.6 MB/s where 1.54 MB/s were counted",
    )
    both = of_interval(
        interval(redo_write=asked(100, 700, syncs=100), small_read=asked(3000, 8000)), database()
    )
    assert both.notes == (), "a page more of redo among many reads"


def test_an_idle_database_and_one_of_which_nothing_is_known() -> None:
    idle = of_interval(interval(small_read=asked(0, 0)), database())
    assert (idle.workload, idle.iops, idle.notes[-1].code) == (None, None, "demand-none")
    gap = interval().model_copy(update={"gap": "the server was restarted"})
    lost = workload_of(Demand(database=database(), resolution_s=1, intervals=(gap,), peak=None, mean=None))
    assert lost.workload is None
    assert "restarted" in lost.notes[-1].message


@given(
    st.floats(0.1, 1e6),
    st.floats(512, 4e6),
    st.sampled_from(["small_read", "large_read", "small_write", "temp_write", "redo_write"]),
    st.sampled_from([None, 0.3, 1.0]),
)
def test_neither_rates_nor_bytes_are_less_than_asked(
    ops: float, size: float, name: str, forced: float | None
) -> None:
    wanted = asked(ops, size, None if forced is None else forced * ops)
    mix = of_interval(interval(**{name: wanted}), database())
    assert mix.workload is not None
    assert mix.iops is not None
    (io,) = mix.workload.classes
    rate = (wanted.syncs_per_s or ops) if name == "redo_write" else ops
    assert io.block_bytes % 8192 == 0
    assert mix.iops >= rate * (1 - 1e-9)
    assert mix.iops * io.block_bytes >= ops * size * (1 - 1e-8)
    assert mix.iops == pytest.approx(rate) or mix.iops * io.block_bytes == pytest.approx(ops * size)
    assert mix.iops * io.block_bytes <= ops * size + rate * 8192 * 1.01
