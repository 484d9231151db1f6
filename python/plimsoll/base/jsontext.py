"""JSON that others wrote, read with bounds."""

from __future__ import annotations

from typing import Any


def parse_json(text: bytes | str, *, whole: bool = True) -> Any:
    """The value of a document. Raises ValueError with line and column; also for one that nests deeper than 200 levels.

    Without `whole` one that ends too early is read as far as it goes; a text or a member that is cut is left out of it.

    The parser is pydantic's (jiter), which has that limit (`DEFAULT_RECURSION_LIMIT`) and takes none of Python's stack for it.
    """
    from pydantic_core import from_json

    return from_json(text, allow_inf_nan=False, allow_partial=not whole)
