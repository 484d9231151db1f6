"""Packages whose names are loaded when they are first asked for: what checkers of types see must be what is there."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType


def expect_names_as_seen(package: ModuleType) -> None:
    """Each name comes from where checkers of types find it."""
    source = ast.parse(Path(str(package.__file__)).read_text())
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    seen = {f"{node.module}.{one.name}" for node in imports for one in node.names}
    told = vars(package)["_NAMES"].items()
    here = {f"{package.__name__}.{module}.{name}" for module, names in told for name in names}
    assert here == {one for one in seen if one.startswith(f"{package.__name__}.")}
    assert all(getattr(package, name) is not None for name in package.__all__)
