"""`plimsoll watch` beside fio, on a loop device of the test's own: its rows are what fio counts, and end with it."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from loop_device import Loop
from plimsoll.native import block_probe
from watch_ticks import PATIENCE_S, wait_for_ticks

MIB = 1 << 20
IOS = 3_000
BLOCK_BYTES = 8_192


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Loop]:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    file = tmp_path / "file"
    file.write_bytes(random.Random(1).randbytes(64 * MIB))
    made = Loop(file)
    yield made
    made.detach()


def fio(target: Path, rw: str) -> dict[str, Any]:
    """What it says it did of the one kind."""
    words = ["--name=known", f"--filename={target}", f"--bs={BLOCK_BYTES}", f"--rw={rw}", "--direct=1"]
    words += ["--ioengine=libaio", "--iodepth=8", f"--number_ios={IOS}", "--output-format=json"]
    done = subprocess.run(["fio", *words], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["jobs"][0][rw.removeprefix("rand")]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_rows_are_what_fio_counts_and_an_end_by_signal_keeps_them(
    loop: Loop, tmp_path: Path, number: signal.Signals
) -> None:
    events = tmp_path / "events"
    words = ["watch", "--every", "200ms", "--device", str(loop.path), "--json", "--events", str(events)]
    with command.started(*words) as watching:
        wait_for_ticks(events, 1)
        known = {rw.removeprefix("rand"): fio(loop.path, rw) for rw in ("randread", "randwrite")}
        watching.send_signal(number)
        told, _ = watching.communicate(timeout=PATIENCE_S)
    assert watching.returncode == 130
    data = json.loads(told)["data"]
    lost = data["lost_ios"]
    assert lost <= IOS // 100, "the kernel may lack memory for a row at its first moment, and says so"
    rows = {row["operation"]: row for row in data["rows"] if row["role"] == "fio"}
    assert len(rows) == len(data["rows"]), data["rows"]
    for operation, counted in known.items():
        seen = rows[operation]
        assert counted["total_ios"] - lost <= seen["ios"] <= counted["total_ios"] == IOS
        assert seen["bytes"] == seen["ios"] * BLOCK_BYTES
        assert seen["processes"] == 1
        assert seen["ios"] - data["untimed"] <= seen["latency_us"]["count"] <= seen["ios"], (
            "a busy kernel tells not every end"
        )
        assert seen["sizes"] == [{"bytes_max": BLOCK_BYTES, "ios": seen["ios"]}]
    assert {row["device"] for row in data["rows"]} == {loop.path.name}
    (disk,) = (one for one in data["devices"] if one["device"] == loop.path.name)
    assert disk["held"], disk["reason"]
    assert 2 * IOS - lost <= disk["ios"] <= disk["ios_counted"]


def test_without_rights_the_reason_and_the_way_are_told() -> None:
    done = command.plimsoll("watch", "--runtime", "1s", "--json", powerless=True)
    assert done.returncode == 4
    error = command.document(done)["data"]
    assert error["id"] == "probe-no-rights"
    assert "neither CAP_SYS_ADMIN nor CAP_BPF with CAP_PERFMON" in error["message"]
    assert "root" in error["hint"]
