"""Writes the manual's reference pages (docs/reference), and tables of others, from the code that they describe.

`python scripts/reference.py` writes what is out of date; `tests/docs` fails as long as there is anything to write.
One function makes one page, and `PAGES` names them: commands from the parser, settings from their table, engines and
patterns from the extension's registries, facts from their classes, limits and errors from the source itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "reference"
if str(ROOT / "scripts") not in sys.path:
    sys.path.insert(0, str(ROOT / "scripts"))

import reference_contract  # noqa: E402 - found beside this file, however it is started
import reference_python  # noqa: E402
import reference_schemas  # noqa: E402
import reference_source  # noqa: E402

MARK = "<!-- Made by scripts/reference.py from the code; change the code, then run it again. -->"


def main() -> int:
    """Writes each page that differs from what the code says, and names it; the same with the schema and the scripts for shells."""
    made = {**pages(), reference_schemas.NAME: reference_schemas.text()}
    published = {FOLDER / name: text for name, text in made.items()}
    for path, text in {**published, **shell_scripts(), **pages_with_tables()}.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))
    return 0


def shell_scripts() -> dict[Path, str]:
    """Where each shell looks for completions below a prefix, in the folder that wheels take along → the script."""
    from plimsoll.cli.shells import SCRIPTS

    places = {
        "bash": "bash-completion/completions/plimsoll",
        "zsh": "zsh/site-functions/_plimsoll",
        "fish": "fish/vendor_completions.d/plimsoll.fish",
    }
    return {ROOT / "share/data/share" / place: SCRIPTS[shell] for shell, place in places.items()}


def pages_with_tables() -> dict[Path, str]:
    """Pages that are written by hand around tables of the code → the whole text."""
    page = ROOT / reference_contract.PAGE
    return {page: reference_contract.renewed(page.read_text(encoding="utf-8"), ROOT)}


def pages() -> dict[str, str]:
    """File name → whole text of every page."""
    return {name: f"{MARK}\n\n" + "\n".join(make()).rstrip() + "\n" for name, make in PAGES.items()}


def commands_page() -> Iterator[str]:
    """Every verb with its arguments and options, as the command line has them."""
    from plimsoll.cli import help, verbs

    yield "# Verbs and options\n"
    yield "`plimsoll help VERB` says the same. Exit statuses and the JSON envelope: [the contract](../cli-contract.md).\n"
    for verb in verbs.single():
        yield f"## {verb.name}\n"
        yield "\n\n".join(verb.paragraphs)
        yield f"\n```text\n{help.usage(verb)}\n```\n"
        groups = {"Arguments": help.arguments(verb), **help.grouped(verb)}
        yield "| word | meaning |\n|---|---|"
        yield from (
            f"| `{_cell(help.term(field))}` | {_cell(help.meaning(field))} |"
            for fields in groups.values()
            for field in fields
        )
        yield ""
        for what, command in help.examples(verb):
            yield f"{what}:\n\n```console\n$ {command}\n```\n"


def settings_page() -> Iterator[str]:
    """Every environment variable."""
    from plimsoll.base.settings import SETTINGS

    yield "# Settings\n"
    yield "Every environment variable that Plimsoll reads. One that is empty counts as not set.\n"
    yield "| variable | meaning |\n|---|---|"
    yield from (f"| `{setting.name}` | {_cell(setting.help)} |" for setting in SETTINGS)
    yield "\nThe PostgreSQL driver reads its own variables as well, such as `PGPASSWORD` and `PGPASSFILE`."


def limits_page() -> Iterator[str]:
    """Every limit and default figure, with its reason."""
    yield "# Limits\n"
    yield "Every limit and default figure, with its reason. None of them is a setting."
    for title, source, found in reference_source.limits(ROOT):
        yield f"\n## {title}\n"
        yield f"From `{source}`.\n"
        yield "| name | value | reason |\n|---|---|---|"
        yield from (f"| `{limit.name}` | `{limit.value}` | {_cell(limit.reason)} |" for limit in found)


def engines_page() -> Iterator[str]:
    """How an I/O reaches the target."""
    from plimsoll import _core
    from plimsoll.supply import simulation

    yield "# Engines\n"
    yield "An engine is how an I/O reaches the target: `--engine NAME`. `auto` takes the best that works on the target and"
    yield "says in a note why a better one was passed over.\n"
    yield from _registry(_core.engines(), lambda engine: "" if engine["real"] else " It does no real I/O.")
    yield "### Words of a simulated target\n"
    yield "`sim:` and any of these, with commas between, such as `sim:law=constant,mean=5ms,servers=24`.\n"
    yield from (simulation.__doc__ or "").splitlines()[2:]


def patterns_page() -> Iterator[str]:
    """Which I/O comes next."""
    from plimsoll import _core

    yield "# Patterns\n"
    yield "A pattern decides where the next I/O goes. `--rw` names a pattern together with the share of reads:\n"
    yield from _modes()
    yield ""
    yield from _registry(_core.patterns(), lambda pattern: "")


def _registry(entries: Any, more: Callable[[Any], str]) -> Iterator[str]:
    for entry in sorted(entries, key=lambda entry: entry["name"]):
        title = entry["title"]
        yield f"## {entry['name']}\n\n{title[:1].upper()}{title[1:]}.{more(entry)}\n\n{entry['help']}\n"


def _modes() -> Iterator[str]:
    from plimsoll.supply.workloads import RW_MODES

    yield "| `--rw` | pattern | reads | each write durable |\n|---|---|---|---|"
    for name, mode in RW_MODES.items():
        share = mode.read_share
        reads = "`--read-share`, else 50 %" if share is None else f"{share:.0%}".replace("%", " %")
        yield f"| `{name}` | {mode.pattern} | {reads} | {'yes' if mode.sync else 'no'} |"


def databases_page() -> Iterator[str]:
    """What `--database` takes."""
    from plimsoll import databases
    from plimsoll.base import registry

    yield "# Databases\n"
    yield "What `--database` takes.\n"
    for name in databases.names():
        kind = registry.load(databases, name, "DATABASE")
        form = ", ".join(f"`{scheme}://…`" for scheme in kind.schemes) or f"`{kind.name}`"
        yield f"## {kind.name}\n\n{kind.title}. Written as {form}.\n\n{kind.help}\n"


def rules_page() -> Iterator[str]:
    """What `plimsoll advise` looks for."""
    from plimsoll.rules import page_of, rules

    yield "# Rules of advice\n"
    yield "What [`plimsoll advise`](../advise.md) looks for; each is one file. A hint is worth a look, and no more.\n"
    for name, rule in rules().items():
        kind = "a hint" if rule.severity == "hint" else "a finding"
        yield f"## {name}\n\n{rule.title}: {kind} of the family {rule.family}.\n"
        yield from _headed(page_of(name))
        yield f"- **What would disprove it**: {rule.disproof}\n"


def _headed(page: str) -> Iterator[str]:
    """The headings of a manual page, each with its text in a line."""
    heading, words = "", []
    for line in (*page.splitlines(), ":"):
        if line.startswith(" "):
            words.append(line.strip())
        elif line.endswith(":"):
            if words:
                yield f"- **{heading}**: {' '.join(words)}"
            heading, words = line.removesuffix(":"), []


def errors_page() -> Iterator[str]:
    """Every error id with what it says."""
    from plimsoll.base.errors import ExitStatus

    yield "# Errors\n"
    yield "Every error has an id for good. It stands in the document of `--json`; people see the message and the hint."
    yield "Words in angle brackets stand for values. The status is the command's [exit status](../cli-contract.md).\n"
    grouped = reference_source.errors(ROOT)
    for id in sorted(grouped):
        yield f"## {id}\n"
        for error in grouped[id]:
            status = f"{int(ExitStatus[error.status])}, {error.status.lower().replace('_', ' ')}"
            yield (
                f"```text\nerror: {error.message}"
                + (f"\nhint: {error.hint}" if error.hint else "")
                + "\n```\n"
            )
            yield f"Status {status}. From `{error.source}`.\n"


def facts_page() -> Iterator[str]:
    """Every record that leaves the product, with its fields."""
    import plimsoll.facts
    from plimsoll.facts import Fact

    yield "# Facts\n"
    yield "The records that `--json`, `--events`, `store export` and the store's tables are made of. A field that is `null` is"
    yield "unknown, never zero. Bytes are base64 in JSON; instants are ISO 8601 with zone. Each class is in `plimsoll.facts`."
    yield f"The JSON Schema of every document of `--json`: [{reference_schemas.NAME}]({reference_schemas.NAME}).\n"
    known = {name: getattr(plimsoll.facts, name) for name in plimsoll.facts.__all__}
    for name, fact in known.items():
        if isinstance(fact, type) and issubclass(fact, Fact) and fact is not Fact:
            yield from _fact(name, fact)


def _fact(name: str, fact: Any) -> Iterator[str]:
    from plimsoll.facts.meanings import meanings

    schema = fact.model_json_schema(mode="serialization", ref_template="#{model}")
    told = meanings(fact)
    yield f"## {name}\n\n{_cell(fact.__doc__ or '')}\n"
    yield "| field | type | meaning |\n|---|---|---|"
    yield from (
        f"| `{field}` | {_type(about)} | {_cell(told[field])} |"
        for field, about in schema["properties"].items()
    )
    yield ""


def _type(about: dict[str, Any]) -> str:
    """A JSON schema's type in words, with links to facts."""
    if "$ref" in about:
        name = about["$ref"].removeprefix("#")
        return f"[{name}](#{name.lower()})"
    if "anyOf" in about or "oneOf" in about:
        return " or ".join(_type(option) for option in about.get("anyOf") or about["oneOf"])
    if "const" in about or "enum" in about:
        return ", ".join(f"`{value}`" for value in about.get("enum", [about.get("const")]))
    plain = _FORMATS.get(about.get("format", "")) or str(about.get("type", "any"))
    return _collection(about) or plain


