"""One field of a request: its word, what it means, how words become its value, and what it may be.

A request is a frozen dataclass whose fields are made by `Asked.field`; `fields_of` gives them back with their types, for whoever
makes an interface of them. Values in a request have the units that the field's name says; words are those of the command line.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from os import fspath
from typing import Any, ClassVar, Literal, Self

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_rate, parse_seconds, typed_bytes, typed_rate, typed_seconds

_MARK = "asked"

Group = Literal[
    "Options",
    "Load",
    "Matrix",
    "Data",
    "Database",
    "Objective",
    "Time",
    "Checks",
    "Hardware",
    "Target",
    "Output",
]
"""Under which title help shows an option; in this order."""

Examples = tuple[tuple[str, str], ...]
"""What each does, and its words."""


@dataclass(frozen=True)
class Unit:
    """How a word becomes a value, and a value the word that is typed for it. `word` stands for the value in help; with `is_whole`
    one word says all of a collection.
    """

    word: str
    parse: Callable[[str], Any]
    is_whole: bool = False
    typed: Callable[[Any], str] = str


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


BYTES = Unit("SIZE", parse_bytes, typed=typed_bytes)
SECONDS = Unit("TIME", parse_seconds, typed=typed_seconds)
RATE = Unit("N", parse_rate, typed=typed_rate)
NAMES = Unit("A,B", _names, is_whole=True)


@dataclass(frozen=True)
class Asked:
    """What every interface must know of a field."""

    word: str
    """In Python as it is; `--warm-up` for `warm_up` on a command line."""
    help: str
    unit: Unit | None = None
    metavar: str | None = None
    low: float | None = None
    high: float | None = None
    above_zero: bool = True
    """Whether a value with a unit must be more than nothing."""
    shown: str | None = None
    """The default in words, where the value does not say it; empty: none is shown."""
    off: bool = False
    """Whether a truth has a word for no as well: `--no-direct`."""
    short: str | None = None
    """A letter that stands for it on a command line, as `-o`."""
    is_kept: bool = True
    """Whether it may be kept with a run, to be asked again."""
    stands_first: bool = False
    """Whether the value stands on a command line without a word before it."""
    group: Group = "Options"
    aliases: tuple[str, ...] = ()
    """Words of earlier releases: understood, and shown nowhere."""
    values: tuple[str, ...] = ()
    """What may stand there, among other things: a shell completes it."""

    def field(self, *default: Any) -> Any:
        """The dataclass's field; without a default it must be given."""
        given: dict[str, Any] = {"default": default[0]} if default else {}
        if default and isinstance(default[0], Mapping):
            given = {"default_factory": lambda: dict(default[0])}
        return dataclasses.field(**given, metadata={_MARK: self})

    def but(self, **changes: Any) -> Asked:
        """The same, told otherwise."""
        return replace(self, **changes)

    @property
    def option(self) -> str:
        """As it is typed."""
        return typed_option(self.word)

    @property
    def options(self) -> tuple[str, ...]:
        """All that may be typed for it, aliases too; without the word for no."""
        return (*map(typed_option, (self.word, *self.aliases)), *([self.short] if self.short else []))

    def value(self, word: Any) -> Any:
        """The value of what was given: words are read, values are as they are. Raises UsageError."""
        if self.unit is None or not isinstance(word, str):
            return word
        value = self.unit.parse(word)
        if not self.unit.is_whole:
            self._check_above_zero(value, word)
        return value

    def _check_above_zero(self, value: Any, word: Any) -> None:
        if self.above_zero and not value > 0:
            raise UsageError(
                "not-above-zero", f"'{word}' is not above zero", "Give more, or leave the option out."
            )

    def check(self, value: Any, choices: tuple[Any, ...]) -> None:
        """Raises UsageError where the value cannot be asked."""
        if value is None:
            return
        if choices and value not in choices:
            known = ", ".join(map(str, choices))
            raise UsageError("usage", f"{self.word}: '{value}' is none of {known}", "Name one of them.")
        if self.unit is not None and not isinstance(value, bool):
            self._check_above_zero(value, value)
        low = self.low is not None and value < self.low
        high = self.high is not None and value > self.high
        if low or high:
            raise UsageError("usage", f"{self.word}: {value} is out of bounds", f"Give {self.bounds}.")

    @property
    def bounds(self) -> str:
        """`1 to 256`, `1 or more`; empty where there are none."""
        least, most = (None if one is None else _typed(self.unit, one) for one in (self.low, self.high))
        if least is None:
            return "" if most is None else f"{most} or less"
        return f"{least} or more" if most is None else f"{least} to {most}"


