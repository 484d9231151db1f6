"""Facts by the ten thousand in little room: the values of each as a tuple, which takes a third of it; whole again when asked for.

Texts that recur, such as names of hosts and of tables, are there once.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from plimsoll.facts._fact import Fact, field_names

F = TypeVar("F", bound=Fact)

_SAME_MAX = 20_000
"""Texts that are looked for: of more most do not recur, and a list of them would take what it saves."""


Row = tuple[Any, ...]
"""A fact in little room: its class, then its values in the order of its fields; facts among them are rows as well. It crosses to
another process at a tenth of what the fact takes.
"""

_PLAIN = frozenset({type(None), float, int, bool})
_MAPPING = dict
"""Stands before the keys and the values of a mapping."""
_CLASS = type(Fact)


class SharedTexts:
    """Of texts that are equal, one."""

    def __init__(self) -> None:
        self._same: dict[str, str] = {}

    def one(self, text: str) -> str:
        """The text, or one that was there before and is the same."""
        if len(self._same) < _SAME_MAX:
            return self._same.setdefault(text, text)
        return self._same.get(text, text)

    def share(self, fact: Fact) -> None:
        """Has a fact, and those in it, hold such texts. It is the caller's own, which nobody else has seen yet."""
        held: Any = fact.__dict__
        for name, value in held.items():
            if value.__class__ is str:
                held[name] = self.one(value)
            elif value.__class__ is tuple:
                for part in value:
                    if isinstance(part, Fact):
                        self.share(part)


def row_of(fact: Fact, texts: SharedTexts) -> Row:
    """The fact as a row, with texts that recur among those of `texts`."""
    one, held = texts.one, fact.__dict__
    kind = fact.__class__
    values = [held[name] for name in field_names(kind)]
    return kind, *[
        value if value.__class__ in _PLAIN else one(value) if value.__class__ is str else _slim(value, texts)
        for value in values
    ]


def place_in_row(kind: type[Fact], field: str) -> int:
    """Where a row of that class has the value of a field."""
    return 1 + field_names(kind).index(field)


def fact_of(row: Row) -> Any:
    """The fact again, as pickle makes it: its values were checked when it was first made."""
    kind, *values = row
    made = kind.__new__(kind)
    made.__setstate__([_whole(value) if value.__class__ is tuple else value for value in values])
    return made


def _slim(value: Any, texts: SharedTexts) -> Any:
    kind = value.__class__
    if kind is tuple:
        return tuple([_slim(one, texts) for one in value]) if value else value
    if kind in _PLAIN:
        return value
    if kind is str:
        return texts.one(value)
    if isinstance(value, Fact):
        return row_of(value, texts)
    if kind is dict:
        return _MAPPING, *[part for key, held in value.items() for part in (key, _slim(held, texts))]
    return value


def _whole(row: Any) -> Any:
    """The way back."""
    if row.__class__ is not tuple or not row:
        return row
    first = row[0]
    if first is _MAPPING:
        return {key: _whole(value) for key, value in zip(row[1::2], row[2::2], strict=True)}
    if first.__class__ is _CLASS:
        return fact_of(row)
    return tuple(map(_whole, row))


class SlimFacts(Sequence[F], Generic[F]):
    """A list of facts, each made anew when it is asked for."""

    def __init__(self, facts: Iterable[F] = ()) -> None:
        self._rows: list[Row] = []
        self._texts = SharedTexts()
        for fact in facts:
            self.append(fact)

    def append(self, fact: F) -> None:
        """One more."""
        self._rows.append(row_of(fact, self._texts))

    def take(self, row: Row) -> None:
        """One more, which is a row already."""
        self._rows.append(row)

    def replace(self, place: int, fact: F) -> None:
        """Another one at that place."""
        self._rows[place] = row_of(fact, self._texts)

    def parts(self, *names: str) -> Iterator[Any]:
        """Of each these fields alone, as attributes of something that is made sooner than a fact."""
        part = namedtuple("Part", names)
        if self._rows:
            places = [place_in_row(self._rows[0][0], name) for name in names]
            for row in self._rows:
                yield part._make(
                    [_whole(row[at]) if row[at].__class__ is tuple else row[at] for at in places]
                )

    def sort(self, key: Callable[[Any], Any], *names: str) -> list[int]:
        """As a list's, by these fields; returns where each one was."""
        keys = [key(part) for part in self.parts(*names)]
        before = sorted(range(len(keys)), key=keys.__getitem__)
        self._rows = [self._rows[place] for place in before]
        return before

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[F]:
        return map(fact_of, self._rows)

    @overload
    def __getitem__(self, place: int) -> F: ...

    @overload
    def __getitem__(self, place: slice) -> list[F]: ...

    def __getitem__(self, place: int | slice) -> F | list[F]:
        if isinstance(place, slice):
            return [fact_of(row) for row in self._rows[place]]
        return cast("F", fact_of(self._rows[place]))

    def __eq__(self, other: object) -> bool:
        """As lists are."""
        return isinstance(other, Sequence) and list(self) == list(cast("Sequence[Any]", other))

    def __repr__(self) -> str:
        return repr(list(self))

    __hash__ = None  # type: ignore[assignment]
