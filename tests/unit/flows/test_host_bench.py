"""`plimsoll host bench memory` on this host: all parts, the page, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import command


def test_this_hosts_memory_is_measured(tmp_path: Path) -> None:
    page = tmp_path / "memory.html"
    done = command.here(
        "host", "bench", "memory", "--size", "1m", "--runtime", "1ms", "--json", "--out", str(page)
    )
    assert done.returncode == 0
    found = command.document(done)["data"]
    assert found["array_bytes"] == 1 << 20
    assert {one["kernel"] for one in found["streams"]} == {"copy", "scale", "add", "triad"}
    assert all(0 < one["mb_per_s"] <= one["mb_per_s_max"] for one in found["streams"])
    home = [one["size_bytes"] for one in found["chases"] if one["cpu_node"] == one["memory_node"] == 0]
    assert {*home} == {16384 << step for step in range(7)}
    assert all(0 < one["slowest_per_s"] <= one["fastest_per_s"] for one in found["updates"])
    assert "How fast memory is" in page.read_text()
    shares = {one["share"] for one in found["loads"]}
    assert shares in (set(), {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0}), "a host of one CPU has no curve"
    assert all(one["mb_per_s"] == 0 for one in found["loads"] if one["share"] == 0)
    assert all(one["chase_cpu"] not in one["load_cpus"] for one in found["loads"])


def test_more_than_there_is_is_refused() -> None:
    done = command.here("host", "bench", "memory", "--size", "100t", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "bench-memory-room")
