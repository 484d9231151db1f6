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

ERRORS = reference_source.errors(ROOT)

UNSEEN: dict[str, str] = {
    "demo-idle": "pgbench would have to run for a quarter of a minute and ask for nothing",
    "engine-failed": "the kernel would have to break a ring that it has opened",
    "fill-failed": "a device would have to fail while it is written",
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


EXAMPLES = set(
    re.findall(r"[\"'`]([a-z][a-z0-9_]*(?:-[a-z0-9]+)+|usage|internal|interrupted)[\"'`]", _tests())
)


def test_the_source_is_read() -> None:
    assert len(ERRORS) > 50


@pytest.mark.parametrize("id", sorted(ERRORS))
def test_an_error_has_an_example(id: str) -> None:
    if id in UNSEEN:
        assert id not in EXAMPLES, f"{id} has an example now: take it off the list"
        return
    assert id in EXAMPLES, (
        f"no test names the error {id}; bring it about, or say in UNSEEN why that cannot be"
    )


@pytest.mark.parametrize("id", sorted(ERRORS))
def test_an_error_is_in_the_manual(id: str) -> None:
    assert f"## {id}\n" in (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("id", sorted(ERRORS))
def test_a_name_is_for_good(id: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)


def test_the_list_of_unseen_errors_names_only_errors() -> None:
    assert set(UNSEEN) <= set(ERRORS)
