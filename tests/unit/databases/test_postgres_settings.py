"""Settings and their defaults, in the words of the server."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.databases._postgres_settings import default_text, settings_of


@pytest.mark.parametrize(
    ("boot", "unit", "text"),
    [
        ("16384", "8kB", "128MB"), ("64", "8kB", "512kB"), ("1024", "MB", "1GB"), ("4096", "kB", "4MB"), ("300", "s", "5min"),
        ("200", "ms", "200ms"), ("1000", "ms", "1s"), ("-1", "8kB", "-1"), ("0", "kB", "0"), ("0.9", None, "0.9"),
        ("off", None, "off"), ("1", "strange", "1"), (None, None, ""),
    ],
)  # fmt: skip
def test_a_default_is_told_as_the_server_tells_a_setting(
    boot: str | None, unit: str | None, text: str
) -> None:
    assert default_text(boot, unit) == text


def told(name: str, value: str | None, boot: str, unit: str | None, is_set: bool) -> dict[str, Any]:
    return {"name": name, "value": value, "boot_val": boot, "unit": unit, "is_set": is_set}


def test_only_those_that_somebody_set_have_a_default_beside_them() -> None:
    values, defaults = settings_of(
        [
            told("shared_buffers", "1GB", "16384", "8kB", True),
            told("work_mem", "4MB", "4096", "kB", False),
            told("gone", None, "x", None, True),
        ]
    )
    assert values == {"shared_buffers": "1GB", "work_mem": "4MB"}
    assert defaults == {"shared_buffers": "128MB"}
