"""What the tests of moved objects share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moved_tables import Tables, tables


@pytest.fixture
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tables]:
    """Tables of this test alone, on PostgreSQL 18 or on the server whose fixture the test names as parameter."""
    server = request.getfixturevalue(getattr(request, "param", "server_18"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tables(server) as found:
        yield found
