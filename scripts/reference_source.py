"""Reads limits, errors and the meaning of fields out of the source text, for `scripts/reference.py`.

Python is read by its syntax tree. Rust is read by its conventions: a doc comment above each constant of `limits.rs`, and
errors made by `CoreError::new(id, message)` or `CoreError::kernel(id, attempt, error)`, in the crate of NFS by
`NfsError::new(id, message, hint)`. Values that a message holds become names in angle brackets.
"""

from __future__ import annotations

import ast
import functools
import importlib
import itertools
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Limit:
    """One constant with its reason."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True)
class Error:
    """One way in which an error is raised; `status` is a name of ExitStatus."""

    id: str
    message: str
    hint: str | None
    status: str
    source: str


def limits(root: Path) -> Iterator[tuple[str, str, list[Limit]]]:
    """(title, source file, limits) of the Python and of the Rust part."""
    source = "python/plimsoll/base/limits.py"
    yield "Methods, stores and databases", source, _python_limits(root / source)
    source = "python/plimsoll/cluster/limits.py"
    yield "Several hosts", source, _python_limits(root / source)
    source = "python/plimsoll/reports/limits.py"
    yield "Many reports", source, _python_limits(root / source)
    source = "python/plimsoll/proof/tpch/limits.py"
    yield "Proofs with TPC-H data", source, _python_limits(root / source)
    source = "crates/engine/src/limits.rs"
    yield "The engine", source, _rust_limits(root / source)
    source = "crates/reports/src/limits.rs"
    yield "Reading reports", source, _rust_limits(root / source)
    source = "crates/reports/src/bounds.rs"
    yield "What a report may make of memory", source, _rust_limits(root / source)


def _python_limits(path: Path) -> list[Limit]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    found = []
    for statement, after in itertools.pairwise(body):
        reason = _string(after.value) if isinstance(after, ast.Expr) else None
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.value
        ):
            found.append(Limit(statement.target.id, ast.unparse(statement.value), reason or ""))
    return found


def told_below(path: Path, name: str) -> dict[str, str]:
    """What stands below each member of a class of constants."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    members = next(one.body for one in body if isinstance(one, ast.ClassDef) and one.name == name)
    return {
        member.targets[0].id: " ".join((_string(below.value) or "").split())
        for member, below in itertools.pairwise(members)
        if isinstance(member, ast.Assign)
        and isinstance(member.targets[0], ast.Name)
        and isinstance(below, ast.Expr)
    }


_RUST_LIMIT = re.compile(r"((?:^///.*\n)+)^pub const (\w+): \w+ = (.+);$", re.MULTILINE)


def _rust_limits(path: Path) -> list[Limit]:
    matches = _RUST_LIMIT.finditer(path.read_text(encoding="utf-8"))
    return [Limit(m[2], m[3], " ".join(m[1].replace("///", " ").split())) for m in matches]


@functools.cache
def errors(root: Path) -> dict[str, list[Error]]:
    """Every error by id, each way of saying it once."""
    found: dict[str, list[Error]] = {}
    raised: list[Error] = []
    promised: set[str] = set()
    for source in _sources(root):
        raised += _python_errors(source)
        promised |= _promised(source)
    raised += [*_rust_errors(root), _interruption()]
    for error in _expanded(raised, promised):
        same = found.setdefault(error.id, [])
        if all((other.message, other.hint) != (error.message, error.hint) for other in same):
            same.append(error)
    return found


def _interruption() -> Error:
    """The one error whose id its class gives."""
    from plimsoll.base.errors import Interrupted

    error = Interrupted()
    return Error(error.id, error.message, error.hint, error.status.name, "python/plimsoll/base/errors.py")


def _expanded(raised: list[Error], promised: set[str]) -> Iterator[Error]:
    """An id such as `<what>-unreadable` becomes those that docstrings promise and nothing else raises."""
    whole = {error.id for error in raised if "<" not in error.id}
    for error in raised:
        if "<" not in error.id:
            yield error
            continue
        word, rest = re.findall(r"<[^>]*>|[^<]+", error.id)
        for id in sorted(promised - whole):
            if id.endswith(rest):
                what = id.removesuffix(rest)
                yield replace(error, id=id, message=error.message.replace(word, what))


@dataclass(frozen=True)
class Source:
    """A file of the package, and the nodes of its syntax tree, outer ones first."""

    name: str
    text: str
    nodes: tuple[ast.AST, ...]


