"""Facts are loaded when they are first asked for, under the names that checkers of types see."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from later_names import expect_names_as_seen
from plimsoll import facts

_READS = """
import atexit, sys
from plimsoll.cli.main import main
atexit.register(lambda: print("plimsoll.facts.run" in sys.modules, "plimsoll.facts.report" in sys.modules))
sys.argv = ["plimsoll", "read", sys.argv[1]]
main()
"""


def test_each_fact_comes_from_where_checkers_of_types_find_it() -> None:
    expect_names_as_seen(facts)


@pytest.mark.parametrize("name", ["Nothing", "_Hidden"])
def test_a_name_that_is_none_is_told(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"^module 'plimsoll\.facts' has no attribute '{name}'$"):
        getattr(facts, name)


def test_reading_reports_loads_no_facts_of_other_results(tmp_path: Path) -> None:
    report = tmp_path / "it.txt"
    report.write_text("no report")
    told = subprocess.run([sys.executable, "-c", _READS, report], capture_output=True, text=True, check=False)
    assert told.stdout.splitlines()[-1:] == ["False True"], told
