"""`plimsoll host bench network` over the loopback with iperf3 itself, what its card counted, and what it refuses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from iperf_server import Server, serving
from plimsoll.facts import NetworkTest
from plimsoll.flows import network_hosts
from plimsoll.flows.host_bench_network import counted
from plimsoll.flows.network_hosts import server_there
from plimsoll.host.iperf import Told, Way
from plimsoll.host.network_counters import Counted
from plimsoll.requests.host_bench_network import HostBenchNetworkRequest
from simulated import context
from ssh_server import free_port

MB = 10**6


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("127.0.0.1", free_port()) as one:
        yield one


def _data(*words: str | Path, **environment: str) -> tuple[int, dict[str, Any]]:
    done = command.here("host", "bench", "network", "--runtime", "1s", "--json", *words, **environment)
    return done.returncode, json.loads(done.stdout)["data"]


def test_a_path_is_measured_and_one_that_is_refused_is_named(server: Server, tmp_path: Path) -> None:
    page = tmp_path / "network.html"
    words = ("--port", str(server.port), "--streams", "1", "--out", page)
    status, found = _data("near=127.0.0.1,127.0.0.1", "gone=127.0.0.2", *words)
    assert status == 5
    assert found["tool"].startswith("iperf 3")
    near = [one for one in found["tests"] if one["path"] == "near"]
    assert [(one["direction"], one["streams"], one["reason"]) for one in near] == [
        ("out", 1, None),
        ("in", 1, None),
        ("both", 1, None),
    ]
    assert [one["out_mb_per_s"] is not None for one in near] == [True, False, True]
    assert [one["in_mb_per_s"] is not None for one in near] == [False, True, True]
    assert {(one["card"], one["counted"]) for one in near} == {("lo", "agrees")}
    assert all(one["card_out_mb"] >= 0.99 * ((one["out_mb"] or 0) + (one["in_mb"] or 0)) for one in near)
    assert all(one["own_cpu_percent_per_gbit"] > 0 for one in near)
    gone = [one for one in found["tests"] if one["path"] == "gone"]
    assert len(gone) == 3
    assert all("refused" in one["reason"] for one in gone)
    assert "What the network gives" in page.read_text()


def test_where_nobody_answers_it_says_how_to_start_the_far_side() -> None:
    done = command.here("host", "bench", "network", "127.0.0.1", "--port", str(free_port()), "--json")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (4, "network-refused")
    assert "iperf3 -s" in done.stderr


_BUSY_TWICE = """#!/bin/sh
[ "$1" = --version ] && exit 0
echo "$@" >> {folder}/asked
if [ $(wc -l < {folder}/asked) -le {times} ]; then
    echo '{{"start": {{}}, "end": {{}}, "error": "error - the server is busy running a test. try again later"}}'
else
    cat {folder}/told.json
