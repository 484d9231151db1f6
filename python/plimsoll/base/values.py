"""Frozen dataclasses whose methods are made once there is a value: most modules are loaded for a few of theirs, or for none.

Python writes the methods of a dataclass as text and compiles it, 0.4 ms for each class: with those that a short command never has a
value of it was a tenth of its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field
from threading import RLock
from typing import Any, TypeVar, dataclass_transform

_METHODS = ("__init__", "__repr__", "__eq__", "__hash__")
_TOLD = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")
"""What Python and others ask a dataclass for."""
_OWN = ("__dict__", "__weakref__")
"""Of a class itself, which another one is not made of."""
_GUARDS = ("__setattr__", "__delattr__")
_making = RLock()

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[T]) -> type[T]:
    """The class as `dataclass(frozen=True)` makes it."""
    return made_later(cls, frozen=True)


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
    for name in _TOLD:
        setattr(cls, name, _Later(cls, name, make))
    if frozen:
        _freeze(cls)
    return cls


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
