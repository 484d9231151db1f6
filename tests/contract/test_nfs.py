"""Files of an NFS server, measured by the commands that can; the server is one in memory that goes wrong by wish."""

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
from plimsoll.native.engine import Handle, start_fill

MIB = 1 << 20
FILE_BYTES = 64 * MIB
_SHORT = ("--runtime", "0.3s", "--warm-up", "0s", "--seed", "1")
_SCRATCH = "--size", "16m"


@pytest.fixture(scope="module")
def file_bytes() -> bytes:
    return os.urandom(FILE_BYTES)


@pytest.fixture
def server(file_bytes: bytes) -> Iterator[_core.NfsServer]:
    """One export with the file `data`, which belongs to this user."""
    served = _core.serve_nfs()
    served.add("data", os.geteuid(), 0, file_bytes)
    yield served
    served.stop()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))


def done(*words: str) -> dict[str, Any]:
    """The envelope of a command that ends well."""
    ended = command.here(*words, "--json")
    assert ended.returncode == ExitStatus.DONE, ended.stderr
    return json.loads(ended.stdout)


def refused(status: ExitStatus, *words: str) -> str:
    """What is said to a command that is refused."""
    ended = command.here(*words)
    assert ended.returncode == status, ended.stderr
    assert "hint:" in ended.stderr
    return ended.stderr


def codes(envelope: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in envelope["warnings"]}


def test_a_file_is_read_and_the_servers_memory_is_spoken_of(server: _core.NfsServer) -> None:
    told = done("io", server.url("/export/data"), "--depth", "8", *_SHORT)
    assert told["data"]["engine"] == "nfs"
    assert told["data"]["stable"] is None, "nothing was written"
    assert told["data"]["ios"] > 0
    assert "server-cache" in codes(told)
    reads, writes, _ = server.seen()
    assert reads >= told["data"]["ios"]
    assert writes == (0, 0, 0)


@pytest.mark.parametrize(("stable", "place"), [("none", 0), ("data", 1), ("file", 2)])
def test_writes_go_to_a_scratch_file_that_is_removed(
    server: _core.NfsServer, stable: str, place: int
) -> None:
    before = server.durable("data")
    words = ("--rw", "randwrite", *_SCRATCH, "--stable", stable, "--depth", "4", *_SHORT)
    told = done("io", server.url("/export"), *words)
    _, writes, commits = server.seen()
    assert told["data"]["stable"] == stable
    assert writes[place] >= told["data"]["ios"] > 0
    assert sum(writes) - writes[place] == (0 if stable == "none" else 16), "the fill is unstable"
    assert commits > 0
    assert ("nfs-unstable" in codes(told)) == (stable == "none")
    assert server.names() == ["data"], "the scratch file is gone"
    assert server.durable("data") == before


def test_a_line_is_searched(server: _core.NfsServer) -> None:
    words = ("--slo", "p99=1s", "--trial", "0.1s", "--repeats", "1", "--budget", "2s", "--seed", "1")
    ended = command.here("line", server.url("/export/data"), *words, "--json")
    assert ended.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), ended.stderr
    told = json.loads(ended.stdout)
    assert told["data"]["trials"]
    assert all(trial["cell"]["engine"] == "nfs" for trial in told["data"]["trials"] if "cell" in trial)


def test_a_file_that_was_there_is_never_written_to(server: _core.NfsServer) -> None:
    before = server.durable("data")
    words = refused(
        ExitStatus.REFUSED_FOR_SAFETY, "io", server.url("/export/data"), "--rw", "randwrite", *_SHORT
    )
    assert "foreign-file-refused" in words or "not written to" in words
    _, writes, _ = server.seen()
    assert writes == (0, 0, 0)
    assert server.durable("data") == before


def test_a_server_that_lost_what_was_not_committed_is_told_of(server: _core.NfsServer) -> None:
    # Odd: were every other answer one to a COMMIT, each second start would still come before one to a COMMIT, and so lose a write.
    server.go_wrong("restart", 21)
    words = ("--rw", "randwrite", *_SCRATCH, "--stable", "none", "--depth", "8", *_SHORT, "--runtime", "2s")
    told = done("io", server.url("/export"), *words)
    assert told["data"]["ios"] > 21
    assert told["data"]["errors"] == 0
    assert "nfs-rewritten" in codes(told)


