"""Clocks of hosts against a truth that is known: an agent behind a link whose delays and whose clock are dialled."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from command import PROGRAM, here

FAR_HOST = Path(__file__).parents[1] / "far_host.py"
SIZE = ("--size", "64m", "--depth", "1", "--engine", "psync", "--warm-up", "0")


def _far(links: dict[str, tuple[float, float, float, float]]) -> str:
    """A launcher that starts each host behind its own link: clock ahead, delay there, delay back, step in mid-run; in seconds."""
    python, far_host = shlex.quote(sys.executable), shlex.quote(str(FAR_HOST))
    ways = " ".join(f'{host}) set -- {" ".join(map(str, link))} -- "$@";;' for host, link in links.items())
    script = f'case {{host}} in {ways} esac; exec {python} {far_host} "$@"'
    return f"sh -c {shlex.quote(script)} far"


def _io(folder: Path, links: dict[str, tuple[float, float, float, float]], *words: str) -> tuple[int, Any]:
    there = (
        "--hosts", ",".join(links), "--launcher", _far(links), "--agent", f"{shlex.quote(PROGRAM)} agent",
    )  # fmt: skip
    done = here("io", folder, *there, *SIZE, *words, "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)["data"]


def _check(data: Any, name: str) -> Any:
    return next(check for check in data["checks"] if check["name"] == name)


@pytest.mark.parametrize("ahead_s", [7200.25, -7200.25])
def test_a_clock_that_is_two_hours_off_is_taken_into_account(tmp_path: Path, ahead_s: float) -> None:
    status, data = _io(tmp_path, {"a": (0, 0, 0, 0), "b": (ahead_s, 0, 0, 0)}, "--runtime", "1s")
    assert status in (0, 1), "a busy machine may fail checks of noise"
    near, far = data["hosts"]
    assert abs(near["clock_offset_us"]) <= near["clock_error_us"]
    assert abs(far["clock_offset_us"] - ahead_s * 1e6) <= far["clock_error_us"]
    assert abs(far["clock_drift_us"]) <= 2 * far["clock_error_us"] + 1e4
    assert far["begun_late_us"] >= -far["clock_error_us"], "nobody begins before the moment"


@pytest.mark.parametrize(("there_s", "back_s"), [(0.04, 0.0), (0.0, 0.04)])
def test_the_bound_covers_a_link_that_is_slower_one_way(
    tmp_path: Path, there_s: float, back_s: float
) -> None:
    status, data = _io(tmp_path, {"a": (0, 0, 0, 0), "b": (3.5, there_s, back_s, 0)}, "--runtime", "4s")
    assert status in (0, 1)
    near, far = data["hosts"]
    assert abs(far["clock_offset_us"] - 3.5e6) <= far["clock_error_us"]
    assert far["clock_error_us"] >= 20_000, "half of the round trip"
    wrong_us = far["clock_offset_us"] - 3.5e6
    assert wrong_us == pytest.approx((there_s - back_s) / 2 * 1e6, abs=15_000), (
        "that link is what makes it wrong"
    )
    assert abs(near["clock_offset_us"]) <= near["clock_error_us"]


def test_a_link_whose_clock_is_known_to_too_little_is_refused(tmp_path: Path) -> None:
    status, data = _io(tmp_path, {"a": (0, 0, 0, 0), "b": (0, 0.04, 0.0, 0)}, "--runtime", "1s")
    assert (status, data["id"]) == (4, "clocks-apart")
    assert list(tmp_path.iterdir()) == []


def test_a_clock_that_is_set_in_mid_run_fails_the_check(tmp_path: Path) -> None:
    status, data = _io(tmp_path, {"a": (0, 0, 0, 0), "b": (0, 0, 0, 30.0)}, "--runtime", "2s")
    assert status == 1
    assert _check(data, "clocks")["passed"] is False
    assert "b by 30" in _check(data, "clocks")["reason"]
