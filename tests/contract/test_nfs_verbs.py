"""Commands of several loads on files of an NFS server in memory: shapes, calibrations, ladders of paths, names out of oranfstab."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll import _core
from plimsoll.base.errors import ExitStatus
from plimsoll.supply import direct_nfs

MIB = 1 << 20
_BRIEF = ("--runtime", "0.2s", "--seed", "1")


@pytest.fixture(scope="module")
def file_bytes() -> bytes:
    return os.urandom(64 * MIB)


@pytest.fixture
def server(file_bytes: bytes) -> Iterator[_core.NfsServer]:
    """One export with the file `data`, at three addresses."""
    served = _core.serve_nfs(3)
    served.add("data", os.geteuid(), 0, file_bytes)
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))


def _told(*words: str) -> dict[str, Any]:
    """The envelope; on a machine with other work a check of noise may fail, which is no matter here."""
    ended = command.here(*words, "--json")
    assert ended.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), ended.stderr
    return json.loads(ended.stdout)


def _refused(*words: str) -> str:
    ended = command.here(*words)
    assert ended.returncode == ExitStatus.USAGE, ended.stderr
    assert "hint:" in ended.stderr
    return ended.stderr


def test_the_log_writer_works_beside_scans_in_a_folder(server: _core.NfsServer) -> None:
    words = ("--only", "log-writer,scans", "--size", "64m", *_BRIEF, "--warm-up", "0s")
    data = _told("shapes", server.url("/export"), *words)["data"]
    cells = [encounter["cell"] for encounter in data["encounters"]]
    assert len(cells) == 6, "each alone, at a rate, and beside the other"
    assert all(cell["engine"] == "nfs" and cell["ios"] > 0 and not cell["errors"] for cell in cells)
    beside = next(cell for cell in cells if len(cell["classes"]) > 1)
    assert {path["address"] for path in beside["paths"]} == {"127.0.0.1", "127.0.0.2", "127.0.0.3"}
    assert server.seen()[1][2] > 0, "the log asks for FILE_SYNC"
    assert server.names() == ["data"], "both scratch files are gone"


def test_a_file_that_was_there_is_only_read(server: _core.NfsServer) -> None:
    before = server.durable("data")
    told = _told("shapes", server.url("/export/data"), "--readers", "2", *_BRIEF, "--warm-up", "0s")
    assert "shapes-left-out" in {warning["code"] for warning in told["warnings"]}
    assert server.seen()[1] == (0, 0, 0)
    assert server.durable("data") == before


def test_data_and_log_are_both_of_a_server(server: _core.NfsServer, tmp_path: Path) -> None:
    said = _refused("shapes", server.url("/export"), "--log", str(tmp_path))
    assert "not both files of an NFS server" in said


@pytest.mark.parametrize(
    "words",
    [
        ("--shape", "simple"),
        ("--matrix", "point", "--small-depth", "2", "--large-depth", "2"),
        ("--matrix", "point", "--small-depth", "0", "--large-depth", "2", "--large-pattern", "sequential"),
    ],
)
def test_a_file_is_calibrated(server: _core.NfsServer, words: tuple[str, ...]) -> None:
    data = _told("calibrate", server.url("/export/data"), *words, *_BRIEF)["data"]
    cells = [cell for cell in data["cells"] if cell["ios"]]
    assert cells
    assert not any(cell["errors"] for cell in cells)
    assert server.seen()[0] >= sum(cell["ios"] for cell in cells)


def test_streams_that_read_and_write_have_parts_of_a_scratch_file(server: _core.NfsServer) -> None:
    words = ("--matrix", "point", "--small-depth", "0", "--large-depth", "2", "--large-pattern", "sequential")
    words += ("--write-share", "0.5", "--size", "64m", "--cache-size", "0")
    data = _told("calibrate", server.url("/export"), *words, *_BRIEF)["data"]
    assert any(cell["ios"] for cell in data["cells"])
    assert not any(cell["errors"] for cell in data["cells"])
    assert server.seen()[1][2] > 0, "one of the streams writes"
    assert server.names() == ["data"]


def test_working_sets_of_a_file(server: _core.NfsServer) -> None:
    words = ("--working-sets", "16m,32m,64m", "--repeats", "2")
    data = _told("calibrate", server.url("/export/data"), *words, *_BRIEF)["data"]
    assert len(data["sets"]) == 3


def test_paths_are_added_one_by_one(server: _core.NfsServer) -> None:
    words = ("--ladder", "--large-depth", "0", "--repeats", "2")
    (curve,) = _told("calibrate", server.url("/export/data"), *words, *_BRIEF)["data"]["curves"]
    assert [one["name"] for one in curve["alone"]] == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    assert [step["targets"] for step in curve["steps"]] == [1, 2, 3]
    last = curve["steps"][-1]["cell"]
    assert [path["address"] for path in last["paths"]] == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    assert all(path["requests"] > 0 for path in last["paths"])


def test_a_ladder_has_steps(server: _core.NfsServer) -> None:
    one_path = server.url("/export/data").replace("paths=127.0.0.1,127.0.0.2,127.0.0.3", "paths=127.0.0.1")
    assert "a ladder of one target has no step" in _refused("calibrate", one_path, "--ladder")


def test_orions_list_of_targets_may_name_a_file_of_a_server(
    server: _core.NfsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.lun").write_text(f"{server.url('/export/data')}\n")
    words = ("-run", "advanced", "-matrix", "point", "-num_small", "2", "-num_large", "0", "-duration", "1")
    ended = command.here("orion", *words, "-testname", "t", "-num_disks", "1")
    assert ended.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), ended.stderr
    (summary,) = tmp_path.glob("t_*_summary.txt")
    assert "nfs://127.0.0.1/export/data" in summary.read_text()
    assert server.seen()[0] > 256, "more than the samples of its contents"


def test_several_targets_are_no_volume(server: _core.NfsServer, tmp_path: Path) -> None:
    for words in ((), ("--ladder",)):
        said = _refused("calibrate", server.url("/export/data"), str(tmp_path), *words)
        assert "others of the targets are of this host" in said
    said = _refused("calibrate", server.url("/export/data"), server.url("/export"))
    assert "not measured as one volume" in said


def test_one_target_twice_is_no_ladder(server: _core.NfsServer, tmp_path: Path) -> None:
    for name in (server.url("/export/data"), str(tmp_path)):
        assert "is named twice" in _refused("calibrate", name, name, "--ladder")


def test_each_path_is_reached_from_the_address_that_was_asked_for(server: _core.NfsServer) -> None:
    url = f"{server.url('/export/data')}&local=127.0.0.7,127.0.0.8,127.0.0.9"
    assert _told("io", url, *_BRIEF)["data"]["ios"] > 0
    assert {"127.0.0.7", "127.0.0.8", "127.0.0.9"} <= set(server.clients())
    foreign = f"{server.url('/export/data')}&local=192.0.2.7,127.0.0.8,127.0.0.9"
    ended = command.here("io", foreign, *_BRIEF)
    assert ended.returncode == ExitStatus.WORLD_FAILED
    assert "192.0.2.7, which local= names, cannot be used by this host" in ended.stderr, "nfs-local"


def test_the_server_of_a_path_is_found_in_oranfstab(
    server: _core.NfsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ports are those of a test; Direct NFS asks for none."""
    ports = "&".join(option for option in server.url("/export").split("?")[1].split("&") if "port=" in option)
    told = direct_nfs._url
    monkeypatch.setattr(direct_nfs, "_url", lambda *words: f"{told(*words)}&{ports}&privileged=no")
    tab = tmp_path / "oranfstab"
    tab.write_text(
        "server: 127.0.0.1\nlocal: 127.0.0.8\npath: 127.0.0.1\nlocal: 127.0.0.9\npath: 127.0.0.3\n"
        "export: /export mount: /u02/oradata\n"
    )
    words = ("--slo", "p99=1s", "--trial", "0.1s", "--repeats", "1", "--budget", "2s", "--seed", "1")
    line = _told("line", "/u02/oradata/data", "--oranfstab", str(tab), *words)
    assert all(trial["cell"]["engine"] == "nfs" for trial in line["data"]["trials"] if "cell" in trial)
    told_run = _told("io", "/u02/oradata/data", "--oranfstab", str(tab), *_BRIEF)
    assert [path["address"] for path in told_run["data"]["paths"]] == ["127.0.0.1", "127.0.0.3"]
    assert told_run["data"]["ios"] > 0


def test_ports_that_oranfstab_cannot_name_are_named_by_a_target(
    server: _core.NfsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.url("/export/data")
    server.stop()
    monkeypatch.setattr(direct_nfs, "_url", lambda *_: url)
    tab = tmp_path / "oranfstab"
    tab.write_text("server: 127.0.0.1\nexport: /export mount: /u02/oradata\n")
    by_file = command.here("io", "/u02/oradata/data", "--oranfstab", str(tab))
    by_name = command.here("io", url)
    for ended in (by_file, by_name):
        assert ended.returncode == ExitStatus.WORLD_FAILED
        assert "could not reach MOUNT of 127.0.0.1" in ended.stderr
    place = f"{tab} has no place for them: in place of --oranfstab name '{url}&port=…&mount_port=…'."
    assert place in by_file.stderr
    assert "has no place" not in by_name.stderr
