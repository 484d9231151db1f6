"""Plimsoll, as it is here, in the guest: another kernel, and Debian's own Python."""

from __future__ import annotations

import json

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

COMMAND_S = 180.0
"""In software Python alone takes many seconds to start."""


def test_plimsoll_runs_in_the_guest(guest: Guest) -> None:
    assert guest.said("plimsoll --version", timeout_s=COMMAND_S).startswith("plimsoll ")
    told = guest.said(f"plimsoll io {guest.disk(1)} --engine null --runtime 1 --json", timeout_s=COMMAND_S)
    assert json.loads(told)["data"]["ios"] > 0
