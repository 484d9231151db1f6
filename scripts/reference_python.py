"""The reference page of the Python functions and of what they give back, from signatures and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from collections.abc import Iterator
from typing import Any


def page() -> Iterator[str]:
    """Functions first, then the classes of results."""
    from plimsoll import api

    yield "# Python functions\n"
    yield "What `import plimsoll` offers; [how it is used](../python.md). Facts, such as a Cell or a Line, have"
    yield "[a page of their own](facts.md).\n"
    offered = {name: getattr(api, name) for name in api.__all__}
    for name, one in offered.items():
        if not inspect.isclass(one):
            yield from _function(name, one)
    yield "# What they give back\n"
    for name, one in offered.items():
        if inspect.isclass(one):
            yield from _class(name, one)


def _function(name: str, function: Any) -> Iterator[str]:
    yield f"## plimsoll.{name}\n"
    about, sections = _parted(inspect.getdoc(function) or "")
    yield f"{about}\n"
    yield f"```python\n{_signature(name, function)}\n```\n"
    for title, lines in sections:
        yield from _SECTIONS[title](lines)


def _signature(name: str, function: Any) -> str:
    parameters = inspect.signature(function).parameters.values()
    return "\n".join([f"plimsoll.{name}(", *(f"    {_parameter(one)}," for one in parameters), ")"])


def _parameter(one: inspect.Parameter) -> str:
    default = "" if one.default is inspect.Parameter.empty else f" = {one.default!r}"
    star = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
    return f"{star}{one.name}: {_annotation(one.annotation)}{default}"


def _annotation(kind: Any) -> str:
    """As it would be typed, the same for every version of Python."""
    if isinstance(kind, str):
        return kind
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return " | ".join(map(_annotation, typing.get_args(kind)))
    if typing.get_origin(kind) is typing.Literal:
        return f"Literal[{', '.join(map(repr, typing.get_args(kind)))}]"
    return "None" if kind is types.NoneType else inspect.formatannotation(kind)


def _parted(doc: str) -> tuple[str, list[tuple[str, list[str]]]]:
    """What stands before the first section, and the lines of each section."""
    about: list[str] = []
    sections: list[tuple[str, list[str]]] = []
    for line in doc.splitlines():
        if line.removesuffix(":") in _SECTIONS:
            sections.append((line.removesuffix(":"), []))
        elif sections:
            sections[-1][1].append(line.removeprefix("    "))
        else:
            about.append(line)
    return "\n".join(about).strip(), sections


def _words(lines: list[str]) -> Iterator[str]:
    yield "| word | meaning |\n|---|---|"
    for line in filter(None, lines):
        name, _, meaning = line.partition(": ")
        yield f"| `{name}` | {meaning.replace('|', chr(92) + '|').replace('<', '&lt;')} |"
    yield ""


def _given(lines: list[str]) -> Iterator[str]:
    names = " ".join(lines).strip().split(" | ")
    yield f"Returns {' or '.join(f'[{name}](#{name.lower()})' for name in names)}.\n"


def _raised(lines: list[str]) -> Iterator[str]:
    yield f"Raises {' '.join(filter(None, lines))}\n"


def _example(lines: list[str]) -> Iterator[str]:
    yield "\n".join(["```python", *lines]).rstrip() + "\n```\n"


_SECTIONS = {"Args": _words, "Returns": _given, "Raises": _raised, "Example": _example}


def _class(name: str, kind: Any) -> Iterator[str]:
    """Its own members, and those of bases that are not offered themselves."""
    yield f"## {name}\n"
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("plimsoll.")]
    told = next((base.__name__ for base in bases if base.__name__ in _offered()), None)
    beyond = f" Also what [{told}](#{told.lower()}) has." if told else ""
    yield f"{inspect.getdoc(kind) or ''}{beyond}\n"
    yield from _fields(kind)
    for owner in (kind, *(base for base in bases if told is None)):
        for member, value in vars(owner).items():
            if not member.startswith("_") and getattr(kind, member) is value:
                yield from _member(member, value)
    yield ""


def _fields(kind: Any) -> Iterator[str]:
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            if field.name in vars(kind).get("__annotations__", {}) and not field.name.startswith("_"):
                yield f"- `{field.name}`: `{field.type}`"


def _offered() -> list[str]:
    from plimsoll import api

    return api.__all__


def _member(name: str, value: Any) -> Iterator[str]:
    """A line of a list."""
    if isinstance(value, property):
        kind = inspect.signature(value.fget).return_annotation if value.fget else ""
        yield f"- `{name}`: `{kind}`. {_line(value)}"
    elif inspect.isfunction(value):
        shown = inspect.signature(value)
        words = ", ".join(_parameter(one) for one in shown.parameters.values() if one.name != "self")
        given = (
            "" if shown.return_annotation is inspect.Signature.empty else f" → `{shown.return_annotation}`"
        )
        yield f"- `{name}({words})`{given}. {_line(value)}"


def _line(of: Any) -> str:
    return " ".join((inspect.getdoc(of) or "").split())
