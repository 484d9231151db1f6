"""Ten thousand looks at threads in a slice of version 1: each was on the slice's CPU, and what they hold is on its node."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from slice_commands import Here
from slice_groups import CONTROLLERS, TOP, listed, names_of_test

pytestmark = [pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")]
start = pytest.fixture(names_of_test, name="start")
LOOKS, THREADS, OWN_BYTES = 10_000, 60, 24 << 20
PROGRAM = f"""import sys, threading, time
sys.stdin.readline()
memory = bytearray({OWN_BYTES})
def work():
    while True:
        time.sleep(0.02)
for _ in range({THREADS - 1}):
    threading.Thread(target=work, daemon=True).start()
print(flush=True)
work()
"""


def test_ten_thousand_looks_find_every_thread_on_the_cpu_of_its_slice(tmp_path: Path, start: str) -> None:
    here = Here(tmp_path, start)
    assert here.apply()[0] == 0
    words = [sys.executable, "-c", PROGRAM]
    looks = 0
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for controller in CONTROLLERS:
            group = TOP / controller / f"plimsoll-{start}-a"
            if group.exists():
                (group / "cgroup.procs").write_text(str(process.pid))
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()
        while looks < LOOKS:
            data = here.document("verify", "--runtime", "5s")[1]
            found = data["slices"][0]
            assert (found["samples_outside"], found["threads"], found["samples"] > 0) == (0, THREADS, True)
            assert found["memory_bytes"] > OWN_BYTES
            assert found["memory_elsewhere_bytes"] <= 0.01 * found["memory_bytes"]
            # The other slice is empty, which is no more than a doubt.
            assert data["answer"] == "not known"
            looks += found["samples"]
        process.kill()
    assert (here.run("revert")[0], listed(start)) == (0, {})
