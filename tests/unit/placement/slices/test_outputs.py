"""What a plan of slices is written as: each kind's files, and writes in an order that the kernel takes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.facts import SliceMemory, SlicePlan
from plimsoll.placement.slices import outputs
from plimsoll.placement.slices.layout import MARK, Counted, layout_of
from plimsoll.placement.slices.outputs.oracle import sga_mib
from plimsoll.placement.slices.outputs.postgresql import shared_buffers_mib
from plimsoll.placement.slices.outputs.systemd import path_escaped
from sliced_hosts import DISK, GIB, aside, books, database, pages, plan, rates, shop

SHOP, BOOKS = "plimsoll_shop.slice", r"plimsoll_books\x2d1.slice"


def _files(kind: str, found: SlicePlan | None = None) -> dict[str, str]:
    return {file.path: file.text for file in outputs.load(kind).files(layout_of(found or plan()))}


def _settings(text: str) -> dict[str, list[str]]:
    """Of a unit: each key with its values."""
    found: dict[str, list[str]] = {}
    for key, _, value in (line.partition("=") for line in text.splitlines() if "=" in line[1:]):
        found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize("kind", outputs.names())
def test_every_file_says_what_wrote_it_and_what_it_is(kind: str) -> None:
    output = outputs.load(kind)
    assert output.help.endswith(".")
    files = list(output.files(layout_of(plan())))
    assert files
    for file in files:
        assert MARK in "\n".join(file.text.splitlines()[:2]), file.path
        assert file.text.endswith("\n")
        assert file.about
        assert file.is_program == file.text.startswith("#!/bin/sh\n")
    assert len({file.path for file in files}) == len(files)


def test_an_unknown_kind_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        outputs.load("upstart")
    assert caught.value.id == "output-unknown"
    assert "systemd" in (caught.value.hint or "")


def test_a_slice_of_systemd_has_cpus_nodes_memory_and_caps() -> None:
    text = _files("systemd")[f"system/{SHOP}"]
    assert text.splitlines()[-8:] == [
        "AllowedCPUs=0-5",
        "AllowedMemoryNodes=0",
        "MemoryMax=2147483648",
        "IOWeight=300",
        f"IOReadIOPSMax={DISK} 401",
        f"IOWriteIOPSMax={DISK} 401",
        f"IOReadBandwidthMax={DISK} 120000000",
        f"IOWriteBandwidthMax={DISK} 120000000",
    ]
    books_slice = _settings(_files("systemd")[f"system/{BOOKS}"])
    assert books_slice["AllowedMemoryNodes"] == ["1"]
    assert not any(key.startswith("IORead") for key in books_slice)


DISK_UNIT = r"dev-disk-by\x2did-nvme\x2dfast_disk_S1.device"


def test_slices_wait_for_disks_on_which_they_have_a_cap() -> None:
    """A boot comes to slices first, and a cap on a disk that is not there is left out."""
    files = _files("systemd", plan(shop(), books(), disks=(rates(),)))
    for name in (SHOP, "plimsoll-io-cost.service"):
        unit = _settings(files[f"system/{name}"])
        assert (unit["Wants"][-1], unit["After"][-1]) == (DISK_UNIT, DISK_UNIT)
    assert "Wants" not in _settings(files[f"system/{BOOKS}"])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/dev/sda", "dev-sda"),
        ("/dev/cciss/c0d0", "dev-cciss-c0d0"),
        (
            "/dev/disk/by-path/pci-0000:01:00.0-nvme-1",
            r"dev-disk-by\x2dpath-pci\x2d0000:01:00.0\x2dnvme\x2d1",
        ),
        ("/.a b/é", r"\x2ea\x20b-\xc3\xa9"),
    ],
)
def test_a_path_is_escaped_as_systemd_has_it(path: str, name: str) -> None:
    assert path_escaped(path) == name


def test_services_go_into_their_slices_and_the_rest_of_the_host_out_of_them() -> None:
    files = _files("systemd")
    drop_in = files["system/postgresql@16-main.service.d/50-plimsoll.conf"]
    assert _settings(drop_in) == {
        "Wants": ["plimsoll-huge-pages.service"],
        "After": ["plimsoll-huge-pages.service"],
        "Slice": [SHOP],
        "NUMAPolicy": ["bind"],
        "NUMAMask": ["0"],
    }
    of_books = _settings(files["books-1-service.conf"])
    assert (of_books["Slice"], "Wants" in of_books) == ([BOOKS], False)
    for unit, section in (("system.slice", "Slice"), ("init.scope", "Scope")):
        text = files[f"system/{unit}.d/50-plimsoll.conf"]
        assert f"[{section}]\nAllowedCPUs=12-21,23\n" in text


@pytest.mark.parametrize(
    ("sizes", "policy"),
    [((6 * GIB,), "bind"), ((3 * GIB, 3 * GIB), "interleave"), ((4 * GIB, 2 * GIB), None)],
)
def test_the_policy_is_that_which_fills_nodes_as_planned(sizes: tuple[int, ...], policy: str | None) -> None:
    memory = tuple(SliceMemory(node=node, memory_bytes=size) for node, size in enumerate(sizes))
    found = _settings(_files("systemd", plan(database("one", (0,), memory=memory)))["one-service.conf"])
    assert found.get("NUMAPolicy") == (None if policy is None else [policy])
    assert ("NUMAMask" in found) == (policy is not None)


def test_cpus_are_exclusive_only_where_some_are_left() -> None:
    left = _files("systemd")["system/plimsoll-exclusive-cpus.service"]
    start = _settings(left)["ExecStart"]
    assert len(start) == 3
    file = f"/sys/fs/cgroup/{SHOP}/cpuset.cpus.partition"
    assert start[0] == f'/bin/sh -c "echo root > {file} && grep -qx root {file}"'
    assert r"plimsoll_books\\x2d1.slice/cpuset" in start[1]
    full = plan(shop(), free=())
    assert "system/plimsoll-exclusive-cpus.service" not in _files("systemd", full)
    assert "system/system.slice.d/50-plimsoll.conf" not in _files("systemd", full)
    assert "\nexclusive " not in _files("cgroup-v2", full)["make.sh"]


class Kernel:
    """What control groups of version 2 take in which order, as far as these writes go (cgroup-v2.rst)."""

    def __init__(self) -> None:
        self.passed_on: set[str] = set()
        self.groups: dict[str, dict[str, str]] = {}

    def make(self, name: str) -> None:
        assert name not in self.groups
        self.groups[name] = {}

    def put(self, path: str, value: str) -> None:
        group, _, file = path.removeprefix("$root/").rpartition("/")
        if not group:
            assert file == "cgroup.subtree_control"
            self.passed_on.add(value.removeprefix("+"))
            return
        assert file.split(".")[0] in self.passed_on, f"{file} is not there yet"
        if file == "cpuset.cpus":
            assert re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", value)
        if file == "io.max":
            assert value.startswith("$disk ")
        self.groups[group][file] = value

    def exclusive(self, name: str) -> None:
        assert {"cpuset.cpus", "cpuset.mems"} <= set(self.groups[name])
        self.groups[name]["cpuset.cpus.partition"] = "root"


def _writes(text: str) -> list[list[str]]:
    """Of a program what is behind its functions."""
    return [shlex.split(line) for line in text.splitlines() if re.match(r"(put|make|exclusive) \S", line)]


def test_writes_of_version_2_are_in_an_order_that_the_kernel_takes() -> None:
    kernel = Kernel()
    for word, *values in _writes(_files("cgroup-v2")["make.sh"]):
        getattr(kernel, word)(*values)
    assert kernel.passed_on == {"cpuset", "memory", "io"}
    assert kernel.groups["plimsoll-shop"] == {
        "cpuset.cpus": "0-5",
        "cpuset.mems": "0",
        "memory.max": "2147483648",
        "io.weight": "default 300",
        "io.max": "$disk riops=401 wiops=401 rbps=120000000 wbps=120000000",
        "cpuset.cpus.partition": "root",
    }
    assert set(kernel.groups) == {"plimsoll-shop", "plimsoll-books-1", "plimsoll-log-writers"}


MODEL = "ctrl=user model=linear rbps=2024878165 rseqiops=120000 rrandiops=90000 wbps=909494803 wseqiops=60000 wrandiops=40000"


HALF = "ctrl=user model=linear rbps=1012439082 rseqiops=60000 rrandiops=45000 wbps=454747401 wseqiops=30000 wrandiops=20000"


def test_a_disk_is_shared_by_what_io_costs_and_no_more_when_groups_go(root: Path) -> None:
    files = _files("cgroup-v2", plan(books(), disks=(rates(),)))
    known = {name: text.replace('[ -b "$1" ]', f'[ "{DISK}" = "$1" ]') for name, text in files.items()}
    assert _run(root, known["make.sh"]).returncode == 0
    assert (root / "plimsoll-books-1" / "io.weight").read_text() == "default 100\n"
    assert (root / "io.cost.model").read_text() == f"259:3 {MODEL}\n"
    assert (root / "io.cost.qos").read_text().startswith("259:3 enable=1 ctrl=user ")
    assert _run(root, known["remove.sh"]).returncode == 0
    assert (root / "io.cost.qos").read_text() == "259:3 enable=0\n"


def test_a_share_of_the_rates_is_written_and_told(root: Path) -> None:
    files = _files("cgroup-v2", plan(books(), disks=(rates(rate_share=0.5),)))
    text = files["make.sh"].replace('[ -b "$1" ]', f'[ "{DISK}" = "$1" ]')
    assert _run(root, text).returncode == 0
    assert (root / "io.cost.model").read_text() == f"259:3 {HALF}\n"
    said = "# These rates are 50 % of what the disk gives (rate_share in slices.toml)."
    unit = _files("systemd", plan(books(), disks=(rates(rate_share=0.5),)))
    lines = unit["system/plimsoll-io-cost.service"].splitlines()
    assert HALF in lines[lines.index(said) + 1]
    assert said in text.splitlines()
    whole = (*_files("cgroup-v2", plan(books(), disks=(rates(),))).values(),)
    assert not any("rate_share" in one for one in whole)


def test_what_shares_a_disk_is_switched_off_when_groups_are_taken_back(root: Path) -> None:
    """Here the second disk is not there, when the first is shared already."""
    gone = rates(name="nvme1n1", stable="/dev/disk/by-id/gone")
    text = _files("cgroup-v2", plan(books(), disks=(rates(), gone)))["make.sh"]
    done = _run(root, text.replace('[ -b "$1" ]', f'[ "{DISK}" = "$1" ]'))
    assert (done.returncode, "there is no disk /dev/disk/by-id/gone" in done.stderr) == (1, True)
    assert (root / "io.cost.model").read_text() == f"259:3 {MODEL}\n"
    assert (root / "io.cost.qos").read_text() == "259:3 enable=0\n"
    assert not (root / "plimsoll-books-1").exists()


def test_groups_are_removed_though_a_disk_is_gone(root: Path) -> None:
    gone = rates(name="nvme1n1", stable="/dev/disk/by-id/gone")
    (root / "plimsoll-books-1").mkdir()
    text = _files("cgroup-v2", plan(books(), disks=(gone, rates())))["remove.sh"]
    done = _run(root, text.replace('[ -b "$1" ]', f'[ "{DISK}" = "$1" ]'))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (root / "plimsoll-books-1").exists()
    assert (root / "io.cost.qos").read_text() == "259:3 enable=0\n"


def test_only_root_is_said_to_move_processes_in() -> None:
    script = _files("cgroup-v2")["make.sh"]
    assert "root puts a process in by its id" in script
    assert "what is outside of it only root moves in" in script
    assert "as root, after each start of its database" in _files("systemd")["STEPS.txt"]


def test_pages_of_others_are_said_to_be_counted() -> None:
    for text in (_files("huge-pages")["set.sh"], _files("systemd")["system/plimsoll-huge-pages.service"]):
        assert "# Pages that others use already count as the slices' own: add theirs to " in text


def test_systemd_has_a_unit_for_what_io_costs() -> None:
    files = _files("systemd", plan(books(), disks=(rates(),)))
    unit = _settings(files["system/plimsoll-io-cost.service"])
    number = f"number=$$(lsblk --nodeps --noheadings --output MAJ:MIN {DISK})"
    model = f'/bin/sh -c "{number} && echo $$number {MODEL} > /sys/fs/cgroup/io.cost.model"'
    assert unit["ExecStart"][0] == model
    assert "echo $$number enable=1 ctrl=user" in unit["ExecStart"][1]
    assert unit["ExecStop"][0].endswith(' && echo $$number enable=0 > /sys/fs/cgroup/io.cost.qos"')
    assert "systemctl enable --now plimsoll-io-cost.service" in files["STEPS.txt"]
    assert (
        "systemctl disable --now plimsoll-exclusive-cpus.service plimsoll-io-cost.service\n"
        in files["STEPS.txt"]
    )
    assert "system/plimsoll-io-cost.service" not in _files("systemd")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that looks like control groups of version 2, in which a group goes with its files, as the kernel has it."""
    folder, tools = tmp_path / "cgroup", tmp_path / "tools"
    folder.mkdir()
    tools.mkdir()
    (folder / "cgroup.controllers").write_text("cpuset memory io\n")
    for name, text in (("rmdir", 'exec rm -r "$1"'), ("lsblk", 'echo " 259:3 "'), ("chown", "exit 0")):
        tool = tools / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)
    return folder


