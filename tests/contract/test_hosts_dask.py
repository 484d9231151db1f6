"""Hosts that are the workers of a Dask cluster: what may go on the way, and what is told of who is no such worker.

What holds of every way to start agents is in the files of `io`, `line`, `calibrate` and `prove` over hosts.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from agents_here import PATIENCE_S, by_workers, is_gone, when
from command import here, started
from dask_cluster import Cluster, cluster
from plimsoll.cluster import dask_bridge, dask_hosts

pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")

LONG = ("--size", "64m", "--runtime", "60s", "--depth", "1", "--engine", "psync", "--json", "--events", "-")


def refused(*words: str) -> tuple[int, Any]:
    """Status and data of an `io` that comes to nothing."""
    done = here("io", "sim:", *words, "--json")
    return done.returncode, json.loads(done.stdout)["data"]


def bridges(client: subprocess.Popen[str]) -> dict[str, psutil.Process]:
    """What the command started, by the names of the workers."""
    return {one.cmdline()[-1]: one for one in psutil.Process(client.pid).children()}


def lasting(made: Cluster, folder: Path) -> subprocess.Popen[str]:
    """A measurement by workers a and b that has begun."""
    client = started("io", folder, "--hosts", "a,b", "--cluster", made.address, *LONG)
    assert client.stderr is not None
    next(line for line in client.stderr if '"kind":"live"' in line)
    return client


def ended(client: subprocess.Popen[str]) -> tuple[int, Any]:
    """Status and data of one whose user ends it."""
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=PATIENCE_S)
    return client.returncode, json.loads(out)["data"]


def test_without_names_all_workers_take_part_and_one_machine_is_told(workers: Cluster) -> None:
    workers.add(name="db1")
    address = workers.add()
    done = here("io", "sim:mean=100us", "--cluster", workers.address, "--runtime", "1s", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)["data"]
    names = sorted(["db1", address.removeprefix("tcp://")])
    assert [one["host"] for one in data["hosts"]] == names
    [note] = [one["message"] for one in data["notes"] if one["code"] == "one-machine"]
    assert note == f"{', '.join(names)} are one machine, and share its processors and its way to storage"
    for one in data["hosts"]:
        assert one["clock_error_us"] >= abs(one["clock_offset_us"]), "there is one clock"


def test_by_way_of_the_scheduler_it_is_the_same(workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a worker cannot be reached from here."""
    code = (
        "from plimsoll.cluster import dask_client, dask_bridge\ndask_client.Link.reach = lambda *_: False\n"
    )
    code += "import sys\nsys.exit(dask_bridge.main(sys.argv[1:]))"
    monkeypatch.setattr(dask_hosts, "python_of_ours", lambda _, words: [sys.executable, "-c", code, *words])
    for name in ("a", "b"):
        workers.add(name=name)
    done = here("io", "sim:mean=100us", "--cluster", workers.address, "--runtime", "5s", "--json")
    assert done.returncode == 0, done.stderr
    assert [one["host"] for one in json.loads(done.stdout)["data"]["hosts"]] == ["a", "b"]


def test_a_worker_that_is_killed_is_a_host_that_is_lost(workers: Cluster, tmp_path: Path) -> None:
    for name in ("a", "b"):
        workers.add(name=name)
    way = by_workers(workers)
    client = lasting(workers, tmp_path)
    assert client.stderr is not None
    agent = way.agent("b")
    workers.named["b"].kill()
    next(line for line in client.stderr if '"kind":"live"' in line)
    when(lambda: is_gone(agent))
    status, data = ended(client)
    whole, lost = data["hosts"]
    assert status == 130
    assert whole["lost_because"] is None
    assert "b was lost: its agent ended without its result, with status 255: " in lost["lost_because"]
    assert "the worker b at tcp://127.0.0.1:" in lost["lost_because"]
    assert "is gone, or cannot be reached any more" in lost["lost_because"]
    assert [entry.name for entry in tmp_path.iterdir()] == [], "its agent took its file back"


def test_a_process_in_between_that_is_killed_is_a_host_that_is_lost(workers: Cluster, tmp_path: Path) -> None:
    for name in ("a", "b"):
        workers.add(name=name)
    way = by_workers(workers)
    client = lasting(workers, tmp_path)
    agent = way.agent("b")
    bridges(client)["b"].kill()
    assert client.stderr is not None
    next(line for line in client.stderr if "b was lost" in line)
    status, data = ended(client)
    assert status == 130
    assert data["hosts"][1]["lost_because"].endswith("ended without its result, with signal 9 (SIGKILL)")
    when(lambda: is_gone(agent))
    assert list(tmp_path.iterdir()) == [], "its agent took its file back, when it had heard nothing for long"


