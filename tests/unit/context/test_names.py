"""What a flow is handed is loaded when it is first asked for, under the names that checkers of types see."""

from __future__ import annotations

import subprocess
import sys

import pytest

from later_names import expect_names_as_seen
from plimsoll import context

_WORKER = """
import sys
from plimsoll.cluster import dask_work
dask_work.identity()
print(*sorted({"pydantic", "plimsoll.facts", "plimsoll.context.scratch"} & set(sys.modules)))
"""


def test_each_name_comes_from_where_checkers_of_types_find_it() -> None:
    expect_names_as_seen(context)


def test_a_name_that_is_none_is_told() -> None:
    with pytest.raises(AttributeError, match=r"^module 'plimsoll\.context' has no attribute 'Nothing'$"):
        vars(context)["__getattr__"]("Nothing")


def test_a_worker_of_a_cluster_loads_nothing_that_only_commands_need() -> None:
    told = subprocess.run([sys.executable, "-c", _WORKER], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []
