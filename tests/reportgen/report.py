"""The generator's two entry points: a report's bytes, and what should be read from them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import damage, html, text
from reportgen.expected import Expected
from reportgen.expected import expected as _expected
from reportgen.facts import Facts
from reportgen.headers import Answer
from reportgen.headers import header as _header
from reportgen.layout import Layout
from reportgen.order import document


def render(facts: Facts, layout: Layout) -> bytes:
    """The report's bytes."""
    told = damage.facts(facts, layout)
    setter = html.render if layout.html else text.render
    return damage.encoded(damage.text(setter(document(told, layout), told, layout), layout), layout)


def expected(facts: Facts, layout: Layout) -> list[Expected]:
    """The typed sections that a reader should find, with their rows."""
    _, summary, body = document(damage.facts(facts, layout), layout)
    return _expected([*summary, *body], layout)


def header(facts: Facts, layout: Layout) -> Mapping[str, Answer]:
    """What a reader should find in the head."""
    return _header(facts, layout)
