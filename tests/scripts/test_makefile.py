"""Words of make: each that it claims to know does something, and those that contributors are told of are among them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
(_phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
RULES = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
TOLD = re.findall(
    r"^\| `make ([a-z-]+)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_a_word_without_a_file_of_its_name_has_a_rule() -> None:
    """make says of one without that there is nothing to be done, and ends well."""
    assert set(_phony.split()) == RULES


@pytest.mark.parametrize("word", TOLD)
def test_a_word_that_contributors_are_told_of_is_there(word: str) -> None:
    assert word in RULES


@pytest.mark.parametrize(
    ("asked", "profile", "stamp"), [((), "release", ""), (("EXTENSION_PROFILE=dev",), "dev", "-dev")]
)
def test_an_extension_of_one_profile_leaves_none_of_another(
    asked: tuple[str, ...], profile: str, stamp: str
) -> None:
    """The stamps of both are gone before one is made, so that neither is taken for the other."""
    if shutil.which("make") is None:
        pytest.skip("no make: install Debian's package make")
    done = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--always-make", "build", *asked],
        cwd=ROOT,
        env={
            name: word
            for name, word in os.environ.items()
            if name not in ("MAKEFLAGS", "MAKELEVEL", "EXTENSION_PROFILE")
        },
        capture_output=True,
        text=True,
        check=False,
    )
    told = done.stdout.splitlines()
    assert told[-3:] == [
        "rm -f .venv/.extension*",
        f"scripts/extension.sh {profile}",
        f"touch .venv/.extension{stamp}",
    ], done.stderr


def test_the_build_server_has_the_extension_with_checks() -> None:
    assert "export EXTENSION_PROFILE=dev\nmake check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
