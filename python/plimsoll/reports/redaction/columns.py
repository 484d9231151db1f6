"""What stands in a column, by its heading: Oracle's words, a hash, SQL, or names. What is not known to be anything else is names.

`headings.txt` has the headings over Oracle's own words, without signs and digits.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from plimsoll.reports.redaction.vocabulary import listed

Content = Literal["prose", "names", "hashes", "secret"]

_PLAIN = re.compile(r"[^a-z]")
_HASH = re.compile(r"hash|sqlid$|^sqlid|examplesql$|forcematching|signature")
_SECRET = re.compile(r"sqltext|sqlstatement|^statement$|bindvalue|bindvariable|^sql$")


@cache
def content_of(heading: str) -> Content:
    """By the heading of one column, in whatever case and however it is broken."""
    plain = _PLAIN.sub("", heading.lower())
    if _SECRET.search(plain):
        return "secret"
    if _HASH.search(plain):
        return "hashes"
    return "prose" if plain in listed("headings.txt") else "names"
