"""What we measure on a disk of the laboratory, held against the law that it follows and the counts that it keeps.

Only one direction of time is certain on a shared machine: nothing may ever be faster than the law. Counts must be equal, always.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import pytest

from command import document, plimsoll
from dialled_disk import DialledDisk, dialled
from plimsoll.context import Cancel
from plimsoll.facts import Arrivals, DiskCounters, Plan, PlanGroup, Target
from plimsoll.supply.engine import measure
from plimsoll.supply.workloads import workload

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

BLOCK = 8192
ROUNDING = 0.999
"""Latencies are kept with three digits."""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's journal and our store are this test's alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))


def measured(disk: DialledDisk, *words: str) -> dict[str, Any]:
    done = plimsoll("io", disk.path, *words, "--json", timeout_s=120)
    assert done.returncode in (0, 1), done.stderr
    return document(done)["data"]


def total_us(counters: DiskCounters) -> float:
    """What the law said of all requests, together."""
    requests = counters.reads + counters.writes + counters.flushes
    return (counters.latency_us.mean or 0.0) * requests


@pytest.mark.parametrize("engine", ["psync", "libaio", "io_uring"])
@pytest.mark.parametrize("rw", ["randread", "randwrite"])
def test_counts_are_the_disk_s_own_and_no_answer_is_early(tmp_path: Path, engine: str, rw: str) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=2ms,servers=4") as disk:
        found = measured(
            disk, "--engine", engine, "--rw", rw, "--depth", "8", "--runtime", "1s", "--warm-up", "0s"
        )
        counted = disk.requests(rw.removeprefix("rand"), BLOCK)
    assert found["ios"] == counted > 0
    assert found["latency_us"]["min"] >= ROUNDING * 2000
    # Four servers of 2 ms cannot do more, and what is under way at the end is counted too.
    assert found["ios"] <= 4 / 2e-3 * (found["runtime_s"] + 0.1) + 8
    assert disk.ended is not None
    assert disk.ended.counters.in_flight == 0
    assert disk.ended.counters.in_flight_max == 8


def test_one_at_a_time_takes_the_mean_of_the_law(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=3ms") as disk:
        found = measured(disk, "--engine", "psync", "--depth", "1", "--runtime", "2s", "--warm-up", "0s")
        counters = disk.counters()
    assert found["latency_us"]["mean"] >= ROUNDING * 3000
    assert found["ios"] == counters.reads - other_reads(counters)
    assert counters.busy_s == pytest.approx(counters.reads * 3e-3)
    assert counters.latency_us.mean == pytest.approx(3000)


def other_reads(counters: DiskCounters) -> int:
    """Samples of 4 KiB from the look before the measurement, and the trials of the smallest direct read."""
    return sum(one.requests for one in counters.sizes if one.bytes != BLOCK)


def test_a_queue_is_never_shorter_than_the_law_s(tmp_path: Path) -> None:
    """What clients waited for all of their requests together is more than the law said of the same requests."""
    with dialled(tmp_path / "dial", "law=exponential,mean=1ms") as disk:
        target = Target(name="dialled", kind="file", path=str(disk.path), span_bytes=64 << 20, ours=True)
        arrivals = Arrivals(kind="poisson", rate_per_s=700.0)
        group = PlanGroup.of(workload("randread", BLOCK), "io_uring", depth=32, arrivals=arrivals)
        plan = Plan(groups=(group,), runtime_s=5.0).on(target)
        cell = measure(plan, (), Cancel(), lambda live: None)
        counters = disk.counters()
    assert cell.ios == disk_reads(counters)
    assert cell.latency_us.mean is not None
    # The engine looks for the smallest direct read before it begins: a read or two, which the law's sum has in addition.
    opening = counters.reads - cell.ios
    assert opening <= 4
    assert cell.latency_us.mean * cell.ios >= ROUNDING * total_us(counters) - opening * 10_000


def disk_reads(counters: DiskCounters) -> int:
    return sum(one.requests for one in counters.sizes if one.bytes == BLOCK)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=100us") as disk:
        written = os.urandom(4 << 20)
        descriptor = os.open(disk.path, os.O_RDWR | os.O_DIRECT)
        try:
            with mmap.mmap(-1, len(written)) as buffer:
                buffer.write(written)
                assert os.pwrite(descriptor, buffer, 1 << 20) == len(written)
                os.fsync(descriptor)
                buffer.seek(0)
                buffer.write(bytes(len(written)))
                assert os.preadv(descriptor, [buffer], 1 << 20) == len(written)
                assert buffer[:] == written
        finally:
            os.close(descriptor)
        counters = disk.counters()
        assert (counters.write_bytes, counters.read_bytes) == (len(written), len(written))
        assert counters.flushes == 1
        assert disk.path.read_bytes()[1 << 20 : 5 << 20] == written
        assert os.stat(disk.path).st_blocks * 512 == os.stat(disk.path).st_size


def test_its_size_stays_and_nothing_else_can_be_made_there(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=100us") as disk:
        with pytest.raises(PermissionError):
            os.truncate(disk.path, 4096)
        with pytest.raises(OSError, match=r"not implemented|not permitted"):
            (disk.path.parent / "other").write_text("x")
        with pytest.raises(OSError, match=r"not implemented|not permitted"):
            disk.path.unlink()
        assert sorted(os.listdir(disk.path.parent)) == ["counters.json", "disk"]


def test_a_foreign_hand_on_it_ends_our_leave_to_write(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=100us") as disk:
        assert measured(disk, "--rw", "randwrite", "--runtime", "200ms")["ios"] > 0
        with open(disk.path, "r+b") as file:
            file.write(b"theirs")
        refused = plimsoll("io", disk.path, "--rw", "randwrite", "--runtime", "200ms")
        assert refused.returncode == 3
        assert "something else has written to it" in refused.stderr


def test_a_flush_takes_the_time_that_was_dialled(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=100us,flush=5ms") as disk:
        found = measured(disk, "--rw", "log-write", "--runtime", "500ms", "--warm-up", "0s")
        assert found["latency_us"]["min"] >= ROUNDING * 5100


def test_a_cap_of_bandwidth_is_not_exceeded(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=10us,servers=64,mb_per_s=50") as disk:
        found = measured(
            disk, "--rw", "read", "--block", "1m", "--depth", "8", "--runtime", "2s", "--warm-up", "200ms"
        )
        # Eight requests that were under way before the window began may end in it.
        assert found["mb_per_s"] <= 50 * 1.001 + 8 * (1 << 20) / 1e6 / found["runtime_s"]


def test_a_cliff_is_found(tmp_path: Path) -> None:
    """At 1,000 writes a second, which a busy machine does too, 20 MiB take 2.6 s of eight; then each takes eight times as long."""
    law = "law=constant,mean=4ms,servers=4,cliff_bytes=20m,cliff_factor=8"
    with dialled(tmp_path / "dial", law) as disk:
        done = plimsoll(
            "io", disk.path, "--rw", "randwrite", "--depth", "8", "--runtime", "8s", "--json", timeout_s=120
        )
        checks = checks_of(done)
    if checks["host_noise"] is False or checks["cliff"] is None:
        pytest.skip("the machine was busy, and a fall of the rate may be its own")
    assert checks["cliff"] is False
    assert done.returncode == 1


def test_pauses_are_found(tmp_path: Path) -> None:
    with dialled(tmp_path / "dial", "law=constant,mean=1ms,pause_every=1s,pause=150ms") as disk:
        done = plimsoll("io", disk.path, "--depth", "1", "--runtime", "6s", "--json", timeout_s=120)
    checks = checks_of(done)
    if checks["host_noise"] is False and checks["stalls"] is not False:
        pytest.skip("the machine was so busy that a pause of the disk did not stand out")
    assert checks["stalls"] is False


def checks_of(done: Any) -> dict[str, bool | None]:
    return {check["name"]: check["passed"] for check in document(done)["data"]["checks"]}
