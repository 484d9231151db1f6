"""How wide a terminal is, and text folded to it between words. What goes into a pipe or a file is never folded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

_LEAST = 20
"""A terminal that says less has not told its width."""
_GLUE = "\0"
"""Stands for a blank that no line is broken at; text that may be seen holds none."""
_TOGETHER = re.compile(
    r"(?<=\d) (?=(?:%|×|µs|ms|s|min|h|[KMGT]?i?B)(?![\w/]))|(?<=\bper) (?=s\b)|(?<=\d{4}-\d\d-\d\d) (?=\d\d:\d\d)"
)
"""Blanks between a figure and its unit, and between a day and its time."""


def terminal_width(stream: TextIO | None) -> int | None:
    """The columns of the terminal that the stream goes to; None where it goes to none."""
    if stream is None or not stream.isatty():
        return None
    import shutil  # with what unpacks archives: only where there is a terminal

    return max(shutil.get_terminal_size().columns, _LEAST)


def seen_width(text: str) -> int:
    """The columns that a text takes: those of East Asian scripts are two wide, marks upon letters none (Unicode, UAX 11)."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def words_of(text: str) -> list[str]:
    """What stays whole when the text is folded: words, and figures with their units."""
    return [word.replace(_GLUE, " ") for word in _TOGETHER.sub(_GLUE, text).split(" ")]


def fold(text: str, width: int | None) -> Iterator[str]:
    """Lines of at most that width, broken at blanks; a word that is wider stands whole. Further lines keep the indent."""
    if width is None or seen_width(text) <= width:
        yield text
        return
    words = words_of(text.lstrip(" "))
    indent = " " * min(len(text) - len(text.lstrip(" ")), width // 2)
    line = indent + words[0]
    for word in words[1:]:
        if seen_width(line) + 1 + seen_width(word) > width:
            yield line.rstrip(" ")
            line = indent + word
        else:
            line += f" {word}"
    yield line
