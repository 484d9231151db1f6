"""Parts that are not installed, and accounts that are not there: each named with what to do."""

from __future__ import annotations

import sys

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import _postgres_errors, embedded
from plimsoll.ports import processes


def test_without_the_driver_its_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(PlimsollError) as missing:
        _postgres_errors.driver()
    assert missing.value.id == "driver-missing"
    assert missing.value.hint is not None
    assert "'plimsoll-storage[postgres]'" in missing.value.hint


def test_without_the_embedded_server_its_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(PlimsollError) as missing:
        embedded.wheel_binaries()
    assert missing.value.id == "embedded-missing"
    assert "'plimsoll-storage[embedded]'" in (missing.value.hint or "")


@pytest.mark.parametrize("name", ["no-such-user", "root"])
def test_root_needs_an_account_that_is_there_and_is_not_root(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "is_root", lambda: True)
    monkeypatch.setenv("PLIMSOLL_DB_USER", name)
    with pytest.raises(PlimsollError, match=name) as refused:
        embedded._server_user()
    assert refused.value.id == "embedded-user"
    assert refused.value.hint is not None
    assert "PLIMSOLL_DB_USER" in refused.value.hint
