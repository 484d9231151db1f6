"""`PYTHONPATH=tests python -m reportgen FOLDER --count 5000`: a folder of re-stamped reports, for benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path

from reportgen.restamp import write_folder


def main() -> None:
    """Writes the folder and says how large it is."""
    parser = argparse.ArgumentParser(prog="reportgen", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=5000, help="reports to write")
    parser.add_argument(
        "--rows", type=int, default=20, help="rows of each section: about 9 KiB of HTML per row"
    )
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    written = write_folder(asked.folder, asked.count, asked.rows, asked.seed)
    print(f"{asked.count} reports, {written / 1e6:.1f} MB in {asked.folder}")


if __name__ == "__main__":
    main()
