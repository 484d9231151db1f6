"""By its name it is known that a setting holds a password or a key."""

from __future__ import annotations

import pytest

from plimsoll.base.redact import names_secret


@pytest.mark.parametrize(
    "key", ["password", "PGPASSWORD", "sslpassword", "Pwd", "pass%77ord", "auth_token", "pass", "pw"]
)
def test_keys_of_passwords(key: str) -> None:
    assert names_secret(key)


@pytest.mark.parametrize("key", ["scram_client_key", "scram_server_key", "API-Key"])
def test_keys_that_open(key: str) -> None:
    assert names_secret(key)


@pytest.mark.parametrize("key", ["passes", "user", "bypass", "compass", "pwr", "key"])
def test_other_keys(key: str) -> None:
    assert not names_secret(key)
