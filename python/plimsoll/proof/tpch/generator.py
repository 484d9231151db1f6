"""Makes the data of the eight tables with tpchgen-cli, piece by piece, so that little of them lies on disk at a time.

tpchgen-cli is a program in a Python wheel. It writes what the TPC's own dbgen writes, and any piece of a table by itself.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import PlimsollError, WorldError, world_error
from plimsoll.base.installing import extra_hint
from plimsoll.context import Context
from plimsoll.ports import files, processes
from plimsoll.proof.tpch import limits

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
    "orders": 1_500_000,
}
"""Cardinalities by the specification, clause 4.2.5. Each part has four suppliers; each order has one to seven lines."""

ROWS_FIXED: dict[str, int] = {"region": 5, "nation": 25}
_SUPPLIERS_PER_PART = 4
_LINES_PER_ORDER_MAX = 7


def find_binary() -> Path:
    """tpchgen-cli beside this Python, else on PATH. Raises WorldError `tpchgen-missing`."""
    beside = Path(sys.executable).parent / PROGRAM
    on_path = shutil.which(PROGRAM)
    for candidate in (beside, Path(on_path) if on_path else None):
        if candidate is not None and candidate.is_file():
            return candidate
    hint = extra_hint("tpch")
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


@dataclass(frozen=True)
class Batch:
    """What one run of the generator makes: a few small tables, or one piece of a large one. Pieces count from 1."""

    tables: tuple[str, ...]
    piece: int = 1
    pieces: int = 1


def batches(scale: float) -> Iterator[Batch]:
    """All data, in the order of loading. Small tables go together, because the program takes a second to start."""
    together: list[str] = []
    for table in BYTES_AT_SCALE_1:
        pieces = math.ceil(bytes_of(table, scale) / limits.TPCH_PIECE_BYTES_MAX)
        if sum(bytes_of(name, scale) for name in (*together, table)) <= limits.TPCH_PIECE_BYTES_MAX:
            together.append(table)
            continue
        if together:
            yield Batch(tuple(together))
        together = [table] if pieces == 1 else []
        if pieces > 1:
            yield from (Batch((table,), piece, pieces) for piece in range(1, pieces + 1))
    if together:
        yield Batch(tuple(together))


def plausible(table: str, scale: float, rows: int) -> bool:
    """Whether a table may have so many rows. A crooked scale makes fractions, which the generator rounds."""
    if table in ROWS_FIXED:
        return rows == ROWS_FIXED[table]
    if table in ROWS_AT_SCALE_1:
        return abs(rows - ROWS_AT_SCALE_1[table] * scale) < 1
    if table == "partsupp":
        return rows % _SUPPLIERS_PER_PART == 0 and plausible("part", scale, rows // _SUPPLIERS_PER_PART)
    orders = ROWS_AT_SCALE_1["orders"] * scale
    return orders - 1 <= rows <= _LINES_PER_ORDER_MAX * (orders + 1)


def generate(ctx: Context, binary: Path, folder: Path, scale_text: str, batch: Batch) -> dict[str, Path]:
    """Writes a batch into `folder`; gives the file of each table. Raises WorldError `tpchgen-failed`, or Interrupted."""
    tables = ",".join(batch.tables)
    arguments = ["--quiet", "--scale-factor", scale_text, "--tables", tables, "--output-dir", str(folder)]
    if batch.pieces > 1:
        arguments += ["--parts", str(batch.pieces), "--part", str(batch.piece)]
    log = folder / "log"
    with files.open_output(log) as output:
        child = ctx.scratch.start(
            [str(binary), *arguments], folder=folder, stdout=output, stderr=processes.WITH_STDOUT
        )
    try:
        while child.poll() is None:
            ctx.cancel.check()
            ctx.clock.sleep(_POLL_S)
    finally:
        child.kill()  # Nothing happens to one that has ended.
        child.wait()
    if child.returncode:
        raise _failure(child.returncode, files.read_text(log) or "")
    paths = {table: folder / _file_name(table, batch) for table in batch.tables}
    for path in paths.values():
        if not path.is_file():
            raise _failure(0, f"it wrote no {path.name}")
    return paths


def _file_name(table: str, batch: Batch) -> str:
    return f"{table}.tbl" if batch.pieces == 1 else f"{table}/{table}.{batch.piece}.tbl"


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