def _run(root: Path, text: str) -> subprocess.CompletedProcess[str]:
    path = f"{root.parent / 'tools'}:{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", text, "make.sh"],
        env={"PATH": path, "CGROUP_ROOT": str(root)},
        capture_output=True,
        text=True,
        timeout=20,
    )


def _script(file: str = "make.sh", disk: str = "") -> str:
    """That of version 2, with a disk that is there."""
    text = _files("cgroup-v2")[file]
    return text.replace('[ -b "$1" ]', f'[ "{disk or DISK}" = "$1" ]')


def test_the_program_writes_each_value_and_looks_up_the_number_of_a_disk(root: Path) -> None:
    done = _run(root, _script())
    assert (done.returncode, done.stderr) == (0, "")
    group = root / "plimsoll-shop"
    assert (group / "io.max").read_text() == "259:3 riops=401 wiops=401 rbps=120000000 wbps=120000000\n"
    assert (root / "plimsoll-books-1" / "cpuset.cpus").read_text() == "6-11\n"
    assert _run(root, _script("remove.sh")).returncode == 0
    assert sorted(one.name for one in root.iterdir()) == ["cgroup.controllers", "cgroup.subtree_control"]


def test_a_group_of_somebody_else_stays_and_nothing_is_left_half_made(root: Path) -> None:
    (root / "plimsoll-books-1").mkdir()
    (root / "plimsoll-books-1" / "cpuset.cpus").write_text("7\n")
    done = _run(root, _script())
    assert done.returncode == 1
    assert "plimsoll-books-1 cannot be made" in done.stderr
    assert not (root / "plimsoll-shop").exists()
    assert (root / "plimsoll-books-1" / "cpuset.cpus").read_text() == "7\n"


