"""`plimsoll host slice prove` that is killed: no noise is left, and the next command takes its groups away."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from random import Random

import pytest

import command
from slice_commands import Here
from slice_groups import TOP, listed, names_of_test

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")


def _members(group: Path) -> list[int]:
    return [int(word) for word in (group / "cgroup.procs").read_text().split()]


def _seed_of_noise_first() -> int:
    """With which noise is in the first trial: keys are drawn as the flow draws them."""
    for seed in range(100):
        order = [False, True, False, True]
        Random(seed).shuffle(order)
        if order[0]:
            return seed
    raise AssertionError("the first trial is never one with noise")


def test_a_kill_leaves_no_noise_and_no_group(tmp_path: Path, start: str) -> None:
    places = {"XDG_STATE_HOME": str(tmp_path / "state"), "PLIMSOLL_STORE": str(tmp_path / "runs.sqlite")}
    here = Here(tmp_path, start, iops=None)
    assert here.apply()[0] == 0
    before, seed = listed(start), str(_seed_of_noise_first())
    words = (f"{start}-a", "--noise", f"{start}-b.c", "--target", str(tmp_path), "--size", "16m")
    more = ("--runtime", "100s", "--noise-kind", "cpu", "--seed", seed, "--journal", str(here.journal))
    client = command.started("host", "slice", "prove", *words, *more, **places)
    try:
        while not (noise := _noise(start, client.pid, tmp_path / "state")):
            assert client.poll() is None, client.communicate()
            time.sleep(0.02)
        groups = _groups_in(tmp_path / "state")
        assert groups
        assert all(one.exists() for one in groups)
    finally:
        client.kill()
        client.communicate()
    while any(Path(f"/proc/{one}").exists() for one in noise):
        time.sleep(0.02)
    command.started("store", "list", **places).communicate()
    assert not any(one.exists() for one in groups)
    assert listed(start) == before


def _groups_in(state: Path) -> list[Path]:
    """Those that the journal of the command names."""
    text = "".join(path.read_text() for path in state.rglob("*") if path.is_file())
    return [Path(found) for found in re.findall(r"/sys/fs/cgroup/[^\"]*/plimsoll-prove-[0-9a-f]{16}", text)]


def _noise(start: str, client: int, state: Path) -> list[int]:
    """Processes that are not the command's own, in the slice of the noise or in this command's own group without limits."""
    top = TOP / "cpuset"
    ours = [one for one in _groups_in(state) if one.parent == top and one.exists()]
    found = [one for group in (top / f"plimsoll-{start}-b.c", *ours) for one in _members(group)]
    return [one for one in found if one != client]
