"""What keeps a process small that stays beside a database for hours, and the start of every other short.

A verb with `stays = True` in its file is one that stays. All is called before anything else loads Pydantic, and before the
extension is loaded: what is there by then stays.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Generic

from plimsoll.base.values import made_later

_SMALL_PAGES = ("MIMALLOC_ALLOW_THP", "0")
"""For the allocator of the extension, which asks for the whole process: pages of 2 MiB of which a small part is used cost 5 MB."""
_GIVEN_BACK = ("MIMALLOC_PURGE_DELAY", "0")
"""For it as well: what is freed goes back to the system at once, as the start of a probe needs 2 MB less at a time then."""
OWN_HASHES = ("_md5", "_sha1", "_sha3", "_blake2")
"""Modules of Python for hashes; without one of them it needs OpenSSL."""
_OPENSSL = "_hashlib"
_OF_OPENSSL = ("pbkdf2_hmac", "scrypt")
"""What hashlib has of it alone."""
_METADATA = "importlib.metadata"
_SECRETS = "secrets"
_KINDS_OF_NO_FACT = ("decimal", "fractions", "uuid", "zoneinfo")
_SHAPES = ("typing_extensions", "typing")
"""Which of these the core of Pydantic takes `TypedDict` of depends on the release of Python."""
_OF_ANNOTATIONS = (
    "annotated_types", "pydantic._internal._decorators", "pydantic._internal._fields", "pydantic._internal._utils",
    "pydantic.aliases", "pydantic.fields",
    "pydantic.functional_serializers", "pydantic.functional_validators", "pydantic.json_schema", "pydantic.types",
)  # fmt: skip
"""Where Pydantic has what annotations of fields are made of: some 50 dataclasses, of which facts take a few."""
_OF_PYDANTIC = (
    "pydantic.main",
    "pydantic.fields",
    "pydantic.functional_serializers",
    "pydantic.types",
    "pydantic.type_adapter",
)
"""With these it has loaded what facts take of it."""


def keep_small() -> None:
    """Keeps 10 MB away. What the process can do stays the same, but for `hashlib.new` of hashes that OpenSSL alone has."""
    os.environ.setdefault(*_SMALL_PAGES)
    os.environ.setdefault(*_GIVEN_BACK)
    load_little()


def load_little() -> None:
    """For a verb that hashes little, and whose facts have values of known kinds alone: as `load_pydantic`, and without OpenSSL,
    whose hashes of large files are several times faster than Python's own. Numbers of databases (Decimal) are taken for the fields
    of facts as ever; as they are, nothing could be kept of them."""
    if _OPENSSL not in sys.modules and all(find_spec(name) is not None for name in OWN_HASHES):
        _hash_without_openssl()
    with _kinds_standing_in():
        load_pydantic()
        with suppress(ImportError, AttributeError):
            # Pydantic's core holds kinds from the first value of which it is not told the kind.
            importlib.import_module("pydantic_core").to_jsonable_python(())


def load_pydantic() -> None:
    """Loads what facts take of Pydantic, without what it would load for what they are not made of: a tenth of the time to start."""
    with _kinds_standing_in(), _standing_in(_SECRETS, _called_later(_SECRETS)), _dataclasses_later():
        _load_core()
        _look_for_no_plugins()
        for name in _OF_PYDANTIC:
            with suppress(ImportError):
                importlib.import_module(name)


@contextmanager
def _kinds_standing_in() -> Iterator[None]:
    with ExitStack() as stack:
        for name in _KINDS_OF_NO_FACT:
            stack.enter_context(_standing_in(name, _of_no_fact(name)))
        yield


def _hash_without_openssl() -> None:
    """OpenSSL takes 3.5 MB, and Pydantic loads it for a comparison of passwords. Python has the same hashes of its own, where it is
    built with them, which Red Hat's is not; what it has not is OpenSSL's when it is first asked for."""
    with _standing_in(_OPENSSL, None):
        importlib.import_module("hmac")
    names = importlib.import_module("hashlib").__dict__
    for name in _OF_OPENSSL:
        names.pop(name, None)  # Python up to 3.11 has one of its own, which is several times slower
    names["__getattr__"] = _of_openssl


def _of_openssl(name: str) -> Any:
    if name not in _OF_OPENSSL:
        raise AttributeError(f"module 'hashlib' has no attribute '{name}'")
    return getattr(importlib.import_module(_OPENSSL), name)


@contextmanager
def _dataclasses_later() -> Iterator[None]:
    """Of Pydantic's dataclasses, those of annotations are made when they are first used (`plimsoll.base.values`). They have no
    slots then: there are few of them."""

    def dataclass(cls: type[Any] | None = None, /, **options: Any) -> Any:
        def made_of(cls: type[Any]) -> type[Any]:
            is_plain = Generic not in cls.__bases__ and "__slots__" not in vars(cls)
            if (
                cls.__module__ not in _OF_ANNOTATIONS
                or not is_plain
                or options.keys() - {"frozen", "kw_only", "slots"}
            ):
                return dataclasses.dataclass(cls, **options)
            return made_later(cls, frozen=options.get("frozen", False), kw_only=options.get("kw_only", False))

        return made_of if cls is None else made_of(cls)

    module = ModuleType(dataclasses.__name__)
    module.__dict__.update(vars(dataclasses), dataclass=dataclass)
    sys.modules[dataclasses.__name__] = module
    try:
        yield
    finally:
        sys.modules[dataclasses.__name__] = dataclasses


class _Shape(dict[str, Any]):
    """What a `TypedDict` is while a program runs: a call of one of its kinds makes a dictionary."""

    def __init_subclass__(cls, **told: Any) -> None:
        """Takes what checkers of types are told of its kinds."""

    def __new__(cls, *words: Any, **more: Any) -> Any:
        return dict(*words, **more)


def _load_core() -> None:
    """The core of Pydantic tells checkers of types by some ninety TypedDicts what its schemas are. Python would read the annotation
    of each field, of which nobody asks: half of the time that the core takes to load."""
    with suppress(ImportError), ExitStack() as stack:
        for name in _SHAPES:
            stack.enter_context(_in_place_of(importlib.import_module(name), "TypedDict", _Shape))
        importlib.import_module("pydantic_core")


@contextmanager
def _in_place_of(module: ModuleType, name: str, other: Any) -> Iterator[None]:
    """The module has something else of this name meanwhile."""
    before = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, before)


def _look_for_no_plugins() -> None:
    """Pydantic loads what reads the metadata of packages, with all that reads mail, also where no plug-ins are wanted. Which of
    its functions it holds differs between releases: each loads the module when it is called."""
    with _standing_in(_METADATA, _called_later(_METADATA)), suppress(ImportError):
        importlib.import_module("pydantic.plugin._loader")


def _called_later(module: str) -> ModuleType:
    """A module of functions alone, each of which loads the real one when it is called."""

    def function(name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def later(*words: Any, **more: Any) -> Any:
            return getattr(importlib.import_module(module), name)(*words, **more)

        return later

    made = ModuleType(module)
    made.__dict__["__getattr__"] = function
    return made


def _of_no_fact(module: str) -> ModuleType:
    """In the place of a module that Pydantic loads for kinds of values that no fact of ours has, 1 MB and 5 ms for all of these: a
    kind of each name, which nothing is of. Whoever else asks for the module gets it."""
    made = ModuleType(module)

    def kind(name: str) -> type[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return type(name, (Exception,) if name.endswith("Error") else (), {"__module__": module})

    made.__dict__["__getattr__"] = cache(kind)
    return made


@contextmanager
def _standing_in(name: str, module: ModuleType | None) -> Iterator[None]:
    """Something else is the module of this name meanwhile, None for none, unless it is loaded; others find it afterwards."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = module  # pyright: ignore[reportArgumentType] # None is what Python has for a module that is not there
    try:
        yield
    finally:
        del sys.modules[name]
