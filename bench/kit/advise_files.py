"""`python bench/kit/advise_files.py FOLDER`: reads the reports of a folder and advises on them, and says what each of the two took.

Both on one core, so that neither hides behind the other. Seconds are of CPU time, which what else runs does not stretch, and those
of a hundred reports.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import sources
from plimsoll.reports.walk import Walk
from plimsoll.rules import KINDS, Advised, advice_of, advise, interval_of

_PER = 100


def main() -> None:
    """Prints JSON."""
    begin_s = time.process_time()
    read = [one for source in sources(list(Walk([Path(sys.argv[1])]).entries())) for one in read_all(source)]
    read_s = time.process_time() - begin_s
    told = [one for one in read if one.content is not None and one.report.kind in KINDS]
    found = advice_of([_advised(one) for one in told])
    beyond_s = time.process_time() - begin_s - read_s
    size = sum(one.report.size_bytes or 0 for one in told)
    print(
        json.dumps(
            {
                "read_s": read_s * _PER / len(read),
                "beyond_s": beyond_s * _PER / len(told),
                "mb_each": size / len(told) / 1e6,
                "findings_each": len(found.findings) / len(told),
            }
        )
    )


def _advised(one: Reading) -> Advised:
    assert one.content is not None, "those without are left out"
    return advise(interval_of(one.report, one.content))


if __name__ == "__main__":
    main()
