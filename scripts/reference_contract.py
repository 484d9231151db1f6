"""Tables of `docs/cli-contract.md` that the code knows: exit statuses, documents of `--json`, events, units, verbs without tables.

The page is written by hand around them. Each stands between a comment with its name and another one that says where it ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import reference_schemas
import reference_source

PAGE = Path("docs/cli-contract.md")
_PART = re.compile(
    r"(?P<begin>^<!-- (?P<name>[a-z-]+): made by scripts/reference\.py -->\n).*?(?P<end>^<!-- end -->$)",
    re.MULTILINE | re.DOTALL,
)
_ERRORS = Path("python/plimsoll/base/errors.py")
_FACTS = "reference/facts.md#"


def renewed(page: str, root: Path) -> str:
    """The text of the page with its tables made anew. Raises KeyError for a part that nobody makes."""

    def made(part: re.Match[str]) -> str:
        return part["begin"] + "\n" + "\n".join(PARTS[part["name"]](root)) + "\n\n" + part["end"]

    return _PART.sub(made, page)


def parts_of(page: str) -> list[str]:
    """Names of the tables that the page has."""
    return [part["name"] for part in _PART.finditer(page)]


def _exit_statuses(root: Path) -> Iterator[str]:
    from plimsoll.base.errors import ExitStatus

    meant = reference_source.told_below(root / _ERRORS, "ExitStatus")
    yield "| status | meaning |\n|---|---|"
    yield from (f"| {int(status)} | {_in_table(meant[status.name])} |" for status in ExitStatus)


def _documents(_: Path) -> Iterator[str]:
    yield "| kind | from | `data` |\n|---|---|---|"
    known = reference_schemas.data_by_kind()
    for kind, data in sorted(known.items()):
        origin = _origin(kind)
        if origin is not None:
            yield f"| `{kind}` | {origin} | {_like_another(data, known) or _words(data)} |"


_ORIGINS = {
    "calibrate-ladder": "`plimsoll calibrate`, with `--ladder`",
    "calibrate-working-sets": "`plimsoll calibrate`, with `--working-sets`",
    "compare": "`plimsoll compare`, `plimsoll prove compare`",
    "demand-collector": "`plimsoll demand`, with `--collector`",
    "error": "any verb that failed",
    "help-man": "`plimsoll help`, with `--man`",
    "io-fill": "`plimsoll io`, with `--fill`",
    "orion-help": "`plimsoll orion -help`",
    "prove": "`plimsoll prove slob`, `order-entry`, `tpch`",
    "prove-order-entry": "`setup`, `status`, `verify` and `drop` of `plimsoll prove order-entry`",
    "prove-slob": "`setup`, `status` and `drop` of `plimsoll prove slob`",
    "prove-tpch": "`setup`, `status` and `drop` of `plimsoll prove tpch`",
    "read-schema": "`plimsoll read`, with `--schema`",
    "run": "`plimsoll store show`",
}
"""Where documents are from whose kind is not the name of their verb."""


def _origin(kind: str) -> str | None:
    """Which command prints it; None: results of this kind stand beside others, and none prints them alone."""
    from plimsoll.cli import verbs

    verb = f"plimsoll {kind.replace('-', ' ')}"
    return _ORIGINS.get(kind) or (f"`{verb}`" if verb in {one.name for one in verbs.single()} else None)


def _like_another(data: dict[str, Any], known: dict[str, dict[str, Any]]) -> str | None:
    """`` as `calibrate`, with … ``; None: it holds no other kind's data."""
    parts = data.get("allOf", ())
    for kind, whole in known.items():
        if "properties" in whole and any(part is whole for part in parts):
            return f"as `{kind}`, with {', '.join(_fields(part) for part in parts if part is not whole)}"
    return None


def _words(schema: dict[str, Any]) -> str:
    """A schema in words: facts by their names, and the fields beside them."""
    if "$ref" in schema:
        return f"{_article(schema)} {_link(schema)}"
    if "anyOf" in schema:
        kinds = [one for one in schema["anyOf"] if "not" not in one and one.get("type") != "null"]
        return ", or ".join(map(_words, kinds))
    if "allOf" in schema:
        parts = list(_flat(schema))
        facts = [_words(one) for one in parts if "properties" not in one]
        fields = ", ".join(_fields(one) for one in parts if "properties" in one)
        return f"{', '.join(facts)}, with {fields}" if facts else fields
    if schema.get("type") == "array":
        return f"a list, each {_words(schema['items'])}"
    return _fields(schema)


def _flat(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What must hold together, however it is nested."""
    if "allOf" not in schema:
        yield schema
        return
    for one in schema["allOf"]:
        yield from _flat(one)


def _fields(schema: dict[str, Any]) -> str:
    return ", ".join(_field(name, about) for name, about in schema["properties"].items())


def _field(name: str, about: dict[str, Any]) -> str:
    """`` `cells[]` (`small_depth`, …) ``, `` `target` (a [Target](…)) ``, or the name alone."""
    many = about.get("type") == "array"
    of = about["items"] if many else about
    word = f"`{name}[]`" if many else f"`{name}`"
    named = next((one for one in (of, *of.get("anyOf", ())) if "$ref" in one), None)
    told = []
    if named is not None:
        told.append(f"{_link(named)} each" if many else f"{_article(named)} {_link(named)}")
    elif "properties" in of:
        told.append(_fields(of))
    if "description" in about:
        told.append(_in_table(about["description"]))
    return f"{word} ({'; '.join(told)})" if told else word


def _link(ref: dict[str, str]) -> str:
    name = ref["$ref"].rpartition("/")[2]
    return f"[{name}]({_FACTS}{name.lower()})"


def _article(ref: dict[str, str]) -> str:
    return "an" if ref["$ref"].rpartition("/")[2][0] in "AEIOU" else "a"


def _events(_: Path) -> Iterator[str]:
    from plimsoll.facts import Event

    yield "| kind | what |\n|---|---|"
    for fact in get_args(get_args(Event)[0]):
        name, told = fact.__name__, " ".join((fact.__doc__ or "").split())
        yield f"| `{fact.model_fields['kind'].default}` | a [{name}]({_FACTS}{name.lower()}): {_in_table(told)} |"


def _units(_: Path) -> Iterator[str]:
    from plimsoll.base.units import BYTES_OF, PER_SECOND_OF, SECONDS_OF

    yield "| unit | of a size, in bytes | of a duration, in seconds | of a rate, per second |\n|---|---|---|---|"
    for unit in dict.fromkeys((*BYTES_OF, *SECONDS_OF, *PER_SECOND_OF)):
        cells = (_count(BYTES_OF.get(unit)), SECONDS_OF.get(unit, "–"), _count(PER_SECOND_OF.get(unit)))
        yield f"| {f'`{unit}`' if unit else 'none'} | {' | '.join(cells)} |"


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def _without_tables(_: Path) -> Iterator[str]:
    from plimsoll.cli import verbs

    names = [" ".join(verb.words) for verb in verbs.single() if verb.request.tables == ()]
    yield f"No tables have {', '.join(f'`{name}`' for name in names)}, and the actions of `prove` on tables."


def _in_table(told: str) -> str:
    """As a cell of a table: no sentence, but its words."""
    return (told[:1].lower() + told[1:].rstrip(".")).replace("|", "\\|")


PARTS: dict[str, Callable[[Path], Iterator[str]]] = {
    "exit-statuses": _exit_statuses,
    "documents": _documents,
    "events": _events,
    "units": _units,
    "without-tables": _without_tables,
}
