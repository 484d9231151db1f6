"""Not a test: `plimsoll` in a process of its own, for which twenty files are many. `test_fleet.py` starts it."""

from __future__ import annotations

from plimsoll.cli.main import main
from plimsoll.reports import fleet

if __name__ == "__main__":
    fleet.FLEET_FILES_MIN, fleet.FLEET_GROUP_FILES_MAX = 20, 4
    main()
