"""PyMySQL's sessions within limits: what lasts too long, or does not end, is given up."""

from __future__ import annotations

import io
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.databases import _mariadb_errors as errors
from plimsoll.databases import _mariadb_wire as wire


class Endless(io.RawIOBase):
    """A server that never stops."""

    def read(self, size: int = -1, /) -> bytes:
        return b"x" * size


def _read(driver: Any) -> None:
    with errors.translated("me@there"):
        while True:
            driver._read_bytes(1000)


@pytest.fixture
def driver() -> Any:
    """A session whose server is endless."""
    made: Any = wire.connection_class()(defer_connect=True)
    made._rfile = Endless()
    return made


@pytest.mark.parametrize(
    ("limit", "id"), [("answer_bytes_max", "database-odd"), ("answer_s_max", "database-slow")]
)
def test_what_does_not_end_is_given_up(driver: Any, limit: str, id: str) -> None:
    setattr(driver, limit, 0.2 if limit == "answer_s_max" else 1 << 20)
    other = "answer_s_max" if limit == "answer_bytes_max" else "answer_bytes_max"
    setattr(driver, other, None if other == "answer_s_max" else 1 << 60)
    driver._begin()
    with pytest.raises(WorldError) as failed:
        _read(driver)
    assert failed.value.id == id
    assert "me@there" in failed.value.message
