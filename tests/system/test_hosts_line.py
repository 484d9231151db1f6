"""A line of two hosts on a loop device that the kernel throttles for each of them: control groups stand for the hosts.

As root, and only when it is named: `.venv/bin/pytest -m system tests/system/test_hosts_line.py`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from command import PROGRAM, document, plimsoll
from throttled import Controller, controller

READS_PER_S = 1000
SPAN_BYTES = 256 << 20
MEMORY = Path("/dev/shm")
HOSTS = ("a", "b")
WAITED_SHARE_MAX = 0.5
"""Of the time, that some task waited for a CPU: far more than the agents of a line bring about by themselves."""
_PRESSURE = Path("/proc/pressure/cpu")

pytestmark = [pytest.mark.system, pytest.mark.timeout(1800)]


@dataclass
class Throttled:
    """A device, and a group for each host, into which its agent goes."""

    device: str
    place: Controller
    groups: dict[str, Path]
    waited_share: float = 0.0
    """Of the time of the last line, that some task of the machine waited for a CPU (PSI, `some`)."""

    def throttle(self, host: str, reads_per_s: int) -> None:
        number = Path("/sys/class/block", Path(self.device).name, "dev").read_text().strip()
        self.place.throttle(self.groups[host], number, {"riops": reads_per_s})

    def line(self, *hosts: str) -> Any:
        enter = (
            f'echo $$ >{self.place.mount}/plimsoll-host-{os.getpid()}-{{host}}/cgroup.procs; exec "$0" "$@"'
        )
        began_s, waited_s = time.monotonic(), _waited_s()
        done = plimsoll(
            "line", self.device, "--hosts", ",".join(hosts), "--slo", "p99=50ms", "--budget", "4m", "--json",
            "--launcher", f"sh -c {shlex.quote(enter)}", "--agent", f"{shlex.quote(PROGRAM)} agent", timeout_s=600,
        )  # fmt: skip
        self.waited_share = (_waited_s() - waited_s) / (time.monotonic() - began_s)
        assert done.returncode in (0, 1), done.stderr
        data = document(done)["data"]
        if data["outcome"] == "unsteady":
            pytest.skip(f"the machine is too busy for a line: {data['reason']}")
        return data

    def check_quiet(self) -> None:
        """Called where a line is another one than the throttle's: skips where something else was in the way of it."""
        if self.waited_share > WAITED_SHARE_MAX:
            pytest.skip(
                f"the machine is too busy for a line: tasks waited for a CPU for {self.waited_share:.0%} of it"
            )


def _waited_s() -> float:
    """How long some task has waited for a CPU since the boot; 0 where the kernel does not tell."""
    try:
        some = _PRESSURE.read_text().splitlines()[0]
    except OSError:
        return 0.0
    return int(some.rpartition("total=")[2]) / 1e6


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Throttled]:
    if os.geteuid() != 0:
        pytest.skip("loop devices and control groups are for root")
    if shutil.which("losetup") is None or not Path("/dev/loop-control").exists():
        pytest.skip("there are no loop devices: it takes losetup (package mount) and modprobe loop")
    place = controller()
    with ExitStack() as stack:
        backing = (MEMORY if MEMORY.is_dir() else tmp_path) / f"plimsoll-hosts-{os.getpid()}.dat"
        stack.callback(backing.unlink, missing_ok=True)
        backing.write_bytes(os.urandom(SPAN_BYTES))
        device = _run("losetup", "--find", "--show", "--read-only", str(backing))
        stack.callback(_run, "losetup", "--detach", device)
        groups = {}
        for host in HOSTS:
            groups[host] = place.mount / f"plimsoll-host-{os.getpid()}-{host}"
            groups[host].mkdir()
            stack.callback(groups[host].rmdir)
        made = Throttled(device, place, groups)
        for host in HOSTS:
            made.throttle(host, READS_PER_S)
        yield made


def _run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def test_two_throttled_hosts_have_the_sum_of_their_lines(disk: Throttled) -> None:
    alone = [disk.line(host)["line_iops"] for host in HOSTS]
    both = disk.line(*HOSTS)
    if both["line_iops"] != pytest.approx(sum(alone), rel=0.05):
        disk.check_quiet()
    assert both["line_iops"] == pytest.approx(sum(alone), rel=0.05)
    assert both["limiting_host"] is None
    assert both["one_storage"] is True


def test_a_slow_host_is_named_and_not_averaged_away(disk: Throttled) -> None:
    disk.throttle("b", READS_PER_S // 2)
    both = disk.line(*HOSTS)
    assert both["line_iops"] <= 1.1 * READS_PER_S, "each gets an equal part of the rate, and b takes half"
    if both["limiting_host"] is None:
        disk.check_quiet()
    assert both["limiting_host"] == "b"
