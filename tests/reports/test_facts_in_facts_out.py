"""Facts in, facts out: what the generator prints in any layout, the reader finds, or says that it could not.

Without damage everything that is printed must be found. Damage may cost values, but then the reader names a problem; it never
makes another number out of one.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plimsoll import _core
from reportgen import strategies
from reportgen.cells import lost_tables
from reportgen.expected import by_view
from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.judge import judge
from reportgen.layout import Damage, Form, Kind, Layout, fits, plain_layouts
from reportgen.report import expected, render

_SHOWN = 12
many = settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def _found(facts: Facts, layout: Layout) -> None:
    verdict = judge(facts, layout, _core.read_report(render(facts, layout)))
    assert not verdict.different, (layout.label, len(verdict.different), verdict.different[:_SHOWN])
    missing = (
        verdict.missing
        if layout.damage and not verdict.problems
        else []
        if layout.damage
        else verdict.unexcused
    )
    assert not missing, (layout.label, len(missing), missing[:_SHOWN], verdict.problems)


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
def test_every_layout_is_read_whole(layout: Layout) -> None:
    _found(invent(11), layout)


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("damage", list(Damage))
def test_every_damage_is_survived_or_said(damage: Damage, form: Form) -> None:
    if not fits(damage, form):
        return
    releases = ("9.2", "11.2.0.4", "12.1", "19")
    kinds = (Kind.AWR, Kind.GLOBAL) if form is Form.HTML else (Kind.AWR, Kind.STATSPACK)
    existing = set(plain_layouts())
    for release in releases:
        for kind in kinds:
            layout = Layout(release, kind, form)
            if layout in existing:
                _found(invent(12), Layout(release, kind, form, page_length=21, damage=frozenset({damage})))


@many
@given(facts=strategies.facts(), layout=strategies.layouts())
def test_any_facts_in_any_layout_are_read_whole(facts: Facts, layout: Layout) -> None:
    _found(facts, layout)


@many
@given(facts=strategies.facts(), layout=strategies.layouts(damaged=True))
def test_damage_never_makes_another_number(facts: Facts, layout: Layout) -> None:
    _found(facts, layout)


@settings(max_examples=60)
@given(layout=strategies.layouts(), cut=st.floats(0.02, 0.98))
def test_a_report_that_ends_early_has_no_other_numbers(layout: Layout, cut: float) -> None:
    # After a whole line: that a number was cut in half only the missing end of the report can tell.
    facts = invent(13)
    whole = render(facts, layout)
    kept = whole[: whole.rfind(b"\n", 0, int(len(whole) * cut)) + 1]
    verdict = judge(facts, layout, _core.read_report(kept))
    assert not verdict.different, (layout.label, verdict.different[:_SHOWN])


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
def test_every_printed_cell_is_a_cell(layout: Layout) -> None:
    facts = invent(15)
    lost = lost_tables(facts, layout, _core.read_report(render(facts, layout)))
    assert not lost, (layout.label, lost[:_SHOWN])


def test_the_reader_knows_every_section_and_column_of_the_generator() -> None:
    known = {
        view["name"]: {column["name"] for column in view["columns"]}
        for view in json.loads(_core.report_sections())
    }
    facts = invent(14, Scale(rows=2))
    for layout in plain_layouts():
        for view, rows in by_view(expected(facts, layout)).items():
            assert view in known, (layout.label, view)
            unknown = {name for row in rows for name in row} - known[view] - {"instance_number"}
            assert not unknown, (layout.label, view, unknown)
