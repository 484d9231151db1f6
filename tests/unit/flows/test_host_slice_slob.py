"""`plimsoll host slice prove --driver slob`: a real PostgreSQL in its slice, moved out of it and back, and what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import command
from plimsoll.base.errors import UsageError
from plimsoll.databases.embedded import Server
from plimsoll.flows.host_slice_slob import slob_of
from plimsoll.host.database_servers import server_processes
from plimsoll.ports import control_groups
from plimsoll.requests.host_slice_prove import HostSliceProveRequest
from slice_commands import Here
from slice_groups import TOP, listed, names_of_test, put_server

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")
SHORT = ("--rounds", "3", "--runtime", "1s", "--warm-up", "0s", "--seed", "5", "--noise-kind", "cpu")
LIGHT = ("--set", "WORK_UNIT=4")
"""Blocks of an operation: of a slow machine too there are enough of them for a trial."""
BUSY = {"noise-absent", "noise-others", "measurement-few"}
"""What says that the machine was busy, and nothing of where anything ran."""
SMALL = ("--scale", "1024", "--schemas", "1")


class Driven:
    """Slices that are applied, a server with tables, and proofs of it."""

    def __init__(self, folder: Path, start: str, server: Server) -> None:
        self.here = Here(folder, start, iops=None)
        self.start, self.server = start, server
        self.store = ("--store", str(folder / "runs.sqlite"))
        self.cpus = os.sched_getaffinity(server.process.pid)
        assert self.here.apply()[0] == 0

    def groups(self) -> list[Path]:
        """Of the slice that is measured."""
        found = [TOP / one / f"plimsoll-{self.start}-a" for one in ("cpuset", "memory", "blkio")]
        return [one for one in found if one.is_dir()]

    def family(self) -> list[int]:
        return server_processes(self.server.process.pid)

    def put(self, folders: list[Path]) -> None:
        put_server(folders, self.server.process.pid)

    def words(self, *words: str) -> tuple[str, ...]:
        names = (f"{self.start}-a", "--noise", f"{self.start}-b.c", "--driver", "slob")
        return *names, "--database", self.server.url, *self.store, *SHORT, *words


@pytest.fixture
def driven(tmp_path: Path, start: str, server_18: Server) -> Iterator[Driven]:
    made = Driven(tmp_path, start, server_18)
    try:
        yield made
    finally:
        made.put([TOP / one.parent.name for one in made.groups()])
        command.here("prove", "slob", "drop", "--database", server_18.url, *made.store)
        assert all(os.sched_getaffinity(one) == made.cpus for one in made.family()), "they stay bound"


def test_the_server_is_in_its_slice_and_without_slices_elsewhere_and_back_at_the_end(
    driven: Driven, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = command.here("prove", "slob", "setup", "--database", driven.server.url, *SMALL, *driven.store)
    assert made.returncode == 0, made.stderr
    driven.put(driven.groups())
    cpus, before = os.sched_getaffinity(driven.server.process.pid), listed(driven.start)
    moved: list[tuple[str, str]] = []
    write = control_groups.write

    def noted(group: Path, setting: str, value: str) -> None:
        moved.append((str(group), value))
        write(group, setting, value)

    monkeypatch.setattr(control_groups, "write", noted)
    status, data = driven.here.document("prove", *driven.words(*LIGHT))
    assert status in (0, 1, 5), data
    assert {one["code"] for one in data["findings"]} <= BUSY
    assert len(data["trials"]) == 12
    for one in data["trials"]:
        assert (one["cell"], one["in_group"], one["samples_outside"]) == (None, True, 0)
        assert one["server"]["doubts"] == []
        assert one["server"]["operations"] > 0
        assert one["server"]["operations_per_s"] > 0
        assert one["server"]["latency_us"]["p99"] > 0
        assert one["server"]["processes"] > 3
    assert (data["driver"], data["client"], data["settings"]["sessions"]) == ("slob", "outside", "1")
    assert all(one["p99_kept_off"]["rounds"] == 3 for one in data["effects"])
    leader = str(driven.server.process.pid)
    away = [group for group, value in moved if value == leader and "plimsoll-prove-" in group]
    home = [
        group for group, value in moved if value == leader and group.endswith(f"plimsoll-{driven.start}-a")
    ]
    assert len(away) == len(home) == 6 * len(driven.groups())
    inside = [control_groups.own_members(one) for one in driven.groups()]
    assert all(set(driven.family()) <= one for one in inside)
    # Nobody else is left there: who kept the group is gone.
    assert all(one <= {*driven.family()} for one in inside)
    assert (os.sched_getaffinity(driven.server.process.pid), listed(driven.start)) == (cpus, before)


def test_a_server_that_was_not_in_its_slice_is_refused(driven: Driven) -> None:
    status, data = driven.here.document("prove", *driven.words())
    assert (status, data["id"]) == (4, "server-not-in-slice")
    assert str(driven.server.process.pid) in data["message"]
    driven.put(driven.groups())
    first = driven.family()[1]
    (driven.groups()[0].parent / "cgroup.procs").write_text(str(first))
    status, data = driven.here.document("prove", *driven.words())
    assert (status, data["id"]) == (4, "server-not-in-slice")
    assert f"({first})" in data["message"]


def test_an_embedded_server_is_made_in_the_slice(tmp_path: Path, start: str) -> None:
    here = Here(tmp_path, start, iops=None)
    assert here.apply()[0] == 0
    before = listed(start)
    words = (
        f"{start}-a",
        "--noise",
        f"{start}-b.c",
        "--driver",
        "slob",
        "--client",
        "inside",
        *SHORT,
        *SMALL,
    )
    done = here.done("prove", *words, "--store", str(tmp_path / "runs.sqlite"), "--json")
    data: dict[str, Any] = json.loads(done.stdout)["data"]
    assert done.returncode in (0, 1, 5), data
    assert {(one["in_group"], one["samples_outside"]) for one in data["trials"]} == {(True, 0)}
    assert (len(data["trials"]), data["client"]) == (12, "inside")
    assert listed(start) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"scale": "1024"}, "option-idle"),
        ({"driver": "slob", "policies": "off,local"}, "option-idle"),
        ({"driver": "slob", "depth": "8"}, "option-idle"),
        ({"driver": "slob", "noise_kind": "cpu", "target": "/var/tmp"}, "option-idle"),
        ({"driver": "slob", "database": "postgresql://me@/bench", "scale": "1024"}, "option-idle"),
        ({"driver": "pgbench"}, "usage"),
    ],
)
def test_what_a_driver_does_not_heed_is_refused(words: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as raised:
        HostSliceProveRequest.of_words({"slice": "a", "noise": "b", **words})
    assert raised.value.id == code


@pytest.mark.parametrize(("setting", "option"), [("RUN_TIME=60", "--runtime"), ("SEED=4", "--seed")])
def test_what_has_an_option_is_not_set_as_a_parameter_as_well(setting: str, option: str) -> None:
    words = {"slice": "a", "noise": "b", "driver": "slob", "set": setting, "target": "."}
    with pytest.raises(UsageError) as raised:
        slob_of(HostSliceProveRequest.of_words(words))
    assert (raised.value.id, option in raised.value.message) == ("slob-parameter", True)


@pytest.mark.parametrize("setting", ["SCALE=64M", "scale=1024", "SCAN_TABLE_SZ=64", "LOAD_PARALLEL_DEGREE=4"])
def test_what_tables_are_made_with_is_refused_where_setup_has_made_them(setting: str, tmp_path: Path) -> None:
    """Before anything is looked at: no slices are applied, and there is no server."""
    own = ("--driver", "slob", "--database", "postgresql://me@localhost:1/bench", "--set", setting)
    done = command.here(
        "host", "slice", "prove", "a", "--noise", "b", *own, "--journal", str(tmp_path / "none")
    )
    said = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert f"--set: {setting.partition('=')[0].upper()} has no meaning on a database of your own" in said
    assert "plimsoll prove slob setup --database URL --set" in said
    words = {"slice": "a", "noise": "b", "driver": "slob", "set": setting, "target": "."}
    assert slob_of(HostSliceProveRequest.of_words(words)).schemas == 1


def test_other_databases_are_refused(driven: Driven) -> None:
    names = (f"{driven.start}-a", "--noise", f"{driven.start}-b.c", "--driver", "slob")
    refused = driven.here.refused("prove", *names, "--database", "mysql://root@localhost/test", *SHORT)
    assert refused == (2, "driver-database")
    done = driven.here.done("prove", *names, "--database", "mysql://root:hunter22@localhost/test", *SHORT)
    assert "mysql://" in done.stderr
    assert "hunter22" not in done.stderr
