"""The root of all facts."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    GetCoreSchemaHandler,
    PlainSerializer,
    SerializationInfo,
    ValidationInfo,
)
from pydantic_core.core_schema import plain_serializer_function_ser_schema

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


def _blob_in_json(blob: bytes, info: SerializationInfo) -> str:
    """Base64; where the context collects blobs, the SHA-256 under which it then holds this one."""
    if not isinstance(info.context, dict):
        return base64.b64encode(blob).decode()
    digest = hashlib.sha256(blob).hexdigest()
    info.context[digest] = blob
    return digest


def _blob_of_json(value: Any, info: ValidationInfo) -> Any:
    """The way back of `_blob_in_json`: blobs come from the context by their SHA-256, others are base64 of either alphabet."""
    if not isinstance(value, str):
        return value
    known = info.context if isinstance(info.context, dict) else {}
    if value in known:
        return known[value]
    if _SHA256.fullmatch(value):
        raise ValueError(f"the blob {value} is missing")
    return base64.b64decode(value.translate(_STANDARD_BASE64), validate=True)


class _WrittenAsTuple:
    """Has a list that is none be one when it is written."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        held: Any = handler(source)
        return {**held, "serialization": plain_serializer_function_ser_schema(tuple, return_schema=held)}


_SHA256 = re.compile(r"[0-9a-f]{64}")
_STANDARD_BASE64 = str.maketrans("-_", "+/")
_SHOWN_MAX = 100
"""Signs of a value where a fact is shown in short."""

T = TypeVar("T")
Blob = Annotated[
    bytes, PlainSerializer(_blob_in_json, when_used="json-unless-none"), BeforeValidator(_blob_of_json)
]
"""Bytes that several facts of a run may have in common, and that its document holds once (`plimsoll.facts.document`)."""
Several = Annotated[tuple[T, ...], FailFast()]
"""Facts that a file may hold by the million: the first that is off is told, as telling each would take all memory."""
Many = Annotated[tuple[T, ...], FailFast(), _WrittenAsTuple()]
"""The same, where those of tens of thousands of reports may be a list that makes each when it is asked for (`facts/packed.py`).

Written alone it is made all at once; who writes many facts asks for some at a time (`facts/document.py`).
"""
Text = Annotated[str, BeforeValidator(_as_text)]
"""A name or a sentence in which a path may stand: bytes in it that are no UTF-8 are written out, so that it can be kept."""
Said = Annotated[str, BeforeValidator(_as_text), AfterValidator(_said)]
"""A sentence for people. What it quotes may hold a password, which is taken out before anybody shows or keeps it."""
Typed = Annotated[str, BeforeValidator(_as_text), AfterValidator(_typed)]
"""A command as it was typed, but for its passwords."""


_FIELDS: dict[type[Any], tuple[tuple[str, ...], set[str]]] = {}
"""Names of the fields of each class, in order and as a set, which all that come from other processes have in common: facts are
frozen, and a copy with changes has a set of its own.
"""
_set = object.__setattr__


class Fact(BaseModel):
    """Frozen, strict about unknown fields; bytes are a `Blob`."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, ser_json_inf_nan="null"
    )

    def but(self, **changes: Any) -> Self:
        """The same with these fields changed, checked as a new one is. Raises ValidationError, also for a field that is none."""
        return type(self).model_validate(self.__dict__ | changes)

    def __getstate__(self) -> Any:
        """Facts go to other processes by the hundred thousand: the values alone, in the order of the fields."""
        held = self.__dict__
        return tuple([held[name] for name in _fields(type(self))[0]])

    def __setstate__(self, state: Any) -> None:
        """Of values that were checked when the fact was first made."""
        names, given = _fields(type(self))
        _set(self, "__dict__", dict(zip(names, state, strict=True)))
        _set(self, "__pydantic_fields_set__", given)
        _set(self, "__pydantic_extra__", None)
        _set(self, "__pydantic_private__", None)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows of it at a prompt or in a notebook, in place of all that it holds."""
        fields = ", ".join(f"{name}={_in_short(value)}" for name, value in self.__dict__.items())
        printer.text(f"{type(self).__name__}({fields})")


def _fields(kind: type[Fact]) -> tuple[tuple[str, ...], set[str]]:
    fields = _FIELDS.get(kind)
    if fields is None:
        names = tuple(kind.model_fields)
        fields = _FIELDS[kind] = names, set(names)
    return fields


def field_names(kind: type[Fact]) -> tuple[str, ...]:
    """The names of the fields of a class of facts, in their order."""
    return _fields(kind)[0]


def _in_short(value: Any) -> str:
    """Facts by their class, collections by how much they hold."""
    if isinstance(value, Fact):
        return f"<{type(value).__name__}>"
    if isinstance(value, tuple) and value and isinstance(value[0], Fact):
        return f"<{len(value):,} {type(value[0]).__name__}>"
    text = repr(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[: _SHOWN_MAX - 1]}…"


class Note(Fact):
    """Something a reader of the result must know: a fallback, a warning, a thing left out.

    `code` is stable, `message` is for people.
    """

    code: str
    """Stable, for programs."""
    message: Said
    """A sentence for people."""
