"""The views of a store: SQLite reads their statements whenever it opens one, so that they are to be short."""

from __future__ import annotations

import pytest

from plimsoll.store.schema import DIALECTS, view_selects
from plimsoll.store.tables import LINKS, places, tables


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_view_says_once_what_a_column_is_however_many_places_there_are(dialect: str) -> None:
    for table in tables():
        words = view_selects(dialect)[table.name].replace(",", " ").split()
        others = [column for column in table.columns if column not in LINKS]
        assert all(words.count(column.name) == 1 for column in others), table.name
    assert max(len(those) for those in places().values()) > 10
