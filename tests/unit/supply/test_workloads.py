"""fio's words for workloads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.supply.workloads import RW_MODES, is_log, workload


@pytest.mark.parametrize(
    ("rw", "share", "classes"),
    [
        ("randread", None, [("read", "random", 1.0)]),
        ("randread", 1.0, [("read", "random", 1.0)]),
        ("randwrite", None, [("write", "random", 1.0)]),
        ("read", None, [("read", "sequential", 1.0)]),
        ("write", 0.0, [("write", "sequential", 1.0)]),
        ("randrw", None, [("read", "random", 0.5), ("write", "random", 0.5)]),
        ("rw", 0.25, [("read", "sequential", 0.25), ("write", "sequential", 0.75)]),
        ("randrw", 1.0, [("read", "random", 1.0)]),
        ("randrw", 0.0, [("write", "random", 1.0)]),
        ("log-write", None, [("write", "log_write", 1.0)]),
    ],
)
def test_modes(rw: str, share: float | None, classes: list[tuple[str, str, float]]) -> None:
    mix = workload(rw, 8192, share)
    assert [(io.op, io.pattern, io.weight) for io in mix.classes] == classes
    assert [io.name for io in mix.classes] == [io.op for io in mix.classes]
    assert mix.writes == any(op == "write" for op, _, _ in classes)
    assert mix.mean_bytes == 8192


@pytest.mark.parametrize("rw", RW_MODES)
def test_a_log_alone_waits_until_each_write_is_durable(rw: str) -> None:
    mix = workload(rw, 4096)
    log = rw == "log-write"
    assert is_log(mix) == log
    assert [io.sync for io in mix.classes] == [log] * len(mix.classes)


@given(st.floats(0, 1))
def test_the_read_share_is_kept(share: float) -> None:
    assert workload("randrw", 4096, share).read_share == pytest.approx(share)


def test_an_unknown_mode_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UsageError) as refused:
        workload("randomread", 8192)
    assert refused.value.id == "rw-unknown"
    assert refused.value.hint is not None
    assert all(mode in refused.value.hint for mode in RW_MODES)


@pytest.mark.parametrize(
    ("rw", "share"),
    [
        ("randread", 0.5),
        ("write", 1.0),
        ("log-write", 0.5),
        ("randrw", 1.5),
        ("randrw", -0.1),
        ("rw", float("nan")),
    ],
)
def test_a_share_that_does_not_fit_is_refused(rw: str, share: float) -> None:
    with pytest.raises(UsageError) as refused:
        workload(rw, 8192, share)
    assert refused.value.id == "read-share-conflict"
