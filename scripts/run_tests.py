"""Runs pytest, and a few tests that failed once more, alone: beside others a test may fail that has nothing wrong with it.

What then passes is named, what fails again fails the run. A process of tests that died counts as a test that failed. Words go
to pytest; run by scripts/test.sh.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

CACHED = Path(".pytest_cache/v/cache/lastfailed")
ENDINGS = Path(".pytest_cache/endings.json")
AGAIN_MAX = 12
"""With more, something is wrong with the product or with the machine."""


class Endings:
    """How each test ended, for whoever started this run of pytest. Its own memory of failures forgets tests whose process died."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        ENDINGS.parent.mkdir(exist_ok=True)
        endings = {"passed": sorted(self.passed - self.failed), "failed": sorted(self.failed)}
        ENDINGS.write_text(json.dumps(endings), encoding="utf-8")


def main(words: Sequence[str]) -> int:
    """The exit status: 0 when every test passed, if need be when it was run alone."""
    if words[:1] == ["--once"]:
        return int(pytest.main([*words[1:]], plugins=[Endings()]))
    CACHED.unlink(missing_ok=True)
    status, endings = _run(words)
    failed = set(endings["failed"])
    if status != pytest.ExitCode.TESTS_FAILED or not 0 < len(failed) <= AGAIN_MAX:
        return status
    print(f"once more, alone: {len(failed)} of the tests, which failed", flush=True)
    return _again(words, failed)


def _again(words: Sequence[str], failed: set[str]) -> int:
    CACHED.parent.mkdir(parents=True, exist_ok=True)
    CACHED.write_text(json.dumps(dict.fromkeys(sorted(failed), True)), encoding="utf-8")
    # One process runs them, and not pytest's own: where a test ends its process, the others follow in another.
    status, endings = _run([*words, "--last-failed", "--numprocesses=1"])
    passed = failed & set(endings["passed"])
    for test in sorted(passed):
        print(f"passed when run alone: {test}")
    for test in sorted(failed - passed):
        print(f"did not pass when run alone: {test}")
    return status if status or passed == failed else int(pytest.ExitCode.TESTS_FAILED)


def _run(words: Sequence[str]) -> tuple[int, dict[str, list[str]]]:
    """Exit status and endings of a run of pytest in a process of its own."""
    ENDINGS.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, __file__, "--once", *words], check=False)
    told = ENDINGS.read_text(encoding="utf-8") if ENDINGS.exists() else '{"passed": [], "failed": []}'
    return done.returncode, json.loads(told)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
