"""Frozen dataclasses whose methods are made when they are wanted: most modules are loaded for a few of theirs, or for none.

Python writes the methods of a dataclass as text and compiles it, 0.4 ms for each class: with those of which a short command has a
few values, or none, it was a tenth of its time. So the first values of a class are filled field by field, some 3 µs each; where
there are more, or something else is asked for, the methods are made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, InitVar, dataclass, field
from threading import RLock
from types import MemberDescriptorType
from typing import Any, ClassVar, TypeVar, dataclass_transform, get_origin

_METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
_TOLD = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
"""What Python and others ask a dataclass for."""
_OWN = ("__dict__", "__weakref__")
"""Of a class itself, which another one is not made of."""
_GUARDS = ("__setattr__", "__delattr__")
_FEW_MAX = 200
"""Calls of a class's methods that take as long without them as to make them."""
_WORDS_OF_KINDS: dict[Any, str] = {ClassVar: "ClassVar", InitVar: "InitVar", KW_ONLY: "KW_ONLY"}
_making = RLock()

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """The class as `dataclass(frozen=True)` makes it."""
    return made_later(cls, frozen=True)


@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[T]) -> type[T]:
    """The class as `dataclass` makes it."""
    return made_later(cls, frozen=False)


def made_later(cls: type[T], *, frozen: bool, kw_only: bool = False) -> type[T]:
    """The class as `dataclass` makes it of these options, once one of its methods is called or somebody asks for its fields."""
    wanted = [name for name in _METHODS if vars(cls).get(name) is None]
    if not frozen and "__hash__" in wanted:
        wanted.remove("__hash__")
        cls.__hash__ = None  # pyright: ignore[reportAttributeAccessIssue] # as of all that can change
    hidden = {*_OWN, *wanted, *_TOLD, *(_GUARDS if frozen else ())}

    def make() -> None:
        with _making:
            if not isinstance(vars(cls)[_TOLD[0]], _Later):
                return
            body = {name: held for name, held in vars(cls).items() if name not in hidden}
            body |= {
                "__qualname__": cls.__qualname__,
                "__doc__": cls.__name__,
            }  # which else would be made of the fields
            made = dataclass(frozen=frozen, kw_only=kw_only)(type(cls)(cls.__name__, cls.__bases__, body))
            _take_defaults(cls, made)
            for name in (*wanted, *reversed(_TOLD)):
                setattr(cls, name, vars(made)[name])

    for name in wanted:
        setattr(cls, name, _first_call(cls, name, make))
    if not kw_only and (plain := _plain_fields(cls)) is not None:
        _set_of_few(cls, _OfFew(cls, plain, make), wanted)
    for name in _TOLD:
        setattr(cls, name, _Later(cls, name, make))
    if frozen:
        _freeze(cls)
    return cls


def changed(one: T, **changes: Any) -> T:
    """A value like that one but for these fields, of a class that has all of its fields itself: `dataclasses.replace` of it, which
    would have its methods made."""
    kept = {name: getattr(one, name) for name in type(one).__annotations__}
    return type(one)(**(kept | changes))


class _Later:
    """What a class tells of itself, until it is asked for."""

    def __init__(self, cls: type[Any], name: str, make: Callable[[], None]) -> None:
        self._cls = cls
        self._name = name
        self._make = make

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        self._make()
        return getattr(self._cls, self._name)


def _first_call(cls: type[Any], name: str, make: Callable[[], None]) -> Callable[..., Any]:
    def first(self: Any, *words: Any, **more: Any) -> Any:
        make()
        return getattr(cls, name)(self, *words, **more)

    first.__name__ = name
    return first


def _plain_fields(cls: type[Any]) -> dict[str, Any] | None:
    """The default of each field that a class without others above it has, `MISSING` for none; None where one is not plain."""
    annotations = vars(cls).get("__annotations__", {})
    if any(_TOLD[0] in vars(base) for base in cls.__mro__[1:]):
        return None
    annotations = {name: of for name, of in annotations.items() if not _is_of(of, ClassVar)}
    if any(_is_of(of, kind) for of in annotations.values() for kind in (InitVar, KW_ONLY)):
        return None
    defaults = {name: vars(cls).get(name, MISSING) for name in annotations}
    return defaults if all(map(_is_plain, defaults.values())) else None


