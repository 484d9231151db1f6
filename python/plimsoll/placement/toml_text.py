"""TOML that people write, read so that no value of it, however odd, ends otherwise than in an error with its line."""

from __future__ import annotations

import math
import re
import tomllib
from typing import Any

_LINE_OF = re.compile(r"at line (\d+)")
_DIGITS_MAX = 4_300
"""Python reads no whole number that has more."""
_MANY_DIGITS = re.compile(rf"[\d_]{{{_DIGITS_MAX},}}")
_LETTERS_MAX = 80
_RATE_MAX = 1e12


class NotTomlError(Exception):
    """Why a text is not TOML, and in which line."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


def content_of(text: str) -> dict[str, Any]:
    """What a text says. Raises `NotTomlError`."""
    last = max(1, len(text.splitlines()))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _LINE_OF.search(str(error))
        raise NotTomlError(int(line[1]) if line else last, str(error)) from error
    except RecursionError as error:
        raise NotTomlError(last, "its lists are too deep in each other") from error
    except ValueError as error:
        lines = enumerate(text.splitlines(), 1)
        at = next((number for number, line in lines if _MANY_DIGITS.search(line)), last)
        raise NotTomlError(at, "a number has too many digits") from error


def shown(value: object) -> str:
    """A value as an error names it: cut short, and in words where it cannot be written down."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a value that is too long to be shown"
    return text if len(text) <= _LETTERS_MAX else f"{text[:_LETTERS_MAX]}…"


def is_finite(value: float) -> bool:
    """Whether a number, which may be a whole one of any length, can be counted with."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def is_name(text: str) -> bool:
    """Whether it can be that of a file: neither blank nor with letters that cannot be shown, of which the kernel refuses one."""
    return bool(text.strip()) and text.strip().isprintable()


def is_rate(rate: float, least: float) -> bool:
    """Whether a disk may have it: no disk does 10¹² of anything in a second, and in bytes that is below what 64 bits hold."""
    return is_finite(rate) and least <= rate <= _RATE_MAX


def is_share(value: float) -> bool:
    """Whether it is above 0 and up to 1, of a whole that something is to be left of."""
    return is_finite(value) and 0 < value <= 1