def test_a_disk_that_is_not_there_stops_it_before_its_cap_is_written(root: Path) -> None:
    done = _run(root, _script(disk="another"))
    assert done.returncode == 1
    assert f"there is no disk {DISK}" in done.stderr
    assert "io.max" not in done.stderr
    assert not (root / "plimsoll-shop").exists()


def test_cpus_that_the_kernel_does_not_make_exclusive_are_told(root: Path) -> None:
    """It takes the word, and tells in the same file that it came to nothing."""
    script = _script().replace("$(cat ", "$(echo 'root invalid'; : ")
    done = _run(root, script)
    assert done.returncode == 1
    assert "the CPUs of plimsoll-shop are not its own: the kernel says 'root invalid'" in done.stderr
    assert not (root / "plimsoll-shop").exists()


def test_a_host_without_version_2_is_told(root: Path) -> None:
    (root / "cgroup.controllers").unlink()
    done = _run(root, _script())
    assert (done.returncode, done.stderr) == (1, f"make.sh: {root} is not of version 2\n")


def test_cgconfig_has_a_group_for_each_slice() -> None:
    files = _files("cgroup-v1")
    shop_group = files["cgconfig.conf"].split("\n\n")[1]
    wanted = (
        "# cgclassify -g cpuset,memory,blkio:plimsoll-shop $(ls /proc/PID/task)"
        ' group plimsoll-shop { perm { task { uid = postgres; } admin { uid = root; } } cpuset { cpuset.cpus = "0-5";'
        ' cpuset.mems = "0"; } memory { memory.limit_in_bytes = "2147483648"; } blkio { } }'
    )
    assert " ".join(shop_group.split()) == wanted
    caps = [line for line in files["limit-disks.sh"].splitlines() if line.startswith(("put ", "disk="))]
    assert caps[:2] == [
        f"disk=$(number {DISK})",
        'put "$top/blkio"/plimsoll-shop/blkio.throttle.read_iops_device "$disk 401"',
    ]
    assert "limit-disks.sh" not in _files("cgroup-v1", plan(books()))
    assert "# cgclassify -g cpuset,memory:plimsoll-books-1 $(" in files["cgconfig.conf"]


