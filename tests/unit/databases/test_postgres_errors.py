"""How a PostgreSQL is called that a URL, a service or the environment names."""

from __future__ import annotations

import pytest

from plimsoll.databases import _postgres_errors as errors

SHOP = {"host": "db.example", "port": "5433", "dbname": "shop", "user": "monitor"}


@pytest.mark.parametrize(
    ("url", "told", "location"),
    [
        ("postgresql:///?service=shop", SHOP, "monitor@db.example:5433/shop"),
        ("postgresql://", {"user": "me", "hostaddr": "10.0.0.7", "dbname": "me"}, "me@10.0.0.7/me"),
        ("postgresql:///till?service=shop", SHOP, "monitor@db.example:5433/till"),
        (
            "postgresql://",
            {"host": "/run/a", "user": "me", "port": "5433", "dbname": "me"},
            "local socket:5433/me",
        ),
        ("postgresql:///shop", {"user": "me", "dbname": "shop"}, "local socket/shop"),
        ("postgresql://db.example", {**SHOP, "host": "db.example"}, "db.example"),
        ("postgresql://me@/shop?host=/run/a", {**SHOP, "host": "/run/a"}, "me@/run/a/shop"),
    ],
)
def test_a_database_is_called_by_where_the_session_leads(
    url: str, told: dict[str, str], location: str
) -> None:
    assert errors.location(errors.place_of(errors.parse_url(url), told)) == location
