"""The page cache: a file that was dropped from it is read anew, and what cannot be opened is an error."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from plimsoll.host.filesystems import file_system
from plimsoll.ports import page_cache


def cached_pages(path: Path) -> int:
    """As fincore(1) counts them."""
    program = shutil.which("fincore")
    if program is None:
        pytest.skip("fincore is not installed")
    words = [program, "--noheadings", "--output=PAGES", str(path)]
    return int(subprocess.run(words, check=True, capture_output=True, text=True, timeout=30).stdout)


def test_what_is_on_the_storage_is_dropped(tmp_path: Path) -> None:
    if (mounted := file_system(tmp_path)) is not None and mounted.kind == "tmpfs":
        pytest.skip("a tmpfs is its own page cache")
    path = tmp_path / "data"
    path.write_bytes(os.urandom(1 << 20))
    with open(path, "rb") as file:
        os.fsync(file.fileno())
    assert cached_pages(path) == 256
    page_cache.drop(path)
    assert cached_pages(path) == 0
    assert len(path.read_bytes()) == 1 << 20


def test_what_is_not_there_cannot_be_dropped(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        page_cache.drop(tmp_path / "none")
