"""A device's own fill and wear as smartctl writes them; made-up answers in its form."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from plimsoll.host.wear import wear_in, wear_of
from plimsoll.ports import processes


def namespace(size: int, used: int) -> dict[str, Any]:
    return {"id": 1, "size": {"bytes": size}, "capacity": {"bytes": size}, "utilization": {"bytes": used}}


@pytest.mark.parametrize(
    ("answer", "fill", "used"),
    [
        (
            {
                "nvme_smart_health_information_log": {"percentage_used": 7, "available_spare": 100},
                "nvme_namespaces": [namespace(1000, 250)],
            },
            0.25,
            0.07,
        ),
        ({"nvme_smart_health_information_log": {"percentage_used": 130}}, None, 1.3),
        ({"endurance_used": {"current_percent": 3}}, None, 0.03),
        ({"nvme_namespaces": [namespace(1000, 0)]}, 0.0, None),
        ({"nvme_namespaces": [namespace(1000, 1000)], "endurance_used": {"current_percent": 0}}, None, 0.0),
        ({"nvme_namespaces": [], "ata_smart_attributes": {}}, None, None),
        ({"nvme_smart_health_information_log": {"percentage_used": "7"}}, None, None),
        ({"nvme_smart_health_information_log": []}, None, None),
        ({"endurance_used": {"current_percent": -1}}, None, None),
        ({"endurance_used": {"current_percent": True}}, None, None),
    ],
)
def test_what_is_told_is_read_and_the_rest_is_unknown(
    answer: Any, fill: float | None, used: float | None
) -> None:
    found = wear_in(json.dumps(answer))
    assert (found.fill_share, found.used_share) == (fill, pytest.approx(used) if used is not None else None)
    assert found.reason == (
        "as smartctl reads it"
        if fill is not None or used is not None
        else "the device tells smartctl neither its fill nor its wear"
    )


@pytest.mark.parametrize("text", ["", "no json", "[1]", "7", '{"a": '])
def test_what_cannot_be_read_is_unknown(text: str) -> None:
    assert wear_in(text).reason == "smartctl gave no answer that can be read"


def test_a_host_without_smartctl_and_one_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(command: Any, **more: Any) -> Any:
        raise FileNotFoundError(command[0])

    monkeypatch.setattr(processes, "run", missing)
    assert wear_of(Path("/dev/sda")).reason.startswith("smartctl is not installed")

    def slow(command: Any, **more: Any) -> Any:
        raise processes.TimeoutExpired(command, 10)

    monkeypatch.setattr(processes, "run", slow)
    assert wear_of(Path("/dev/sda")).reason == "smartctl did not answer in 10 s"


def test_the_first_smartctl_that_there_is_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **more: Any) -> Any:
        asked.append(command)
        if len(asked) == 1:
            raise FileNotFoundError(command[0])
        return subprocess.CompletedProcess(command, 4, '{"endurance_used": {"current_percent": 12}}', "")

    monkeypatch.setattr(processes, "run", run)
    assert wear_of(Path("/dev/nvme0n1")).used_share == 0.12
    assert asked[1][1:] == ["--json", "--all", "/dev/nvme0n1"]