def test_without_its_scheduler_nothing_goes_on(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster", workers=0) as made:
        for name in ("a", "b"):
            made.add(name=name)
        folder = tmp_path / "shared"
        folder.mkdir()
        way = by_workers(made)
        client = lasting(made, folder)
        agents = [way.agent(name) for name in ("a", "b")]
        made.scheduler.kill()
        out, _ = client.communicate(timeout=PATIENCE_S)
        data = json.loads(out)["data"]
        assert client.returncode == 5
        assert all("was lost: its agent ended" in one["lost_because"] for one in data["hosts"])
        when(lambda: all(map(is_gone, agents)))
        assert list(folder.iterdir()) == [], "they took their files back"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_without_its_client_nothing_is_left(workers: Cluster, tmp_path: Path, number: int) -> None:
    for name in ("a", "b"):
        workers.add(name=name)
    way = by_workers(workers)
    client = lasting(workers, tmp_path)
    left = [*(way.agent(name) for name in ("a", "b")), *(one.pid for one in bridges(client).values())]
    assert len(left) == 4
    os.kill(client.pid, number)
    client.communicate(timeout=PATIENCE_S)
    when(lambda: all(map(is_gone, left)))
    assert list(tmp_path.iterdir()) == [], "they took their files back"


_NO_PLIMSOLL = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "plimsoll":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Without())
"""


@pytest.mark.parametrize(
    ("code", "id"),
    [
        ("import plimsoll; plimsoll.__version__ = '0.0.9'", "cluster-versions"),
        (_NO_PLIMSOLL, "cluster-worker"),
    ],
)
def test_a_worker_that_cannot_take_part_is_told_before_anything_is_started(
    workers: Cluster, tmp_path: Path, code: str, id: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(code)
    path = os.pathsep.join([str(tmp_path), *workers.path()])
    workers.add(name="a")
    address = workers.add(name="b", environment={"PYTHONPATH": path})
    status, data = refused("--cluster", workers.address)
    assert (status, data["id"]) == (2, id)
    assert data["message"].startswith(f"the worker {address}")
    assert refused("--cluster", workers.address, "--hosts", "a", "--runtime", "2s")[0] == 0


def test_a_worker_of_no_such_name_is_told(workers: Cluster) -> None:
    workers.add(name="a")
    status, data = refused("--cluster", workers.address, "--hosts", "a,x")
    assert (status, data["id"]) == (2, "cluster-worker-unknown")
    assert data["hint"] == "It has a. Without --hosts all of them take part."


def test_one_worker_has_nobody_to_share_a_file_with(workers: Cluster, tmp_path: Path) -> None:
    workers.add(name="a")
    done = here("io", tmp_path, "--cluster", workers.address, "--hot-file", "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (2, "hot-file-hosts")


def test_a_scheduler_elsewhere_without_tls_is_refused() -> None:
    status, data = refused("--cluster", "tcp://192.0.2.1:8786")
    assert (status, data["id"]) == (3, "cluster-without-tls")


def bridged(*words: str) -> subprocess.CompletedProcess[str]:
    """What stands in for a launcher, as a person starts it."""
    return subprocess.run(
        [sys.executable, "-m", dask_hosts.BRIDGE, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def test_by_hand_it_greets_and_ends(workers: Cluster) -> None:
    workers.add(name="a")
    done = bridged(workers.address, "a")
    assert "plimsoll_agent" in json.loads(done.stdout)
    assert done.returncode == 4, "as the agent ended"
    assert "before it said what to measure" in done.stderr


def test_by_hand_it_says_in_one_line_what_is_wrong(workers: Cluster) -> None:
    workers.add(name="a")
    done = bridged(workers.address, "x")
    assert (done.returncode, done.stdout) == (dask_bridge.LOST, "")
    assert done.stderr == f"{workers.address} has no worker x\n"


def test_a_command_that_is_killed_while_it_begins_leaves_nothing(workers: Cluster, tmp_path: Path) -> None:
    """Its worker hangs, so that there is no agent yet."""
    workers.add(name="a")
    worker = workers.named["a"].process.pid
    script = f"""import subprocess, sys, time
child = subprocess.Popen([sys.executable, '-m', {dask_hosts.BRIDGE!r}, {workers.address!r}, 'a'], stdin=subprocess.PIPE)
print(child.pid, flush=True); time.sleep(1000)"""
    os.kill(worker, signal.SIGSTOP)
    try:
        parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        when(lambda: len(psutil.Process(pid).net_connections()) > 0)
        parent.kill()
        parent.communicate(timeout=PATIENCE_S)
        when(lambda: is_gone(pid))
    finally:
        os.kill(worker, signal.SIGCONT)
