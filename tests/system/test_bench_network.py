"""`plimsoll host bench network` over links of dialled speed between two networks: each path has the speed of its own link.

It runs as root and only when it is named: `.venv/bin/pytest -m system tests/system/test_bench_network.py`. What a link carries is
its speed less the headers of TCP, IP and Ethernet; the kernel's token bucket lets a burst through besides.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from command import command
from iperf_server import serving
from shaped_links import arithmetic_bytes_per_s, links

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]
_SHELL_AT = """#!/bin/sh
host=$1; shift; exec nsenter --net=/run/netns/$host -- "$@"
"""
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


def test_between_two_far_hosts_each_path_has_the_speed_of_its_link_and_nothing_is_left(
    tmp_path: Path,
) -> None:
    """This host is none of the two: both are reached by a launcher alone."""
    launcher = tmp_path / "reach"
    launcher.write_text(_SHELL_AT)
    launcher.chmod(0o755)
    with links(len(SPEEDS)) as made:
        for number, speed in enumerate(SPEEDS):
            made.shape(number, speed)
        paths = [f"link{number}=10.77.{number}.2,{address}" for number, address in enumerate(made.addresses)]
        there = ("--hosts", f"{made.client},{made.server}", "--launcher", f"{launcher} {{host}}")
        words = command(
            "host", "bench", "network", *paths, *there, "--port", PORT, "--runtime", "3s", "--json"
        )
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
        left = subprocess.run(
            ["ip", "netns", "pids", made.server], capture_output=True, text=True, check=False
        ).stdout
    assert done.returncode == 0, done.stderr
    assert left.split() == []
    found = json.loads(done.stdout)["data"]
    assert (found["client_host"], found["server_host"]) == (made.client, made.server)
    assert len(found["tests"]) == 2 * 2 * 3
    for one in found["tests"]:
        carried = arithmetic_bytes_per_s(SPEEDS[int(one["path"].removeprefix("link"))]) / 1e6
        rates = [rate for rate in (one["out_mb_per_s"], one["in_mb_per_s"]) if rate is not None]
        assert all(rate <= carried * (1 + NEAR) for rate in rates), one
        assert max(rates) >= carried * (1 - 2 * NEAR), one
        assert one["own_cpu_percent_per_gbit"] > 0
