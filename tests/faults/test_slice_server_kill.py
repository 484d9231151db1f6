"""`plimsoll host slice prove --driver slob` that is killed while the server is out of its slice: the next command puts it back."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import pytest

import command
from plimsoll.databases.embedded import Server
from plimsoll.host.database_servers import server_processes
from slice_commands import Here
from slice_groups import TOP, listed, names_of_test, put_server

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")


def _members(group: Path) -> set[int]:
    return {int(word) for word in (group / "cgroup.procs").read_text().split()}


def _seed_of_unsliced_first() -> int:
    """With which the first trial is without slices: keys are drawn as the flow draws them."""
    for seed in range(100):
        order = [False, False, True, True]
        Random(seed).shuffle(order)
        if order[0]:
            return seed
    raise AssertionError("the first trial is never one without slices")


def _away(process: int) -> bool:
    return "plimsoll-prove-" in Path(f"/proc/{process}/cgroup").read_text()


def test_a_kill_leaves_no_server_outside_of_its_slice(tmp_path: Path, start: str, server_18: Server) -> None:
    places = {"XDG_STATE_HOME": str(tmp_path / "state"), "PLIMSOLL_STORE": str(tmp_path / "runs.sqlite")}
    here, leader = Here(tmp_path, start, iops=None), server_18.process.pid
    assert here.apply()[0] == 0
    groups = [
        one for name in ("cpuset", "memory", "blkio") if (one := TOP / name / f"plimsoll-{start}-a").is_dir()
    ]
    before = listed(start)
    made = command.here("prove", "slob", "setup", "--database", server_18.url, "--scale", "1024")
    assert made.returncode == 0, made.stderr
    try:
        put_server(groups, leader)
        cpus = os.sched_getaffinity(leader)
        words = (f"{start}-a", "--noise", f"{start}-b.c", "--driver", "slob", "--database", server_18.url)
        more = ("--runtime", "100s", "--noise-kind", "cpu", "--seed", str(_seed_of_unsliced_first()))
        client = command.started(
            "host", "slice", "prove", *words, *more, "--journal", str(here.journal), **places
        )
        try:
            while not all(map(_away, server_processes(leader))):
                assert client.poll() is None, client.communicate()
                time.sleep(0.02)
            keepers = set[int]().union(*map(_members, groups))
        finally:
            client.kill()
            client.communicate()
        assert keepers
        assert all(map(_members, groups)), "nobody keeps the groups that the server is to come back to"
        command.started("store", "list", **places).communicate()
        assert not any(map(_away, server_processes(leader)))
        assert all(leader in _members(group) for group in groups)
        assert not keepers & set[int]().union(*map(_members, groups))
        assert (listed(start), os.sched_getaffinity(leader)) == (before, cpus)
    finally:
        put_server([group.parent for group in groups], leader)
        command.here("prove", "slob", "drop", "--database", server_18.url)
