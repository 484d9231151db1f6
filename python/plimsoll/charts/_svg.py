"""A chart as a small piece of SVG for a page: rendered offline, stripped of what a page does not need, titled where one may point.

The renderer's output is cut to about half: accessibility labels (the page carries one for the whole figure), empty marks and
needless digits go. A mark's description becomes its `<title>`, which browsers show under the pointer without any script.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.printable import printable_lines
from plimsoll.charts._chart import Chart, Subject, altair_module
from plimsoll.charts._theme import COLOURS

if TYPE_CHECKING:
    import altair

_DROPPED = {
    "class",
    "role",
    "pointer-events",
    "aria-hidden",
    "aria-roledescription",
    "font-family",
    "version",
}
_LONG_NUMBER = re.compile(r"(\d+\.\d)\d+")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NAMESPACE = re.compile(r"^\{[^}]*\}")


def picture(chart: Chart, subject: Subject, width_px: int, prefix: str) -> str:
    """A chart of the registry, drawn and rendered. Raises WorldError `extra-missing` where a library is not installed.

    Altair is told not to hold each part against the schema as it is made, which would take half as long again; a test does so.
    """
    altair_module()
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        return svg(chart.draw(subject, width_px), prefix)


def svg(chart: altair.TopLevelMixin, prefix: str) -> str:
    """The chart as an `<svg>` element for inlining. `prefix` keeps its ids apart from those of other charts on the page.

    Raises WorldError `extra-missing` without vl-convert.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise WorldError(
            "extra-missing", "vl-convert is not installed, which renders charts", extra_hint("report")
        ) from error
    return _slim(vl_convert.vegalite_to_svg(_seen(chart.to_dict(validate=False))), prefix)


def _seen(part: Any) -> Any:
    """The specification with all texts fit to be seen: names of classes and devices among them, and XML forbids some characters."""
    if isinstance(part, str):
        return printable_lines(part)
    if isinstance(part, dict):
        return {key: _seen(value) for key, value in part.items()}
    return [_seen(value) for value in part] if isinstance(part, list | tuple) else part


def theme_css(scope: str) -> str:
    """Style rules that turn the light shades within `scope` (a selector) into the dark ones."""
    rules = []
    for light, dark in COLOURS.values():
        rules.append(f'{scope} [fill="{light}"]{{fill:{dark}}}')
        rules.append(f'{scope} [stroke="{light}"]{{stroke:{dark}}}')
    return "\n".join(rules)


def _slim(text: str, prefix: str) -> str:
    root = ElementTree.fromstring(text)
    # The renderer counts its ids through all charts of the process; ours start anew in each.
    found = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    _clean(root, {old: f"{prefix}-{index}" for index, old in enumerate(found)})
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    root.attrib["viewBox"] = f"0 0 {width} {height}"
    root.attrib["style"] = f"max-width:{width}px"
    root.attrib["aria-hidden"] = "true"
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=True)


def _clean(element: ElementTree.Element, ids: dict[str, str]) -> None:
    element.tag = _NAMESPACE.sub("", element.tag)
    _clean_attributes(element, ids)
    for child in list(element):
        _clean(child, ids)
        if _is_empty(child):
            element.remove(child)


def _clean_attributes(element: ElementTree.Element, ids: dict[str, str]) -> None:
    label = element.attrib.pop("aria-label", None)
    if label and element.attrib.get("role") == "graphics-symbol" and element.tag in ("path", "rect"):
        ElementTree.SubElement(element, "title").text = label
    for name, value in list(element.attrib.items()):
        if name in _DROPPED or (name, value) == ("opacity", "1"):
            del element.attrib[name]
        elif name == "id":
            element.attrib[name] = ids[value]
        elif name in ("d", "transform", "x2", "y2", "width", "height", "clip-path", "fill", "stroke"):
            element.attrib[name] = _REFERENCE.sub(
                lambda match: f"url(#{ids[match[1]]})", _LONG_NUMBER.sub(r"\1", value)
            )


def _is_empty(element: ElementTree.Element) -> bool:
    """Whether it draws nothing: hidden, a group without children, a text without words, a shape of no extent."""
    if element.attrib.get("display") == "none" or (element.tag == "text" and not "".join(element.itertext())):
        return True
    if element.tag == "path":
        shapeless = element.attrib.get("d", "") in ("", "M0,0h0v0h0Z")
        return shapeless or not ("fill" in element.attrib or "stroke" in element.attrib)
    return element.tag == "g" and len(element) == 0
