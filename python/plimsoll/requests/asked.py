"""One field of a request: its word, what it means, how words become its value, and what it may be.

A request is a frozen dataclass whose fields are made by `Asked.field`; `fields_of` gives them back with their types, for whoever
makes an interface of them. Values in a request have the units that the field's name says; words are those of the command line.
"""

from __future__ import annotations

import dataclasses
import keyword
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import isfinite
from numbers import Integral, Real
from os import fspath
from typing import Any, ClassVar, Literal, Self

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import parse_bytes, parse_rate, parse_seconds, typed_bytes, typed_rate, typed_seconds
from plimsoll.base.values import changed, value

_MARK = "asked"
_NUMBERS = (int, float)
_EXAMPLES: dict[Any, str] = {int: "4", float: "0.5"}
"""Of numbers that have no bounds and no default."""

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
    "Hosts",
    "Output",
]
"""Under which title help shows an option; in this order."""

Examples = tuple[tuple[str, str], ...]
"""What each does, and its words."""


@value
class Unit:
    """How a word becomes a value, and a value the word that is typed for it. `word` stands for the value in help; with `is_whole`
    one word says all of a collection.
    """

    word: str
    parse: Callable[[str], Any]
    is_whole: bool = False
    typed: Callable[[Any], str] = str
    example: str = ""
    """A word of it, for whoever gave one that is none."""


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


BYTES = Unit("SIZE", parse_bytes, typed=typed_bytes, example="8k")
SECONDS = Unit("TIME", parse_seconds, typed=typed_seconds, example="5s")
RATE = Unit("N", parse_rate, typed=typed_rate, example="2000")
NAMES = Unit("A,B", _names, is_whole=True)


@value
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
    is_answered: bool = True
    """False: it says by whom the work is done, and changes nothing that comes of it. It is asked again without."""
    stands_first: bool = False
    """Whether the value stands on a command line without a word before it."""
    group: Group = "Options"
    aliases: tuple[str, ...] = ()
    """Words of earlier releases: understood, and shown nowhere."""
    values: tuple[str, ...] = ()
    """What may stand there, among other things: a shell completes it."""
    is_written: bool = False
    """Whether it names what is written, besides the answer on standard output."""

    def field(self, *default: Any) -> Any:
        """The dataclass's field; without a default it must be given."""
        given: dict[str, Any] = {"default": default[0]} if default else {}
        if default and isinstance(default[0], Mapping):
            given = {"default_factory": lambda: dict(default[0])}
        return dataclasses.field(**given, metadata={_MARK: self})

    def but(self, **changes: Any) -> Asked:
        """The same, told otherwise."""
        return changed(self, **changes)

    @property
    def parameter(self) -> str:
        """As a function in Python has it: `from_`, as `from` is a word of the language."""
        return f"{self.word}_" if keyword.iskeyword(self.word) else self.word

    @property
    def option(self) -> str:
        """As it is typed."""
        return typed_option(self.word)

    @property
    def options(self) -> tuple[str, ...]:
        """All that may be typed for it, aliases too; without the word for no."""
        return (*map(typed_option, (self.word, *self.aliases)), *([self.short] if self.short else []))

    @property
    def option_or_name(self) -> str:
        """As an error names it."""
        return self.word if self.stands_first else self.option

    @property
    def bounds(self) -> str:
        """`1 to 256`, `1 or more`; empty where there are none."""
        least, most = (None if one is None else _typed(self.unit, one) for one in (self.low, self.high))
        if least is None:
            return "" if most is None else f"{most} or less"
        return f"{least} or more" if most is None else f"{least} to {most}"


