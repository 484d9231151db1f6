"""The output of `plimsoll place query` in SQL*Plus: lines of a letter and values between bars, of which some are names.

A line of no known letter is what SQL*Plus says in between, and is masked as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from plimsoll.reports.redaction.masking import Masks
from plimsoll.reports.redaction.pseudonyms import Pseudonyms
from plimsoll.reports.spool.lines import DAMAGED, SpoolFact, facts_of

_BAR = "\\7c"
"""A bar within a name."""
_NAMES: Mapping[str, tuple[int, ...]] = {
    "H": (),
    "I": (1, 3, 4),
    "S": (),
    "W": (),
    "T": (),
    "O": (),
    "G": (0, 1, 2, 4),
    "B": (0, 1, 2, 4),
    "C": (0, 1, 2),
    "P": (0, 1),
    "X": (0,),
    "F": (),
    "L": (),
    "D": (4, 5, 6, 8),
    "E": (),
}
"""Which values of a line are names; the others are words and numbers of the server's own."""


def redact_spool(text: str, pseudonyms: Pseudonyms) -> str:
    """The same lines with other names."""
    masks = Masks(pseudonyms)
    masks.learn(_of_instances(text))
    return "".join(_line(line, masks) for line in text.splitlines(keepends=True))


def _of_instances(text: str) -> Iterator[str]:
    """The names of databases, instances and hosts."""
    for line in text.splitlines():
        letter, *values = line.split("|")
        if letter.strip() == "I":
            yield from (value for at, value in enumerate(values) if at in _NAMES["I"])


def _line(line: str, masks: Masks) -> str:
    body = line.rstrip("\r\n")
    letter, bar, rest = body.partition("|")
    names = _NAMES.get(letter.strip()) if bar else None
    if names is None:
        return masks.whole(line)
    values = rest.split("|")
    for at, value in enumerate(values):
        if at in names:
            values[at] = _BAR.join(masks.whole(part) for part in value.split(_BAR))
        elif letter.strip() in "SWT":
            values[at] = masks.prose(value)
    return f"{letter}|{'|'.join(values)}{line[len(body) :]}"


_COLLECTED: Mapping[str, tuple[int, ...]] = {
    "V": (),
    "Q": (),
    "E": (),
    "T": (3, 4),
    "D": (4,),
    "C": (4,),
    "X": (4,),
    "Y": (4,),
    "G": (5, 6, 7, 9),
    "t": (4, 5),
}
"""The same of the collector's facts; those of all other letters have words of the server's own, with which names may be mixed."""


def redact_collected(text: str, pseudonyms: Pseudonyms, names: Iterable[str] = ()) -> str:
    """The facts of a spool of the collector with other names, each unwrapped on its line; `names` are those of its heads.

    What SQL*Plus says in between is left out, but for the number of an error.
    """
    masks = Masks(pseudonyms)
    masks.learn(names)
    lines = text.split("\n")
    found = [""] * len(lines)
    for one in facts_of(text):
        if isinstance(one, SpoolFact):
            found[one.line - 1] = _fact(one, masks)
        elif one.line is not None:
            found[one.line - 1] = _DAMAGED if one.code == DAMAGED else _error(lines[one.line - 1])
    return "\n".join(found)


_DAMAGED = ":N|"
"""A fact without its end."""
_ERROR = re.compile(r"(?:ORA|SP2|PLS)-\d{4,5}")


def _fact(fact: SpoolFact, masks: Masks) -> str:
    names = _COLLECTED.get(fact.letter)
    values = [
        _value(value, names is not None and at in names, names is None, masks)
        for at, value in enumerate(fact.values)
    ]
    return f":{fact.letter}|{'|'.join(values)}|."


def _value(value: str, is_name: bool, is_mixed: bool, masks: Masks) -> str:
    parts = value.split("|")
    if is_name:
        parts = [masks.whole(part) for part in parts]
    elif is_mixed and not value.isupper():
        parts = [masks.prose(part) for part in parts]
    return _BAR.join(parts)


def _error(line: str) -> str:
    found = _ERROR.search(line)
    return "" if found is None else found[0]