def _is_of(annotation: Any, kind: Any) -> bool:
    """Whether an annotation, which may be text, is of a kind that says no field is handed over in its turn."""
    if isinstance(annotation, str):
        return _WORDS_OF_KINDS[kind] in annotation
    return (
        annotation is kind
        or get_origin(annotation) is kind
        or (kind is InitVar and isinstance(annotation, InitVar))
    )


def _is_plain(default: Any) -> bool:
    if isinstance(default, Field):
        return default.init and default.compare and default.hash is None and default.kw_only is MISSING
    return not isinstance(default, MemberDescriptorType) and type(default).__hash__ is not None


class _OfFew:
    """What Python's methods of a class do, for its first values. Its `__init__` itself refuses what it does not take."""

    def __init__(self, cls: type[Any], plain: dict[str, Any], make: Callable[[], None]) -> None:
        self._cls = cls
        self._plain = plain
        self._make = make
        self._left = _FEW_MAX

    def fill(self, one: Any, *words: Any, **more: Any) -> None:
        held = _bound(self._plain, words, more) if self._is_enough() else None
        if held is None:
            self._make()
            self._cls.__init__(one, *words, **more)
            return
        for name in self._plain:
            object.__setattr__(one, name, held[name])
        if hasattr(one, "__post_init__"):
            one.__post_init__()

    def equal(self, one: Any, other: object) -> Any:
        if not self._is_enough():
            self._make()
            return one == other
        if other.__class__ is not one.__class__:
            return NotImplemented
        return self._held_by(one) == self._held_by(other)

    def hashed(self, one: Any) -> int:
        if not self._is_enough():
            self._make()
            return hash(one)
        return hash(self._held_by(one))

    def _is_enough(self) -> bool:
        self._left -= 1
        return self._left >= 0

    def _held_by(self, one: Any) -> tuple[Any, ...]:
        return tuple(getattr(one, name) for name in self._plain)


def _set_of_few(cls: type[Any], few: _OfFew, wanted: Collection[str]) -> None:
    def __init__(self: Any, *words: Any, **more: Any) -> None:  # noqa: N807 - its name is seen in tracebacks
        few.fill(self, *words, **more)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        return few.equal(self, other)

    def __hash__(self: Any) -> int:  # noqa: N807
        return few.hashed(self)

    for method in (__init__, __eq__, __hash__):
        if method.__name__ in wanted:
            setattr(cls, method.__name__, method)


def _bound(plain: dict[str, Any], words: tuple[Any, ...], more: dict[str, Any]) -> dict[str, Any] | None:
    """The value of each field, or None where a word is missing, unknown or given twice."""
    held = dict(zip(plain, words, strict=False))
    if len(words) > len(plain) or more.keys() & held.keys() or more.keys() - plain.keys():
        return None
    held |= more
    for name, default in plain.items():
        if name in held:
            continue
        made = default
        if isinstance(default, Field):
            made = default.default if default.default_factory is MISSING else default.default_factory()
        if made is MISSING:
            return None
        held[name] = made
    return held


def _take_defaults(cls: type[Any], made: type[Any]) -> None:
    """What stands for a field in the class: its default, or nothing."""
    for name in vars(made)[_TOLD[0]]:
        if name in vars(made):
            setattr(cls, name, vars(made)[name])
        elif name in vars(cls):
            delattr(cls, name)


def _freeze(cls: type[Any]) -> None:
    def is_held(instance: Any, name: str) -> bool:
        return type(instance) is cls or name in cls.__dataclass_fields__

    def set_refused(self: Any, name: str, held: Any) -> None:
        if is_held(self, name):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, held)

    def delete_refused(self: Any, name: str) -> None:
        if is_held(self, name):
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    for guard, refused in zip(_GUARDS, (set_refused, delete_refused), strict=True):
        setattr(cls, guard, refused)
