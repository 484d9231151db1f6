"""Names that others chose, as people may safely see them: what a terminal or a browser would obey is written out.

Names of databases, relations, files and members of archives are data of strangers. Among their characters may be escape
sequences (ECMA-48), also in their 8-bit form, new lines, marks that turn the direction of text (Unicode, UAX 9), and bytes
that are no UTF-8. For machines nothing is lost: JSON writes the same characters as its own escapes.
"""

from __future__ import annotations

import re

_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
"""Blanks that `str.isprintable` does not count as such and that do no harm (category Zs)."""
_UNDECODED = range(0xDC80, 0xDD00)
"""What Python makes of single bytes that are no UTF-8 (PEP 383)."""
_NOT_KEPT = re.compile("[\0\ud800-\udfff]")
"""What UTF-8 has no bytes for, and what databases do not take."""


def printable(text: str) -> str:
    """The text with all that is no character to be seen as `\\x1b`, `\\u202e` and the like; new lines and tabs, too."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in _SPACES else _escaped(one) for one in text)


def printable_lines(text: str) -> str:
    """The same for a text of ours that has several lines."""
    return "\n".join(printable(line) for line in text.split("\n"))


def encodable(text: str) -> str:
    """The text with bytes that are no UTF-8 as `\\xff`, so that it can be stored and sent; all else but zeros as it is."""
    # The pattern looks at each character by itself, and a day of counters has many.
    if text.isascii() and "\0" not in text:
        return text
    return _NOT_KEPT.sub(lambda found: _escaped(found[0]), text)


def _escaped(one: str) -> str:
    code = ord(one)
    if code in _UNDECODED:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def printable_json(document: str) -> str:
    """A JSON document with the same characters as escapes of JSON: a terminal may show it, and it says what it said."""
    if document.isprintable():
        return document
    return "".join(
        one if one.isprintable() or one in "\n" or one in _SPACES else _json_escaped(one) for one in document
    )


def _json_escaped(one: str) -> str:
    code = ord(one)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