@value
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

    @property
    def example(self) -> str:
        """A value that may be, as it is typed: `--depth 32`."""
        word = self._example_word()
        return word if self.asked.stands_first else f"{self.asked.option} {word}"

    def _example_word(self) -> str:
        if self.choices:
            return str(self.choices[0])
        default = None if self.is_required or self.holds_many else self.default
        if default is not None:
            return _typed(self.asked.unit, default)
        if self.asked.low is not None:
            return _typed(self.asked.unit, self.asked.low)
        return _EXAMPLES.get(self._one_kind, "") if self.asked.unit is None else self.asked.unit.example

    @property
    def _one_kind(self) -> Any:
        """Its type, or that of each of many."""
        return typing.get_args(self.kind)[0] if self.holds_many else self.kind

    def value(self, given: Any) -> Any:
        """The value of what was given: words are read, values are as they are. Raises UsageError."""
        if not isinstance(given, str):
            return given
        if self.asked.unit is not None:
            return self._in_unit(self.asked.unit, given)
        if self.choices:
            return next((one for one in self.choices if str(one) == given), given)
        return self._number(given) if self._one_kind in _NUMBERS else given

    def _in_unit(self, unit: Unit, word: str) -> Any:
        try:
            value = unit.parse(word)
        except UsageError as error:
            raise UsageError(error.id, f"{self.asked.option_or_name}: {error.message}", error.hint) from error
        if not unit.is_whole:
            self._check_above_zero(value, word)
        return value

    def _number(self, word: str) -> Any:
        try:
            return self._one_kind(word)
        except ValueError:
            raise self._no_number(word) from None

    def check(self, value: Any) -> None:
        """Raises UsageError where the value cannot be asked. What a whole collection may hold is its verb's to say."""
        if value is not None and not self.is_whole:
            for one in value if self.holds_many else (value,):
                self._check_one(one)

    def _check_one(self, value: Any) -> None:
        if value is None:
            return
        if self.asked.is_written and value == "-":
            raise self._dash()
        if self.choices and value not in self.choices:
            raise self._none_of_them(value)
        if self._one_kind in _NUMBERS:
            self._check_number(value)

    def _check_number(self, value: Any) -> None:
        if not self._is_number(value):
            raise self._no_number(value)
        if self.asked.unit is not None:
            self._check_above_zero(value, value)
        low, high = self.asked.low, self.asked.high
        if (low is not None and value < low) or (high is not None and value > high):
            given = _typed(self.asked.unit, value)
            hint = f"Give {self.asked.bounds}, such as {self.example}."
            raise UsageError("usage", f"{self.asked.option_or_name}: {given} is out of bounds", hint)

    def _is_number(self, value: Any) -> bool:
        kind: Any = Integral if self._one_kind is int and self.asked.unit is None else Real
        if isinstance(value, bool) or not isinstance(value, kind):
            return False
        return isinstance(value, Integral) or isfinite(value)

    def _check_above_zero(self, value: Any, word: Any) -> None:
        if value < 0 or (self.asked.above_zero and value == 0):
            leave = "" if self.is_required else ", or leave the option out"
            hint = f"Give more, such as {self.example}{leave}."
            raise UsageError(
                "not-above-zero", f"{self.asked.option_or_name}: '{word}' is not above zero", hint
            )

    def _no_number(self, given: Any) -> UsageError:
        number = "a whole number" if self._one_kind is int else "a number"
        hint = f"Give {self.asked.bounds or number}, such as {self.example}."
        return UsageError("usage", f"{self.asked.option_or_name}: '{given}' is not {number}", hint)

    def _none_of_them(self, given: Any) -> UsageError:
        known = [str(one) for one in self.choices]
        meant = did_you_mean(str(given), known)
        hint = f"{meant}Name one of them, such as {self.example}."
        return UsageError(
            "usage", f"{self.asked.option_or_name}: '{given}' is none of {', '.join(known)}", hint
        )

    def _dash(self) -> UsageError:
        kind = (self.asked.metavar or "FILE").lower()
        message = f"{self.asked.option_or_name}: '-' names no {kind}, and standard output is for the answer"
        return UsageError("dash-no-file", message, f"Name a {kind}, or write ./- for one of that name.")


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
            word: field
            for field in fields_of(cls)
            for word in (field.asked.word, field.asked.parameter, *field.asked.aliases)
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
    if field.is_repeated and given is None:
        return ()
    if field.is_repeated:
        many = [given] if isinstance(given, str) or not isinstance(given, Iterable) else given
        return tuple(field.value(_plain(one)) for one in many)
    if field.is_whole and field.holds_many and not isinstance(given, str) and given is not None:
        return tuple(value for one in given for value in _each(field, one))
    return field.value(_plain(given))


def _each(field: Field, given: Any) -> tuple[Any, ...]:
    """What one word of a whole collection says, or one value."""
    return field.value(given) if isinstance(given, str) else (given,)


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
