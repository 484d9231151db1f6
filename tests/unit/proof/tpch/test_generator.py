"""The program that makes the data: found or missed, run to its end or not, its files read without their last separators."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.proof.tpch import generator, limits
from plimsoll.proof.tpch.generator import Batch


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the only one in which programs are looked for."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "beside" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_missing_program_names_its_install_command(nowhere: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        generator.find_binary()
    assert caught.value.id == "tpchgen-missing"
    assert "'plimsoll-storage[tpch]'" in (caught.value.hint or "")


def test_the_program_beside_python_comes_first(nowhere: Path) -> None:
    on_path = program(nowhere / "tpchgen-cli", "true")
    assert generator.find_binary() == on_path
    beside = program(nowhere / "beside" / "tpchgen-cli", "true")
    assert generator.find_binary() == beside


def test_a_program_that_fails_says_why(ctx: Context, tmp_path: Path) -> None:
    failing = program(
        tmp_path / "tpchgen-cli", "echo 'Error: No space left on device (os error 28)' >&2; exit 1"
    )
    folder = ctx.scratch.new_folder(tmp_path, "out")
    with pytest.raises(PlimsollError) as caught:
        generator.generate(ctx, failing, folder, "1", Batch(("orders",)))
    assert caught.value.id == "tpchgen-failed"
    assert caught.value.message == "could not make tpc-h data: no space left on device (os error 28)"
    with pytest.raises(PlimsollError, match="no space left"):
        generator.version_of(failing)


def test_a_program_that_writes_nothing_is_found_out(ctx: Context, tmp_path: Path) -> None:
    idle = program(tmp_path / "tpchgen-cli", "exit 0")
    folder = ctx.scratch.new_folder(tmp_path, "out")
    with pytest.raises(PlimsollError, match=r"it wrote no orders\.tbl"):
        generator.generate(ctx, idle, folder, "1", Batch(("orders",)))


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError, match="could not start") as caught:
        generator.version_of(tmp_path / "tpchgen-cli")
    assert caught.value.id == "tpchgen-failed"


def test_ctrl_c_ends_the_program(ctx: Context, tmp_path: Path) -> None:
    slow = program(tmp_path / "tpchgen-cli", "exec sleep 600")
    folder = ctx.scratch.new_folder(tmp_path, "out")
    ctx.cancel.set()
    with pytest.raises(Interrupted):
        generator.generate(ctx, slow, folder, "1", Batch(("orders",)))
    ctx.scratch.release(folder)
    assert not folder.exists()
    assert all(child.poll() is not None for child in ctx.scratch._children)


def test_pieces_make_the_same_table(ctx: Context, tmp_path: Path, tpchgen: Path) -> None:
    def lines(batch: Batch) -> bytes:
        folder = ctx.scratch.new_folder(tmp_path, "out")
        paths = generator.generate(ctx, tpchgen, folder, "0.01", batch)
        return b"".join(chunk for chunk, _ in generator.lines_of(paths["supplier"]))

    whole = lines(Batch(("region", "supplier")))
    assert whole.count(b"\n") == 100
    assert b"|\n" not in whole
    assert b"".join(lines(Batch(("supplier",), piece, 3)) for piece in (1, 2, 3)) == whole


def test_lines_are_cut_at_their_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "_CHUNK_BYTES", 4)
    path = tmp_path / "some.tbl"
    path.write_bytes(b"1|a|\n22|b||\n333|c|\n")
    chunks = list(generator.lines_of(path))
    assert b"".join(chunk for chunk, _ in chunks) == b"1|a\n22|b|\n333|c\n"
    assert sum(count for _, count in chunks) == 3
    assert len(chunks) > 1


@pytest.mark.parametrize("scale", [0.001, 0.01, 0.3, 1, 30, 1000])
def test_batches_hold_each_table_once_and_are_small(scale: float) -> None:
    found = list(generator.batches(scale))
    order = list(dict.fromkeys(table for batch in found for table in batch.tables))
    assert order == list(generator.BYTES_AT_SCALE_1)
    for batch in found:
        content = sum(generator.bytes_of(table, scale) for table in batch.tables) / batch.pieces
        assert content <= limits.TPCH_PIECE_BYTES_MAX
        assert batch.pieces == 1 or len(batch.tables) == 1
    for table in order:
        pieces = [(batch.piece, batch.pieces) for batch in found if table in batch.tables]
        assert pieces == [(number, len(pieces)) for number in range(1, len(pieces) + 1)]


@pytest.mark.parametrize(
    ("table", "scale", "rows", "fine"),
    [
        ("region", 100, 5, True),
        ("nation", 100, 24, False),
        ("orders", 0.01, 15_000, True),
        ("orders", 0.01, 14_999, False),
        ("supplier", 0.01234567, 123, True),
        ("supplier", 0.01234567, 125, False),
        ("partsupp", 0.01, 8_000, True),
        ("partsupp", 0.01, 7_999, False),
        ("lineitem", 1, 6_001_215, True),
        ("lineitem", 1, 1_000_000, False),
        ("lineitem", 1, 11_000_000, False),
    ],
)
def test_rows_that_a_scale_can_have(table: str, scale: float, rows: int, fine: bool) -> None:
    assert generator.plausible(table, scale, rows) is fine
