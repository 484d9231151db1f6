"""The rules by which an interval becomes a mix: nothing is dropped in silence, rates are kept, sizes are whole blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demand_snapshots import START, database
from plimsoll.demand.workload import ASSUMED_LARGE_BYTES, LARGE_BYTES_MAX, of_interval, workload_of
from plimsoll.facts import ClassDemand, Demand, DemandInterval
from plimsoll.facts.demand import DemandClassName

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
    assert (redo.pattern, redo.sync, redo.weight, redo.block_bytes) == (
        "sequential",
        True,
        pytest.approx(200 * 18000 / 16384),
        16384,
    )
    assert mix.iops == pytest.approx(1000 + 50 + 300 * 8293 / 8192 + 200 * 18000 / 16384 + 10)


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


def test_bytes_far_off_are_said() -> None:
    mix = of_interval(interval(redo_write=asked(100, 700, syncs=100)), database())
    assert "bytes-off" in [note.code for note in mix.notes]


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