@dataclass(frozen=True)
class Field:
    """A field of a class of requests."""

    name: str
    kind: Any
    """Its type without None."""
    is_optional: bool
    asked: Asked
    default: Any = dataclasses.MISSING

    @property
    def is_required(self) -> bool:
        """Whether nothing stands for it."""
        return self.default is dataclasses.MISSING

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that it may have, where they are counted."""
        return typing.get_args(self.kind) if typing.get_origin(self.kind) is Literal else ()

    @property
    def default_typed(self) -> str:
        """What stands where nothing is given: the word that would be typed for it, else a sentence; empty: nothing does."""
        if self.asked.shown is not None:
            return self.asked.shown
        if self.kind is bool:
            return self.asked.option if self.default and self.asked.off else ""
        if self.is_required or self.default is None or self.holds_many or self.is_whole:
            return ""
        return _typed(self.asked.unit, self.default)

    @property
    def value_word(self) -> str:
        """What stands for its value in help; empty for a truth."""
        if self.choices:
            return "|".join(map(str, self.choices))
        unit = self.asked.unit
        word = self.asked.metavar or (unit.word if unit else "N" if self.kind in (int, float) else "")
        return word or ("" if self.kind is bool else self.asked.word.upper())

    @property
    def holds_many(self) -> bool:
        """Whether it is a tuple."""
        return typing.get_origin(self.kind) is tuple

    @property
    def is_repeated(self) -> bool:
        """Whether each of many is a word of its own."""
        return self.holds_many and not self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether one word says a whole collection."""
        return self.asked.unit is not None and self.asked.unit.is_whole

    def differs_in(self, of: Request) -> bool:
        """Whether something else was asked than what would have been without it."""
        return self.is_required or getattr(of, self.name) != self.default

    def check(self, value: Any) -> None:
        """Raises UsageError where the value cannot be asked. What a whole collection may hold is its verb's to say."""
        if not self.is_whole:
            for one in value if self.holds_many else (value,):
                self.asked.check(one, () if self.holds_many else self.choices)


class Request:
    """The root of all: a frozen dataclass, equal to another that asks the same."""

    verb: ClassVar[str]
    store_help: ClassVar[str | None] = None
    """What `--store` means to it, where it is more than the place of its run."""
    tells_events: ClassVar[bool] = True
    """Whether it lasts long enough for live events."""
    tables: ClassVar[tuple[str, ...] | None] = None
    """Names of the tables of its result as data; None: those that a run is in the store."""
    uses_store: ClassVar[bool] = True
    keeps_runs: ClassVar[bool] = True
    """Whether what it found may be kept as a run, which may then have tags."""
    examples: ClassVar[Examples] = ()
    """What is wanted, and the words that are typed for it after `plimsoll`."""

    def __post_init__(self) -> None:
        """Raises UsageError where a value is out of bounds."""
        for field in fields_of(type(self)):
            field.check(getattr(self, field.name))

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle` where something was given (by the names of fields) that would have no effect."""

    @property
    def result_tables(self) -> tuple[str, ...] | None:
        """`tables` of what is asked here."""
        return self.tables

    @property
    def answer_format(self) -> str | None:
        """The form of the answer, where a field of its own says it."""
        return None

    @classmethod
    def of_words(cls, words: Mapping[str, Any]) -> Self:
        """The request of words as they are typed, or of values, by the fields' words; those that are not there are the default.

        Raises UsageError.
        """
        by_word = {
            word: field for field in fields_of(cls) for word in (field.asked.word, *field.asked.aliases)
        }
        unknown = [word for word in words if word not in by_word]
        if unknown:
            known = ", ".join(sorted(field.asked.word for field in fields_of(cls)))
            raise UsageError("usage", f"{cls.verb} knows no '{unknown[0]}'", f"It knows {known}.")
        values = {by_word[word].name: _value(by_word[word], value) for word, value in words.items()}
        made = cls(**values)
        made.refuse_idle(frozenset(values))
        return made


def _value(field: Field, given: Any) -> Any:
    if field.is_repeated:
        many = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
        return tuple(field.asked.value(_plain(one)) for one in many)
    if field.is_whole and field.holds_many and not isinstance(given, str) and given is not None:
        return tuple(value for one in given for value in _each(field, one))
    return field.asked.value(_plain(given))


def _each(field: Field, given: Any) -> tuple[Any, ...]:
    """What one word of a whole collection says, or one value."""
    return field.asked.value(given) if isinstance(given, str) else (given,)


def _typed(unit: Unit | None, value: Any) -> str:
    """What would be typed for a value."""
    if unit is not None:
        return unit.typed(value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def typed_option(word: str) -> str:
    """`--warm-up` for `warm_up`."""
    return "--" + word.replace("_", "-")


def _plain(value: Any) -> Any:
    """The name of what is a path."""
    return fspath(value) if hasattr(value, "__fspath__") else value


def idle(given: frozenset[str], of: type[Request], when: str, *names: str) -> None:
    """Refuses those fields that were given; `when` follows "would have no effect". Raises UsageError `option-idle`."""
    words = [field.asked.option for field in fields_of(of) if field.name in names and field.name in given]
    if words:
        message = f"{' and '.join(words)} would have no effect {when}"
        raise UsageError("option-idle", message, "Leave it out." if len(words) == 1 else "Leave them out.")


@cache
def fields_of(of: type[Request]) -> tuple[Field, ...]:
    """Every field of a class, in its order."""
    kinds = typing.get_type_hints(of)
    return tuple(
        Field(one.name, *_without_none(kinds[one.name]), one.metadata[_MARK], _default(one))
        for one in dataclasses.fields(typing.cast("Any", of))
    )


def _default(of: dataclasses.Field[Any]) -> Any:
    return of.default if of.default_factory is dataclasses.MISSING else of.default_factory()


def _without_none(kind: Any) -> tuple[Any, bool]:
    """The type itself, and whether None may stand in its place."""
    if typing.get_origin(kind) not in (types.UnionType, typing.Union):
        return kind, False
    (left,) = (one for one in typing.get_args(kind) if one is not types.NoneType)
    return left, True
