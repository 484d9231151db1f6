"""The reference pages say what the code says, and nothing that a user can meet is left out of them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from documents import ROOT, pages
from plimsoll import _core, facts
from plimsoll.base import registry, settings
from plimsoll.base.errors import ExitStatus
from plimsoll.cli import commands, help, verbs
from plimsoll.facts.meanings import COMMON, meanings

sys.path.insert(0, str(ROOT / "scripts"))

import reference
import reference_contract
import reference_schemas
import reference_source

BY_HAND = "\n".join(page.read_text(encoding="utf-8") for page in pages())


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Every page, made anew. That takes a while, and not every process of tests needs it."""
    return reference.pages()


@pytest.mark.parametrize("name", reference.PAGES)
def test_page_is_up_to_date(name: str, made: dict[str, str]) -> None:
    path = reference.FOLDER / name
    assert path.is_file(), "run python scripts/reference.py"
    assert path.read_text(encoding="utf-8") == made[name], "run python scripts/reference.py"


@pytest.mark.parametrize("path", reference.shell_scripts(), ids=lambda path: path.name)
def test_a_wheel_has_the_script_of_each_shell(path: Path) -> None:
    assert path.is_file(), "run python scripts/reference.py"
    assert path.read_text(encoding="utf-8") == reference.shell_scripts()[path]


def test_no_page_is_left_over(made: dict[str, str]) -> None:
    assert {path.name for path in reference.FOLDER.glob("*.md")} == set(made)


def test_every_field_of_a_fact_has_a_meaning() -> None:
    """Below it in its class, or of its name in `plimsoll.facts.meanings`."""
    named = [getattr(facts, name) for name in facts.__all__]
    silent = [
        f"{fact.__name__}.{field}"
        for fact in named
        if isinstance(fact, type) and issubclass(fact, facts.Fact)
        for field, meaning in meanings(fact).items()
        if not meaning.endswith((".", ":", "…"))
    ]
    assert silent == []


def test_no_common_meaning_is_left_over() -> None:
    kinds = [getattr(facts, name) for name in facts.__all__]
    fields = {name for kind in kinds if isinstance(kind, type) for name in getattr(kind, "model_fields", ())}
    assert set(COMMON) <= fields


def test_the_schema_is_up_to_date() -> None:
    published = (reference.FOLDER / reference_schemas.NAME).read_text(encoding="utf-8")
    assert published == reference_schemas.text(), "run python scripts/reference.py"


def test_every_kind_of_document_that_a_command_prints_is_listed() -> None:
    """Those that commands name; kinds of results are listed where a verb shows them alone."""
    contract = (ROOT / "docs" / "cli-contract.md").read_text(encoding="utf-8")
    table = contract.partition("<!-- documents:")[2].partition("<!-- end -->")[0]
    kinds = set(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE))
    source = "\n".join(path.read_text() for path in (ROOT / "python/plimsoll/cli").rglob("*.py"))
    printed = set(re.findall(r"(?:finish|envelope)\(\s*\"([a-z-]+)\"", source))
    assert len(printed) > 15
    assert printed <= kinds
    assert kinds <= set(reference_schemas.data_by_kind())


def test_tables_in_pages_written_by_hand_are_up_to_date() -> None:
    for page, text in reference.pages_with_tables().items():
        assert page.read_text(encoding="utf-8") == text, "run python scripts/reference.py"


def test_every_table_of_the_contract_is_in_it_once() -> None:
    page = (ROOT / reference_contract.PAGE).read_text(encoding="utf-8")
    assert sorted(reference_contract.parts_of(page)) == sorted(reference_contract.PARTS)


def test_every_exit_status_and_verb_is_in_the_contract() -> None:
    page = (ROOT / reference_contract.PAGE).read_text(encoding="utf-8")
    for status in ExitStatus:
        assert re.search(rf"^\| {int(status)} \| [^|]{{10,}} \|$", page, re.MULTILINE), status
    by_verb = page.partition("By verb:")[2].partition("\n## ")[0]
    assert [
        name for name in registry.names(commands) if not re.search(rf"`(plimsoll )?{name}\b", by_verb)
    ] == []


def test_every_verb_is_listed_and_told_of(made: dict[str, str]) -> None:
    for name in registry.names(commands):
        assert f"## plimsoll {name}" in made["commands.md"]
        assert re.search(rf"plimsoll {name}\b", BY_HAND), f"no page tells of plimsoll {name}"


def test_every_option_is_listed_with_its_meaning(made: dict[str, str]) -> None:
    for verb in verbs.single():
        for field in verb.fields:
            assert field.asked.help
            assert f"`{help.term(field)}`".replace("|", "\\|") in made["commands.md"]


def test_every_setting_is_listed(made: dict[str, str]) -> None:
    for setting in settings.SETTINGS:
        assert f"`{setting.name}`" in made["settings.md"]
        assert setting.help


def test_no_other_variable_is_read() -> None:
    known = {setting.name for setting in settings.SETTINGS}
    source = "\n".join(path.read_text() for path in (ROOT / "python").rglob("*.py"))
    assert set(re.findall(r"\bPLIMSOLL_[A-Z_]+\b", source + BY_HAND)) <= known


def test_every_engine_and_pattern_is_listed_with_help(made: dict[str, str]) -> None:
    for entry in [*_core.engines(), *_core.patterns()]:
        assert f"## {entry['name']}\n" in made["engines.md"] + made["patterns.md"]
        assert entry["help"].endswith(".")


def test_every_error_has_an_example() -> None:
    """A message is one line, a hint is sentences, and no id is made of anything but lower-case words."""
    for id, ways in reference_source.errors(ROOT).items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", id)
        for error in ways:
            assert re.fullmatch(r"[^A-Z\n][^\n]*[^.\n]", error.message), error
            assert error.hint is None or error.hint.endswith((".", ":", ">")), error


def test_ids_that_pages_name_exist() -> None:
    known = set(reference_source.errors(ROOT))
    named = set(re.findall(r"\(`([a-z]+(?:-[a-z]+)+)`\)", BY_HAND))
    assert named <= known


def test_every_limit_has_a_reason() -> None:
    for _, source, found in reference_source.limits(ROOT):
        assert found, source
        assert [limit.name for limit in found if not limit.reason.endswith(".")] == []
