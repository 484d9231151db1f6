"""Generated reports hold together without any reader: rulers, widths, cells, damage."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from lxml import html as lxml_html

from reportgen.expected import by_view
from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.layout import Damage, Form, Kind, Layout, fits, plain_layouts
from reportgen.model import Column, Table, cells
from reportgen.order import document
from reportgen.printing import Value
from reportgen.report import expected, render
from reportgen.text import medium

FACTS = invent(7)
_RULER = re.compile(r"^ *-+(?: +-+)*$")
_END = re.compile(r"^ {10,26}-{54,61}$")
_HEAD_WIDTH = 80
LAYOUTS = plain_layouts()
TEXTS = [layout for layout in LAYOUTS if layout.form is Form.TEXT]
PAGES = [layout for layout in LAYOUTS if layout.form is Form.HTML]


def _text(facts: Facts, layout: Layout) -> str:
    return render(facts, layout).decode(layout.encoding)


def _tables(facts: Facts, layout: Layout) -> list[Table]:
    return [block for part in document(facts, layout) for block in part if isinstance(block, Table)]


@pytest.mark.parametrize("layout", TEXTS, ids=lambda layout: layout.label)
def test_lines_are_no_wider_than_the_page(layout: Layout) -> None:
    wide = [line for line in re.split("[\n\f]", _text(FACTS, layout)) if len(line) > _HEAD_WIDTH]
    assert not wide


@pytest.mark.parametrize("layout", TEXTS, ids=lambda layout: layout.label)
def test_every_cell_stands_under_its_ruler(layout: Layout) -> None:
    lines = re.split("[\n\f]", _text(FACTS, replace(layout, page_length=0)))
    starts = [number for number, line in enumerate(lines) if _RULER.match(line) and not _END.match(line)]
    rulers = {lines[number] for number in starts}
    for table in _tables(FACTS, layout):
        for line_number, columns in enumerate(table.lines):
            indent = table.indent if line_number or len(table.lines) == 1 else 0
            if any(column.heading for column in columns):
                assert " " * indent + " ".join(column.ruler for column in columns) in rulers
        for row, pairs in cells(table):
            assert len(row.values) == len(table.columns)
            for column, value in pairs:
                assert len(column.form.printed(value, medium(column, layout)).text) <= column.width


@pytest.mark.parametrize("layout", PAGES, ids=lambda layout: layout.label)
def test_html_holds_every_cell(layout: Layout) -> None:
    tree = lxml_html.fromstring(_text(FACTS, layout))
    found = [[[_words(cell) for cell in row] for row in table.iter("tr")] for table in tree.iter("table")]
    for table in _tables(FACTS, layout):
        rows = [[_print(column, value, layout) for column, value in pairs] for _, pairs in cells(table)]
        headings = [column.html_heading for column in table.columns]
        assert any(rows == grid[len(grid) - len(rows) :] and headings in grid for grid in found), table.title


def _print(column: Column, value: Value, layout: Layout) -> str:
    return " ".join(column.form.printed(value, medium(column, layout)).text.split())


def _words(cell: lxml_html.HtmlElement) -> str:
    return " ".join(cell.text_content().replace("\xa0", " ").split())


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.label)
def test_every_layout_has_the_sections_that_all_have(layout: Layout) -> None:
    views = by_view(expected(FACTS, layout))
    own = set() if layout.kind is Kind.GLOBAL else {"load_profile", "sql", "latches"}
    assert {"top_events", "parameters"} | own <= set(views)
    assert all(rows for rows in views.values())


@pytest.mark.parametrize("damage", list(Damage))
@pytest.mark.parametrize("form", list(Form))
def test_damage_changes_the_bytes_where_it_can_befall_them(damage: Damage, form: Form) -> None:
    whole = Layout(
        release="11.1", kind=Kind.STATSPACK if form is Form.TEXT else Kind.AWR, form=form, page_length=15
    )
    damaged = replace(whole, damage=frozenset({damage}))
    assert (render(FACTS, damaged) != render(FACTS, whole)) == fits(damage, form)


def test_the_same_facts_and_layout_make_the_same_report() -> None:
    assert render(invent(3), Layout()) == render(invent(3), Layout())
    assert render(invent(3), Layout()) != render(invent(4), Layout())


def test_a_full_page_repeats_the_heading_even_inside_a_row() -> None:
    facts = invent(7, Scale(rows=7))
    layout = Layout("9.2", Kind.STATSPACK, Form.TEXT, page_length=15, damage=frozenset({Damage.SPLIT_ROWS}))
    text = _text(facts, layout)
    assert text.count("File IO Stats for DB:") > 1
    assert re.search(r"\.dbf\n\fFile IO Stats for DB:", text)


def test_a_number_too_wide_in_9_2_abuts_its_neighbour() -> None:
    facts = replace(FACTS, pools=(replace(FACTS.pools[0], hit_percent=97.3, gets=7_000_000_000),))
    assert " 97.3############ " in _text(facts, Layout("9.2", Kind.STATSPACK, Form.TEXT))


def test_11_2_0_4_prints_tablespace_figures_under_each_others_headings() -> None:
    facts = replace(FACTS, files=FACTS.files[:1])
    layout = Layout("11.2.0.4", Kind.AWR, Form.HTML)
    table = next(table for table in _tables(facts, layout) if table.view == "tablespace_io")
    assert [column.heading.split("\n")[0] for column in table.columns if column.name == "writes"] == ["1-bk"]
    found = by_view(expected(facts, layout))["tablespace_io"][0]
    assert found["writes"] == facts.files[0].writes


def test_hard_wrap_cuts_every_line_at_132_and_loses_nothing() -> None:
    layout = Layout("12.2", Kind.AWR, Form.HTML)
    wrapped = _text(FACTS, replace(layout, damage=frozenset({Damage.HARD_WRAP})))
    assert {len(line) for line in wrapped.split("\n")} == {132}
    assert re.sub(r"\s", "", wrapped) == re.sub(r"\s", "", _text(FACTS, layout))
