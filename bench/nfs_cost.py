"""What a read from an NFS server costs this client: CPU time of the whole process, the rate and the median, on one connection.

The server is ganesha with a file in memory, on the loopback interface; both share the machine's CPUs. At depth 1 it is luck whether
the kernel lets client and server take turns on one CPU: fio's thread may follow the server's, ours stays on its own. Beside ours
runs fio with its engine nfs, where a fio is there that has it, and the build that `OTHER` names. Debian's fio has not: fio's own
sources build one beside Debian's package libnfs-dev (`./configure && make`), which `FIO` names; `fio --enghelp` of it lists nfs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from kit import bench, ganesha
from kit.judge import Aim
from kit.preload import preloaded
from kit.rounds import Case, Tool
from kit.tools import fio, ours

CASES = {"8k-32": ("8k", 32), "8k-1": ("8k", 1), "1m-8": ("1m", 8)}
CPU_MAX = {"8k-32": 0.75, "8k-1": 1.0, "1m-8": 0.75}
"""CPU time per read as a share of fio's."""
RATE_MIN = 0.95
_FIO_BEYOND_S, _FIO_TRIES_MAX = 10.0, 3
_NO_END = """int nfs_close(void *context, void *file) { return 0; }
int nfs_umount(void *context) { return 0; }
void nfs_destroy_context(void *context) {}
"""
"""fio closes the file while reads of it are under way, and with those of 1 MiB libnfs then waits without end; so its process ends
instead, which closes the connection as well."""
NOT_SLOWER = 1.1
"""Two equal builds lie within it."""
_ADDRESS, _MEMORY = "127.0.0.1", Path("/dev/shm")


def main() -> int:
    """Runs it."""
    return bench.run("nfs_cost", __doc__ or "", _measure, rounds=7, runtime_s=2, programs=ganesha.PROGRAMS)


def _measure(here: bench.Bench) -> list[Aim]:
    with _served(here.asked.size_bytes) as export:
        here.left_out |= (
            {} if _fio_with_nfs() else {"fio": "no fio is there that has the engine nfs; FIO= names one"}
        )
        cases = here.wanted([_case(here, name, export) for name in CASES])
        here.measure(cases)
    return [aim for case in cases for aim in _aims(case)]


def _case(here: bench.Bench, name: str, export: Path) -> Case:
    block, depth = CASES[name]
    target = ganesha.url(_ADDRESS, export, "data")
    words = ("--rw", "randread", "--block", block, "--depth", str(depth))
    seconds = here.asked.runtime_s
    tools = [ours("plimsoll", here.asked.plimsoll, target, *words, runtime_s=seconds)]
    if other := os.environ.get("OTHER"):
        tools.append(ours("other", other, target, *words, runtime_s=seconds))
    if (program := _fio_with_nfs()) is not None:
        tools.append(_fio(program, export, name, here.asked))
    return Case(name, tuple(tools))


def _fio(program: str, export: Path, name: str, asked: bench.Asked) -> Tool:
    """Under a timeout, and once more where it was ended: its engine nfs is known to hang."""
    block, depth = CASES[name]
    url = f"nfs://{_ADDRESS}{export}?version=3&nfsport={ganesha.NFS_PORT}&mountport={ganesha.MOUNT_PORT}"
    place = ("--ioengine=nfs", f"--nfs_url={url}", "--filename=data", f"--size={asked.size_bytes}")
    words = (*place, f"--bs={block}", "--rw=randread", f"--iodepth={depth}")
    patience = ("timeout", "--signal=KILL", f"{asked.runtime_s + _FIO_BEYOND_S:g}")
    before = (*patience, *preloaded(export, "no_end", _NO_END))
    tool = fio("fio", None, *words, runtime_s=asked.runtime_s, before=before, program=program)
    return replace(tool, tries_max=_FIO_TRIES_MAX)


def _fio_with_nfs() -> str | None:
    program = os.environ.get("FIO", "fio")
    if shutil.which(program) is None:
        return None
    told = subprocess.run([program, "--enghelp"], capture_output=True, text=True, check=False).stdout
    return program if "nfs" in told.split() else None


@contextmanager
def _served(size_bytes: int) -> Iterator[Path]:
    """A folder in memory that ganesha exports, with a file of random data in it."""
    if os.geteuid() != 0:
        bench.fail("only root may start ganesha on files of this host", "Run it as root.")
    with tempfile.TemporaryDirectory(dir=_MEMORY) as export:
        with (Path(export) / "data").open("wb") as data:
            for _ in range(size_bytes >> 20):
                data.write(os.urandom(1 << 20))
        try:
            with ganesha.serving(Path(export)):
                yield Path(export)
        except ganesha.DidNotStart as reason:
            bench.fail(str(reason), "See whether another server has these ports.")


def _aims(case: Case) -> list[Aim]:
    tools = {tool.name for tool in case.tools}
    found = [Aim(case.name, "cpu_us_per_io_running", "plimsoll")]
    if "fio" in tools:
        found.append(
            Aim(case.name, "cpu_us_per_io_running", "plimsoll", ("fio",), median_max=CPU_MAX[case.name])
        )
        found.append(Aim(case.name, "iops", "plimsoll", ("fio",), median_min=RATE_MIN))
    if "other" in tools:
        for figure in ("cpu_us_per_io_in_window", "latency_us_p50"):
            found.append(Aim(case.name, figure, "plimsoll", ("other",), median_max=NOT_SLOWER))
    return found


if __name__ == "__main__":
    sys.exit(main())
