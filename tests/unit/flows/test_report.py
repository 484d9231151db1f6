"""A run as a page on disk: all of it, or nothing and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

import facts_runs
from plimsoll.base.errors import WorldError
from plimsoll.flows.report import write_report


def test_the_page_is_one_file_with_its_size(tmp_path: Path) -> None:
    page = write_report(facts_runs.sparse_run(), tmp_path / "page.html")
    assert page.path.read_bytes().startswith(b"<!")
    assert page.size_bytes == page.path.stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_place_that_refuses_the_page_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as refused:
        write_report(facts_runs.sparse_run(), tmp_path / "no" / "page.html")
    assert refused.value.id == "report-refused"
    assert refused.value.hint
