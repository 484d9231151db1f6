"""Clocks of two guests behind a network that takes longer one way: what is told of them against both clocks at the same time.

The guests are joined by a network of qemu's, and their own kernels delay what they send. Both read their clocks at the same time by
memory that they share (`shared_clocks.py`), which has no part in the network.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from guest_machine import INSIDE, Guest, Machine, Node

pytestmark = [pytest.mark.guest, pytest.mark.timeout(2400)]

RUNS = 10
THERE_MS, BACK_MS = 2, 20
AHEAD_S = 7200
LOOKS = 2000
TRUE_WITHIN_US = 500.0
"""How well it has to be known; memory takes some microseconds, and the network forty times as long as this."""
PORT = 4000
MACS = {"near": "02:00:00:00:00:01", "far": "02:00:00:00:00:02"}
PLIMSOLL = f"env PYTHONPATH={INSIDE} python3 -m plimsoll"
REACH = f"""#!/bin/bash
# Starts an agent here, or on the other guest, which starts one for each connection.
[ "$1" = near ] && shift && exec "$@"
exec 3<>/dev/tcp/10.9.0.2/{PORT}
cat <&3 &
exec cat >&3
"""
MEASURE = (
    f"{PLIMSOLL} io /srv/pair --hosts near,far --launcher '/srv/reach {{host}}' --agent '{PLIMSOLL} agent' --own-storage "
    "--size 16m --depth 1 --engine psync --warm-up 0 --runtime 5s --json"
)


@dataclass(frozen=True)
class Truth:
    """By how much the far clock is ahead of the near one, at least and at most."""

    least_us: float
    most_us: float


@dataclass(frozen=True)
class Pair:
    """Two guests; the client is on the near one."""

    near: Guest
    far: Guest

    def truth(self) -> Truth:
        answers = self.far.said("python3 /srv/shared_clocks.py answer > /srv/answers 2>&1 & echo $!").strip()
        try:
            told = json.loads(
                self.near.said(f"timeout 60 python3 /srv/shared_clocks.py ask {LOOKS}", timeout_s=90)
            )
        finally:
            self.far.said(f"kill {answers}")
        return Truth(*(ns / 1e3 for ns in told))

    def measured(self) -> Any:
        done = self.near.run(MEASURE, timeout_s=180)
        assert done.status in (0, 1), str(done)
        return json.loads(done.text)["data"]


def _machine(folder: Path, own: str, other: str, packages: Path, *more: str) -> Machine:
    line = ("dgram", "id=line", *_end("local", folder / own), *_end("remote", folder / other))
    memory = f"memory-backend-file,id=shared,size=1M,share=on,mem-path={folder}/memory"
    # A guest that measures the speed of its clock at boot is wrong about it, so that two would drift apart; of this one it is told.
    return Machine(
        nodes=(Node("0-1", 768),),
        disks=(packages,),
        kernel_words="clocksource=hpet",
        more=(
            *("-object", memory, "-device", "ivshmem-plain,memdev=shared"),
            *("-netdev", ",".join(line), "-device", f"virtio-net-pci,netdev=line,romfile=,mac={MACS[own]}"),
            *more,
        ),
    )


def _end(side: str, path: Path) -> tuple[str, str]:
    return f"{side}.type=unix", f"{side}.path={path}"


def _join(guest: Guest, address: str, delay_ms: int) -> None:
    guest.said(f"mkdir -p {INSIDE} /srv/pair && mount -o ro {guest.disk(0)} {INSIDE}")
    guest.put("/srv/shared_clocks.py", Path(__file__).with_name("shared_clocks.py").read_bytes())
    guest.said("modprobe --all virtio_net sch_netem")
    guest.said(f"ip address add {address}/24 dev eth0 && tc qdisc add dev eth0 root netem delay {delay_ms}ms")
    guest.said("ip link set eth0 up")


@pytest.fixture(scope="module")
def pair(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("pair")
    with ExitStack() as stack:
        near = stack.enter_context(Guest(_machine(folder, "near", "far", packages)))
        base = datetime.fromtimestamp(time.time() + AHEAD_S, UTC)
        ahead = ("-rtc", f"base={base:%Y-%m-%dT%H:%M:%S}")
        far = stack.enter_context(Guest(_machine(folder, "far", "near", packages, *ahead)))
        _join(near, "10.9.0.1", THERE_MS)
        _join(far, "10.9.0.2", BACK_MS)
        serve = f"systemd-socket-activate --accept --inetd --listen={PORT} {PLIMSOLL} agent"
        far.said(f"setsid {serve} > /srv/agents 2>&1 &")
        near.put("/srv/reach", REACH.encode())
        near.said("chmod +x /srv/reach")
        yield Pair(near, far)


def test_the_bound_covers_a_network_that_is_slower_one_way(pair: Pair) -> None:
    truths, runs = [pair.truth()], list[Any]()
    for _ in range(RUNS):
        runs.append(pair.measured())
        truths.append(pair.truth())
    truth = Truth(max(one.least_us for one in truths), min(one.most_us for one in truths))
    print(f"the far clock is ahead by {truth.least_us:.1f} to {truth.most_us:.1f} us")
    assert 0 <= truth.most_us - truth.least_us <= TRUE_WITHIN_US, "clocks went equally fast"
    assert truth.least_us == pytest.approx(AHEAD_S * 1e6, abs=60e6), "as the far guest was started"
    for data in runs:
        _check_offset(data, truth)
        _check_spread(data, truth)


def _check_offset(data: Any, truth: Truth) -> None:
    near, far = data["hosts"]
    assert abs(near["clock_offset_us"]) <= near["clock_error_us"], "the client is there as well"
    bound_us = far["clock_error_us"]
    wrong_us = [far["clock_offset_us"] - one for one in (truth.least_us, truth.most_us)]
    print(f"told {far['clock_offset_us']:.0f} +- {bound_us:.0f} us, wrong by {wrong_us[0]:.0f}")
    assert max(map(abs, wrong_us)) <= bound_us
    # No packet is there before its delay is over, so that the clock cannot be told better than this.
    assert max(wrong_us) <= bound_us - BACK_MS * 1000 + TRUE_WITHIN_US
    assert min(wrong_us) >= THERE_MS * 1000 - bound_us - TRUE_WITHIN_US


def _check_spread(data: Any, truth: Truth) -> None:
    """Of the first I/Os, by clocks as they truly were."""
    near, far = data["hosts"]
    near_late_us = near["begun_late_us"] + near["clock_offset_us"]
    for ahead_us in (truth.least_us, truth.most_us):
        far_late_us = far["begun_late_us"] + far["clock_offset_us"] - ahead_us
        print(
            f"spread {data['start_spread_us']:.0f} +- {data['spread_error_us']:.0f} us, truly {far_late_us - near_late_us:.0f}"
        )
        wrong_us = data["start_spread_us"] - abs(far_late_us - near_late_us)
        assert abs(wrong_us) <= data["spread_error_us"]
    assert data["spread_error_us"] >= far["clock_error_us"]
