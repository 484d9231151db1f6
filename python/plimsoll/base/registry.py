"""A registry is a folder: each module in it holds one entry under an agreed constant, and the file's name is the entry's name.

`_` becomes `-` on the command line. Adding an entry is adding a file; nothing else is edited.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

from plimsoll.base.errors import UsageError


def names(package: ModuleType) -> list[str]:
    """Command-line names of the entries, sorted, without importing them."""
    return list(_names(tuple(package.__path__)))


@cache
def _names(folders: tuple[str, ...]) -> Sequence[str]:
    """Looked up once: each cell that is measured asks for all checks, and files do not come and go while we run."""
    found = (module.name for module in pkgutil.iter_modules(folders))
    return tuple(sorted(name.replace("_", "-") for name in found if not name.startswith("_")))


def load(package: ModuleType, name: str, constant: str) -> Any:
    """The entry called `name`. Raises UsageError `<what>-unknown` with the nearest known names."""
    known = names(package)
    if name not in known:
        what = package.__name__.rpartition(".")[2].removesuffix("s")
        raise UsageError(f"{what}-unknown", f"no {what} is called '{name}'", f"Known: {', '.join(known)}.")
    return getattr(importlib.import_module(f"{package.__name__}.{name.replace('-', '_')}"), constant)
