"""The lines of `plimsoll store list`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from plimsoll.cli.show import show_summaries, summaries_table
from plimsoll.cli.tables import lines
from plimsoll.facts import RunSummary

_AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_80_columns_keep_what_was_measured() -> None:
    runs = [
        RunSummary(
            id=f"2026112{number}-120000-abcdef", kind="line", title=f"line for p99=10ms on /data/disk{number}", started_at=_AT,
            duration_s=2.0, interrupted=False, result="line 6,460 IOPS, safe 6,340 at p99=10ms", tags=("monday",),
        )
        for number in range(2)
    ]  # fmt: skip
    shown = list(lines(summaries_table(runs), 80))
    assert shown[0].split() == ["run", "what", "result"]
    assert "/data/disk0" in " ".join(shown)
    assert shown[-1] == "not shown in 80 columns: kind, when, tags"


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
