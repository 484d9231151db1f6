"""Not a test: `plimsoll` in a process of its own, for which twenty files are many. `test_fleet.py` starts it."""

from __future__ import annotations

from unittest.mock import patch

from plimsoll.cli.main import main
from plimsoll.reports import fleet

if __name__ == "__main__":
    with patch.multiple(fleet, FLEET_FILES_MIN=20, FLEET_GROUP_FILES_MAX=4):
        main()
