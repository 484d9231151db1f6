"""From a point to the clients that the engine runs: classes, shares of writes, streams and their places apart."""

from __future__ import annotations

import pytest

from plimsoll.facts import Target
from plimsoll.supply.point_load import PointLoad, divided

RANDOM = PointLoad(small_bytes=8192, large_bytes=1 << 20, engine="sim")
STREAMS = PointLoad(
    small_bytes=8192,
    large_bytes=1 << 20,
    engine="sim",
    large_pattern="sequential",
    streams_depth=4,
    write_share=0.3,
)


def target(span_bytes: int, offset_bytes: int = 0) -> Target:
    """A target of some size."""
    return Target(name="t", kind="file", path="/t", span_bytes=span_bytes, offset_bytes=offset_bytes)


def test_a_point_has_a_client_for_each_size_that_it_has() -> None:
    small, large = RANDOM.groups(5, 3)
    assert (small.name, small.jobs, small.depth) == ("small", 1, 5)
    assert (large.name, large.jobs, large.depth) == ("large", 1, 3)
    assert [(io.name, io.block_bytes, io.pattern) for io in small.workload.classes] == [
        ("small_read", 8192, "random")
    ]
    assert [(io.name, io.block_bytes, io.pattern) for io in large.workload.classes] == [
        ("large_read", 1 << 20, "random")
    ]
    assert [client.name for client in RANDOM.groups(5, 0)] == ["small"]
    assert [client.name for client in RANDOM.groups(0, 3)] == ["large"]


def test_random_writes_are_a_share_of_the_ios_of_either_size() -> None:
    for client in PointLoad(8192, 1 << 20, "sim", write_share=0.25).groups(4, 4):
        assert [(io.op, io.weight) for io in client.workload.classes] == [("read", 0.75), ("write", 0.25)]
        assert client.workload.read_share == pytest.approx(0.75)
    only = PointLoad(8192, 1 << 20, "sim", write_share=1.0).groups(4, 0)
    assert [io.name for io in only[0].workload.classes] == ["small_write"]


@pytest.mark.parametrize(("streams", "writing"), [(1, 0), (2, 1), (3, 1), (10, 3)])
def test_sequential_writes_are_a_share_of_the_streams(streams: int, writing: int) -> None:
    clients = {client.name: client for client in STREAMS.groups(0, streams)}
    assert STREAMS.writing_streams(streams) == writing
    reading = clients["large read"]
    assert (reading.jobs, reading.depth) == (streams - writing, 4)
    assert [(io.name, io.op, io.pattern) for io in reading.workload.classes] == [
        ("large_read", "read", "sequential")
    ]
    assert ("large write" in clients) == (writing > 0)
    if writing:
        assert clients["large write"].jobs == writing
        assert {io.op for io in clients["large write"].workload.classes} == {"write"}


def test_streams_that_read_and_streams_that_write_have_targets_apart_and_small_ios_have_all() -> None:
    small, reading, writing = STREAMS.groups(2, 3, targets=2)
    assert (small.targets, reading.targets, writing.targets) == ((0, 1), (2, 3), (4, 5))
    assert STREAMS.parts(3) == pytest.approx(2 / 3)


def test_streams_of_one_kind_have_all_targets_to_themselves() -> None:
    reading = PointLoad(8192, 1 << 20, "sim", large_pattern="sequential")
    assert reading.parts(3) is None
    assert [client.targets for client in reading.groups(1, 3, targets=2)] == [(0, 1), (0, 1)]


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.99])
def test_divided_targets_cover_each_target_once_in_whole_units(share: float) -> None:
    unit = 1 << 20
    whole = [target(100 * unit + 4096), target(7 * unit, offset_bytes=3 * unit)]
    all_of_them = divided(whole, share, unit)
    assert all_of_them[:2] == whole
    for one, front, back in zip(whole, all_of_them[2:4], all_of_them[4:], strict=True):
        assert front.offset_bytes == one.offset_bytes
        assert back.offset_bytes == front.offset_bytes + front.span_bytes
        assert front.span_bytes + back.span_bytes == one.span_bytes
        assert front.span_bytes % unit == 0
        assert min(front.span_bytes, back.span_bytes) >= unit


def test_ios_outstanding_count_those_of_each_stream() -> None:
    assert RANDOM.outstanding(5, 3) == 8
    assert STREAMS.outstanding(5, 3) == 17
    assert STREAMS.warming(3, 2).depth == 12
    assert STREAMS.warming(3, 2).targets == (0, 1)
