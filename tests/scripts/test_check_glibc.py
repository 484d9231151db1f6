"""Which glibc a file asks for, by what readelf prints of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import check_glibc

PRINTED = """
Version needs section '.gnu.version_r' contains 2 entries:
 Addr: 0x0000000000000788  Offset: 0x000788  Link: 6 (.dynstr)
  000000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 2
  0x0020:   Name: GLIBC_2.17  Flags: none  Version: 3
  0x0030:   Name: GLIBC_2.3.4  Flags: none  Version: 4
  0x0040: Version: 1  File: libgcc_s.so.1  Cnt: 1
  0x0050:   Name: GCC_4.2.0  Flags: none  Version: 5
"""


def test_versions_are_compared_as_numbers() -> None:
    assert check_glibc.needed(PRINTED) == (2, 17)


def test_what_asks_for_none_says_nothing() -> None:
    assert check_glibc.needed("No version information found in this file.") is None


def test_a_file_that_asks_for_more_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        check_glibc, "of_files", lambda folder: iter([(folder / "a.so", (2, 17)), (folder / "b.so", (2, 36))])
    )
    assert check_glibc.newer(tmp_path, (2, 36)) == []
    assert check_glibc.newer(tmp_path, (2, 28)) == ["b.so: glibc 2.36"]


def test_a_place_without_programs_is_no_proof(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    assert check_glibc.newer(tmp_path, (2, 28)) == [f"{tmp_path}: nothing in it asks for glibc"]
