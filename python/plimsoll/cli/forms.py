"""The form of an answer: what was asked for, and whether the verb has it, told before anything is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError
from plimsoll.cli import output
from plimsoll.cli.place import Form, Place

if TYPE_CHECKING:
    from plimsoll.requests.asked import Request


def placed(words: Mapping[str, Any], asked: Request) -> Place:
    """Where the answer goes, and how, by the words of `plimsoll.cli.options`. Raises UsageError where the verb has none such."""
    form = _form_of(bool(words["json"]), words.get("format") or asked.answer_format)
    place = Place(form == "json", words.get("events"), words.get("store"), asked, form, words.get("table"))
    _check(place, asked)
    return place


def _form_of(json: bool, form: Any) -> Form:
    """The one that was asked for. Raises UsageError `output-conflict`."""
    if json and form not in (None, "json"):
        raise UsageError(
            "output-conflict", f"--json and --format {form} ask for two forms", "Give one of them."
        )
    return "json" if json else form or "table"


def _check(place: Place, asked: Request) -> None:
    """That the verb has what was asked for. Raises UsageError `format-no-table`, `option-idle`, `table-unknown`."""
    output.answer_in(place.form)
    known = asked.result_tables
    if place.form in ("table", "json"):
        if place.table is not None:
            message = "--table would have no effect without --format csv or --format ndjson"
            raise UsageError("option-idle", message, "Leave it out, or give one of them.")
        return
    if known == ():
        raise no_table(place.form)
    if place.table is not None:
        _check_name(place.table, known)


def no_table(form: str) -> UsageError:
    """The error for a verb whose result is no table."""
    return UsageError(
        "format-no-table",
        f"--format {form} cannot be used here: the result is not a table",
        "Use --format json.",
    )


def _check_name(name: str, known: tuple[str, ...] | None) -> None:
    """Of a run any name will do that a run may have: which of them it has is known when it has ended."""
    from plimsoll.cli.data import names_of_runs, unknown_table

    if known is not None:
        if name not in known:
            raise unknown_table(name, known)
    elif name not in (names := names_of_runs()):
        raise unknown_table(name, names)
