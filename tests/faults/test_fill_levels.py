"""Levels of fill on loop devices: what is written, what is refused, and what is left as it was."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loop_device import Loop
from plimsoll.cli.main import run
from plimsoll.facts import Run
from plimsoll.flows.io_fill import measure_fill
from plimsoll.requests.io import IoRequest
from simulated import context

MIB = 1 << 20
SIZE = 100 * MIB
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a loop device")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Loop]:
    """A new device, every byte of it zero."""
    file = tmp_path / "empty"
    file.touch()
    os.truncate(file, SIZE)
    made = Loop(file)
    yield made
    made.detach()


def measured(folder: Path, name: str, levels: str, **asked: Any) -> Run:
    given: dict[str, Any] = {
        "rw": "randwrite",
        "runtime_s": 0.1,
        "engine": "psync",
        "depth": 2,
        "check": "steady",
    }
    with context(folder / "journals") as ctx:
        return measure_fill(ctx, IoRequest(name, fill=levels, **given | asked))


def data_of(loop: Loop) -> bytes:
    with open(loop.path, "rb") as device:
        os.fsync(device.fileno())
    return loop.file.read_bytes()


def test_each_level_is_filled_and_measured_within_and_the_rest_stays_empty(
    tmp_path: Path, empty: Loop
) -> None:
    found = measured(tmp_path, str(empty.path), "25,50").fill
    assert found is not None
    assert [one.filled_bytes // MIB for one in found.levels] == [25, 50]
    for one in found.levels:
        io = one.cell.classes[0]
        assert io.op == "write"
        assert io.space_blocks == one.filled_bytes // 8192
        assert "steady" in [check.name for check in one.cell.checks]
        assert one.wear is not None
        assert one.wear.reason
    data = data_of(empty)
    blocks = [data[at : at + MIB] for at in range(0, SIZE, MIB)]
    assert [any(block) for block in blocks] == [True] * 50 + [False] * 50


def test_a_device_that_holds_anything_is_refused_and_left_as_it_was(tmp_path: Path, empty: Loop) -> None:
    empty.write(70 * MIB, b"somebody's")
    before = empty.checksum()
    status = run(["io", str(empty.path), "--rw", "randwrite", "--check", "steady", "--fill", "50,80"])
    assert status == 3
    assert empty.checksum() == before


def test_the_way_on_is_to_empty_it(tmp_path: Path, empty: Loop, capsys: pytest.CaptureFixture[str]) -> None:
    empty.write(70 * MIB, b"somebody's")
    run(["io", str(empty.path), "--rw", "randwrite", "--check", "steady", "--fill", "50", "--json"])
    error = json.loads(capsys.readouterr().out)["data"]
    assert error["id"] == "device-not-empty"
    assert "blkdiscard" in error["hint"]
    assert "--destroy" not in error["hint"]


def test_people_and_programs_read_a_row_for_each_level(
    tmp_path: Path, empty: Loop, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "--rw",
        "randwrite",
        "--check",
        "steady",
        "--fill",
        "25,50",
        "--runtime",
        "100ms",
        "--engine",
        "psync",
    ]
    store = ["--store", str(tmp_path / "store")]
    status = run(["io", str(empty.path), *words, *store, "--json"])
    made = json.loads(capsys.readouterr().out)
    assert status in (0, 1)
    assert made["kind"] == "io-fill"
    assert [one["level_share"] for one in made["data"]["levels"]] == [0.25, 0.5]
    assert run(["store", "show", "latest", *store]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines if line[:4] in ("25 %", "50 %")] == ["25 %", "50 %"]
    assert any(line.startswith("From 25 % to 50 % full the rate goes from") for line in lines)
    run(["store", "list", *store])
    assert "25 %: " in capsys.readouterr().out
