"""`plimsoll commits` tells a disk that is slow from a fast one whose file system is held back: by what the kernel counts there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import command
from committing import at_work
from dialled_disk import dialled
from loop_device import Loop
from mounted_loop import mounted_loop
from plimsoll.native import block_probe

LAW = "law=constant,mean=20ms"
FROZEN_S = 0.4


@pytest.fixture(autouse=True)
def probe() -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")


def writer(folder: Path, output: Path, *words: str) -> list[str]:
    """dd under a name of its own, whose every block is on the disk before the next."""
    program = folder / f"dd-{os.getpid()}"
    program.symlink_to(shutil.which("dd") or pytest.skip("dd is not installed"))
    return [str(program), "if=/dev/zero", f"of={output}", "bs=4k", "oflag=dsync", *words]


def watched(role: str, runtime: str) -> dict[str, Any]:
    ended = command.plimsoll("commits", "--runtime", runtime, "--role", role, "--json")
    (cause,) = json.loads(ended.stdout)["data"]["causes"]
    return cause


def test_a_disk_that_is_slow_itself_is_the_disk(tmp_path: Path) -> None:
    with dialled(tmp_path / "lab", LAW) as disk:
        loop = Loop(disk.path, "--direct-io=on")
        try:
            words = writer(tmp_path, loop.path, "conv=notrunc")
            with at_work(words):
                cause = watched(Path(words[0]).name, "3s")
        finally:
            loop.detach()
    assert cause["cause"] == "disk", cause["reason"]
    assert f"{loop.path.name} itself took" in cause["reason"], cause["reason"]


def test_a_file_system_that_is_frozen_now_and_then_is_above_the_disk(tmp_path: Path) -> None:
    if shutil.which("fsfreeze") is None:
        pytest.skip("fsfreeze is not installed (package util-linux)")
    with mounted_loop(256 << 20) as (folder, loop):
        words = writer(tmp_path, folder / "log", "count=60000")
        is_over = threading.Event()

        def freeze() -> None:
            while not is_over.is_set():
                subprocess.run(["fsfreeze", "--freeze", folder], check=True)
                time.sleep(FROZEN_S)
                subprocess.run(["fsfreeze", "--unfreeze", folder], check=True)

        freezing = threading.Thread(target=freeze)
        with at_work(words):
            freezing.start()
            try:
                cause = watched(Path(words[0]).name, "5s")
            finally:
                is_over.set()
                freezing.join()
    assert cause["cause"] == "above the disk", cause["reason"]
    assert f"{loop.path.name} itself took" in cause["reason"], cause["reason"]
