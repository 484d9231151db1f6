"""`plimsoll host bench ladder` on this host: caches, memory and storage, with prices, and what cannot be measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base.errors import UsageError
from plimsoll.requests.host_bench_ladder import HostBenchLadderRequest

SMALL = ("--runtime", "20ms", "--working-set", "4m", "--size", "16m", "--json")


def _data(*words: str | Path) -> tuple[int, dict[str, Any]]:
    done = command.here("host", "bench", "ladder", *SMALL, *words)
    return done.returncode, json.loads(done.stdout)["data"]


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text('currency = "EUR"\nprice = {dram = 3.0, flash = 0.1}\n')
    return path


def test_rungs_of_this_host_with_storage_and_prices(tmp_path: Path, prices: Path) -> None:
    page = tmp_path / "ladder.html"
    status, found = _data(
        "gone=/nowhere/at-all",
        "slow=sim:law=constant,mean=5ms",
        "flash=sim:law=constant,mean=1ms",
        f"disk={tmp_path}",
        "--prices",
        prices,
        "--out",
        page,
    )
    rungs = {one["name"]: one for one in found["rungs"]}
    assert status in (1, 5), "a check may say that other programs were at work"
    assert (found["currency"], found["block_bytes"]) == ("EUR", 8192)
    far = [name for name in rungs if name in ("flash", "slow", "gone")]
    assert far == ["flash", "slow", "gone"], "the fastest first, what was not measured last"
    assert (rungs["gone"]["state"], rungs["gone"]["latency_ns"]) == ("not measured", None)
    assert "/nowhere/at-all" in rungs["gone"]["reason"]
    assert rungs["slow"]["latency_ns"] == pytest.approx(5e6, rel=0.05)
    assert rungs["disk"]["cell"]["ios"] > 0
    flash = rungs["flash"]
    assert flash["cell"]["ios"] > 0
    assert flash["latency_ns"] == pytest.approx(1e3 * flash["cell"]["latency_us"]["mean"])
    assert flash["price_times_ratio"] == pytest.approx(0.1 * flash["ratio_first"])
    assert rungs["slow"]["price_per_gb"] is None
    above = list(rungs.values())[list(rungs).index("slow") - 1]
    assert rungs["slow"]["ratio_above"] == pytest.approx(rungs["slow"]["latency_ns"] / above["latency_ns"])
    assert "The latency ladder" in page.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ladder.html", "prices.toml"]


def test_every_rung_without_a_latency_has_a_reason() -> None:
    _, found = _data()
    assert {"L1 cache", "L2 cache", "L3 cache"} <= {one["name"] for one in found["rungs"]}
    assert all((one["latency_ns"] is None) == (one["reason"] is not None) for one in found["rungs"])
    assert all((one["latency_ns"] is None) == (one["state"] != "measured") for one in found["rungs"])
    assert any(one["latency_ns"] for one in found["rungs"])


@pytest.mark.parametrize(
    "targets", [("flash=.", "flash=/tmp"), ("dram=.",), ("sim:mean=1ms", "sim:mean=1ms")]
)
def test_names_are_each_of_one_rung(targets: tuple[str, ...]) -> None:
    status, found = _data(*targets)
    assert (status, found["id"]) == (2, "ladder-name")


@pytest.mark.parametrize("target", ["=", "==", "flash=", "=/tmp", ""])
def test_a_target_without_a_name_or_a_place_is_refused_before_anything_is_measured(target: str) -> None:
    with pytest.raises(UsageError) as caught:
        HostBenchLadderRequest(targets=(target,)).named(())
    assert caught.value.id == "ladder-name"
    assert f"'{target}' is no NAME=TARGET" in caught.value.message


def test_prices_of_what_is_not_measured_are_refused(prices: Path) -> None:
    status, found = _data("disk=.", "--prices", prices)
    assert (status, found["id"]) == (2, "prices-unreadable")
    assert "line 2: price of 'flash'" in found["message"]
