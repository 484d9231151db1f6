"""Which engine carries the I/Os, and why not the best one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core
from plimsoll.base.errors import PlimsollError
from plimsoll.facts import BlockDevice, FileSystem, Target
from plimsoll.host.control_groups import cap_on
from plimsoll.native import engine as native
from plimsoll.ports import control_groups
from plimsoll.supply import choose
from plimsoll.supply.choose import AUTO, check_engine, choose_engine, plainest, that_blocks
from plimsoll.supply.workloads import workload

SIMULATED = Target(name="sim:", kind="simulated", path="sim:", span_bytes=1 << 40)
REMOTE = Target(name="nfs://h/e/f", kind="remote", path="nfs://h/e/f", span_bytes=1 << 30)


def on(kind: str) -> Target:
    mounted = FileSystem(kind=kind, mount_point="/", options="rw", source="none")
    return Target(name="f", kind="file", path="/f", span_bytes=1 << 30, file_system=mounted)


@pytest.fixture
def no_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that refuses io_uring, as containers often do."""

    def engines() -> list[Any]:
        closed = {"available": False, "reason": "the kernel refused it: operation not permitted"}
        return [engine | (closed if engine["name"] == "io_uring" else {}) for engine in really()]

    really = _core.engines
    monkeypatch.setattr(_core, "engines", engines)


def test_without_io_uring_the_next_best_is_taken_and_the_reason_kept(no_ring: None) -> None:
    choice = choose_engine(AUTO, on("ext4"))
    assert choice.engine == "psync"
    assert [note.code for note in choice.notes] == ["engine-fallback"]
    assert "operation not permitted" in choice.notes[0].message


def test_asked_for_by_name_it_is_refused(no_ring: None) -> None:
    with pytest.raises(PlimsollError, match="operation not permitted") as refused:
        check_engine("io_uring")
    assert refused.value.id == "engine-unavailable"
    assert refused.value.hint


@pytest.mark.parametrize(("nowait", "engine"), [(True, "io_uring"), (False, "psync")])
def test_a_file_that_cannot_be_read_without_blocking_is_not_read_through_io_uring(
    nowait: bool, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not all(kind["available"] for kind in _core.engines() if kind["name"] == "io_uring"):
        pytest.skip("no io_uring here")
    found = {"nowait": nowait, "nowait_error": None if nowait else "operation not supported"}
    monkeypatch.setattr(_core, "probe", lambda path, direct: found)
    choice = choose_engine(AUTO, on("nfs4"))
    assert choice.engine == engine
    assert nowait or "operation not supported" in choice.notes[0].message


@pytest.mark.parametrize(("number", "engine"), [("8:0", "psync"), ("8:16", "io_uring")])
def test_a_device_that_a_control_group_caps_is_not_read_through_io_uring(
    number: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each I/O that a worker thread gets is charged twice: of a cap of 2,000 a second 1,160 were said to be all that it can."""
    if not all(kind["available"] for kind in _core.engines() if kind["name"] == "io_uring"):
        pytest.skip("no io_uring here")
    (tmp_path / "class/block/sda").mkdir(parents=True)
    (tmp_path / "class/block/sda/dev").write_text("8:0\n")
    monkeypatch.setattr(_core, "probe", lambda path, direct: {"nowait": True, "nowait_error": None})
    monkeypatch.setattr(control_groups, "capped_devices", lambda: {number: Path("/cgroup/db/io.max")})
    monkeypatch.setattr(choose, "cap_on", lambda device: cap_on(device, sysfs=tmp_path))
    target = on("ext4").but(device=BlockDevice(name="dm-0", parents=("sda",)))
    choice = choose_engine(AUTO, target)
    assert choice.engine == engine
    assert engine == "io_uring" or "/cgroup/db/io.max caps dm-0" in choice.notes[0].message


def test_memory_is_not_read_through_io_uring() -> None:
    choice = choose_engine(AUTO, on("tmpfs"))
    assert choice.engine == "psync"
    assert choice.notes


@pytest.mark.parametrize(("rw", "engine"), [("log-write", "psync"), ("write", "io_uring")])
def test_a_log_writer_blocks(rw: str, engine: str) -> None:
    if not all(kind["available"] for kind in _core.engines() if kind["name"] == engine):
        pytest.skip(f"no {engine} here")
    assert choose_engine(AUTO, on("ext4"), workload(rw, 4096)).engine == engine


@pytest.mark.parametrize(("asked", "engine"), [(AUTO, "sim"), ("sim", "sim"), ("null", "null")])
def test_simulated_targets_are_simulated(asked: str, engine: str) -> None:
    assert choose_engine(asked, SIMULATED).engine == engine


@pytest.mark.parametrize(
    ("asked", "target", "id"),
    [
        ("mmap", on("ext4"), "engine-unknown"),
        ("mmap", SIMULATED, "engine-unknown"),
        ("sim", on("ext4"), "engine-needs-simulation"),
        ("psync", SIMULATED, "engine-needs-device"),
        ("psync", REMOTE, "engine-needs-device"),
        ("sim", REMOTE, "engine-needs-device"),
        ("nfs", SIMULATED, "engine-needs-device"),
        ("nfs", on("ext4"), "engine-needs-server"),
    ],
)
def test_engines_that_do_not_fit_are_refused(asked: str, target: Target, id: str) -> None:
    with pytest.raises(PlimsollError) as refused:
        choose_engine(asked, target)
    assert refused.value.id == id


def test_of_several_engines_the_one_that_works_everywhere_carries_all() -> None:
    assert plainest({"io_uring"}) == "io_uring"
    assert plainest({"io_uring", "psync"}) == "psync"


def test_clients_that_wait_for_each_i_o_block_where_there_is_a_target() -> None:
    assert [that_blocks(name) for name in ("io_uring", "sim", "null")] == ["psync", "sim", "null"]
    assert native.blocks(that_blocks("io_uring"))


def test_files_of_servers_have_an_engine_of_their_own() -> None:
    assert [choose_engine(asked, REMOTE).engine for asked in (AUTO, "nfs", "null")] == ["nfs", "nfs", "null"]
    assert that_blocks("nfs") == "nfs", "clients that wait reach such a file by no other engine"


def test_a_dash_is_as_good_as_an_underscore() -> None:
    check_engine(
        "io-uring" if any(e["name"] == "io_uring" and e["available"] for e in _core.engines()) else "psync"
    )