def _sources(root: Path) -> Iterator[Source]:
    """Each file once: trees of all of them together would be millions of objects, among which Python looks for garbage."""
    for path in sorted((root / "python" / "plimsoll").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield Source(path.relative_to(root).as_posix(), text, tuple(_inside(ast.parse(text))))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, like `ast.walk` and in its order, in a third of its time."""
    waiting = deque((node,))
    while waiting:
        node = waiting.popleft()
        yield node
        for value in vars(node).values():
            if isinstance(value, list):
                waiting.extend(part for part in value if isinstance(part, ast.AST))
            elif isinstance(value, ast.AST):
                waiting.append(value)


_PROMISE = re.compile(r"`([a-z]+(?:-[a-z]+)+)`")


def _promised(source: Source) -> set[str]:
    """Ids that docstrings name after "Raises"."""
    found: set[str] = set()
    for node in source.nodes if "Raises" in source.text else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            _, raises, what = (ast.get_docstring(node) or "").partition("Raises")
            found.update(_PROMISE.findall(what) if raises else [])
    return found


_STATUSES = {
    "UsageError": "USAGE",
    "UnreadableError": "DONE_IN_PART",
    "SafetyError": "REFUSED_FOR_SAFETY",
    "WorldError": "WORLD_FAILED",
    "PlimsollError": "WORLD_FAILED",
    "world_error": "WORLD_FAILED",
    "input_error": "WORLD_FAILED",
}
_DOING = {"world_error": "could not {}: <reason>", "input_error": "could not read <path>: <reason>"}
"""Functions that make the message themselves."""


def _python_errors(source: Source) -> Iterator[Error]:
    scopes = _scopes(source) if any(name in source.text for name in _STATUSES) else ()
    calls = [(call, scope) for scope in scopes for call in _own_calls(scope)]
    for call, scope in calls:
        if _is_error(call):
            for local in _ways_there(call, scope, calls):
                yield from _error_of(call, Names(source.name, local), source.name)
    yield from _tabled(source)


def _ways_there(
    call: ast.Call, scope: Any, calls: list[tuple[ast.Call, Any]]
) -> Iterator[dict[str, ast.expr]]:
    """The local names at an error: one way, or one for each caller where the id is a parameter of the function."""
    local = _assigned(scope, call.lineno)
    id = call.args[0]
    parameters = [] if isinstance(scope, ast.Module) else [argument.arg for argument in scope.args.args]
    if isinstance(scope, ast.Module) or not (isinstance(id, ast.Name) and id.id in parameters):
        yield local
        return
    parameters = [name for name in parameters if name != "self"]
    for other, place in calls:
        if _name_of(other.func) == scope.name and other.args:
            outside = _assigned(place, other.lineno)
            given = [outside.get(arg.id, arg) if isinstance(arg, ast.Name) else arg for arg in other.args]
            yield {**local, **dict(zip(parameters, given, strict=False))}


def _module_name(source: str) -> str:
    return source.removeprefix("python/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True)
class Names:
    """What names mean where an error is made: constants of the module by value, local names by what was assigned."""

    source: str
    local: dict[str, ast.expr]

    def constant(self, node: ast.expr) -> str | None:
        """The value of an expression of constants alone; None when anything in it is known only at run time."""
        names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        words = names + [part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)]
        if not any(word.isupper() for word in words) or any(name in self.local for name in names):
            return None
        module = vars(importlib.import_module(_module_name(self.source)))
        if not all(name in module for name in names):
            return None
        # The expression stands in our own source and is made of constants.
        value = eval(compile(ast.Expression(node), "<source>", "eval"), dict(module))  # noqa: S307
        return str(value) if isinstance(value, str | int | float) else None


def _scopes(source: Source) -> Iterator[Any]:
    yield source.nodes[0]
    yield from (node for node in source.nodes if isinstance(node, ast.FunctionDef))


def _own_calls(scope: Any) -> Iterator[ast.Call]:
    """Calls in this function but not in functions inside it."""
    waiting = list(reversed(scope.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting += reversed(list(ast.iter_child_nodes(node)))


def _is_error(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _STATUSES and len(call.args) >= 2


def _assigned(scope: Any, line: int) -> dict[str, ast.expr]:
    """Name → what was last assigned to it in this function before that line."""
    found: dict[str, ast.expr] = {}
    if isinstance(scope, ast.Module):
        return found
    assignments = [node for node in _inside(scope) if isinstance(node, ast.Assign) and node.lineno < line]
    for node in sorted(assignments, key=lambda node: node.lineno):
        for target in node.targets:
            found.update(_pairs(target, node.value))
    return found


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            yield from _pairs(one, its)


_ID = re.compile(r"[a-z<>]+(-[a-z]+)+|usage|interrupted")


def _error_of(call: ast.Call, names: Names, source: str) -> Iterator[Error]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    id = _text(call.args[0], names)
    if id is None or not _ID.fullmatch(id):
        return
    hint_at = 3 if name in _DOING else 2
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    hint = call.args[hint_at] if len(call.args) > hint_at else keywords.get("hint")
    message = _text(call.args[1], names) or "<message>"
    message = _DOING.get(name, "{}").format(message)
    yield Error(id, message, _text(hint, names) if hint else None, _STATUSES[name], source)


def _tabled(source: Source) -> Iterator[Error]:
    """Errors that stand in a table of (id, message, hint)."""
    names = Names(source.name, {})
    tables = (node for node in source.nodes if isinstance(node, ast.Dict))
    for value in (value for table in tables for value in table.values):
        texts = [_text(part, names) for part in value.elts] if isinstance(value, ast.Tuple) else []
        if len(texts) == 3 and texts[0] and _ID.fullmatch(texts[0]):
            message = re.sub(r"\{(\w+)[^}]*\}", r"<\1>", texts[1] or "<message>")
            yield Error(texts[0], message, texts[2], "WORLD_FAILED", source.name)


def _text(node: ast.expr, names: Names, depth: int = 0) -> str | None:
    """The string that an expression makes, its values as <names>; None when it is no string that can be seen."""
    if depth > 6:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(part, names, depth) for part in node.values)
    if isinstance(node, ast.IfExp):
        return _text(node.body, names, depth + 1) or _text(node.orelse, names, depth + 1)
    if isinstance(node, ast.Name) and node.id in names.local:
        return _text(names.local[node.id], names, depth + 1)
    if isinstance(node, ast.Name | ast.Attribute):
        return names.constant(node) or f"<{_words(_name_of(node))}>"
    return names.constant(node)


def _piece(part: ast.expr, names: Names, depth: int) -> str:
    if not isinstance(part, ast.FormattedValue):
        return _string(part) or ""
    inner = part.value
    made = names.local.get(inner.id) if isinstance(inner, ast.Name) else None
    if isinstance(made, ast.Constant | ast.JoinedStr):
        return _text(made, names, depth + 1) or "<value>"
    return names.constant(inner) or f"<{_words(_name_of(inner))}>"


def _name_of(node: ast.expr) -> str:
    """A word for a value: the last name that leads to it."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr not in ("name", "id") else f"{_name_of(node.value)} {node.attr}"
    if isinstance(node, ast.Call):
        return _name_of(node.args[0]) if node.args else _name_of(node.func)
    if isinstance(node, ast.Subscript):
        return _string(node.slice) or _name_of(node.value)
    if isinstance(node, ast.BinOp):
        return _name_of(node.left)
    return "value"


def _words(name: str) -> str:
    return name.strip("_").replace("_", " ").lower()


def _string(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_RUST_ERROR = re.compile(r"(?:CoreError::(?:new|kernel)|NfsError::new)\(\s*\"([a-z0-9-]+)\"\s*,")
_RUST_CRATES = ("engine", "nfs", "observe")
"""Those whose errors reach people."""
_RUST_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


def _rust_errors(root: Path) -> Iterator[Error]:
    for path in sorted(
        path for crate in _RUST_CRATES for path in (root / "crates" / crate / "src").rglob("*.rs")
    ):
        text = path.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        source = path.relative_to(root).as_posix()
        for match in _RUST_ERROR.finditer(text):
            yield _rust_error(text, match, source)


def _rust_error(text: str, match: re.Match[str], source: str) -> Error:
    start = match.start() + text[match.start() :].index("(")
    end = _closing(text, start)
    message = _rust_message(text, match.end(), end)
    if "kernel" in match[0]:
        message += ": <reason>"
    hint = _last_words(text, match.end(), end) if "NfsError" in match[0] else _rust_hint(text, end)
    return Error(match[1], message, hint, _core_status(match[1]), source)


def _rust_message(text: str, start: int, end: int) -> str:
    """The literal in the call, else the one last assigned to `message` above it."""
    found = _RUST_STRING.search(text, start, end)
    if found is None:
        above = text.rfind("let message", 0, start)
        found = _RUST_STRING.search(text, above, start) if above >= 0 else None
    return _rust_words(found[1]) if found else "<message>"


def _last_words(text: str, start: int, end: int) -> str | None:
    """The hint of an error that has it as its last argument, where it is a literal."""
    found = [literal[1] for literal in _RUST_STRING.finditer(text, start, end)]
    return _rust_words(found[-1]) if len(found) > 1 else None


def _rust_hint(text: str, end: int) -> str | None:
    rest = re.compile(r"[\s)]*\.hint\(").match(text, end)
    found = _RUST_STRING.search(text, rest.end(), _closing(text, rest.end() - 1)) if rest else None
    return _rust_words(found[1]) if found else None


def _rust_words(literal: str) -> str:
    joined = re.sub(r"\\\n\s*", "", literal).replace('\\"', '"')
    return re.sub(r"\{(\w*)[^}]*\}", lambda match: f"<{_words(match[1]) or 'value'}>", joined)


def _closing(text: str, opening: int) -> int:
    """Just behind the parenthesis that closes the one at `opening`; parentheses inside strings do not count."""
    depth, position = 0, opening
    while position < len(text):
        literal = _RUST_STRING.match(text, position)
        if literal:
            position = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
        if depth == 0:
            break
    return position


def _core_status(id: str) -> str:
    """The exit status that the product gives to an error of the engine: asked of the very code that gives it."""
    from plimsoll import _core
    from plimsoll.base.errors import PlimsollError
    from plimsoll.native.errors import engine_errors

    raised = _core.CoreError("example")
    raised.id, raised.message, raised.hint = id, "example", None
    try:
        with engine_errors():
            raise raised
    except PlimsollError as error:
        return error.status.name
    raise AssertionError("engine_errors must translate")
