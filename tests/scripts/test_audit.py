"""What pip-audit answers is judged: a known vulnerability fails, what nobody knows is said, no answer at all is no failure."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import audit

SAFE = {"name": "good", "version": "1.0", "vulns": []}
HIT = {"name": "bad", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
UNKNOWN = {"name": "ours", "skip_reason": "not found"}


def test_a_known_vulnerability_fails_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert not audit.judged([SAFE, HIT])
    assert capsys.readouterr().err == "bad 2.0: PYSEC-1, mended in 2.1\n"


def test_what_is_not_known_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.judged([SAFE, UNKNOWN])
    assert capsys.readouterr().out == "not audited: ours\n"


def test_where_nothing_is_known_nothing_was_audited(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.judged([UNKNOWN])
    assert capsys.readouterr().out.startswith("skipped: advisories for python packages could not be reached")
