"""A chart by itself, outside of a page: SVG on white paper with its own size and font, and PNG of the same."""

from __future__ import annotations

import struct
import zlib
from xml.etree import ElementTree

from plimsoll.charts._chart import Chart, Subject
from plimsoll.charts._svg import picture
from plimsoll.charts._theme import FONT, colour

SVG_START = '<svg xmlns="http://www.w3.org/2000/svg" data-generator="plimsoll"'
"""By this a picture of ours is known from everybody else's."""
PNG_START, PNG_NAME = b"\x89PNG\r\n\x1a\n", b"Software\0Plimsoll"
"""All PNG files begin the same; the second stands near the end of ours (PNG specification, 11.3.3.2)."""
_PNG_END = struct.pack(">I4sI", 0, b"IEND", zlib.crc32(b"IEND"))
_PNG_SCALE = 2.0
"""Pixels of a screen of today for each of the picture."""


def alone_svg(chart: Chart, subject: Subject, width_px: int, name: str) -> str:
    """The chart as the text of an SVG file. Raises WorldError `extra-missing` where a library is not installed."""
    drawn = ElementTree.fromstring(picture(chart, subject, width_px, name))
    width, height = drawn.attrib["viewBox"].split()[2:]
    size = {"width": width, "height": height}
    root = ElementTree.Element(
        "svg", {"viewBox": drawn.attrib["viewBox"], **size, "font-family": f"{FONT}, Arial, sans-serif"}
    )
    ElementTree.SubElement(root, "title").text = chart.title
    ElementTree.SubElement(root, "rect", {**size, "fill": colour("paper")})
    root.extend(drawn)
    return SVG_START + ElementTree.tostring(root, encoding="unicode").removeprefix("<svg") + "\n"


def alone_png(chart: Chart, subject: Subject, width_px: int, name: str) -> bytes:
    """The same as the bytes of a PNG file, drawn without a browser. Raises WorldError `extra-missing`."""
    drawn = alone_svg(chart, subject, width_px, name)
    import vl_convert  # Without it the drawing has failed, in words.

    return vl_convert.svg_to_png(drawn, scale=_PNG_SCALE).removesuffix(_PNG_END) + _text_chunk() + _PNG_END


def _text_chunk() -> bytes:
    kind = b"tEXt"
    return struct.pack(">I", len(PNG_NAME)) + kind + PNG_NAME + struct.pack(">I", zlib.crc32(kind + PNG_NAME))
