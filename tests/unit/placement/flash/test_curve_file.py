"""Curves of hits as people write them, and what is refused of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.facts import HitCurve
from plimsoll.placement.flash.curve_file import read_curve


def curve(folder: Path, text: str) -> HitCurve:
    path = folder / "hits.csv"
    path.write_text(text, encoding="utf-8")
    return read_curve(path)


def points(found: HitCurve) -> list[tuple[int, float]]:
    return [(one.cache_bytes, one.miss_share) for one in found.points]


def test_hit_shares_by_the_buffer_cache(tmp_path: Path) -> None:
    found = curve(tmp_path, "Cache_Bytes, hit_share\n2k,0.75\n1k,0.5\n\n")
    assert found.of == "buffer cache"
    assert points(found) == [(1024, 0.5), (2048, 0.25)]


def test_physical_reads_become_shares_of_the_first(tmp_path: Path) -> None:
    found = curve(tmp_path, "physical_reads,cache_bytes\n400,1k\n100,4k\n")
    assert points(found) == [(1024, 1.0), (4096, 0.25)]


def test_without_flash_everything_is_read(tmp_path: Path) -> None:
    found = curve(tmp_path, "flash_bytes,hit_share\n1k,0.5\n")
    assert found.of == "flash"
    assert points(found) == [(0, 1.0), (1024, 0.5)]
    assert points(curve(tmp_path, "flash_bytes,physical_reads\n0,200\n1k,50\n")) == [(0, 1.0), (1024, 0.25)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: the column cache_bytes or flash_bytes is missing"),
        ("cache_bytes\n1k\n", "the column hit_share or physical_reads is missing"),
        ("cache_bytes,hit_share,physical_reads\n", "hit_share or physical_reads are there both"),
        ("cache_bytes,hit_share\n", "it has no point of a curve"),
        ("cache_bytes,hit_share\n1k\n", "line 2: it has 1 cells, and the first line 2"),
        ("cache_bytes,hit_share\n1q,0.5\n", "line 2: cannot read '1q' as a size"),
        ("cache_bytes,hit_share\n1k,x\n", "line 2: hit_share: 'x' is not a number"),
        ("cache_bytes,hit_share\n1k,92\n", "line 2: hit_share: 92 is not 0 to 1"),
        ("cache_bytes,physical_reads\n1k,nan\n", "line 2: physical_reads: nan is not 0 or more"),
        ("cache_bytes,physical_reads\n1k,0\n", "line 2: nothing is read with the smallest cache"),
        ("cache_bytes,hit_share\n1k,0.5\n2k,0.4\n", "line 3: a larger cache is said to answer less"),
        ("cache_bytes,hit_share\n1k,0.5\n1k,0.6\n", "its size stands on another line as well"),
        ("flash_bytes,physical_reads\n1k,50\n", "line 2: it does not say how much is read without a cache"),
    ],
)
def test_what_is_off_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match="line") as refused:
        curve(tmp_path, text)
    assert refused.value.id == "hit-curve-unreadable"
    assert said in refused.value.message


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "hits.csv").write_bytes(b"cache_bytes,hit_share\n\xff,0.5\n")
    with pytest.raises(UsageError, match="it is not UTF-8 text"):
        read_curve(tmp_path / "hits.csv")
    with pytest.raises(PlimsollError):
        read_curve(tmp_path / "none.csv")
