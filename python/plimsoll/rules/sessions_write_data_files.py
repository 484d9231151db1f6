"""Sessions of PostgreSQL write data files themselves.

What it finds:
    Active sessions wait for writes, extensions or flushes of data files for 5 % of DB time or more.
Why it matters:
    Checkpointer and background writer should make these writes. Sessions do it where they find no clean buffer, or extend
    files. Off on Aurora, whose server writes no data files and has no log device of its own.
What to do:
    Raise shared_buffers; have the background writer write more; have fewer checkpoints.
Evidence:
    Samples of pg_stat_activity (DataFileWrite, DataFileExtend, DataFileSync and the like).
Source:
    PostgreSQL's manual on the background writer.
"""

from __future__ import annotations

from plimsoll.rules._events import WRITES
from plimsoll.rules._finders import part_waited_for
from plimsoll.rules._rule import Rule

_SHARE_MIN = 0.05

RULE = Rule(
    title="Backends write data files themselves",
    family="writes",
    advice="Give shared_buffers more room, and let the background writer write more.",
    disproof="The waits are for files that grow during a load.",
    find=part_waited_for(WRITES, _SHARE_MIN),
    systems=("postgresql",),
    not_on=("aurora",),
)
