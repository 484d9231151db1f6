"""Where and with what: read from the kernel's files, cheaply, and never with a password."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from plimsoll import __version__
from plimsoll.host import provenance as source


def test_it_says_what_a_stranger_needs() -> None:
    made = source.provenance("plimsoll demand --database postgresql://clerk:hunter2@db/x")
    assert made.plimsoll == __version__
    assert made.command == "plimsoll demand --database postgresql://clerk:***@db/x"
    assert made.host.hostname == os.uname().nodename
    assert made.host.kernel == f"{os.uname().sysname} {os.uname().release}"
    assert made.host.cpus == len(os.sched_getaffinity(0))
    assert made.host.python == ".".join(map(str, sys.version_info[:3]))
    assert made.host.memory_bytes == pytest.approx(
        os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), rel=0.01
    )


def test_versions_are_those_of_the_installed_packages() -> None:
    installed = {}
    for name in source.PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    assert installed, "the environment of the tests has at least one of them"
    assert source.versions() == installed


def test_it_imports_nothing_heavy() -> None:
    program = (
        "import sys; import plimsoll.facts.run; before = set(sys.modules)\n"
        "from plimsoll.host.provenance import provenance, versions; versions()\n"
        "print(sorted({'platform', 'psutil', 'psycopg', 'importlib.metadata'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


X86 = """\
processor\t: 0
model name\t: Intel(R) Xeon(R) Gold 6338
flags\t\t: fpu sse hypervisor lahf_lm

processor\t: 1
model name\t: other
"""
POWER = "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n\n"


def test_the_first_processor_speaks_for_all() -> None:
    assert source.cpu_fields(X86)["model name"] == "Intel(R) Xeon(R) Gold 6338"
    assert source.cpu_fields(POWER)["cpu"].startswith("POWER9")
    assert source.cpu_fields("") == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('NAME="Oracle Linux Server"\nPRETTY_NAME="Oracle Linux Server 9.4"\n', "Oracle Linux Server 9.4"),
        ("PRETTY_NAME='Alpine Linux v3.20'\n", "Alpine Linux v3.20"),
        ("NAME=x\n", None),
        ("", None),
    ],
)
def test_a_distribution_is_its_pretty_name(text: str, name: str | None) -> None:
    assert source.distribution(text) == name


def test_memory_is_counted_in_kib() -> None:
    assert source.memory_bytes("MemFree: 1 kB\nMemTotal:       24684092 kB\n") == 24_684_092 * 1024
    assert source.memory_bytes("") is None


def test_a_guest_is_known_by_its_firmware(tmp_path: Path) -> None:
    folder = tmp_path / "class" / "dmi" / "id"
    guest, metal = {"flags": "fpu hypervisor"}, {"flags": "fpu vmx"}
    assert source.virtualization(guest, tmp_path) == "guest"
    assert source.virtualization(metal, tmp_path) is None
    folder.mkdir(parents=True)
    (folder / "sys_vendor").write_text("VMware, Inc.\n")
    (folder / "product_name").write_text("VMware7,1\n")
    assert source.virtualization(guest, tmp_path) == "guest (VMware, Inc. VMware7,1)"
    assert source.virtualization(metal, tmp_path) is None
