"""What the kernel offers, in words: each refusal with its reason, and a warning only where io_uring suffers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Check
from plimsoll.supply.checks import engine_probe
from simulated_cells import Scripted, reads

ALL: dict[str, Any] = {
    "io_uring": True,
    "io_uring_mode": "deferred",
    "io_uring_error": None,
    "io_uring_disabled": 0,
    "polling": True,
    "polling_error": None,
    "nowait": True,
    "nowait_error": None,
    "fua": True,
    "volatile_write_cache": True,
}


def judged(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Check:
    monkeypatch.setattr("plimsoll.native.engine.probe", lambda path, direct: ALL | changes)
    check = engine_probe.CHECK.judge(Scripted(lambda asked: 100.0))
    assert check is not None
    return check


def test_everything_there_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    check = judged(monkeypatch)
    assert check.passed is True
    assert check.figures == dict.fromkeys(
        ("io_uring", "nowait", "polling", "fua", "volatile_write_cache"), 1.0
    )


@pytest.mark.parametrize(
    ("changes", "passed", "words"),
    [
        ({"io_uring": False, "io_uring_error": "not permitted"}, False, "does not work: not permitted"),
        ({"nowait": False, "nowait_error": "not supported"}, False, "worker threads: not supported"),
        ({"polling": False, "polling_error": "not supported"}, True, "(IOPOLL): not supported"),
        ({"fua": False}, True, "the device has no FUA"),
        ({"volatile_write_cache": False}, True, "durable at once"),
    ],
)
def test_each_refusal_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], passed: bool, words: str
) -> None:
    check = judged(monkeypatch, **changes)
    assert check.passed is passed
    assert words in check.reason


def test_what_is_unknown_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    check = judged(monkeypatch, fua=None, volatile_write_cache=None)
    assert "durable" not in check.reason
    assert set(check.figures) == {"io_uring", "nowait", "polling"}


def test_a_real_file_is_probed(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"x" * (1 << 20))
    target = facts_builder.target().model_copy(update={"path": str(path)})
    check = engine_probe.CHECK.judge(Scripted(lambda asked: 100.0, target=target))
    assert check is not None
    assert check.passed is not None
    assert "IOPOLL" in check.reason


def test_a_target_that_went_leaves_it_open(tmp_path: Path) -> None:
    target = facts_builder.target().model_copy(update={"path": str(tmp_path / "gone")})
    check = engine_probe.CHECK.judge(Scripted(lambda asked: 100.0, target=target))
    assert check is not None
    assert check.passed is None
    assert "could not be probed" in check.reason


def test_a_virtual_target_is_not_probed() -> None:
    virtual = facts_builder.cell(None, reads()).model_copy(update={"engine": "sim"})
    assert engine_probe.CHECK.judge(Scripted(lambda asked: 100.0, virtual)) is None


def test_the_kernel_is_not_asked_what_it_can_do_for_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.native.engine.probe", lambda path, direct: ALL)
    over_nfs = facts_builder.cell(None, reads()).model_copy(update={"engine": "nfs"})
    assert engine_probe.CHECK.judge(Scripted(lambda asked: 100.0, over_nfs)) is None
