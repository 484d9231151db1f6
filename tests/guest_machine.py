"""A small virtual machine for tests, which `make guest` made: another kernel, other CPUs, disks of other latencies, another init.

    with Guest(Machine(cpus=4, nodes=(Node("0-1"), Node("2-3")))) as guest:
        assert "available: 2 nodes" in guest.said("numactl --hardware")

Commands go to an agent inside (tests/guest/root) over a port of virtio-serial, which is standard input and output of qemu. What a
guest writes is gone with it: its disks are written to a snapshot. `make guest` found out whether KVM runs it; else software does.
"""

from __future__ import annotations

import base64
import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

import pytest

MADE = Path(__file__).parents[1] / ".tools/guest"
QEMU = "qemu-system-x86_64"
CPU = "max,-arch-capabilities"
"""All features but one: where this machine is virtual itself, its KVM offers that one and then refuses to set it."""
BOOT_S = 180.0
ONE_NODE_MIB = 512
TAIL_BYTES = 6000
"""A panic says why before a page of registers."""

INSIDE = "/opt/plimsoll"
"""Where the image with Plimsoll is mounted in a guest."""


@dataclass(frozen=True)
class Node:
    """A NUMA node: its CPUs as in `0-5`, none of them where it has only memory."""

    cpus: str = ""
    memory_mib: int = 256


