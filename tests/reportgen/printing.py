"""How Oracle's reports print one value, and what can be read back from the print.

A form turns a value into its print and into what a reader should find: the value rounded as printed, in the unit of the typed
view. The finding is computed from the value, never parsed from the print, so that it can judge a parser. SQL*Plus prints hash
marks where a formatted number does not fit, and an exponent where a number without a format does not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

Value = float | str | None
MIB = 1 << 20
_TO_COMMA = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Medium:
    """Where a value is printed: in HTML or text, with a decimal comma or point, in a column of this many characters."""

    html: bool = False
    comma: bool = False
    width: int | None = None


@dataclass(frozen=True)
class Printed:
    """A print, and what should be read from it: nothing for blanks, `N/A` and hash marks."""

    text: str
    found: Value
    overflow: bool = False


@dataclass(frozen=True)
class Form(ABC):
    """Prints one kind of value; `null` stands for an unknown one in text, HTML leaves the cell blank."""

    null: str = field(default="", kw_only=True)

    def printed(self, value: Value, medium: Medium) -> Printed:
        """The print of a value, fitted into the medium."""
        if value is None:
            return Printed("" if medium.html else self.null, None)
        return self._fitted(value, medium)

    @abstractmethod
    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        """The print of a value that is known."""


class Repeated(str):
    """Words that are not printed since the row above has them, but that a reader should carry down."""

    __slots__ = ()


@dataclass(frozen=True)
class Text(Form):
    """Words, cut where the column ends; not cut in HTML."""

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        if isinstance(value, Repeated) and not medium.html:
            return Printed("", str(value)[: medium.width])
        words = str(value) if medium.html or medium.width is None else str(value)[: medium.width]
        return Printed(words, " ".join(words.split()) or None)


@dataclass(frozen=True)
class Identifier(Form):
    """The digits of a number that names something, set like a number and read as words."""

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        digits = f"{value:.0f}" if isinstance(value, float) else str(value)
        if medium.width is not None and len(digits) > medium.width:
            return Printed("#" * medium.width, None, overflow=True)
        return Printed(digits, digits)


@dataclass(frozen=True)
class Member(Form):
    """The number of an instance; 0 stands for all of them and is printed as `*`."""

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        return Printed(f"{value:.0f}", int(value)) if value else Printed("*", None)


@dataclass(frozen=True)
class Number(Form):
    """A number: with this many decimals in text and in HTML, grouped or not, with or without the zero before the point.

    `scale` turns the printed number into the typed view's unit; `exponent` says that a number too wide is printed as 1.3E+05.
    """

    digits: int = 0
    html_digits: int | None = None
    grouped: bool = True
    bare: bool = False
    trimmed: bool = False
    scale: float = 1.0
    exponent: bool = False

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        number = Decimal(repr(float(value)))
        digits = self.html_digits if medium.html and self.html_digits is not None else self.digits
        exact = rounded(number, digits)
        text = self._spelled(exact, digits)
        if medium.width is not None and len(text) > medium.width:
            return self._too_wide(number, medium)
        return Printed(localized(text, medium), float(exact) * self.scale)

    def _spelled(self, exact: Decimal, digits: int) -> str:
        text = f"{exact:,.{digits}f}" if self.grouped else f"{exact:.{digits}f}"
        if self.trimmed and digits:
            text = text.rstrip("0").rstrip(".") or "0"
        if self.bare and exact:
            text = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
        elif self.bare and not self.trimmed and digits:
            text = "." + "0" * digits
        return text

    def _too_wide(self, number: Decimal, medium: Medium) -> Printed:
        assert medium.width is not None
        digits = medium.width - len("-" if number < 0 else "") - len("1.E+00")
        if not self.exponent or digits < 0:
            return Printed("#" * medium.width, None, overflow=True)
        text = f"{number:.{digits}E}" if digits else f"{number:.0E}".replace("E", ".E")
        power = int(text[text.index("E") + 1 :])
        text = f"{text[: text.index('E')]}E{power:+03d}"
        return Printed(localized(text, medium), float(Decimal(text.replace(".E", "E"))) * self.scale)


@dataclass(frozen=True)
class Suffixed(Form):
    """A number with K, M, G or T: counts in thousands, volumes in units of 1024 × 1024 bytes and up.

    `steps` are (suffix, size) from small to large; a number takes the first suffix under which it is less than `limit`.
    """

    steps: tuple[tuple[str, float], ...] = (("", 1.0), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))
    limit: float = 10_000.0
    first_digits: int = 0
    digits: int = 1
    trimmed: bool = True
    droppable: bool = False

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        place, exact = self._step(Decimal(repr(float(value))))
        suffix, size = self.steps[place]
        digits = self.digits if place else self.first_digits
        shown = Number(digits=digits, grouped=False, bare=True, trimmed=self.trimmed)
        text = shown.printed(float(exact), Medium()).text + suffix
        if medium.width is not None and len(text) > medium.width:
            if not (self.droppable and place == 0):
                return Printed("#" * medium.width, None, overflow=True)
            # Without its suffix, and with as many decimals as there is room for.
            return Fitting(medium.width, scale=size).printed(float(exact), medium)
        return Printed(localized(text, medium), float(exact) * size)

    def _step(self, number: Decimal) -> tuple[int, Decimal]:
        """The first suffix under which the rounded number is small enough, and that number."""
        for place, (_, size) in enumerate(self.steps[:-1]):
            exact = rounded(number / Decimal(repr(size)), self.digits if place else self.first_digits)
            if abs(exact) < Decimal(repr(self.limit)):
                return place, exact
        return len(self.steps) - 1, rounded(number / Decimal(repr(self.steps[-1][1])), self.digits)


@dataclass(frozen=True)
class Fitting(Form):
    """A bare number with as many decimals as its characters hold, such as `551.588` and `.013140`."""

    characters: int = 7
    scale: float = 1.0

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        whole = int(float(value))
        digits = self.characters - 1 - (len(str(whole)) if whole else 0)
        if digits < 0:
            return Printed("#" * self.characters, None, overflow=True)
        bare = Number(digits=min(digits, 3 if whole else 6), grouped=False, bare=True, scale=self.scale)
        return bare.printed(value, Medium(medium.html, medium.comma))


@dataclass(frozen=True)
class Duration(Form):
    """A time given in µs, printed with its unit as from 12.2: `.00ns`, `109.72us`, `3843.39ms`, `786.67s`."""

    digits: int = 2

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        number = Decimal(repr(float(value)))
        for unit, size, below in (
            ("ns", "0.001", 1000),
            ("us", "1", 1000),
            ("ms", "1000", 10_000),
            ("s", "1000000", 0),
        ):
            exact = rounded(number / Decimal(size), self.digits)
            if unit == "s" or exact < below:
                break
        text = (
            Number(digits=self.digits, grouped=False, bare=True).printed(float(exact), Medium()).text + unit
        )
        if medium.width is not None and len(text) > medium.width:
            return Printed("#" * medium.width, None, overflow=True)
        return Printed(localized(text, medium), float(exact * Decimal(size)))


@dataclass(frozen=True)
class Blank(Form):
    """Nothing at all: a column that was emptied."""

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        return Printed("", None)


@dataclass(frozen=True)
class Hashes(Form):
    """Hash marks over the whole column."""

    def _fitted(self, value: float | str, medium: Medium) -> Printed:
        return Printed("#" * (medium.width or 8), None, overflow=True)


def rounded(number: Decimal, digits: int) -> Decimal:
    """Rounded half away from zero, as Oracle rounds; never minus zero."""
    exact = number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return exact if exact else abs(exact)


def localized(text: str, medium: Medium) -> str:
    """The print with comma and point exchanged where the report's locale has a decimal comma."""
    return text.translate(_TO_COMMA) if medium.comma else text


VOLUME = Suffixed((("M", MIB), ("G", MIB * 1024.0), ("T", MIB * 1024.0**2)), limit=1024)
RATE = Suffixed(VOLUME.steps, limit=1024, first_digits=3, droppable=True)
BARE_RATE = Fitting(scale=MIB)
TEXT = Text()
IDENTIFIER = Identifier()
MEMBER = Member()
COUNT = Number()
PLAIN = Number(grouped=False)
ONE = Number(digits=1)
TWO = Number(digits=2)
BARE_ONE = Number(digits=1, html_digits=2, bare=True)
FACTOR = Number(digits=1, html_digits=2, bare=True)


def fixed(digits: int, html_digits: int | None = None, **more: object) -> Number:
    """A number with fixed decimals; further words as of `Number`."""
    return Number(digits=digits, html_digits=html_digits, **more)  # pyright: ignore[reportArgumentType]
