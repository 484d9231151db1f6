"""What was asked for, as it is kept with its run."""

from __future__ import annotations

from typing import Annotated, Any, cast

from pydantic import BeforeValidator

from plimsoll.facts._fact import Fact, Text


def _as_asked(value: Any) -> Any:
    """Several values as requests have them: JSON makes lists of tuples, and what is loaded would not be what was stored."""
    if isinstance(value, dict):
        return {name: _as_asked(one) for name, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return tuple(_as_asked(one) for one in cast("list[Any]", value))
    return value


class StoredRequest(Fact):
    """The words of a verb that differ from its defaults, as values in the units of `plimsoll.requests`.

    `folder` is where it was asked: names of files are seen from there. `left_out` are words that are never kept: passwords, and
    permissions to destroy what a device holds. On which cluster reports were read is not among either, as it changes nothing.
    """

    verb: str
    """The verb that was asked."""
    words: Annotated[dict[str, Any], BeforeValidator(_as_asked)] = {}
    """Its words with their values; those at their defaults are not here."""
    left_out: tuple[str, ...] = ()
    """Words that were given and are not kept."""
    folder: Text
    """The folder in which it was asked."""