fi
"""


def _programs(folder: Path, times: int) -> dict[str, str]:
    """A program in place of iperf3, that finds the server busy so many times; to an address that no card leads to."""
    sums = {"bytes": 2_000, "bits_per_second": 8e9, "retransmits": 0}
    ends = {f"sum_{what}{way}": sums for what in ("sent", "received") for way in ("", "_bidir_reverse")}
    start = {"version": "iperf 3.12", "connected": [{"remote_host": "nowhere"}]}
    (folder / "told.json").write_text(json.dumps({"start": start, "end": ends}))
    (folder / "iperf3").write_text(_BUSY_TWICE.format(folder=folder, times=times))
    (folder / "iperf3").chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_a_server_that_is_busy_is_asked_again(tmp_path: Path) -> None:
    status, found = _data("db2", "--streams", "1", **_programs(tmp_path, times=2))
    assert status == 0
    assert [one["reason"] for one in found["tests"]] == [None] * 3
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == 5
    assert all("--time 1 " in one for one in asked)


def test_a_server_that_stays_busy_is_given_up(tmp_path: Path) -> None:
    status, found = _data("db2", "--streams", "1", **_programs(tmp_path, times=99))
    assert (status, found["id"]) == (4, "network-refused")
    assert "busy" in found["message"]
    assert len((tmp_path / "asked").read_text().splitlines()) == 5, (
        "one path is not asked again after its first test"
    )


_HERE = "sh -c 'shift; exec \"$@\"' x {host}"
"""A launcher to this very host."""


def _listens(port: int) -> bool:
    return any(
        line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "0A"
        for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
        for line in path.read_text().splitlines()[1:]
    )


@pytest.mark.parametrize(("hosts", "client"), [("db2", None), ("db1,db2", "db1")])
def test_both_ends_are_started_on_the_hosts_that_are_named_and_end_with_it(
    hosts: str, client: str | None
) -> None:
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 not found: it takes Debian's package iperf3")
    port = free_port()
    words = ("--hosts", hosts, "--launcher", _HERE, "--port", str(port), "--streams", "1")
    status, found = _data("near=127.0.0.1", *words)
    assert (status, found["client_host"], found["server_host"]) == (0, client, "db2")
    assert [one["reason"] for one in found["tests"]] == [None] * 3
    assert {one["counted"] for one in found["tests"]} == {"agrees" if client is None else "unknown"}
    assert not _listens(port)


def test_a_server_that_cannot_be_started_says_what_it_said(server: Server) -> None:
    words = ("--hosts", "db2", "--launcher", _HERE, "--port", str(server.port))
    status, found = _data("near=127.0.0.1", *words)
    assert (status, found["id"]) == (4, "network-server")
    assert "iperf3 could not be started as a server on db2: " in found["message"]
    assert "in use" in found["message"]
    assert f"port {server.port} is free" in found["hint"]


def test_a_launcher_that_does_not_get_there_is_told() -> None:
    refusing = "sh -c 'echo no route to db2 >&2; exit 255' x {host}"
    status, found = _data("near=127.0.0.1", "--hosts", "db2", "--launcher", refusing)
    assert (status, found["id"]) == (4, "network-server")
    assert found["message"].endswith("no route to db2")
    status, found = _data("near=127.0.0.1", "--hosts", "db2", "--launcher", "/none/such {host}")
    assert (status, found["id"]) == (4, "network-server")
    assert "the launcher cannot be run" in found["message"]


def test_what_fails_while_it_runs_is_not_laid_on_the_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_hosts, "_await", lambda *_: None)
    asked = HostBenchNetworkRequest(paths=("127.0.0.1",), hosts=("db2",), launcher=_HERE)
    with context(tmp_path) as ctx, pytest.raises(OSError, match="no file is left"), server_there(ctx, asked):
        raise OSError("no file is left")


def test_a_client_that_cannot_be_started_is_a_test_without_figures(tmp_path: Path) -> None:
    """The server's host has the program, the client's has none."""
    if shutil.which("iperf3") is None:
        pytest.skip("iperf3 not found: it takes Debian's package iperf3")
    launcher = tmp_path / "reach"
    launcher.write_text(
        '#!/bin/sh\nh=$1; shift; [ $h = db2 ] || { echo no route to $h >&2; exit 255; }; exec "$@"\n'
    )
    launcher.chmod(0o755)
    words = ("--hosts", "db1,db2", "--launcher", f"{launcher} {{host}}", "--port", str(free_port()))
    status, found = _data("near=127.0.0.1", *words)
    assert (status, found["id"]) == (4, "network-refused")
    assert found["message"].endswith("db1: no route to db1")
    assert "leads to db2, on which iperf3 was started" in found["hint"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--hosts", "db1,db2,db3"), "network-hosts"),
        (("--hosts", "db1,"), "host-name"),
        (("--hosts", "db1,db1"), "hosts-twice"),
        (("--launcher", "ssh {host}"), "option-idle"),
        (("--hosts", "db1", "--launcher", "ssh"), "launcher-no-host"),
    ],
)
def test_hosts_that_make_no_sense_are_refused(words: tuple[str, ...], error: str) -> None:
    status, found = _data("10.1.0.9", *words)
    assert (status, found["id"]) == (2, error)


def test_a_time_that_iperf3_would_cut_is_refused(tmp_path: Path) -> None:
    status, found = _data("db2", "--runtime", "1500ms", **_programs(tmp_path, times=0))
    assert (status, found["id"]) == (2, "network-runtime")
    assert "1.5 s" in found["message"]
    assert "--runtime 2s" in found["hint"]
    assert not (tmp_path / "asked").exists()


def test_without_the_program_it_says_how_to_install_it(tmp_path: Path) -> None:
    status, found = _data("db2", PATH=str(tmp_path))
    assert (status, found["id"]) == (4, "iperf-missing")
    assert "apt install iperf3" in found["hint"]


@pytest.mark.parametrize(
    "paths", [("a=10.0.0.1", "a=10.0.0.2"), ("db1,db2",), ("a=b=c",), ("-c",), ("10.0.0.1,",)]
)
def test_paths_that_cannot_be_read_are_refused(paths: tuple[str, ...]) -> None:
    status, found = _data("--", *paths)
    assert (status, found["id"]) == (2, "network-path")


def test_a_port_in_a_path_is_told_its_option() -> None:
    status, found = _data("san=10.0.0.9:5300")
    assert (status, found["id"]) == (2, "network-path")
    assert found["hint"] == "Write 10.0.0.9 --port 5300."


def _counted(told: Told, sent: int, taken: int, card: str | None = "eth1") -> NetworkTest:
    test = NetworkTest(path="p", server="db2", direction="out", streams=1)
    before, after = ({card or "none": Counted(*both)} for both in ((5, 7), (5 + taken, 7 + sent)))
    return counted(test, told, before, after, lambda address: card)


def _told(out_mb: int | None, in_mb: int | None = None, retransmits: int = 0) -> Told:
    out, back = (None if mb is None else Way(mb * MB, mb * MB, 1.0, retransmits) for mb in (out_mb, in_mb))
    return Told("iperf 3.12", "10.1.0.9", out, back, None, None)


def test_a_card_counts_the_data_with_its_headers() -> None:
    found = _counted(_told(1000), sent=1045 * MB, taken=20 * MB)
    assert (found.counted, found.others_mb, found.card_out_mb, found.card_in_mb) == (
        "agrees",
        0.0,
        1045.0,
        20.0,
    )
    assert _counted(_told(1000), sent=1000 * MB, taken=0).counted == "agrees", (
        "the kernel counts large packets once"
    )
    assert _counted(_told(1000), sent=980 * MB, taken=0).counted == "less"


def test_both_directions_must_be_there() -> None:
    assert _counted(_told(1000, 500), sent=1040 * MB, taken=520 * MB).counted == "agrees"
    assert _counted(_told(1000, 500), sent=1040 * MB, taken=40 * MB).counted == "less"


def test_the_loopback_counts_both_directions_twice() -> None:
    assert _counted(_told(1000, 500), sent=1400 * MB, taken=1400 * MB, card="lo").counted == "less"
    assert _counted(_told(1000, 500), sent=1500 * MB, taken=1500 * MB, card="lo").counted == "agrees"


def test_what_others_moved_is_told_apart_from_headers_and_from_what_was_sent_again() -> None:
    assert _counted(_told(1000), sent=1500 * MB, taken=0).others_mb == pytest.approx(371, abs=10)
    assert _counted(_told(1000, retransmits=200_000), sent=1500 * MB, taken=0).others_mb == 0.0


def test_without_a_known_card_nothing_is_said() -> None:
    found = _counted(_told(1000), sent=0, taken=0, card=None)
    assert (found.counted, found.card, found.others_mb) == ("unknown", None, None)