def test_huge_pages_are_raised_and_never_lowered(tmp_path: Path) -> None:
    text = _files("huge-pages")["set.sh"]
    pool = "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages"
    assert text.endswith(f"raise {pool} 2048\n")
    kept = tmp_path / "nr_hugepages"
    for before, after in ((0, 2_048), (3_000, 3_000)):
        kept.write_text(f"{before}\n")
        done = subprocess.run(["/bin/sh", "-c", text.replace(pool, str(kept))], timeout=20)
        assert (done.returncode, int(kept.read_text())) == (0, after)
    assert _files("huge-pages", plan(books())) == {}


def test_huge_pages_that_the_kernel_has_no_room_for_are_told(tmp_path: Path) -> None:
    """It takes the number, and sets aside what there is."""
    text = _files("huge-pages")["set.sh"].replace('echo "$2" > "$1"', 'echo 12 > "$1"')
    kept = tmp_path / "nr_hugepages"
    kept.write_text("0\n")
    text = re.sub(r"raise /sys\S+", f"raise {kept}", text)
    done = subprocess.run(["/bin/sh", "-c", text, "set.sh"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1
    assert done.stderr == f"set.sh: the kernel has no room for 2048 huge pages: {kept}\n"


def test_oracle_is_told_its_group_and_the_broker_of_its_listener() -> None:
    files = _files("oracle", plan(books(memory=(pages(1, 6 * GIB, 2_048),), huge_page_bytes=2 << 20), shop()))
    assert set(files) == {"books-1.sql", "books-1-listener.ora", "books-1-STEPS.txt"}
    sql = files["books-1.sql"]
    assert "ALTER SYSTEM SET processor_group_name = 'plimsoll-books-1' SCOPE = SPFILE;" in sql
    assert "ALTER SYSTEM SET use_dedicated_broker = TRUE SCOPE = SPFILE;" in sql
    assert "ALTER SYSTEM SET sga_target = 3968M SCOPE = SPFILE;" in sql
    assert files["books-1-listener.ora"].endswith("\nDEDICATED_THROUGH_BROKER_LSN1 = ON\n")
    assert "soft partitioning: it saves no licence." in files["books-1-STEPS.txt"]
    assert "  cgclassify -g memory:plimsoll-books-1 $(ls /proc/PID/task)\n6. " in files["books-1-STEPS.txt"]
    disk = {"name": "nvme0n1", "node": None, "distance": None}
    capped = _files("oracle", plan(books(iops=400.0, devices=(disk,)), shop()))["books-1-STEPS.txt"]
    assert "  cgclassify -g memory,blkio:plimsoll-books-1 $(ls /proc/PID/task)\n" in capped
    unnamed = _files("oracle", plan(books(listener=None)))
    assert "The listener's name is not stated" in unnamed["books-1-listener.ora"]
    assert "DEDICATED_THROUGH_BROKER_LISTENER = ON" in unnamed["books-1-listener.ora"]
    assert "sga_target" not in unnamed["books-1.sql"]


@pytest.mark.parametrize(
    ("pages_mib", "granule_mib"),
    [(64, 4), (1_024, 4), (1_026, 16), (4_096, 16), (12_288, 32), (65_536, 128), (262_144, 512), (1_048_576, 512)],
)  # fmt: skip
def test_an_sga_leaves_room_for_what_lies_beside_it_in_huge_pages(pages_mib: int, granule_mib: int) -> None:
    """A granule at the least, as Oracle rounds up to whole ones, and not far more."""
    sga = sga_mib(pages_mib << 20)
    assert sga % granule_mib == 0
    assert max(granule_mib, 0.03 * pages_mib) <= pages_mib - sga < 2 * granule_mib + 0.03 * pages_mib


def test_postgresql_has_huge_pages_and_the_command_that_counts_them() -> None:
    text = _files("postgresql")["shop.conf"]
    settings = dict(line.split(" = ") for line in text.splitlines() if " = " in line and line[0] != "#")
    assert settings == {"huge_pages": "on", "huge_page_size": "2048kB", "shared_buffers": "3863MB"}
    assert "-C shared_memory_size_in_huge_pages -c huge_page_size=2048kB -c shared_buffers=3863MB" in text
    assert _files("postgresql", plan(books())) == {}


@pytest.mark.parametrize(
    ("buffers_mib", "shared_mib"),
    [(128, 197), (512, 630), (1_024, 1_159), (4_096, 4_326), (16_384, 16_896), (65_536, 67_177), (262_144, 267_579)],
)  # fmt: skip
def test_shared_buffers_fit_with_what_postgresql_18_puts_beside_them(
    buffers_mib: int, shared_mib: int
) -> None:
    """What it says that so many take with 1,000 connections: as many or fewer are given for that, and not far fewer."""
    guess = shared_buffers_mib(shared_mib << 20)
    assert buffers_mib * 0.74 < guess <= buffers_mib


def test_what_postgresql_counted_stands_in_place_of_the_guess() -> None:
    layout = replace(layout_of(plan()), counted={"shop": Counted(3_877, 2_047, "PostgreSQL 18.4", 1_000)})
    (file,) = outputs.load("postgresql").files(layout)
    assert file.text.endswith("\nshared_buffers = 3877MB\n")
    assert "# PostgreSQL 18.4 counts 2,047 of 2,048, for max_connections = 1,000 and all else" in file.text
    assert "-c shared_buffers=3877MB" in file.text
    assert "first guess" not in file.text


def test_log_writers_have_no_drop_in_and_are_told_of() -> None:
    files = _files("systemd", plan(shop(), aside("log-writers", (7,))))
    assert "log-writers-service.conf" not in files
    assert r"echo PID > '/sys/fs/cgroup/plimsoll_log\x2dwriters.slice/cgroup.procs'" in files["STEPS.txt"]
