"""Dask's own package, loaded by a command without what Dask uses only where it is there.

Of what a client loads, numpy (memory for large messages, which is else a `bytearray`) and jinja2 (how objects look in notebooks)
take a third of the time, and of the rest a sixth is Dask's configuration, read by a parser in Python, and the search for garbage
in what stays until the command's end. A command has use for none of it; a program that calls our functions may, and loads Dask as
it is.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint

_COMMANDS = ("plimsoll.cli.main", "plimsoll.cluster.dask_bridge")
"""Loaded by commands alone, and by processes that they start."""
_SPARED = frozenset({"numpy", "jinja2", "colorama", "curses"})
"""The last two are for colours of Dask's own log, which a command does not show."""


def distributed() -> Any:
    """Raises WorldError `extra-missing`."""
    try:
        if any(name in sys.modules for name in _COMMANDS):
            with _without(_SPARED), _without_garbage(), _parsed_in_c():
                import distributed
        else:
            import distributed
    except ImportError as error:
        raise WorldError("extra-missing", "--cluster needs Dask", extra_hint("cluster")) from error
    return distributed


class _Absent(MetaPathFinder):
    """Says to one thread that modules are not installed; others find them."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._thread = threading.get_ident()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Of another module nothing, so that the next one is asked."""
        if fullname in self._names and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


@contextmanager
def _without(names: frozenset[str]) -> Iterator[None]:
    """Modules that are loaded already stay; each of them can be loaded afterwards."""
    absent = _Absent(names)
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


@contextmanager
def _without_garbage() -> Iterator[None]:
    """What is loaded meanwhile stays, and is not looked through afterwards either."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


@contextmanager
def _parsed_in_c() -> Iterator[None]:
    """YAML that is read safely is read by the library in C meanwhile, with the same outcome, where there is one."""
    yaml: Any = import_module("yaml")
    loader = yaml.SafeLoader
    yaml.SafeLoader = getattr(yaml, "CSafeLoader", loader)
    try:
        yield
    finally:
        yaml.SafeLoader = loader
