"""TPC-H at scale 1, a gigabyte: every answer of the power run is the known one, in either layout."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from databases_fixture import PARENT
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.proof.tpch import Layout, TpchRequest, generator, run_tpch, setup

SERVER = {"shared_buffers": "512MB", "fsync": "off"}
"""A cache that is large enough for this to be over in minutes; nothing is measured here."""


@pytest.mark.system
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("layout", get_args(Layout))
def test_all_answers_at_scale_1_are_right(ctx: Context, wheel: Path, layout: Layout) -> None:
    try:
        generator.find_binary()
    except WorldError as error:
        pytest.skip(f"{error.message}: {error.hint}")
    request = TpchRequest(scale=1, layout=layout, plans="none")
    with (
        embedded.running(ctx, PARENT, SERVER, wheel) as server,
        embedded.connected(ctx, server) as connection,
    ):
        setup(ctx, connection, request)
        proof = run_tpch(ctx, connection, request).proof
    wrong = {query.query: query.reason for query in proof.queries if query.answer != "right"}
    assert not wrong
    assert len(proof.queries) == 22
    assert proof.holds
