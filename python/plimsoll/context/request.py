"""A request as it is kept with its run, and made again from it."""

from __future__ import annotations

import os
from typing import Any

from plimsoll.base.printable import encodable
from plimsoll.base.redact import redact_database, redact_word
from plimsoll.facts import StoredRequest
from plimsoll.requests.asked import Field, Request, fields_of


def stored_request(asked: Request) -> StoredRequest:
    """What is not the default, without passwords and permissions to destroy; what is left out is named.

    Who is to do the work is neither kept nor named, as the answer is the same.
    """
    answered = [field for field in fields_of(type(asked)) if field.asked.is_answered]
    changed = [field for field in answered if field.differs_in(asked)]
    kept = [field for field in changed if _may_be_kept(field, getattr(asked, field.name))]
    return StoredRequest(
        verb=asked.verb,
        words={field.asked.word: getattr(asked, field.name) for field in kept},
        left_out=tuple(field.asked.word for field in changed if field not in kept),
        folder=os.getcwd(),
    )


def _may_be_kept(field: Field, value: Any) -> bool:
    return field.asked.is_kept and _plain(field, value) == value


def _plain(field: Field, value: Any) -> Any:
    """The value without passwords, and with nothing that cannot be written down."""
    if isinstance(value, tuple):
        return tuple(_plain(field, one) for one in value)
    if not isinstance(value, str):
        return value
    redacted = redact_database(value) if field.asked.word == _DATABASE else redact_word(value)
    return encodable(redacted)


_DATABASE = "database"
