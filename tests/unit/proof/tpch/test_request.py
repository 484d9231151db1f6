"""What can be asked for, and how a scale is written."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.proof.tpch import TpchRequest


@pytest.mark.parametrize(
    ("scale", "text"), [(0.01, "0.01"), (0.1, "0.1"), (1, "1"), (1.0, "1"), (100.0, "100"), (2.5, "2.5")]
)
def test_a_scale_is_written_in_one_way(scale: float, text: str) -> None:
    assert TpchRequest(scale=scale).scale_text == text


@pytest.mark.parametrize(
    ("wanted", "error_id", "said"),
    [
        ({"scale": 0.0}, "tpch-scale", "scale 0"),
        ({"scale": -1.0}, "tpch-scale", "scale -1"),
        ({"scale": float("nan")}, "tpch-scale", "scale nan"),
        ({"scale": 1e9}, "tpch-scale", "scale 1e+09"),
        ({"streams": -1}, "tpch-streams", "-1 streams"),
        ({"streams": 100_000}, "tpch-streams", "100000 streams"),
        ({"repeats": 0}, "tpch-repeats", "0 power runs"),
        ({"layout": "sorted"}, "tpch-option", "'sorted'"),
        ({"plans": "all"}, "tpch-option", "'all'"),
    ],
)
def test_what_cannot_be_asked_for(wanted: dict[str, Any], error_id: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        TpchRequest(**wanted)
    assert caught.value.id == error_id
    assert said in caught.value.message
    assert (caught.value.hint or "").endswith(".")
