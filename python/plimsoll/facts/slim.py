"""Facts by the ten thousand in little room: the values of each as a tuple, which takes a third of it; whole again when asked for.

Texts that recur, such as names of hosts and of tables, are there once.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast, overload

from plimsoll.facts._fact import Fact

F = TypeVar("F", bound=Fact)

_SAME_MAX = 20_000
"""Texts that are looked for: of more most do not recur, and a list of them would take what it saves."""


@dataclass(frozen=True)
class _Kind:
    """A class of facts, as it stands before the values of one."""

    fact: type[Fact]
    names: tuple[str, ...]


_PLAIN = frozenset({type(None), float, int, bool})
_MAPPING = object()
"""Stands before the keys and the values of a mapping."""
_KINDS: dict[type[Fact], _Kind] = {}


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


class SlimFacts(Sequence[F], Generic[F]):
    """A list of facts, each made anew when it is asked for."""

    def __init__(self, facts: Iterable[F] = ()) -> None:
        self._rows: list[Any] = []
        self._texts = SharedTexts()
        for fact in facts:
            self.append(fact)

    def append(self, fact: F) -> None:
        """One more."""
        self._rows.append(self._slim(fact))

    def replace(self, place: int, fact: F) -> None:
        """Another one at that place."""
        self._rows[place] = self._slim(fact)

    def parts(self, *names: str) -> Iterator[Any]:
        """Of each these fields alone, as attributes of something that is made sooner than a fact."""
        part = namedtuple("Part", names)
        if self._rows:
            own = self._rows[0][0].names
            places = [own.index(name) + 1 for name in names]
            for row in self._rows:
                yield part(*[_whole(row[at]) if row[at].__class__ is tuple else row[at] for at in places])

    def sort(self, key: Callable[[Any], Any], *names: str) -> list[int]:
        """As a list's, by these fields; returns where each one was."""
        keys = [key(part) for part in self.parts(*names)]
        before = sorted(range(len(keys)), key=keys.__getitem__)
        self._rows = [self._rows[place] for place in before]
        return before

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[F]:
        return map(_whole, self._rows)

    @overload
    def __getitem__(self, place: int) -> F: ...

    @overload
    def __getitem__(self, place: slice) -> list[F]: ...

    def __getitem__(self, place: int | slice) -> F | list[F]:
        if isinstance(place, slice):
            return [_whole(row) for row in self._rows[place]]
        return _whole(self._rows[place])

    def __eq__(self, other: object) -> bool:
        """As lists are."""
        return isinstance(other, Sequence) and list(self) == list(cast("Sequence[Any]", other))

    def __repr__(self) -> str:
        return repr(list(self))

    __hash__ = None  # type: ignore[assignment]

    def _slim(self, value: Any) -> Any:
        kind = value.__class__
        if kind in _PLAIN:
            return value
        if kind is str:
            return self._texts.one(value)
        if isinstance(value, Fact):
            held, of = value.__dict__, _kind_of(kind)
            values = [held[name] for name in of.names]
            return of, *[one if one.__class__ in _PLAIN else self._slim(one) for one in values]
        if kind is tuple:
            return tuple(map(self._slim, value))
        if kind is dict:
            return _MAPPING, *[part for key, held in value.items() for part in (key, self._slim(held))]
        return value


def _kind_of(fact: type[Fact]) -> _Kind:
    kind = _KINDS.get(fact)
    if kind is None:
        kind = _KINDS[fact] = _Kind(fact, tuple(fact.model_fields))
    return kind


def _whole(row: Any) -> Any:
    """The way back."""
    if row.__class__ is not tuple or not row:
        return row
    first = row[0]
    if first.__class__ is _Kind:
        return _made(first, [_whole(value) if value.__class__ is tuple else value for value in row[1:]])
    if first is _MAPPING:
        return {key: _whole(value) for key, value in zip(row[1::2], row[2::2], strict=True)}
    return tuple(map(_whole, row))


def _made(kind: _Kind, values: list[Any]) -> Fact:
    """As pickle makes them: they were checked when they were first made."""
    made = kind.fact.__new__(kind.fact)
    made.__setstate__(values)
    return made
