"""Not a test: `plimsoll` in a process of its own, for which twenty files are many, and five intervals. `test_fleet.py` starts it.

With `FEW` in its environment they are few, as they are for everybody.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from unittest.mock import patch

from plimsoll.cli.main import main
from plimsoll.reports import fleet
from plimsoll.rules import _advice

if __name__ == "__main__":
    with ExitStack() as patches:
        if "FEW" not in os.environ:
            patches.enter_context(patch.multiple(fleet, FLEET_FILES_MIN=20, FLEET_GROUP_FILES_MAX=4))
            patches.enter_context(patch.multiple(_advice, HELD_MAX=5))
        main()
