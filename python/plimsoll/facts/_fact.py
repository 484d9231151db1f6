"""The root of all facts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


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
    message: str