@dataclass(frozen=True)
class Machine:
    """What a guest is made of."""

    cpus: int = 2
    sockets: int = 1
    threads: int = 1
    nodes: tuple[Node, ...] = (Node("0-1", ONE_NODE_MIB),)
    distances: Mapping[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    """From one node to another. Where not all are symmetric, qemu wants each of them."""
    disks: tuple[Path, ...] = ()
    """Images of further disks, with their order as serial numbers; `Guest.disk` has their devices."""
    disk_iops: Mapping[Path, int] = field(default_factory=dict[Path, int])
    """I/Os per second that qemu lets through to these of them: all others wait in the disk, in their order."""
    init: Literal["script", "systemd"] = "script"
    kernel: Literal["vmlinuz", "vmlinuz-older"] = "vmlinuz"
    """Linux 6.1, or 5.10 where `make guest` found it."""
    kernel_words: str = ""
    reboots: bool = False
    """Whether `Guest.reboot` is wanted; otherwise a guest that panics ends, which is seen at once."""
    more: tuple[str, ...] = ()
    """Further words of qemu, as of a network or another clock."""

    @property
    def memory_mib(self) -> int:
        return sum(node.memory_mib for node in self.nodes)

    def words(self) -> list[str]:
        """The command of qemu, but for its console."""
        return [
            *(QEMU, "-nodefaults", "-nographic", "-no-user-config", "-cpu", CPU, "-m", f"{self.memory_mib}"),
            *("-accel", accelerator()),
            *("-smp", self._processors()),
            *(() if self.reboots else ("-no-reboot",)),
            *self._memory(),
            *("-kernel", str(MADE / self.kernel), "-append", self._kernel_words()),
            *("-device", "virtio-serial-pci", "-chardev", "stdio,id=agent,signal=off"),
            *("-device", "virtserialport,chardev=agent,name=guest-agent"),
            *(
                word
                for place, image in enumerate((MADE / "root.img", *self.disks))
                for word in _disk(place, image, self.disk_iops.get(image))
            ),
            *self.more,
        ]

    def _processors(self) -> str:
        cores = self.cpus // self.sockets // self.threads
        return f"{self.cpus},sockets={self.sockets},cores={cores},threads={self.threads}"

    def _memory(self) -> list[str]:
        words: list[str] = []
        for number, node in enumerate(self.nodes):
            cpus = f",cpus={node.cpus}" if node.cpus else ""
            words += ["-object", f"memory-backend-ram,id=memory{number},size={node.memory_mib}M"]
            words += ["-numa", f"node,nodeid={number},memdev=memory{number}{cpus}"]
        for (source, destination), distance in self.distances.items():
            words += ["-numa", f"dist,src={source},dst={destination},val={distance}"]
        return words

    def _kernel_words(self) -> str:
        init = "" if self.init == "systemd" else " init=/usr/local/sbin/guest-init"
        # A panic boots anew, which is seen from outside: a kernel that hangs would take the test its whole patience.
        fixed = "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on root=/dev/nvme0n1 rw"
        return f"{fixed}{init} {self.kernel_words}".strip()


def accelerator() -> str:
    """What runs the guest's processors: `kvm` where `make guest` saw it do so and this user may, else `tcg`."""
    tried = (MADE / "accelerator").read_text().strip()
    return tried if tried != "kvm" or os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg"


def _disk(place: int, image: Path, iops: int | None) -> list[str]:
    # A snapshot: what the guest writes stays in a file that qemu has already removed.
    drive = f"file={image},if=none,id=disk{place},format=raw,snapshot=on,cache=unsafe"
    drive += "" if iops is None else f",throttling.iops-total={iops}"
    return ["-drive", drive, "-device", f"nvme,drive=disk{place},serial=disk{place}"]


@dataclass(frozen=True)
class Done:
    """How a command in the guest ended."""

    command: str
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        return self.stdout.decode()

    def __str__(self) -> str:
        return f"{self.command}: status {self.status}\n{self.text}\n{self.stderr.decode(errors='replace')}"


class GuestError(Exception):
    """The guest did not boot, did not answer in time, or ended; with the last lines of its console."""


def require_guest(machine: Machine | None = None) -> None:
    """Skips the test where no guest can be started, or not this one, with what would change that."""
    if shutil.which(QEMU) is None:
        pytest.skip(f"{QEMU} not found: it takes Debian's package qemu-system-x86; `make guest` installs it")
    if not (MADE / "root.img").exists():
        pytest.skip("there is no image of the guest: it takes `make guest`")
    if machine is not None and not (MADE / machine.kernel).exists():
        pytest.skip(
            f"there is no {machine.kernel} for the guest: it takes `make guest` where Debian's package of it is to be had"
        )


class Guest:
    """A running machine, and gone with the end of the block; by force also where the process of the tests is killed."""

    def __init__(self, machine: Machine | None = None) -> None:
        self.machine = machine or Machine()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        require_guest(self.machine)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="plimsoll-guest-")))
            self._console = folder / "console"
            self._process = self._started()
            stack.callback(self._end)
            self._channel = _Channel(self._process)
            self._expect_ready()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self) -> subprocess.Popen[bytes]:
        words = [*self.machine.words(), "-serial", f"file:{self._console}"]
        with open(self._console.with_name("errors"), "wb") as errors:
            return subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def run(self, command: str, *, given: bytes = b"", timeout_s: float = 60.0) -> Done:
        """What bash makes of the command. Raises GuestError where it takes longer, or the kernel panics meanwhile."""
        request = {"command": command, "input": base64.b64encode(given).decode(), "timeout_s": timeout_s}
        self._channel.send(request)
        found = self._answer(timeout_s + 30)
        if "ready" in found:
            raise GuestError(f"the guest booted anew during {command!r}: {self._last_words()}")
        if found["status"] is None:
            raise GuestError(f"{command!r} was killed after {timeout_s:g} s: {self._last_words()}")
        return Done(
            command, found["status"], base64.b64decode(found["stdout"]), base64.b64decode(found["stderr"])
        )

    def said(self, command: str, *, timeout_s: float = 60.0) -> str:
        """What a command that has to succeed prints."""
        done = self.run(command, timeout_s=timeout_s)
        assert done.status == 0, str(done)
        return done.text

    def put(self, path: str, content: bytes) -> None:
        done = self.run(f"cat > {path}", given=content)
        assert done.status == 0, str(done)

    def get(self, path: str) -> bytes:
        done = self.run(f"cat {path}")
        assert done.status == 0, str(done)
        return done.stdout

    def disk(self, place: int) -> str:
        """The device of a further disk; the kernel's order of them differs between boots."""
        (name,) = self.said(f"cd /sys/block && grep -lx 'disk{place + 1} *' nvme*/device/serial").split()
        return f"/dev/{name.split('/')[0]}"

    def reboot(self) -> None:
        """What was written to disks is still there; nothing else is. For a machine that `reboots`."""
        self._channel.send(
            {"command": "sync; echo b > /proc/sysrq-trigger; sleep 60", "input": "", "timeout_s": 60}
        )
        self._expect_ready()

    def reboot_by_systemd(self) -> None:
        """The same in order: services are stopped first, and all that systemd has made is taken down."""
        self._channel.send({"command": "systemctl reboot; sleep 120", "input": "", "timeout_s": 150})
        found = self._answer(2 * BOOT_S)
        if "ready" not in found:
            # The agent was stopped as well, and what it ran.
            self._expect_ready()

    def _expect_ready(self) -> None:
        found = self._answer(BOOT_S)
        if "ready" not in found:
            raise GuestError(f"the guest did not boot: {found}: {self._last_words()}")

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        try:
            return self._channel.receive(timeout_s)
        except (EOFError, TimeoutError) as error:
            raise GuestError(f"{error}: {self._last_words()}") from error

    def _last_words(self) -> str:
        files = (self._console.with_name("errors"), self._console)
        return "\n".join(
            path.read_bytes()[-TAIL_BYTES:].decode(errors="replace") for path in files if path.exists()
        )


class _Channel:
    """Lines of JSON to the agent and from it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._pieces: list[bytes] = []
        self._lines: deque[bytes] = deque()

    def send(self, document: Mapping[str, object]) -> None:
        self._input.write(json.dumps(document).encode() + b"\n")
        self._input.flush()

    def receive(self, timeout_s: float) -> dict[str, Any]:
        """Raises EOFError, TimeoutError."""
        deadline_s = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ)
            while not self._lines:
                if not selector.select(max(0.0, deadline_s - time.monotonic())):
                    raise TimeoutError(f"the guest said nothing for {timeout_s:g} s")
                self._take()
        return json.loads(self._lines.popleft())

    def _take(self) -> None:
        piece = os.read(self._output.fileno(), 1 << 16)
        if not piece:
            raise EOFError("the guest ended")
        first, *others = piece.split(b"\n")
        self._pieces.append(first)
        for begun in others:
            self._lines.append(b"".join(self._pieces))
            self._pieces = [begun]
