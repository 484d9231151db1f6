"""HPL, run by hpcc on all CPUs of this process: which BLAS it would use, what it is asked, and how it is started.

hpcc runs all of its tests each time. Its one process has a thread on each CPU by the BLAS.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.ports import files, processes

PROGRAM = "hpcc"
RESULT = "hpccoutf.txt"
_INPUT = "hpccinf.txt"
_BLOCK = 192
_INSTALL = (
    "Install it with a BLAS that is made for this CPU: `apt install hpcc libopenblas0-pthread` on Debian and Ubuntu; on other"
    " systems build hpcc 1.5 with OpenBLAS, and put it into PATH."
)
_REFERENCE_HINT = (
    "Install OpenBLAS: `apt install libopenblas0-pthread`; where both are there, choose it with"
    " `update-alternatives --config libblas.so.3-x86_64-linux-gnu`."
)
_LIBRARY = re.compile(r"^\s*(\S+) => (\S+) \(0x", re.MULTILINE)
_NAMES = {
    "openblas": "OpenBLAS",
    "mkl": "Intel MKL",
    "blis": "BLIS",
    "atlas": "ATLAS",
    "satlas": "ATLAS",
    "tatlas": "ATLAS",
    "armpl": "Arm Performance Libraries",
}
_MADE = re.compile(rf"lib({'|'.join(_NAMES)})[\w.+-]*\.so\b", re.IGNORECASE)
_ALTERNATIVE = re.compile(rf"({'|'.join(_NAMES)})(?:-[\w-]+)?", re.IGNORECASE)
"""A folder of Debian's and Ubuntu's, in which a BLAS is called libblas.so.3 as any other: `openblas-pthread`."""
_INTERFACES = ("libblas.", "libcblas.")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_SECONDS_WISHED, _GFLOPS_EACH = 10.0, 20.0
_ORDER_MIN, _ORDER_MAX, _MEMORY_SHARE, _NUMBER_BYTES = 1_000, 40_000, 8, 8


def blas() -> str:
    """Which BLAS hpcc would use here. Raises WorldError `hpcc-missing`, `blas-reference`, `blas-unknown`."""
    program = processes.program_path(PROGRAM)
    try:
        done = processes.run(["ldd", program], timeout_s=20.0)
    except (OSError, processes.TimeoutExpired) as error:
        raise WorldError(
            "blas-unknown", f"ldd, which tells the BLAS of {PROGRAM}, cannot be run here", _INSTALL
        ) from error
    if not os.path.isfile(program):
        raise WorldError("hpcc-missing", f"{PROGRAM}, which runs HPL, is not installed here", _INSTALL)
    return blas_of([(name, str(Path(path).resolve())) for name, path in _LIBRARY.findall(done.stdout)])


def blas_of(libraries: list[tuple[str, str]]) -> str:
    """Of what ldd tells, each with the file that it is in the end. Raises WorldError `blas-reference`, `blas-unknown`.

    Where there is a libblas.* or libcblas.*, its functions are those that are called, whatever other libraries bring with them.
    """
    called = [path for name, path in libraries if name.startswith(_INTERFACES)]
    plain = next((path for path in called if _name(path) is None), None)
    if plain is not None:
        message = f"{PROGRAM} uses the reference BLAS ({plain}), with which it says nothing of the CPU"
        raise WorldError("blas-reference", message, _REFERENCE_HINT)
    for path in called or [path for _, path in libraries]:
        if (name := _name(path)) is not None:
            return f"{name} ({path})"
    raise WorldError("blas-unknown", f"nothing tells which BLAS {PROGRAM} uses: ldd names none", _INSTALL)


def _name(path: str) -> str | None:
    """By the file's name, and of a libblas.* by that of the folder that it is in; no name further up says anything."""
    file = Path(path)
    found = _MADE.match(file.name)
    if found is None and file.name.startswith(_INTERFACES):
        found = _ALTERNATIVE.fullmatch(file.parent.name)
    return None if found is None else _NAMES[found[1].lower()]


def order_of(free_bytes: int | None, cpus: int) -> int:
    """Rows of a matrix that takes HPL some ten seconds, and no more than an eighth of the free memory."""
    by_time = (_SECONDS_WISHED * _GFLOPS_EACH * 1e9 * cpus * 1.5) ** (1 / 3)
    by_memory = math.sqrt((free_bytes or 0) / _MEMORY_SHARE / _NUMBER_BYTES)
    most = min(by_time, by_memory, _ORDER_MAX)
    return max(_ORDER_MIN, int(most) // _BLOCK * _BLOCK)


def check_order(order: int, free_bytes: int | None) -> None:
    """Raises UsageError `hpcc-memory` for a matrix that is larger than what programs can still take."""
    needed = _NUMBER_BYTES * order**2
    if free_bytes is None or needed <= free_bytes:
        return
    most = math.isqrt(free_bytes // _NUMBER_BYTES)
    message = f"--order: a matrix of {order:,} rows takes {format_bytes(needed)}, and {format_bytes(free_bytes)} are free"
    raise UsageError(
        "hpcc-memory", message, f"Give less than {most:,} rows, better a third of that, or none."
    )


def input_of(order: int) -> str:
    """What hpcc reads: the lines of HPL's input, of which the first word counts, then those of PTRANS, which ask for no more."""
    single = ("1", "1", "1")
    values = [
        "1", str(order), "1", str(_BLOCK), "0", *single, "16.0", "1", "1", "1", "4", "1", "2", "1", "1", "1", "1", "1", "1", "2",
        "64", "0", "0", "1", "8",
    ]  # fmt: skip
    return "\n".join(["one problem", "by hpcc", "HPL.out", "8", *values, "-", "0", "0", "0", "0"]) + "\n"


def run(ctx: Context, folder: Path, order: int, threads: int, look: Callable[[int], None]) -> str | None:
    """What it writes; None: it was interrupted. `look` is called once a second with the id of the process.

    Raises WorldError `hpcc-failed`.
    """
    files.write_new(folder / _INPUT, input_of(order))
    environment = {**os.environ, **dict.fromkeys(_THREADS, str(threads))}
    started = ctx.scratch.start([PROGRAM], folder=folder, environment=environment)
    processes.be_ended_first(1000, started.pid)
    while True:
        try:
            status = started.wait(timeout=1.0)
            break
        except processes.TimeoutExpired:
            look(started.pid)
        if ctx.cancel.is_set:
            started.kill()
            started.wait()
            return None
    text = files.read_text(folder / RESULT)
    if status or text is None:
        message = f"{PROGRAM} ended with {processes.how_ended(status)}" + (
            "" if text else f", and wrote no {RESULT}"
        )
        raise WorldError("hpcc-failed", message, "Run hpcc by hand in an empty folder, and see what it says.")
    return text
