"""Hypothesis strategies: facts of any size, every layout that exists, and damage that can befall it."""

from __future__ import annotations

from hypothesis import strategies as st

from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.layout import RELEASES, Damage, Form, Kind, Layout, exists, fits

_SEEDS = st.integers(0, 2**32 - 1)
_DIGITS = st.floats(1, 13)
# A line that lost a character of its broken end tag cannot be told from one that was never cut.
_NEVER_TOGETHER = frozenset({Damage.HARD_WRAP, Damage.DOUBLED_QUOTES})
# Two encodings at once are none.
_ENCODINGS = frozenset({Damage.UTF8_BOM, Damage.UTF16, Damage.GBK, Damage.WINDOWS_1252})


def facts(max_rows: int = 5) -> st.SearchStrategy[Facts]:
    """Facts of few rows or many, of small figures or such as no column holds; small ones first."""
    scales = st.builds(Scale, rows=st.integers(1, max_rows), digits=_DIGITS, instances=st.integers(1, 3))
    return st.builds(invent, _SEEDS, scales)


@st.composite
def layouts(draw: st.DrawFn, damaged: bool = False) -> Layout:
    """Any layout that exists; with at most two damages where damaged."""
    form = draw(st.sampled_from(list(Form)))
    kinds = [kind for kind in Kind if any(exists(Layout(release, kind, form)) for release in RELEASES)]
    kind = draw(st.sampled_from(kinds))
    release = draw(st.sampled_from([release for release in RELEASES if exists(Layout(release, kind, form))]))
    paging = draw(st.sampled_from([60, 0, 33, 18])) if form is Form.TEXT else 0
    comma = draw(st.booleans())
    return Layout(release, kind, form, 80, paging, comma, draw(_damages(form)) if damaged else frozenset())


def _damages(form: Form) -> st.SearchStrategy[frozenset[Damage]]:
    possible = [damage for damage in Damage if fits(damage, form)]
    return st.frozensets(st.sampled_from(possible), min_size=1, max_size=2).filter(
        lambda chosen: len(chosen & _ENCODINGS) < 2
    )
