"""Chooses the thresholds of rules by reports of known causes, fixes them, and judges them by reports that are drawn afterwards.

    .venv/bin/python scripts/advice_thresholds.py [--out FOLDER] [--fix]

For each rule the share of DB time from which on it finds something is tried at a quarter to four times its value, on the reports
that may choose (`tests/advice_cases.py`), by the F1 of its family; of values that do as well as each other the one in force stays.
`--fix` writes those in force to the file whose hash draws the reports that judge. A value that choosing would change is named, and
is changed in the rule by hand, with its source. The exit status is 1 where one differs, or where a family fails.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import sys
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from advice_cases import Case
from advice_gate import (
    COUNT,
    FROZEN,
    SHARES,
    Score,
    choosing,
    frozen,
    in_force,
    judging,
    judging_seed,
    scores,
)
from advice_reports import interval
from plimsoll.rules import Interval, findings_of, rules
from plimsoll.rules._judge import finding_of

FACTORS = (1.0, 0.25, 0.5, 2.0, 4.0)
"""The value in force comes first, and stays unless another does better."""
ANSWER_IS_NO = 1
_BETTER_MIN = 1e-9


@dataclass(frozen=True)
class Seen:
    """A report of a known cause: what is true of it, and which rules find something."""

    interval: Interval
    true: frozenset[str]
    false: frozenset[str]
    found: frozenset[str]


def main() -> int:
    """Chooses, fixes where asked, and judges."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fix", action="store_true")
    asked = parser.parse_args()
    chosen = choose([_seen(case) for case in choosing()])
    if asked.fix:
        FROZEN.write_text(json.dumps(in_force(), indent=2, sort_keys=True) + "\n", encoding="utf-8")
    judged = scores(judging())
    _tell(chosen, judged)
    if asked.out is not None:
        _keep(asked.out, chosen, judged)
    stays = all(one["chosen"] == one["in_force"] for one in chosen.values()) and frozen() == in_force()
    return 0 if stays and all(score.passes for score in judged.values()) else ANSWER_IS_NO


def _seen(case: Case) -> Seen:
    world = case.world()
    true, false = world.truth()
    made = interval(world.report())
    found = frozenset(one.rule for one in findings_of(made) if one.severity == "finding")
    return Seen(made, true, false, found)


def choose(reports: list[Seen]) -> dict[str, dict[str, Any]]:
    """Of each rule the value that does best, beside the one in force and what each value reaches."""
    return {name: _chosen(name, share, reports) for name, share in in_force().items()}


def _chosen(name: str, share: float, reports: Iterable[Seen]) -> dict[str, Any]:
    reached = {
        factor * share: _f1(name, factor * share, reports) for factor in FACTORS if factor * share < 1.0
    }
    best = share
    for value, f1 in reached.items():
        if f1 > reached[best] + _BETTER_MIN:
            best = value
    return {
        "in_force": share,
        "chosen": best,
        "f1": {f"{value:.4g}": round(f1, 4) for value, f1 in reached.items()},
    }


def _f1(name: str, share: float, reports: Iterable[Seen]) -> float:
    """Of the rule's family, with that value in the rule and all others as they are."""
    rule = _with_share(name, share)
    family_rules = {other for other, one in rules().items() if one.family == rule.family and other != name}
    right = wrong = missed = 0
    for seen in reports:
        found = rule.find(seen.interval)
        says = (
            found is not None
            and bool(found.cells)
            and finding_of(seen.interval, name, rule, found).severity == "finding"
        )
        told = says or bool(seen.found & family_rules)
        right += told and rule.family in seen.true
        wrong += told and rule.family in seen.false
        missed += not told and rule.family in seen.true
    return 2 * right / (2 * right + wrong + missed) if right else 0.0


def _with_share(name: str, share: float) -> Any:
    """The rule as its file would make it with another value."""
    module = importlib.import_module(f"plimsoll.rules.{name.replace('-', '_')}")
    constant = next(one for one in SHARES if one in vars(module))
    loader = _Changed(module.__name__, str(module.__file__), constant, share)
    spec = importlib.util.spec_from_loader(module.__name__, loader)
    assert spec is not None, "there is a loader"
    made = importlib.util.module_from_spec(spec)
    loader.exec_module(made)
    return vars(made)["RULE"]


class _Changed(SourceFileLoader):
    """Loads a rule's file with another value of one constant."""

    def __init__(self, name: str, path: str, constant: str, value: float) -> None:
        super().__init__(name, path)
        self._constant, self._value = constant, value

    def get_code(self, fullname: str) -> types.CodeType | None:
        source = Path(self.path).read_text(encoding="utf-8")
        changed = re.sub(
            rf"^{self._constant} = .*$", f"{self._constant} = {self._value!r}", source, count=1, flags=re.M
        )
        return self.source_to_code(changed.encode(), self.path)


def _tell(chosen: Mapping[str, Mapping[str, Any]], judged: Mapping[str, Score]) -> None:
    for name, one in chosen.items():
        told = "" if one["chosen"] == one["in_force"] else f"  <- {one['chosen']:.4g} does better"
        print(f"{name:36} {one['in_force']:.4g}  {one['f1']}{told}")
    print(f"judged by reports from seed {judging_seed():,} on, {COUNT} of each cause:")
    for family, score in judged.items():
        named = ", ".join(map(str, (*score.wrong, *score.missed)))
        print(f"{family:20} precision {score.precision or 0.0:.2f} recall {score.recall or 0.0:.2f}  {named}")


def _keep(folder: Path, chosen: Mapping[str, Any], judged: Mapping[str, Score]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    families = {
        family: {
            "right": score.right,
            "wrong": [str(case) for case in score.wrong],
            "missed": [str(case) for case in score.missed],
            "precision": score.precision,
            "recall": score.recall,
        }
        for family, score in judged.items()
    }
    kept = {"count": COUNT, "first_seed": judging_seed(), "families": families}
    for name, value in (("chosen.json", chosen), ("judged.json", kept)):
        (folder / name).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
