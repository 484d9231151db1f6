"""Bulk data where a server does not take them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.databases._mariadb_session import MariadbSession
from plimsoll.databases._oracle_session import OracleSession


@pytest.mark.parametrize(
    "session",
    [MariadbSession(cast(Any, None), "db", cast(Any, None)), OracleSession(None, "db", None)],
)
def test_bulk_data_are_refused(session: Any) -> None:
    with pytest.raises(UsageError) as refused:
        session.copy_in("copy t from stdin", [])
    assert refused.value.id == "database-no-bulk"
