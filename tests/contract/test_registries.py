"""Every registry by the same rules: names are legal and unique, files and entries fit together, help is there and worth reading."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core, charts, databases, rules
from plimsoll.base import registry
from plimsoll.cli import commands, verbs
from plimsoll.dialects import exports, foreign
from plimsoll.host import audit
from plimsoll.host.noise import kinds as noise_kinds
from plimsoll.pages import sections
from plimsoll.placement.slices import outputs
from plimsoll.supply import shapes

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")

FOLDERS = {
    "commands": commands,
    "databases": databases,
    "charts": charts,
    "rules": rules,
    "sections": sections,
    "shapes": shapes,
    "foreign": foreign,
    "exports": exports,
    "outputs": outputs,
    "audit": audit,
    "noise_kinds": noise_kinds,
}
FROM_RUST: dict[str, Callable[[], list[Any]]] = {"engines": _core.engines, "patterns": _core.patterns}

EVERY_MODULE = [
    pytest.param(package, name, id=f"{kind}/{name}")
    for kind, package in FOLDERS.items()
    for name in registry.names(package)
]


@pytest.mark.parametrize("package", FOLDERS.values(), ids=FOLDERS)
def test_names_are_legal_and_unique(package: Any) -> None:
    names = registry.names(package)
    assert names
    assert len(set(names)) == len(names)
    assert [name for name in names if not NAME.match(name)] == []


@pytest.mark.parametrize(("package", "name"), EVERY_MODULE)
def test_a_file_says_what_it_is(package: Any, name: str) -> None:
    module = importlib.import_module(f"{package.__name__}.{name.replace('-', '_')}")
    lines = (module.__doc__ or "").strip().splitlines()
    assert lines
    assert len(lines[0]) > 20
    assert lines[0].endswith((".", "?")) or len(lines) > 1


@pytest.mark.parametrize("package", FOLDERS.values(), ids=FOLDERS)
def test_a_folder_holds_entries_and_helpers_only(package: Any) -> None:
    folder = Path(package.__path__[0])
    for path in folder.glob("*.py"):
        assert re.fullmatch(r"_{0,2}[a-z][a-z0-9_]*\.py", path.name), path


@pytest.mark.parametrize("name", registry.names(commands))
def test_a_verb_has_help_that_fits_in_a_list(name: str) -> None:
    first = verbs.find([name])[0].paragraphs[0]
    assert verbs.task(name) in verbs.TASKS
    assert first[:1].isupper()
    assert first.endswith(".")
    assert len(first) <= 60


@pytest.mark.parametrize("name", registry.names(commands))
def test_options_have_help_units_and_a_json_switch(name: str) -> None:
    for verb in verbs.every(verbs.find([name])[0]):
        if verb.is_group:
            continue
        assert "json" in [field.asked.word for field in verb.fields]
        for field in verb.fields:
            assert field.asked.help.endswith((".", ":")), f"{name}: {field.name}"
            assert len(field.asked.help) < 110
            assert (field.value_word == "") == (field.kind is bool), f"{name}: {field.name}"


@pytest.mark.parametrize("entries", FROM_RUST.values(), ids=FROM_RUST)
def test_entries_of_the_core_have_names_titles_and_help(entries: Callable[[], list[Any]]) -> None:
    found = entries()
    names = [entry["name"] for entry in found]
    assert len(set(names)) == len(names) > 0
    for entry in found:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", entry["name"])
        assert entry["title"]
        assert not entry["title"].endswith(".")
        assert len(entry["help"]) > 40
        assert entry["help"].strip().endswith(".")


def test_there_is_an_engine_that_measures_ourselves() -> None:
    by_name = {engine["name"]: engine for engine in _core.engines()}
    assert by_name["null"]["available"]
    assert not by_name["null"]["real"]
    assert by_name["psync"]["available"]


@pytest.mark.parametrize("engine", _core.engines(), ids=lambda engine: engine["name"])
def test_an_engine_that_cannot_run_here_says_why(engine: dict[str, Any]) -> None:
    assert (engine["reason"] is None) == engine["available"]


def test_every_word_of_a_unit_test_folder_is_a_folder_of_the_package() -> None:
    """Tests mirror sources by name."""
    root = Path(__file__).parent.parent
    package = root.parent / "python" / "plimsoll"
    folders = {
        path.name for path in (root / "unit").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert folders <= {path.name for path in package.iterdir() if path.is_dir()}
