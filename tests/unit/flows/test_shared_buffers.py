"""Shared buffers that fit into huge pages, as PostgreSQL's own programs count it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import WorldError
from plimsoll.databases import embedded
from plimsoll.flows import shared_buffers
from sliced_hosts import plan


def test_a_real_postgresql_counts_what_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the file says, and with one more they would not fit."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"data": plan().model_dump(mode="json")}))
    kept: dict[int, int] = {}
    found = shared_buffers._count

    def counted(cluster: embedded.Cluster, page_bytes: int, buffers_mib: int) -> int:
        assert page_bytes == 2 << 20
        kept[buffers_mib] = found(cluster, page_bytes, buffers_mib)
        return kept[buffers_mib]

    monkeypatch.setattr(shared_buffers, "_count", counted)
    out, binaries = tmp_path / "slices", str(embedded.wheel_binaries())
    done = command.here(
        "host", "slice", "write", str(path), "--out", str(out), "--only", "postgresql", "--postgres", binaries
    )
    assert done.returncode == 0, done.stderr
    text = (out / "postgresql" / "shop.conf").read_text()
    buffers = int(text.rpartition("shared_buffers = ")[2].removesuffix("MB\n"))
    assert kept[buffers] <= 2_048 < kept[buffers + 1]
    assert re.search(
        rf"# PostgreSQL \d\S* counts {kept[buffers]:,} of 2,048, for max_connections = 1,000", text
    )
    assert 3_600 < buffers < 4_096


@pytest.mark.parametrize(("above", "largest"), [(2, 1), (100, 37), (100, 99), (4_096, 4_095)])
def test_the_largest_that_fits_is_found(above: int, largest: int) -> None:
    assert shared_buffers._most(lambda mib: mib <= largest, above) == largest


def test_programs_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="there is no ") as caught:
        shared_buffers.fitting_buffers(None, tmp_path, [])  # pyright: ignore[reportArgumentType]
    assert caught.value.id == "huge-pages-uncounted"
    assert "PostgreSQL 15 or later" in (caught.value.hint or "")


class _Said:
    def __init__(self, returncode: int, stdout: str, stderr: str) -> None:
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (_Said(1, "", "FATAL:  unrecognized configuration parameter\nmore\n"), "unrecognized configuration parameter$"),
        (_Said(0, "-1\n", ""), "could not count huge pages: -1"),
        (_Said(0, "", ""), "it said nothing"),
    ],
)  # fmt: skip
def test_a_release_that_does_not_count_is_told(
    monkeypatch: pytest.MonkeyPatch, said: _Said, why: str
) -> None:
    class Cluster:
        data_folder = Path("/data")

    monkeypatch.setattr(embedded, "run_program", lambda *words: said)
    with pytest.raises(WorldError, match=why):
        shared_buffers._count(Cluster(), 2 << 20, 100)  # pyright: ignore[reportArgumentType]
