"""Pictures for a page: small, titled, safe to inline, and with colours that can be told apart on light and dark paper."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import altair
import pytest

from plimsoll import charts
from plimsoll.charts._theme import COLOURS

TEXT_ROLES = ("ink", "muted", "line", "low", "middle", "high", "missed", "demand", "held", "redo_write")
SHAPE_ROLES = ("held", "missed", "void", "small_read", "small_write", "redo_write")


def points(text: str, **mark: object) -> altair.Chart:
    data = altair.Data(values=[{"x": 1, "y": 2, "text": text}])
    chart = altair.Chart(data).mark_point(aria=True, clip=True, **mark)  # type: ignore[arg-type]
    return chart.encode(x="x:Q", y="y:Q", shape="text:N", description="text:N")


def test_a_description_becomes_a_title_and_hostile_text_stays_text() -> None:
    hostile = "<script>alert('x')</script>&\""
    picture = charts.svg(points(hostile), "p")
    assert "<script" not in picture
    root = ElementTree.fromstring(picture)
    assert hostile in [title.text for title in root.iter("title")]
    assert "aria-label" not in picture


def test_ids_are_our_own_and_start_anew() -> None:
    first, second = charts.svg(points("a"), "one"), charts.svg(points("a"), "one")
    assert first == second
    ids = set(re.findall(r'id="([^"]+)"', first))
    assert ids
    assert all(found.startswith("one-") for found in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", first)) <= ids
    assert not ids & set(re.findall(r'id="([^"]+)"', charts.svg(points("a"), "two")))


def test_nothing_of_the_renderer_is_left_that_a_page_does_not_need() -> None:
    picture = charts.svg(points("a"), "p")
    assert not re.search(r"role=|aria-(?!hidden)|class=|font-family|display=|xmlns|\.\d\d", picture)


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shade", [0, 1], ids=["light", "dark"])
def test_words_and_shapes_stand_out_from_the_paper(shade: int) -> None:
    paper = COLOURS["paper"][shade]
    assert {role for role in TEXT_ROLES if contrast(COLOURS[role][shade], paper) < 4.5} == set()
    assert {role for role in SHAPE_ROLES if contrast(COLOURS[role][shade], paper) < 3} == set()


def test_each_light_shade_stands_for_one_role_and_has_its_dark_one() -> None:
    lights = [light for light, _ in COLOURS.values()]
    assert len(set(lights)) == len(lights)
    css = charts.theme_css(".chart")
    for light, dark in COLOURS.values():
        assert f'.chart [fill="{light}"]{{fill:{dark}}}' in css
        assert f'.chart [stroke="{light}"]{{stroke:{dark}}}' in css
