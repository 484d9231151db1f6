"""Prices of a GB as they are written down: `prices.toml`, with `currency = "EUR"` and `price = {dram = 3.1, flash = 0.1}`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.nearest import did_you_mean
from plimsoll.placement.toml_text import NotTomlError, content_of, is_finite, is_name, shown
from plimsoll.ports import files

BYTES_MAX = 1 << 20
_KEYS = ("currency", "price")
_HINT = (
    'Write currency = "EUR" and price = {dram = 3.1, flash = 0.1}: the price of a GB, 10^9 bytes, of each.'
)


@dataclass(frozen=True)
class Prices:
    """Of 10^9 bytes each, by name."""

    currency: str
    by_name: dict[str, float]


def read_prices(path: Path | str, known: Sequence[str]) -> Prices:
    """All of a file, which may price what is `known`.

    Raises UsageError `prices-unreadable` with file and line, `file-missing`, WorldError `prices-unreadable`.
    """
    try:
        text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
    except OSError as error:
        raise input_error("prices-unreadable", path, error) from error
    except UnicodeDecodeError as error:
        raise _off(path, 1, "it is not UTF-8 text") from error
    try:
        content = content_of(text)
    except NotTomlError as error:
        raise _off(path, error.line, f"it is not TOML: {error.why}") from error
    return _Reader(path, text).prices(content, known)


def _off(path: object, line: int, what: str, hint: str = _HINT) -> UsageError:
    return UsageError("prices-unreadable", f"{path}, line {line:,}: {what}", hint)


@dataclass(frozen=True)
class _Reader:
    path: Path | str
    text: str

    def prices(self, content: dict[str, Any], known: Sequence[str]) -> Prices:
        for key in content:
            if key not in _KEYS:
                raise self._at(key, f"unknown key '{key}'", f"{did_you_mean(key, _KEYS)}{_HINT}")
        currency, table = content.get("currency"), content.get("price")
        if not isinstance(currency, str) or not is_name(currency):
            raise self._at("currency", "it does not name the currency of its prices")
        if not isinstance(table, dict) or not table:
            raise self._at("price", "it has no prices")
        return Prices(currency.strip(), {name: self._price(name, table[name], known) for name in table})

    def _price(self, name: str, value: Any, known: Sequence[str]) -> float:
        if name not in known:
            hint = f"{did_you_mean(name, known)}Prices may be given of {', '.join(known)}."
            raise self._at(name, f"price of '{name}', which is no rung of this ladder", hint)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._at(name, f"the price of {name} is no number: {shown(value)}")
        if not is_finite(value) or value <= 0:
            raise self._at(name, f"the price of {name} is not above 0: {shown(value)}")
        return float(value)

    def _at(self, key: str, what: str, hint: str = _HINT) -> UsageError:
        """In the line where that key stands; the first one where it stands nowhere."""
        said = re.compile(rf"(?:^|[\s{{,.\"']){re.escape(key)}[\"']?\s*(?:=|\])")
        lines = enumerate(self.text.splitlines(), 1)
        return _off(self.path, next((number for number, line in lines if said.search(line)), 1), what, hint)
