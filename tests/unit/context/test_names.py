"""What a flow is handed is loaded when it is first asked for, under the names that checkers of types see."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from plimsoll import context

_WORKER = """
import sys
from plimsoll.cluster import dask_work
dask_work.identity()
print(*sorted({"pydantic", "plimsoll.facts", "plimsoll.context.scratch"} & set(sys.modules)))
"""


def test_each_name_comes_from_where_checkers_of_types_find_it() -> None:
    source = ast.parse(Path(context.__file__).read_text())
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    seen = {f"{node.module}.{one.name}" for node in imports for one in node.names}
    told = vars(context)["_NAMES"].items()
    here = {f"plimsoll.context.{module}.{name}" for module, names in told for name in names}
    assert here == {one for one in seen if one.startswith("plimsoll.context.")}
    assert all(getattr(context, name) is not None for name in context.__all__)


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(AttributeError, match=r"^module 'plimsoll\.context' has no attribute 'Nothing'$"):
        vars(context)["__getattr__"]("Nothing")


def test_a_worker_of_a_cluster_loads_nothing_that_only_commands_need() -> None:
    told = subprocess.run([sys.executable, "-c", _WORKER], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