def test_a_connection_that_is_cut_in_the_measured_time_is_told_of(server: _core.NfsServer) -> None:
    # 256 samples of the file come first.
    server.go_wrong("cut", 256 + 8)
    told = done("io", server.url("/export/data"), "--depth", "4", *_SHORT, "--runtime", "3s")
    assert {"nfs-reconnected", "nfs-resent"} <= codes(told)


@pytest.mark.parametrize(
    ("fault", "path", "status", "words"),
    [
        ("", "/export/none", ExitStatus.USAGE, "has no /export/none"),
        ("", "/other/data", ExitStatus.WORLD_FAILED, "exports neither"),
        ("only_version_4", "/export/data", ExitStatus.WORLD_FAILED, "version 3"),
        ("wants_privileged", "/export/data", ExitStatus.WORLD_FAILED, "below 1024"),
    ],
)
def test_what_a_server_refuses_has_its_own_words(
    server: _core.NfsServer, fault: str, path: str, status: ExitStatus, words: str
) -> None:
    server.go_wrong(fault, 1)
    assert words in refused(status, "io", server.url(path), *_SHORT)


def test_a_file_of_another_user_is_refused_with_its_owner(server: _core.NfsServer) -> None:
    server.add("theirs", 54_321, 54_322, bytes(1 * MIB))
    server.go_wrong("squash", 1)
    said = refused(ExitStatus.WORLD_FAILED, "io", server.url("/export/theirs") + "&uid=0&gid=0", *_SHORT)
    assert "uid 54321" in said
    assert "root_squash" in said


def test_a_server_that_is_gone_is_unreachable(server: _core.NfsServer) -> None:
    server.stop()
    assert "could not reach" in refused(ExitStatus.WORLD_FAILED, "io", server.url("/export/data"), *_SHORT)


def test_a_file_of_zeros_is_refused(server: _core.NfsServer) -> None:
    server.add("zeros", os.geteuid(), 0, bytes(FILE_BYTES))
    said = refused(ExitStatus.USAGE, "io", server.url("/export/zeros"), *_SHORT)
    assert "nothing but zeros" in said
    assert "Name its folder" in said


def test_a_small_file_is_refused(server: _core.NfsServer) -> None:
    server.add("small", os.geteuid(), 0, os.urandom(8192))
    refused(ExitStatus.USAGE, "io", server.url("/export/small"), *_SHORT)
    refused(ExitStatus.USAGE, "io", server.url("/export/data"), "--size", "1g", *_SHORT)
    refused(ExitStatus.USAGE, "io", server.url("/export"), "--size", "8k", *_SHORT)
    assert server.names() == ["data", "small"]


@pytest.mark.parametrize(
    "words", [("--prefill",), ("--no-direct",), ("--merge",), ("--destroy", "/dev/sdx=serial")]
)
def test_what_means_nothing_there_is_refused(server: _core.NfsServer, words: tuple[str, ...]) -> None:
    said = refused(ExitStatus.USAGE, "io", server.url("/export/data"), *words, *_SHORT)
    assert words[0] in said
    assert "no effect on a file of an NFS server" in said


@pytest.mark.parametrize(
    "words", [("--merge",), ("--engine", "psync"), ("--engine", "io-uring"), ("--engine", "sim")]
)
@pytest.mark.parametrize("name", ["io", "line"])
def test_what_cannot_be_is_refused_before_a_scratch_file_is_filled(
    server: _core.NfsServer, name: str, words: tuple[str, ...]
) -> None:
    refused(ExitStatus.USAGE, name, server.url("/export"), "--rw", "randwrite", *_SCRATCH, *words)
    assert server.seen() == (0, (0, 0, 0), 0)


@pytest.mark.parametrize(
    "words",
    [
        "assess --demand none.json --target {nfs}",
        "prove order-entry --against {nfs}",
        "prove slob --against {nfs}",
        "io {nfs} --rw randwrite --check steady --fill 50",
        "demo --folder {nfs}",
        "prove order-entry --folder {nfs}",
        "prove slob --folder {nfs}",
        "prove tpch --folder {nfs}",
        "fio {job} --folder {nfs}",
    ],
)
def test_what_takes_files_of_this_host_alone_refuses_those_of_a_server(
    server: _core.NfsServer, tmp_path: Path, words: str
) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[reads]\nrw=randread\nsize=16m\n")
    places = {"nfs": server.url("/export"), "here": str(tmp_path), "job": str(job)}
    said = refused(ExitStatus.USAGE, *(word.format_map(places) for word in words.split()))
    assert f"does not take a file or folder of an NFS server, as {places['nfs']} is" in said
    assert server.seen() == (0, (0, 0, 0), 0)
    assert server.names() == ["data"]


