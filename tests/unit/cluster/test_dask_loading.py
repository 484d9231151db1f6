"""Dask as a command loads it, and as a program that calls our functions does, each in a Python of its own."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import import_module

import pytest

from plimsoll.cluster import dask_loading

_LOADED = """
import sys
from plimsoll.cluster import dask_loading
dask_loading.distributed()
print(*sorted({"distributed", "numpy", "jinja2"} & set(sys.modules)))
import jinja2, numpy
"""


@pytest.mark.parametrize(
    ("before", "loaded"),
    [
        ("", ["distributed", "jinja2", "numpy"]),
        ("import plimsoll.cli.main\n", ["distributed"]),
        ("import plimsoll.cli.main, numpy\n", ["distributed", "numpy"]),
    ],
)
def test_a_command_loads_dask_alone_and_can_load_the_rest_later(before: str, loaded: list[str]) -> None:
    told = subprocess.run(
        [sys.executable, "-c", before + _LOADED], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == loaded


def test_another_thread_finds_what_is_spared_meanwhile() -> None:
    found: list[object] = []
    name = "wsgiref"
    sys.modules.pop(name, None)
    with dask_loading._without(frozenset({name})):
        with pytest.raises(ModuleNotFoundError, match=name):
            import_module(name)
        other = threading.Thread(target=lambda: found.append(import_module(name)))
        other.start()
        other.join()
    assert found == [import_module(name)]
