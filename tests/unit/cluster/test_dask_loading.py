"""Dask as a command loads it, and as a program that calls our functions does, each in a Python of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

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


_CONFIGURED = """
import gc, json, sys
from plimsoll.cluster import dask_loading
dask_loading.distributed()
import dask.config, yaml
print(json.dumps([dask.config.config, gc.isenabled(), gc.get_freeze_count() > 0, yaml.SafeLoader.__name__]))
"""


def test_a_command_has_dasks_configuration_as_a_program_has_it(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "distributed:\n  client:\n    heartbeat: 7s\n  admin: {tick: {interval: 1e1}}\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", before + _CONFIGURED],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "DASK_CONFIG": str(tmp_path)},
        )
        for before in ("", "import plimsoll.cli.main\n")
    ]
    program, command = (json.loads(one.stdout) for one in told)
    assert program[0]["distributed"]["client"]["heartbeat"] == "7s"
    assert command[0] == program[0]
    assert program[1:] == [True, False, "SafeLoader"]
    assert command[1:] == [True, True, "SafeLoader"]


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