def test_a_job_file_that_names_files_of_a_server_is_refused(tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[reads]\nrw=randread\nsize=16m\nfilename=nfs://filer/vol/data\n")
    assert "as nfs://filer/vol/data is" in refused(ExitStatus.USAGE, "fio", str(job))


@pytest.mark.parametrize("words", [("io",), ("line",), ("line", "--beside", "backup")])
def test_a_durability_of_writes_is_refused_where_nothing_is_written(
    server: _core.NfsServer, words: tuple[str, ...]
) -> None:
    said = refused(ExitStatus.USAGE, *words, server.url("/export/data"), "--stable", "data")
    assert "--stable data would have no effect on a workload that only reads" in said
    assert server.seen() == (0, (0, 0, 0), 0)


def test_the_last_bytes_of_a_server_stay_free(server: _core.NfsServer) -> None:
    server.go_wrong("room", 80 * MIB - 1)
    words = "io", server.url("/export"), "--rw", "randwrite", *_SCRATCH, *_SHORT
    said = refused(ExitStatus.WORLD_FAILED, *words)
    assert "stay free" in said
    assert server.seen() == (0, (0, 0, 0), 0)
    assert server.names() == ["data"]
    server.go_wrong("room", 80 * MIB)
    assert done(*words)["data"]["ios"] > 0


def test_a_scratch_file_that_somebody_took_away_is_told_of(
    server: _core.NfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.native.remote.remove", lambda url, permit: "was not there any more")
    ended = command.here("io", server.url("/export"), "--rw", "randwrite", *_SCRATCH, *_SHORT)
    assert "was not there any more" in ended.stderr


def test_engines_and_targets_that_do_not_fit_are_refused(server: _core.NfsServer, tmp_path: Path) -> None:
    refused(ExitStatus.USAGE, "io", server.url("/export/data"), "--engine", "psync", *_SHORT)
    refused(ExitStatus.USAGE, "io", server.url("/export/data"), "--engine", "sim", *_SHORT)
    (tmp_path / "full").write_bytes(os.urandom(FILE_BYTES))
    refused(ExitStatus.USAGE, "io", str(tmp_path / "full"), "--engine", "nfs", *_SHORT)
    refused(ExitStatus.USAGE, "io", str(tmp_path / "full"), "--stable", "none", *_SHORT)


def test_our_own_cost_is_measured_there_too(server: _core.NfsServer) -> None:
    reads_before, *_ = server.seen()
    told = done("io", server.url("/export/data"), "--engine", "null", *_SHORT)
    reads, *_ = server.seen()
    assert told["data"]["engine"] == "null"
    assert reads - reads_before <= 256, "nothing but the samples was read"


def test_a_server_that_starts_anew_is_an_outage_and_no_number(server: _core.NfsServer) -> None:
    # 256 samples of the file come first.
    server.go_wrong("gone", 256 + 200, seconds=1.0)
    ended = command.here(
        "io", server.url("/export/data"), "--depth", "4", *_SHORT, "--runtime", "3s", "--json"
    )
    assert ended.returncode == ExitStatus.ANSWER_IS_NO, ended.stderr
    data = json.loads(ended.stdout)["data"]
    assert data["errors"] == 0
    (outage,) = data["outages"]
    assert outage["share"] == 1.0
    assert 0.9 <= outage["duration_s"] <= 3.0
    assert data["held_iops"] == pytest.approx(data["iops"] * 3 / (3 - outage["duration_s"]), rel=0.01)
    checks = {check["name"]: check["passed"] for check in data["checks"]}
    assert (checks["outage"], checks["stalls"]) == (False, False)
    assert checks["cliff"] is not False


def test_a_server_that_stays_away_ends_the_run_with_what_was_measured(server: _core.NfsServer) -> None:
    server.go_wrong("gone", 256 + 200, seconds=600.0)
    words = ("--depth", "4", *_SHORT, "--runtime", "60s", "--path-timeout", "1s", "--json")
    ended = command.here("io", server.url("/export/data"), *words)
    assert ended.returncode == ExitStatus.WORLD_FAILED, ended.stderr
    told = json.loads(ended.stdout)
    assert told["data"]["ended_early"] == "errors"
    assert told["data"]["errors"] == 4, "what was under way, and nothing that was begun later"
    assert told["data"]["ios"] > 0
    # A machine that is so slow that a path was lost before that has made it anew.
    if told["data"]["paths"][0]["losses"] == 1:
        assert not {"nfs-resent", "nfs-reconnected"} & codes(told)


def test_the_timeout_of_a_path_is_that_of_the_fill_too(
    server: _core.NfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def note(spec_json: str, permit: Any) -> Handle:
        asked.append(json.loads(spec_json))
        return start_fill(spec_json, permit)

    monkeypatch.setattr("plimsoll.supply.fill.start_fill", note)
    words = ("--rw", "randwrite", *_SCRATCH, "--path-timeout", "7s")
    done("io", server.url("/export"), *words, *_SHORT)
    command.here(
        "line", server.url("/export"), *words, "--slo", "p99=1s", "--trial", "0.1s", "--budget", "1s"
    )
    assert [fill["path_timeout_s"] for fill in asked] == [7.0, 7.0]


def test_a_line_beside_a_server_that_goes_away_is_no_line(server: _core.NfsServer) -> None:
    # So few answers come of any machine within the first trial, and none after them, however short the timeout is.
    server.go_wrong("gone", 256 + 50, seconds=600.0)
    words = ("--slo", "p99=1s", "--trial", "0.2s", "--repeats", "1", "--budget", "60s", "--seed", "1")
    said = refused(
        ExitStatus.WORLD_FAILED, "line", server.url("/export/data"), *words, "--path-timeout", "0.2s"
    )
    assert "CPU" not in said


def test_paths_share_the_load_and_a_lost_one_is_told_of(file_bytes: bytes) -> None:
    served = _core.serve_nfs(3)
    try:
        served.add("data", os.geteuid(), 0, file_bytes)
        told = done("io", served.url("/export/data"), "--depth", "6", *_SHORT)["data"]
        assert [path["address"] for path in told["paths"]] == ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
        assert sum(path["share"] for path in told["paths"]) == pytest.approx(1.0)
        assert all(path["requests"] > 0 and path["losses"] == 0 for path in told["paths"])
        served.go_wrong("silent", 256 + 50, path=1)
        words = ("--depth", "6", *_SHORT, "--runtime", "4s", "--path-timeout", "1s")
        told = done("io", served.url("/export/data"), *words)
        lost = told["data"]["paths"][1]
        assert lost["losses"] == 1
        assert lost["away_s"] > 0.5
        assert told["data"]["outages"] == []
        assert told["data"]["errors"] == 0
        assert "nfs-resent" in codes(told)
    finally:
        served.stop()


def test_more_than_a_server_can_tell_apart_is_refused_before_the_fill(server: _core.NfsServer) -> None:
    words = ("--rw", "randwrite", *_SCRATCH, "--depth", "65536", "--block", "4m", *_SHORT)
    said = refused(ExitStatus.USAGE, "io", server.url("/export"), *words)
    assert "too many requests at once" in said
    assert server.seen() == (0, (0, 0, 0), 0)
    assert server.names() == ["data"]


def test_a_name_with_one_slash_is_told_what_is_missing() -> None:
    said = refused(ExitStatus.USAGE, "io", "nfs:/filer/vol/data", *_SHORT)
    assert "Write nfs://filer/vol/data." in said


def test_a_fill_that_is_interrupted_measured_nothing(
    server: _core.NfsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plimsoll.context import Cancel

    monkeypatch.setattr(Cancel, "is_set", True)
    ended = command.here("io", server.url("/export"), "--rw", "randwrite", *_SCRATCH, *_SHORT)
    assert ended.returncode == ExitStatus.INTERRUPTED, ended.stderr
    assert "was filled; nothing was measured yet" in ended.stderr
    assert server.names() == ["data"]
