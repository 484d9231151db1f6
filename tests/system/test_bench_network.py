"""`plimsoll host bench network` over links of dialled speed between two networks: each path has the speed of its own link.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_bench_network.py`. What a link carries is
its speed less the headers of TCP, IP and Ethernet; the kernel's token bucket lets a burst through besides.
"""

from __future__ import annotations

import json
import subprocess

import pytest

from command import command
from iperf_server import serving
from shaped_links import arithmetic_bytes_per_s, links

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]
SPEEDS = (200 * 10**6, 50 * 10**6)
PORT = "5201"
NEAR = 0.1


def test_each_path_has_the_speed_of_its_link_and_its_card_counts_the_data() -> None:
    with links(len(SPEEDS)) as made, serving("0.0.0.0", int(PORT), made.at_server):
        for number, speed in enumerate(SPEEDS):
            made.shape(number, speed)
        paths = [f"link{number}=10.77.{number}.2,{address}" for number, address in enumerate(made.addresses)]
        words = command(
            "host", "bench", "network", *paths, "--port", PORT, "--streams", "4", "--runtime", "3s", "--json"
        )
        done = subprocess.run(
            [*made.at_client, *words], capture_output=True, text=True, timeout=200, check=False
        )
    assert done.returncode == 0, done.stderr
    tests = json.loads(done.stdout)["data"]["tests"]
    assert len(tests) == 2 * 2 * 3
    for one in tests:
        number = int(one["path"].removeprefix("link"))
        carried = arithmetic_bytes_per_s(SPEEDS[number]) / 1e6
        assert (one["card"], one["counted"]) == (f"c{number}", "agrees")
        rates = [rate for rate in (one["out_mb_per_s"], one["in_mb_per_s"]) if rate is not None]
        assert all(rate <= carried * (1 + NEAR) for rate in rates), one
        assert max(rates) >= carried * (1 - 2 * NEAR), one
        assert one["others_mb"] == 0.0
