"""What stands in a column, by its heading: Oracle's words, a hash, SQL, or names. What is not known to be anything else is names.

`headings.txt` has the headings over Oracle's own words, without signs and digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal

from plimsoll.reports.redaction.vocabulary import listed

Content = Literal["prose", "names", "hashes", "secret"]

_PLAIN = re.compile(r"[^a-z]")
_HASH = re.compile(r"hash|sqlid$|^sqlid|examplesql$|forcematching|signature")
_SECRET = re.compile(r"sqltext|sqlstatement|^statement$|bindvalue|bindvariable|^sql$")
_OF_NAMES = frozenset({"interface", "database", "instance", "host", "service", "ip"})
"""Over a heading of a second line, which alone would be one of Oracle's words: a *Name* is that of a parameter or of a database."""
_AMOUNT = re.compile(
    r"""\b(?:waits?|gets?|reads?|writes?|written|calls?|changes|requests?|execs?|executions|parses?|misses|hits|sleeps|packets|messages
    |received|sent|processed|rows|total|per|avg|average|estd?|estimated|blocks|blks|buffers|bytes|[kmgt]?b|size|time|count|number)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NEVER_AMOUNT = re.compile(r"address|name|host|machine|client|interface|\bip\b|mask", re.IGNORECASE)
_VALUE = re.compile(r"\bvalue\b", re.IGNORECASE)


@cache
def content_of(heading: str) -> Content:
    """By the heading of one column, in whatever case and however it is broken."""
    plain = _PLAIN.sub("", heading.lower())
    if _SECRET.search(plain):
        return "secret"
    if _HASH.search(plain):
        return "hashes"
    return "prose" if plain in listed("headings.txt") else "names"


def content_below(headings: Sequence[str]) -> Content:
    """By the headings over one column, from the top one down to its own."""
    content = content_of(headings[-1]) if headings else "names"
    if _PLAIN.sub("", "".join(headings[-1:]).lower()) == "role":
        return content  # of a database as well, be it called like one
    above = {_PLAIN.sub("", heading.lower()) for heading in headings[:-1]}
    return "names" if content == "prose" and above & _OF_NAMES else content


def are_amounts(headings: Sequence[str]) -> tuple[bool, ...]:
    """Over which columns of a table the headings say that amounts stand there, so that no address can.

    A *Value* is one where the rows are statistics; those of parameters may be addresses.
    """
    of_statistics = any(heading.strip().lower().startswith("statistic") for heading in headings)
    return tuple(_is_amount(heading, of_statistics) for heading in headings)


def _is_amount(heading: str, of_statistics: bool) -> bool:
    if _NEVER_AMOUNT.search(heading) or content_of(heading) != "names":
        return False
    return bool(_AMOUNT.search(heading) or (of_statistics and _VALUE.search(heading)))
