"""Four rules that neither ruff nor import-linter can see: who calls the extension, who writes files by way of pathlib,
that what is imported is declared in pyproject.toml, not merely here because something else brought it, and that an engine
is asked what it can do instead of what it is called.

Run by `make check`. The rules and the reasons are in docs/internals; each finding names the way out.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "python" / "plimsoll"
CORE_CALLER = "native"
WRITERS = {"ports"}
WRITING_METHODS = {"write_text", "write_bytes", "unlink", "mkdir", "rmdir", "touch", "chmod", "symlink_to"}


def main() -> int:
    """Prints each breach as `file:line: what and what instead`; 1 if there was any."""
    breaches = [breach for path in sorted(PACKAGE.rglob("*.py")) for breach in breaches_in(path)]
    print("\n".join(breaches), file=sys.stderr, end="\n" if breaches else "")
    return 1 if breaches else 0


def breaches_in(path: Path) -> Iterator[str]:
    """The breaches of one file of the package."""
    layer = path.relative_to(PACKAGE).parts[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        reason = None
        if layer != CORE_CALLER and imports_core(node):
            reason = f"`_core` is for plimsoll.{CORE_CALLER} alone: ask it"
        elif layer not in WRITERS and writes(node):
            reason = "files are changed through plimsoll.ports.files alone"
        elif undeclared := next((name for name in imported(node) if not is_declared(name)), None):
            reason = f"`{undeclared}` is of no dependency in pyproject.toml: declare it, or do without"
        elif name := compared_engine(node):
            reason = f"engine {name} is compared by its name: ask plimsoll.native.engine what it can do"
        if reason:
            yield f"{path.relative_to(PACKAGE.parent.parent)}:{getattr(node, 'lineno', 0)}: {reason}"


@functools.cache
def engines() -> set[str]:
    """The engines' names, which are those of their files."""
    files = (PACKAGE.parent.parent / "crates" / "engine" / "src" / "engines").glob("*.rs")
    return {path.stem for path in files} - {"mod"}


def compared_engine(node: ast.AST) -> str | None:
    """The engine with whose name something is compared, if the node does that."""
    if not isinstance(node, ast.Compare):
        return None
    sides = (node.left, *node.comparators)
    alike = [
        one
        for side in sides
        for one in (side.elts if isinstance(side, (ast.Tuple, ast.Set, ast.List)) else [side])
    ]
    words = [one.value for one in alike if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return next((word for word in words if word in engines()), None)


def imports_core(node: ast.AST) -> bool:
    """Whether the node is an import of `plimsoll._core` in any spelling."""
    if isinstance(node, ast.Import):
        return any(name.name.startswith("plimsoll._core") for name in node.names)
    if isinstance(node, ast.ImportFrom):
        inside = node.module == "plimsoll" and any(name.name == "_core" for name in node.names)
        return inside or (node.module or "").startswith("plimsoll._core")
    return False


def imported(node: ast.AST) -> list[str]:
    """The outermost names of the packages that the node imports."""
    if isinstance(node, ast.Import):
        return [name.name.partition(".")[0] for name in node.names]
    return [(node.module or "").partition(".")[0]] if isinstance(node, ast.ImportFrom) else []


def is_declared(name: str) -> bool:
    """Whether a package is ours, Python's own, or belongs to a dependency that pyproject.toml names."""
    return (
        name == "plimsoll" or name in sys.stdlib_module_names or bool(declared() & owners().get(name, set()))
    )


@functools.cache
def declared() -> set[str]:
    """The distributions that the core and the extras name, in the index's spelling."""
    project = tomllib.loads((PACKAGE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = itertools.chain(project["dependencies"], *project["optional-dependencies"].values())
    return {canonical(re.split(r"[\[<>=;! ]", line)[0]) for line in wanted}


@functools.cache
def owners() -> dict[str, set[str]]:
    """Package name → the installed distributions that hold it."""
    return {name: {canonical(owner) for owner in held} for name, held in packages_distributions().items()}


def canonical(distribution: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def writes(node: ast.AST) -> bool:
    """Whether the node opens a file for writing or calls a pathlib method that changes the file system."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in WRITING_METHODS or (
            node.func.attr == "open" and writing_mode(node.args[:1], node)
        )
    return isinstance(node.func, ast.Name) and node.func.id == "open" and writing_mode(node.args[1:2], node)


def writing_mode(positional: list[ast.expr], call: ast.Call) -> bool:
    """Whether the mode, given by place or by name, allows writing."""
    modes = positional + [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    return any(
        isinstance(mode, ast.Constant)
        and isinstance(mode.value, str)
        and mode.value.strip("rbt")
        and len(mode.value) < 4
        for mode in modes
    )


if __name__ == "__main__":
    sys.exit(main())
