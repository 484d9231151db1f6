"""Copies under other stamps: as long as the template, different where they should be, the same elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.invent import invent
from reportgen.layout import Form, Kind, Layout
from reportgen.restamp import Stamp, Template, stamps, write_folder


@pytest.mark.parametrize(
    "layout",
    [Layout("19"), Layout("12.2", Kind.AWR, Form.TEXT), Layout("9.2", Kind.STATSPACK, Form.TEXT)],
    ids=lambda layout: layout.label,
)
def test_a_copy_names_its_stamp_and_is_as_long_as_the_template(layout: Layout) -> None:
    template = Template(invent(5), layout)
    one, other = template.stamped(Stamp(1, 1, 0)), template.stamped(Stamp(417, 2, 23))
    assert len(one) == len(other)
    assert b"QZ000417" in other
    assert b"QZ000001" not in other
    assert b"qz0004172" in other
    assert b"3900000417" in other
    assert b"60023" in other
    assert b"10-Mar-24 07:00:03" in other
    changed = sum(was != now for was, now in zip(one.splitlines(), other.splitlines(), strict=True))
    assert 3 < changed < len(one.splitlines()) / 2


def test_stamps_never_repeat() -> None:
    assert len(set(stamps(500))) == 500


def test_a_folder_holds_so_many_reports_of_several_kinds(tmp_path: Path) -> None:
    written = write_folder(tmp_path, 300, rows=1)
    files = list(tmp_path.iterdir())
    assert len(files) == 300
    assert sum(file.stat().st_size for file in files) == written
    assert {file.suffix for file in files} == {".html", ".txt", ".lst"}
