"""Files of plans of slices before those who have to read them: systemd's own checker, and libcgroup on groups of version 1."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import UnreadableError, UsageError
from plimsoll.facts import SliceDevice, SliceMemory, SlicePlan
from plimsoll.host.topology import read_topology
from plimsoll.placement.slices import outputs
from plimsoll.placement.slices.layout import layout_of
from plimsoll.placement.slices.plan import plan_slices
from plimsoll.placement.slices.slice_file import SliceFile
from recorded_topologies import KEPT
from sliced_hosts import GIB, aside, books, database, pages, plan, rates, shop

TOP = Path("/sys/fs/cgroup")
CONTROLLERS = ("cpuset", "memory", "blkio")
NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []}
PARSER = shutil.which("cgconfigparser", path=f"{os.environ['PATH']}:/usr/sbin")
ANALYZE = shutil.which("systemd-analyze")
UNITS = ("system.slice", "user.slice", "machine.slice")
TOML = """
log_writer_cores = 1
[[slice]]
name = "a"
cores = 1
memory = "64m"
service = "a@1.service"
priority = 5
[[slice]]
name = "b-c.d"
cores = 1
memory = "64m"
service = "b.service"
"""
CASES = {
    "all": plan(),
    "nothing left": plan(shop(), books(), free=()),
    "two nodes": plan(shop(memory=(pages(0, 3 * GIB, 700), pages(1, 3 * GIB, 700)))),
    "gigantic pages": plan(shop(memory=(pages(0, 6 * GIB, 4),), huge_page_bytes=1 << 30)),
    "costs": plan(shop(), disks=(rates(),)),
    "log writers": plan(database("one", (0, 2, 5)), aside("log-writers", (7,))),
}


def _recorded(tmp_path: Path, archive: Path) -> SlicePlan | None:
    """None: it has no CPUs."""
    path = tmp_path / "slices.toml"
    path.write_text(TOML)
    try:
        return plan_slices(SliceFile(path), read_topology(str(archive)))
    except (UnreadableError, UsageError):
        return None


def _written(folder: Path, kind: str, found: SlicePlan) -> None:
    for file in outputs.load(kind).files(layout_of(found)):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)


def _verified(folder: Path) -> str:
    """What systemd says of all units in it, and of those that they change, which its own folders have, or which are made here."""
    services = [path.name.removesuffix(".d") for path in folder.glob("*.service.d")]
    for name in services:
        (folder / name).write_text("[Service]\nExecStart=/bin/true\n")
    units = [path.name for path in folder.iterdir() if path.is_file()]
    changed = [name for name in UNITS if (folder / f"{name}.d").is_dir()]
    done = subprocess.run(
        [ANALYZE or "", "verify", *units, *changed],
        cwd=folder,
        env={"SYSTEMD_UNIT_PATH": f"{folder}:", "PATH": os.environ["PATH"], "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stderr


needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")


@needs_systemd
@pytest.mark.parametrize("case", CASES)
def test_systemd_finds_nothing_wrong_with_units(tmp_path: Path, case: str) -> None:
    _written(tmp_path, "systemd", CASES[case])
    assert _verified(tmp_path / "system") == ""


@needs_systemd
def test_systemd_finds_nothing_wrong_with_units_of_recorded_hosts(tmp_path: Path) -> None:
    checked = 0
    for archive in sorted(KEPT.glob("*.tar.bz2")):
        found = _recorded(tmp_path, archive)
        if found is not None and found.answer == "planned":
            folder = tmp_path / archive.name
            _written(folder, "systemd", found)
            assert _verified(folder / "system") == "", archive.name
            checked += 1
    assert checked > 0


@needs_systemd
def test_systemd_would_say_what_is_wrong(tmp_path: Path) -> None:
    """It ends well all the same: what it says is all that tells."""
    _written(tmp_path, "systemd", CASES["all"])
    drop_in = tmp_path / "system" / "system.slice.d" / "50-plimsoll.conf"
    drop_in.write_text(drop_in.read_text().replace("AllowedCPUs=12", "AllowedCPUs=x"))
    assert "Failed to parse CPU affinity" in _verified(tmp_path / "system")


def _why_not_loaded() -> str | None:
    if PARSER is None:
        return "cgconfigparser is not installed"
    missing = [name for name in CONTROLLERS if not (TOP / name / "tasks").exists()]
    if missing:
        return f"no control groups of version 1 with {', '.join(missing)}"
    return None if os.access(TOP / "cpuset", os.W_OK) else "control groups cannot be made by this account"


@pytest.fixture
def loaded_names(tmp_path: Path) -> Iterator[str]:
    """How groups of this test begin; none of them is left behind."""
    reason = _why_not_loaded()
    if reason is not None:
        pytest.skip(reason)
    start = f"t{os.getpid()}"
    yield start
    for controller in CONTROLLERS:
        for group in (TOP / controller).glob(f"plimsoll-{start}-*"):
            group.rmdir()


def _here(start: str, disk: str | None) -> SlicePlan:
    """Two databases on a CPU of this host each, or both on its only one, with memory of its first node."""
    cpus = sorted(os.sched_getaffinity(0))
    node = int((TOP / "cpuset" / "cpuset.effective_mems").read_text().split("-")[0].split(",")[0])
    memory = (SliceMemory(node=node, memory_bytes=GIB),)
    devices = () if disk is None else (SliceDevice(name=disk, node=None, distance=None),)
    first = database(f"{start}-a", (cpus[0],), memory=memory, account="root", iops=500.0, devices=devices)
    second = database(f"{start}-b.c", (cpus[-1],), memory=memory)
    return plan(first, second, free=())


def _a_disk() -> str | None:
    """Whichever this host has; loop devices without a file have no size."""
    disks = (path.parent for path in sorted(Path("/sys/block").glob("*/size")) if path.read_text() != "0\n")
    return next((disk.name for disk in disks if Path("/dev", disk.name).is_block_device()), None)


def _groups(start: str) -> list[str]:
    return sorted(
        f"{name}/{group.name}" for name in CONTROLLERS for group in (TOP / name).glob(f"plimsoll-{start}-*")
    )


def _sh(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", str(path)], capture_output=True, text=True, timeout=30)


def test_libcgroup_loads_the_groups_and_they_go_without_a_trace(tmp_path: Path, loaded_names: str) -> None:
    disk = _a_disk()
    found = _here(loaded_names, disk)
    _written(tmp_path, "cgroup-v1", found)
    done = subprocess.run(
        [PARSER or "", "-l", str(tmp_path / "cgconfig.conf")], capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stderr) == (0, "")
    for one in found.slices:
        assert (TOP / f"cpuset/plimsoll-{one.name}/cpuset.cpus").read_text() == f"{one.cpus[0]}\n"
        assert int((TOP / f"memory/plimsoll-{one.name}/memory.limit_in_bytes").read_text()) == GIB
    if disk is not None:
        capped = _sh(tmp_path / "limit-disks.sh")
        assert (capped.returncode, capped.stderr) == (0, "")
        number = Path(f"/sys/block/{disk}/dev").read_text().strip()
        group = TOP / f"blkio/plimsoll-{loaded_names}-a"
        assert (group / "blkio.throttle.read_iops_device").read_text() == f"{number} 500\n"
        assert (group / "blkio.throttle.write_iops_device").read_text() == f"{number} 500\n"
    assert len(_groups(loaded_names)) == (5 if disk is not None else 4)
    removed = _sh(tmp_path / "remove.sh")
    assert (removed.returncode, removed.stderr, _groups(loaded_names)) == (0, "", [])


TWO_THREADS = """import os, threading, time
os.setgroups([])
os.setresgid(*[65534] * 3)
os.setresuid(*[65534] * 3)
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(flush=True)
time.sleep(60)
"""


def test_the_account_puts_all_threads_into_all_groups_by_the_step_in_the_file(
    tmp_path: Path, loaded_names: str
) -> None:
    """The file gives it `tasks` alone, which is what cgclassify writes to."""
    first, second = _here(loaded_names, _a_disk()).slices
    _written(tmp_path, "cgroup-v1", plan(first.but(account="nobody"), second, free=()))
    config = tmp_path / "cgconfig.conf"
    subprocess.run([PARSER or "", "-l", str(config)], check=True, timeout=30)
    group = f"plimsoll-{loaded_names}-a"
    (step,) = [line.removeprefix("# ") for line in config.read_text().splitlines() if f":{group} $(" in line]
    words = [sys.executable, "-c", TWO_THREADS]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        done = subprocess.run(
            ["/bin/sh", "-c", step.replace("PID", str(process.pid))],
            capture_output=True,
            text=True,
            timeout=30,
            **NOBODY,
        )
        threads = sorted(path.name for path in Path(f"/proc/{process.pid}/task").iterdir())
        own = [TOP / name / "tasks" for name in _groups(loaded_names) if name.endswith(group)]
        inside = [sorted(file.read_text().split()) for file in own]
        process.kill()
    assert (done.returncode, done.stderr, len(threads)) == (0, "", 2)
    assert inside == [threads] * len(inside)
    assert _sh(tmp_path / "remove.sh").returncode == 0


def test_libcgroup_reads_what_a_plan_of_any_host_says(tmp_path: Path, loaded_names: str) -> None:
    """With CPUs and nodes of this host in place of those of the plan, which it has not."""
    here = _here(loaded_names, None)
    for number, found in enumerate(CASES.values()):
        slices = tuple(
            one.but(
                name=f"{loaded_names}-{one.name}",
                cpus=here.slices[0].cpus,
                account="root" if one.account else None,
                memory=tuple(part.but(node=here.slices[0].memory[0].node) for part in one.memory),
            )
            for one in found.slices
        )
        folder = tmp_path / str(number)
        _written(folder, "cgroup-v1", found.but(slices=slices))
        done = subprocess.run(
            [PARSER or "", "-l", str(folder / "cgconfig.conf")], capture_output=True, text=True, timeout=30
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert (_sh(folder / "remove.sh").returncode, _groups(loaded_names)) == (0, [])
