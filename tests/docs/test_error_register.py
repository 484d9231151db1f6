"""Every error that the code can raise is written down, and has an example: a test that names its id.

The ids are collected from the source itself, so an error that nobody has ever seen happen is found here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import reference_source  # noqa: E402 - found beside the other scripts

Errors = dict[str, list[reference_source.Error]]

UNSEEN: dict[str, str] = {
    "demo-idle": "pgbench would have to run for a quarter of a minute and ask for nothing",
    "engine-failed": "the kernel would have to break a ring that it has opened",
    "inspect-failed": "a device would have to fail while it is read",
    "out-of-threads": "the machine would have to be out of threads",
}
"""Errors that no test can bring about, each with the reason."""


def _tests() -> str:
    """The text of all tests, those of the crates included, but for this one."""
    paths = [
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "crates").glob("*/tests/**/*.rs"),
    ]
    texts = [path.read_text(encoding="utf-8") for path in paths if path != Path(__file__).resolve()]
    for path in (ROOT / "crates").glob("*/src/**/*.rs"):
        texts.append(path.read_text(encoding="utf-8").partition("#[cfg(test)]")[2])
    return "\n".join(texts)


@pytest.fixture(scope="module")
def examples() -> set[str]:
    """What tests put into quotes, and could be the id of an error."""
    quoted = r"[\"'`]([a-z][a-z0-9_]*(?:-[a-z0-9]+)+|usage|internal|interrupted)[\"'`]"
    return set(re.findall(quoted, _tests()))


@pytest.fixture(scope="module")
def errors() -> Errors:
    """By id; they take a while to find, and not every process of tests needs them."""
    return reference_source.errors(ROOT)


def test_the_source_is_read(errors: Errors) -> None:
    assert len(errors) > 50


def test_every_error_has_an_example(errors: Errors, examples: set[str]) -> None:
    wanted = set(errors) - set(UNSEEN)
    assert wanted <= examples, (
        f"no test names {sorted(wanted - examples)}; bring it about, or say in UNSEEN why that cannot be"
    )


def test_an_unseen_error_that_has_an_example_is_taken_off_the_list(examples: set[str]) -> None:
    assert set(UNSEEN) & examples == set()


def test_every_error_is_in_the_manual(errors: Errors) -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    assert [id for id in errors if f"## {id}\n" not in page] == []


def test_a_name_is_for_good(errors: Errors) -> None:
    assert [id for id in errors if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)] == []


def test_the_list_of_unseen_errors_names_only_errors(errors: Errors) -> None:
    assert set(UNSEEN) <= set(errors)
