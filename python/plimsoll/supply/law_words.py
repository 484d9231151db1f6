"""Words of a law of service, one list for simulated targets and for disks of the laboratory: `law=exponential,mean=100us`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_seconds


@dataclass(frozen=True)
class Word:
    """One word: the name that the engine has for it, and how its value is read. `read` raises ValueError or UsageError."""

    name: str
    read: Callable[[str], Any]


@dataclass(frozen=True)
class Vocabulary:
    """Which words there are, which of them say nothing without each other, and what a refusal is called and hints at."""

    words: Mapping[str, Word]
    together: Sequence[tuple[str, str]]
    error_id: str
    hint: str

    def read(self, terms: str, whole: str) -> tuple[dict[str, Any], frozenset[str]]:
        """Values by the engine's names, and the words that were given; `whole` is shown in a refusal. Raises UsageError."""
        model: dict[str, Any] = {}
        given: set[str] = set()
        for term in filter(None, terms.split(",")):
            key, _, value = term.partition("=")
            given.add(key.strip())
            try:
                word = self.words[key.strip()]
                model[word.name] = word.read(value.strip())
            except (KeyError, ValueError, UsageError) as error:
                raise UsageError(self.error_id, f"cannot read '{term}' in '{whole}'", self.hint) from error
        self._check_pairs(whole, given)
        return model, frozenset(given)

    def _check_pairs(self, whole: str, given: set[str]) -> None:
        """That what goes together was given together."""
        for one, other in self.together:
            if (one in given) != (other in given):
                alone, missing = (one, other) if one in given else (other, one)
                message = f"'{alone}=' says nothing without '{missing}=' in '{whole}'"
                raise UsageError(self.error_id, message, f"Add {missing}=, or leave {alone}= out.")


def one_of(*names: str) -> Callable[[str], str]:
    """Reads one of these names."""

    def read(value: str) -> str:
        if value not in names:
            raise ValueError(value)
        return value

    return read


def us(value: str) -> float:
    """Reads a time, as microseconds."""
    return parse_seconds(value) * 1e6


def whole_number(value: str) -> int:
    """Reads digits alone."""
    if not value.isdecimal():
        raise ValueError(value)
    return int(value)


def number(value: str) -> float:
    """Reads a number that has an end."""
    read = float(value)
    if not isfinite(read):
        raise ValueError(value)
    return read


DRAWN_LAWS = ("exponential", "constant", "lognormal")
"""Laws that draw a time around a mean."""

SERVICE_WORDS = {
    "mean": Word("mean_us", us),
    "sigma": Word("sigma", number),
    "servers": Word("servers", whole_number),
    "write_mean": Word("write_mean_us", us),
    "us_per_mib": Word("us_per_mib", us),
    "cache": Word("cache_bytes", parse_bytes),
    "cache_us": Word("cache_us", us),
}
"""What means the same for a simulated target and for a disk of the laboratory."""

CACHE_TOGETHER = ("cache", "cache_us")
