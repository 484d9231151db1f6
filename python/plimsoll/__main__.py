"""What `plimsoll` starts, and `python -m plimsoll`, where the command itself is not on the path."""

from __future__ import annotations

from typing import NoReturn

from plimsoll.cli import ctrl_c


def main() -> NoReturn:
    """Runs the command line, and ends the process with its status. Nothing else is loaded before Ctrl-C is heeded."""
    ctrl_c.heed()
    from plimsoll.cli.main import main as run_and_leave

    run_and_leave()


if __name__ == "__main__":
    main()
