"""The six files: their names, and that nothing is ever overwritten."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

import orion_builder
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects.orion.files_write import ENDINGS, free_prefix, write_files

BEGAN = datetime(2010, 3, 5, 12, 30, 59, tzinfo=UTC)


def test_the_names_are_those_of_the_original(tmp_path: Path) -> None:
    prefix = free_prefix("mytest", tmp_path, BEGAN)
    files = write_files(prefix, orion_builder.published(), "11.1")
    assert [path.name for path in files] == [f"mytest_20100305_1230_{ending}" for ending in ENDINGS]
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_the_minute_is_the_machines_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "XXX-5:45")
    time.tzset()
    try:
        assert free_prefix("t", tmp_path, BEGAN).name == "t_20100305_1815"
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


def test_files_go_beside_the_lun_file_or_where_one_says(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert free_prefix(str(tmp_path / "a" / "t"), None, BEGAN).parent == tmp_path / "a"
    assert free_prefix(str(tmp_path / "a" / "t"), tmp_path, BEGAN).parent == tmp_path


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_is_there_is_never_touched(ending: str, tmp_path: Path) -> None:
    taken = tmp_path / f"mytest_20100305_1230_{ending}"
    taken.write_text("mine")
    prefix = free_prefix("mytest", tmp_path, BEGAN)
    assert prefix.name == "mytest_20100305_1230_2"
    write_files(prefix, orion_builder.published(), "11.1")
    assert free_prefix("mytest", tmp_path, BEGAN).name == "mytest_20100305_1230_3"
    assert taken.read_text() == "mine"


def test_a_file_that_came_in_between_is_not_touched_either(tmp_path: Path) -> None:
    prefix = free_prefix("mytest", tmp_path, BEGAN)
    taken = tmp_path / f"{prefix.name}_iops.csv"
    taken.write_text("mine")
    with pytest.raises(PlimsollError, match="file exists") as caught:
        write_files(prefix, orion_builder.published(), "11.1")
    assert caught.value.id == "orion-output-refused"
    assert taken.read_text() == "mine"


def test_a_missing_folder_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError) as caught:
        free_prefix("t", tmp_path / "none", BEGAN)
    assert caught.value.id == "orion-output-missing"


def test_a_folder_without_leave_to_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(PlimsollError) as caught:
        free_prefix("t", tmp_path, BEGAN)
    assert caught.value.id == "orion-output-refused"
