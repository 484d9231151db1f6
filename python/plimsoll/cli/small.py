"""What keeps a process small that stays beside a database for hours.

A verb with `stays = True` in its file is one of these. It is called before the parser loads Pydantic, and before the extension
is loaded: what is there by then stays.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import ModuleType

_SMALL_PAGES = ("MIMALLOC_ALLOW_THP", "0")
"""For the allocator of the extension, which asks for the whole process: pages of 2 MiB of which a small part is used cost 5 MB."""
_OWN_HASHES = ("_md5", "_sha1", "_sha3", "_blake2")
_OPENSSL = "_hashlib"
_METADATA = "importlib.metadata"


def keep_small() -> None:
    """Keeps 10 MB away. What the process can do stays the same."""
    os.environ.setdefault(*_SMALL_PAGES)
    _hash_without_openssl()
    _look_for_no_plugins()


def _hash_without_openssl() -> None:
    """OpenSSL takes 3.5 MB, and Pydantic loads it for a comparison of passwords. Python has the same hashes of its own, where it is
    built with them, which Red Hat's is not."""
    if all(find_spec(name) is not None for name in _OWN_HASHES):
        with _standing_in(_OPENSSL, None):
            importlib.import_module("hmac")


def _look_for_no_plugins() -> None:
    """Pydantic loads what reads the metadata of packages, with all that reads mail, also where no plug-ins are wanted."""
    empty = ModuleType(_METADATA)
    empty.__dict__["entry_points"] = lambda **_: ()
    with _standing_in(_METADATA, empty), suppress(ImportError):
        importlib.import_module("pydantic.plugin._loader")


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
