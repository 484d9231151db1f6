"""Rules of advice: `<what_is_found>.py` is one rule, which says what it finds, on which cells, and what it costs in DB time.

`_oracle.py` makes an interval of a report, `_judge.py` asks every rule, `_verdict.py` says what it amounts to, and `_between.py`
looks at intervals beside each other. Adding a rule is adding a file.
"""

from plimsoll.rules._advice import HELD_MAX, advice_of, advise, without_waits
from plimsoll.rules._between import Advised
from plimsoll.rules._interval import Interval, Storage, Wait
from plimsoll.rules._judge import findings_of, ordered, page_of, rules
from plimsoll.rules._oracle import KINDS, interval_of
from plimsoll.rules._rule import Found, Rule
from plimsoll.rules._verdict import judge
from plimsoll.rules._watched import interval_of_demand

__all__ = [
    "HELD_MAX",
    "KINDS",
    "Advised",
    "Found",
    "Interval",
    "Rule",
    "Storage",
    "Wait",
    "advice_of",
    "advise",
    "findings_of",
    "interval_of",
    "interval_of_demand",
    "judge",
    "ordered",
    "page_of",
    "rules",
    "without_waits",
]
