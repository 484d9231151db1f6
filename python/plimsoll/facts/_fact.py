"""The root of all facts."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, FailFast

from plimsoll.base.printable import encodable


def _as_text(value: Any) -> Any:
    return encodable(value) if isinstance(value, str) else value


def _said(text: str) -> str:
    # Imported when used, here and below: most facts say nothing.
    from plimsoll.base.redact import redact

    return redact(text)


def _typed(line: str) -> str:
    from plimsoll.base.redact import redact_line

    return redact_line(line)


T = TypeVar("T")
Several = Annotated[tuple[T, ...], FailFast()]
"""Facts that a file may hold by the million: the first that is off is told, as telling each would take all memory."""
Text = Annotated[str, BeforeValidator(_as_text)]
"""A name or a sentence in which a path may stand: bytes in it that are no UTF-8 are written out, so that it can be kept."""
Said = Annotated[str, BeforeValidator(_as_text), AfterValidator(_said)]
"""A sentence for people. What it quotes may hold a password, which is taken out before anybody shows or keeps it."""
Typed = Annotated[str, BeforeValidator(_as_text), AfterValidator(_typed)]
"""A command as it was typed, but for its passwords."""


class Fact(BaseModel):
    """Frozen, strict about unknown fields; bytes are base64 in JSON."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        defer_build=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
        ser_json_inf_nan="null",
    )


class Note(Fact):
    """Something a reader of the result must know: a fallback, a doubt, a thing left out.

    `code` is stable, `message` is for people.
    """

    code: str
    message: Said
