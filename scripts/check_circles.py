"""That no two modules of a crate lean on each other, directly or through others. For Python import-linter says the same.

A module is a file, or a folder with all that is in it, right below `src`. Tests may use what they like. Run by `make check`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

CRATES = Path(__file__).parent.parent / "crates"
_TESTS = re.compile(r"#\[cfg\((?:all\()?test\b.*?\]\s*(?:pub )?mod (\w+)(;| \{.*)", re.DOTALL)
_COMMENT = re.compile(r"//.*")
_PATH = re.compile(r"\bcrate::(\w+)")
_GROUP = re.compile(r"\buse crate::\{(.*?)\};", re.DOTALL)
_FIRST_NAMES = re.compile(r"(?:^|,)\s*(\w+)")
_NESTED = re.compile(r"\{[^{}]*\}")


def main() -> int:
    """Prints the modules of each circle; 1 if there was any."""
    circles = [
        (crate.parent.name, circle) for crate in sorted(CRATES.glob("*/src")) for circle in circle_in(crate)
    ]
    for crate, circle in circles:
        print(f"crates/{crate}: {' -> '.join(circle)}: move what they share below both", file=sys.stderr)
    return 1 if circles else 0


def circle_in(source: Path) -> Iterator[list[str]]:
    """One circle of the crate, if it has any, as a way that ends where it begins."""
    try:
        TopologicalSorter(leans_on(source)).prepare()
    except CycleError as error:
        yield error.args[1]


def leans_on(source: Path) -> dict[str, set[str]]:
    """Each module with those that it names."""
    modules = {path.stem for path in source.iterdir() if path.suffix == ".rs" or path.is_dir()} - {"lib"}
    named: dict[str, set[str]] = {module: set() for module in modules}
    for module in modules:
        for file in (source / f"{module}.rs", *sorted((source / module).rglob("*.rs"))):
            if file.is_file() and not is_test(file):
                named[module] |= names_in(file.read_text(encoding="utf-8")) & modules - {module}
    return named


def is_test(file: Path) -> bool:
    """Whether a file is compiled for tests alone: its parent says so."""
    parents = (file.parent / "mod.rs", file.parent.with_suffix(".rs"))
    words = "".join(parent.read_text(encoding="utf-8") for parent in parents if parent.is_file())
    return any(match[1] == file.stem and match[2] == ";" for match in _TESTS.finditer(words))


def names_in(words: str) -> set[str]:
    """The modules of the own crate that a file names outside its tests."""
    words = _TESTS.sub("", _COMMENT.sub("", words))
    named = set(_PATH.findall(words))
    for group in _GROUP.findall(words):
        named |= set(_FIRST_NAMES.findall(without_nested(group)))
    return named


def without_nested(group: str) -> str:
    """`a::{b, c}, d` without what stands in braces."""
    flat = _NESTED.sub("", group)
    return flat if flat == group else without_nested(flat)


if __name__ == "__main__":
    sys.exit(main())
