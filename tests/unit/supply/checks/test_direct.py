"""The page cache in between: open for reads, a no for writes that nobody made durable."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import BlockDevice, Check, Flush, Workload
from plimsoll.supply.checks import direct
from simulated_cells import reads, write_class


def judged(**changes: Any) -> Check | None:
    cell = facts_builder.cell(None, reads()).model_copy(update=changes)
    return direct.CHECK.judge(cell, facts_builder.target())


def passed(**changes: Any) -> bool | None:
    check = judged(**changes)
    assert check is not None
    return check.passed


def test_direct_passes_and_buffered_reads_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "memory_bytes", lambda: 64 << 30)
    assert passed(direct=True) is True
    assert passed(direct=False) is None
    check = judged(direct=False)
    assert check is not None
    assert "room for all 1 GiB" in check.reason


@pytest.mark.parametrize(
    ("changes", "expected"),
    [({}, False), ({"sync": True}, None), ({"flush": Flush(every=1, call="fdatasync")}, None)],
)
def test_buffered_writes_must_be_made_durable(changes: dict[str, Any], expected: bool | None) -> None:
    mix = Workload(name="write", classes=(write_class(**changes),))
    assert passed(direct=False, workload=mix) is expected


def test_a_virtual_device_has_no_page_cache() -> None:
    assert judged(engine="sim", direct=False) is None


@pytest.mark.parametrize(("buffered", "expected"), [(True, None), (False, True), (None, True)])
def test_a_loop_device_may_have_the_page_cache_beneath(buffered: bool | None, expected: bool | None) -> None:
    """160,000 direct reads a second were said of a loop device's file that lay in memory, with a check that passed."""
    device = BlockDevice(name="loop0", buffered=buffered)
    target = facts_builder.target().model_copy(update={"device": device})
    check = direct.CHECK.judge(facts_builder.cell(None, reads()).model_copy(update={"direct": True}), target)
    assert check is not None
    assert check.passed is expected
