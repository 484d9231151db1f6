"""`python -m plimsoll`: the command line, where the command itself is not on the path."""

from __future__ import annotations

from plimsoll.cli.main import main

if __name__ == "__main__":
    main()
