"""Makes the data of the eight tables with tpchgen-cli, piece by piece, so that little of them lies on disk at a time.

tpchgen-cli is a program in a Python wheel. It writes what the TPC's own dbgen writes, and any piece of a table by itself.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError, WorldError, world_error
from plimsoll.context import Context
from plimsoll.ports import files, processes

PROGRAM = "tpchgen-cli"
_POLL_S = 0.02
_CHUNK_BYTES = 1 << 20

BYTES_AT_SCALE_1: dict[str, int] = {
    "region": 389,
    "nation": 2_224,
    "supplier": 1_409_184,
    "customer": 24_346_144,
    "part": 24_135_125,
    "partsupp": 118_984_616,
    "orders": 171_952_161,
    "lineitem": 759_863_287,
}
"""The tables in the order of loading, and how long their files are at scale 1. The first two are the same at every scale."""

ROWS_AT_SCALE_1: dict[str, int] = {
    "supplier": 10_000,
    "customer": 150_000,
    "part": 200_000,
    "partsupp": 800_000,
    "orders": 1_500_000,
}
"""Cardinalities by the specification, clause 4.2.5. Lines vary: each order has one to seven."""

ROWS_FIXED: dict[str, int] = {"region": 5, "nation": 25}
_LINES_PER_ORDER_MAX = 7


def find_binary() -> Path:
    """tpchgen-cli beside this Python, else on PATH. Raises WorldError `tpchgen-missing`."""
    beside = Path(sys.executable).parent / PROGRAM
    on_path = shutil.which(PROGRAM)
    for candidate in (beside, Path(on_path) if on_path else None):
        if candidate is not None and candidate.is_file():
            return candidate
    hint = "Install it with: pip install 'plimsoll[tpch]'."
    raise WorldError("tpchgen-missing", f"could not find {PROGRAM}, which makes the data", hint)


def version_of(binary: Path) -> str:
    """What the program says of itself, such as `tpchgen-cli 4.0.0`. Raises WorldError `tpchgen-failed`."""
    try:
        said = processes.run([str(binary), "--version"])
    except OSError as error:
        raise world_error("tpchgen-failed", f"start {binary}", error, _HINT) from error
    if said.returncode:
        raise _failure(said.returncode, said.stderr)
    return said.stdout.strip()


def bytes_of(table: str, scale: float) -> float:
    """About how long a table's data are."""
    return BYTES_AT_SCALE_1[table] * (1 if table in ROWS_FIXED else scale)


def pieces_of(table: str, scale: float) -> int:
    """In how many pieces a table is made."""
    return max(1, math.ceil(bytes_of(table, scale) / limits.TPCH_PIECE_BYTES_MAX))


def plausible(table: str, scale: float, rows: int) -> bool:
    """Whether a table may have so many rows. One more or less is the generator's rounding of a crooked scale."""
    if table in ROWS_FIXED:
        return rows == ROWS_FIXED[table]
    if table in ROWS_AT_SCALE_1:
        return abs(rows - ROWS_AT_SCALE_1[table] * scale) <= (4 if table == "partsupp" else 1)
    orders = ROWS_AT_SCALE_1["orders"] * scale
    return orders - 1 <= rows <= _LINES_PER_ORDER_MAX * (orders + 1)


def generate(
    ctx: Context, binary: Path, folder: Path, scale_text: str, table: str, piece: int, pieces: int
) -> Path:
    """Writes one piece of a table into `folder`; gives its file. Pieces count from 1.

    Raises WorldError `tpchgen-failed`, or Interrupted.
    """
    arguments = ["--quiet", "--scale-factor", scale_text, "--tables", table, "--output-dir", str(folder)]
    if pieces > 1:
        arguments += ["--parts", str(pieces), "--part", str(piece)]
    log = folder / f"{table}-{piece}.log"
    with files.open_output(log) as output:
        child = ctx.scratch.start(
            [str(binary), *arguments], folder=folder, stdout=output, stderr=processes.WITH_STDOUT
        )
    # Whoever is interrupted here releases the folder, and the program that works in it ends with it.
    while child.poll() is None:
        ctx.cancel.check()
        ctx.clock.sleep(_POLL_S)
    if child.returncode:
        raise _failure(child.returncode, files.read_text(log) or "")
    path = folder / f"{table}.tbl" if pieces == 1 else folder / table / f"{table}.{piece}.tbl"
    if not path.is_file():
        raise _failure(0, f"it wrote no {path.name}")
    return path


_HINT = "See whether the scratch folder has room and the program runs; PLIMSOLL_SCRATCH names another folder."


def _failure(status: int, said: str) -> PlimsollError:
    last = (said.strip().splitlines() or [f"it ended with status {status}"])[-1].removeprefix("Error: ")
    reason = f"{last[:1].lower()}{last[1:]}".rstrip(".")
    return WorldError("tpchgen-failed", f"could not make tpc-h data: {reason}", _HINT)


def lines_of(path: Path) -> Iterator[tuple[bytes, int]]:
    """A file of the generator in chunks of whole lines, without the separator at each line's end; with their number."""
    with files.open_regular(path) as file:
        while lines := file.readlines(_CHUNK_BYTES):
            yield b"".join(lines).replace(b"|\n", b"\n"), len(lines)
