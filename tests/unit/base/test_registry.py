"""A registry is a folder: names come from files, entries are imported when asked for."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from plimsoll.base import registry
from plimsoll.base.errors import UsageError


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package of two entries and a helper."""
    package = tmp_path / "spare_tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "long_saw.py").write_text("tool = 'a long saw'\n")
    (package / "axe.py").write_text("tool = 'an axe'\n")
    (package / "_helper.py").write_text("raise RuntimeError('nobody should import this')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("spare_tools")
    for name in [name for name in sys.modules if name.partition(".")[0] == "spare_tools"]:
        del sys.modules[name]


def test_names_are_those_of_the_command_line_and_import_nothing(tools: ModuleType) -> None:
    assert registry.names(tools) == ["axe", "long-saw"]
    assert "spare_tools.axe" not in sys.modules


@pytest.mark.parametrize("name", ["long-saw", "axe"])
def test_an_entry_is_loaded_by_its_name(tools: ModuleType, name: str) -> None:
    assert registry.load(tools, name, "tool").endswith(name.rpartition("-")[2])


@pytest.mark.parametrize("name", ["saw", "_helper", "long_saw", "", "../axe"])
def test_an_unknown_name_is_refused_with_those_that_are_known(tools: ModuleType, name: str) -> None:
    with pytest.raises(UsageError, match="no spare_tool is called") as refused:
        registry.load(tools, name, "tool")
    assert refused.value.id == "spare_tool-unknown"
    assert refused.value.hint == "Known: axe, long-saw."
