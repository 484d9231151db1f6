"""SLOB's parameters: names, defaults and bounds."""

from __future__ import annotations

from dataclasses import fields

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.proof.slob.parameters import PARAMETERS, SlobParameters, parameters


def test_each_field_is_in_the_table_once() -> None:
    assert [parameter.field for parameter in PARAMETERS] == [field.name for field in fields(SlobParameters)]
    names = [name for parameter in PARAMETERS for name in parameter.names]
    assert len(names) == len(set(names))


def test_defaults_are_legal() -> None:
    assert parameters() == SlobParameters()


@pytest.mark.parametrize("percent", [0, 1, 51, 73, 99, 100])
def test_any_percentage_of_updates_is_taken(percent: int) -> None:
    """SLOB and pgio refuse 51 to 99."""
    assert parameters(update_pct=percent).update_pct == percent


def test_updates_touch_as_much_as_reads_unless_told() -> None:
    assert parameters(work_unit=64).blocks_updated == 64
    assert parameters(work_unit=64, update_work_unit=8).blocks_updated == 8


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"update_pct": 101}, "UPDATE_PCT is 101, outside of 0 to 100"),
        ({"threads": 0}, "THREADS_PER_SCHEMA is 0"),
        ({"run_time_s": 0.0}, "RUN_TIME is 0"),
        ({"scale": 64, "work_unit": 65}, "an operation touches 65 blocks and a table has 64"),
        ({"hotspot_frequency": 3, "hotspot": 10}, "a hot spot of 10 blocks"),
        ({"think_s_min": 2.0}, "pauses from 2 s to 0.5 s cannot be"),
    ],
)
def test_what_cannot_work_is_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        parameters(**given)
    assert refused.value.id == "slob-parameter"
    assert refused.value.hint
