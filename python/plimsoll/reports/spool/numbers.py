"""Numbers as SQL*Plus makes text of them: all digits, no signs between thousands, and the decimal sign of the session."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"-?(?:\d{1,130}(?:[.,]\d{0,130})?|[.,]\d{1,130})(?:E[-+]?\d{1,3})?\Z", re.ASCII)
_WHOLE = re.compile(r"\d{1,18}\Z", re.ASCII)
_EXPONENT_MAX = 130
"""Oracle's numbers reach from 1E-130 to below 1E126."""


def number(text: str, sign: str) -> Decimal | None:
    """The number; None where nothing is printed. Raises ValueError for what is none, and for another decimal sign than `sign`."""
    if not text:
        return None
    if not _NUMBER.match(text):
        raise ValueError(f"'{text[:40]}' is no number")
    other = "," if sign == "." else "."
    if other in text:
        raise ValueError(f"'{text[:40]}' has another decimal sign than '{sign}', which its snapshot writes")
    value = Decimal(text.replace(",", "."))
    if value and abs(value.adjusted()) > _EXPONENT_MAX:
        raise ValueError(f"'{text[:40]}' is larger or smaller than any number of the database")
    return value


def whole_number(text: str) -> int:
    """A count, a number of a line or an id. Raises ValueError."""
    if not _WHOLE.match(text):
        raise ValueError(f"'{text[:40]}' is no whole number")
    return int(text)