_FORMATS = {"date-time": "instant", "binary": "bytes"}


def _collection(about: dict[str, Any]) -> str | None:
    if "prefixItems" in about:
        return "[" + ", ".join(_type(item) for item in about["prefixItems"]) + "]"
    if about.get("type") == "array":
        return f"array of {_type(about['items'])}"
    if about.get("type") == "object" and isinstance(about.get("additionalProperties"), dict):
        return f"object of {_type(about['additionalProperties'])}"
    return None


def report_tables_page() -> Iterator[str]:
    """The tables that `plimsoll read` makes."""
    from plimsoll.reports.reader import views
    from plimsoll.reports.schema import of_reports
    from plimsoll.reports.tables import VIEW_COLUMNS

    yield "# Tables of reports\n"
    yield "The tables that [`plimsoll read`](../read.md) makes: the same columns and units for every release, kind and form of"
    yield "report. What a report does not print is null. `plimsoll read --schema` says the same.\n"
    yield "Each typed view has these columns in front of its own, unless one of its own has the name:\n"
    yield "| column | type | meaning |\n|---|---|---|"
    yield from (f"| `{name}` | {kind} | {_cell(about)} |" for name, kind, about in VIEW_COLUMNS)
    yield "\n## Typed views\n"
    for view in views():
        yield from _table_of_reports(view.name, view.about, [column.model_dump() for column in view.columns])
    yield "## About the reports themselves\n"
    for table in of_reports():
        yield from _table_of_reports(table["name"], table["about"], table["columns"])


def _table_of_reports(name: str, about: str, columns: list[dict[str, Any]]) -> Iterator[str]:
    told = any(column["about"] for column in columns)
    yield f"### {name}\n\n{_cell(about[:1].upper() + about[1:]).rstrip('.')}.\n"
    yield (
        "| column | type | unit | meaning |\n|---|---|---|---|"
        if told
        else "| column | type | unit |\n|---|---|---|"
    )
    for column in columns:
        row = f"| `{column['name']}` | {column['type']} | {column['unit'] or ''} |"
        yield f"{row} {_cell(column['about'])} |" if told else row
    yield ""


def _cell(text: str) -> str:
    """One line that cannot end a cell of a table or open a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands.md": commands_page,
    "databases.md": databases_page,
    "engines.md": engines_page,
    "errors.md": errors_page,
    "facts.md": facts_page,
    "limits.md": limits_page,
    "patterns.md": patterns_page,
    "python.md": reference_python.page,
    "report-tables.md": report_tables_page,
    "rules.md": rules_page,
    "settings.md": settings_page,
}

if __name__ == "__main__":
    sys.exit(main())
