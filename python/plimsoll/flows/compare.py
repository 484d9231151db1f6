"""`plimsoll compare`: stored runs of one kind beside each other, and the page of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.context import Context, RunFilter
from plimsoll.facts import Bucket, Comparison, Run
from plimsoll.flows.record import make_run
from plimsoll.flows.report import STEPS_PER_DECADE, Page, write_page
from plimsoll.native.latency import buckets, latency
from plimsoll.pages import build_blocks
from plimsoll.requests.shared import tags_of
from plimsoll.results import Answer, Figure, Side, compare_runs, compared_of, comparison_blocks

SIDES_MAX = 26
"""Each has a letter of the alphabet."""
_CURVES_MAX = 5
"""More cannot be told apart in one picture."""
_TAG = "tag:"
_HINT = "Name two runs or more: `plimsoll compare latest~1 latest`."


@dataclass(frozen=True)
class Compared:
    """What was found, and the runs of each side."""

    comparison: Comparison
    sides: tuple[Side, ...]


def compare(ctx: Context, named: Sequence[str]) -> Compared:
    """Each word is a side: a run, several that count as repeats joined with commas, or all runs of a tag.

    Raises UsageError `compare-one`, `compare-unlike`, `compare-none`, and what loading raises.
    """
    if not 2 <= len(named) <= SIDES_MAX:
        message = f"{len(named)} {'side was' if len(named) == 1 else 'sides were'} named; a comparison has 2 to {SIDES_MAX}"
        raise UsageError("compare-one", message, _HINT)
    sides = tuple(
        Side(chr(ord("A") + at), tuple(ctx.store.load(run_id) for run_id in _runs_of(ctx, word)))
        for at, word in enumerate(named)
    )
    _check_once(sides)
    return Compared(compare_runs(sides), sides)


def _runs_of(ctx: Context, word: str) -> list[str]:
    """Ids, or what stands for them."""
    if not word.startswith(_TAG):
        return [part for part in (part.strip() for part in word.split(",")) if part] or [word]
    (tag,) = tags_of([word.removeprefix(_TAG)])
    found = [run.id for run in ctx.store.summaries(None, RunFilter(tags=(tag,)))]
    if not found:
        hint = f"Give one a tag: `plimsoll store tag RUN {tag}`. See them with `plimsoll store list`."
        raise UsageError("tag-unknown", f"no run has the tag '{tag}'", hint)
    return found


def _check_once(sides: Sequence[Side]) -> None:
    """A run is not compared with itself. Raises UsageError `compare-one`."""
    seen: set[str] = set()
    for run in (run for side in sides for run in side.runs):
        if run.id in seen:
            raise UsageError("compare-one", f"the run {run.id} was named more than once", _HINT)
        seen.add(run.id)


def write_comparison(ctx: Context, found: Compared, out: Path) -> Page:
    """The comparison as one page, with the distributions laid over each other. Raises WorldError `report-refused`."""
    return write_page(_page(ctx, found), out, "--html")


def _page(ctx: Context, found: Compared) -> str:
    comparison = found.comparison
    title = " and ".join(dict.fromkeys(side.title for side in comparison.sides))
    # The page tells where and how it was made as that of any run does; nothing of it is stored.
    made = make_run(
        ctx,
        "compare",
        title,
        ctx.clock.now(),
        id=", ".join(run for side in comparison.sides for run in side.runs),
    )
    base = comparison.sides[0]
    answer = Answer(
        "plain" if comparison.is_valid else "no",
        comparison.headline,
        f"Held against {base.label}: {base.title}.",
    )
    curves = distributions(found.sides)
    blocks = [answer, *comparison_blocks(comparison), *([Figure("latency-distribution")] if curves else [])]
    return build_blocks(made, "Comparison", blocks, curves)


def distributions(sides: Sequence[Side]) -> dict[str, list[Bucket]]:
    """By side and name; as many of each as one picture holds, those that all have first. Repeats are one distribution."""
    by_side = [_merged(side) for side in sides]
    common = [name for name in by_side[0] if all(name in found for found in by_side)]
    each = max(1, _CURVES_MAX // len(sides))
    names = (common or list(by_side[0]))[:each]
    return {
        f"{side.label}: {name}": buckets(found[name], STEPS_PER_DECADE)
        for name in names
        for side, found in zip(sides, by_side, strict=True)
        if name in found
    }


def _merged(side: Side) -> dict[str, bytes]:
    parts: dict[str, list[bytes]] = {}
    for run in side.runs:
        for name, spread in _latencies(run).items():
            parts.setdefault(name, []).append(spread)
    whole = {name: found for name, found in parts.items() if len(found) == len(side.runs)}
    merged = {name: latency(found).hdr for name, found in whole.items()}
    return {name: hdr for name, hdr in merged.items() if hdr is not None}


def _latencies(run: Run) -> dict[str, bytes]:
    found = compared_of(run)[1].latencies(run)
    return {name: one.hdr for name, one in found.items() if one.hdr is not None and one.count}
