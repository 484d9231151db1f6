"""The lines of `plimsoll store list`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from plimsoll.cli.show import show_summaries
from plimsoll.facts import RunSummary

_AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("result", "interrupted", "shown"),
    [
        ("54,300 IOPS", False, "54,300 IOPS"),
        ("54,300 IOPS", True, "54,300 IOPS (interrupted)"),
        ("interrupted before any result", True, "interrupted before any result"),
    ],
)
def test_that_a_run_was_interrupted_is_said_once(
    capsys: pytest.CaptureFixture[str], result: str, interrupted: bool, shown: str
) -> None:
    show_summaries(
        [
            RunSummary(
                id="20261120-120000-abcdef",
                kind="io",
                title="t",
                started_at=_AT,
                duration_s=2.0,
                interrupted=interrupted,
                result=result,
            )
        ]
    )
    assert capsys.readouterr().out.splitlines()[-1].strip().endswith(f" {shown}")
