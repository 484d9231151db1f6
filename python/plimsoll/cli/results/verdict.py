"""A verdict in words, then its classes, its mixes and the replay."""

from __future__ import annotations

from plimsoll.base.units import format_rate, format_ratio, format_share, format_us, moment_form
from plimsoll.cli.blocks import show_blocks
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, show_table
from plimsoll.cli.tables import table as _table
from plimsoll.facts import Replay, Run, Verdict
from plimsoll.results import (
    MIX_COLUMNS,
    MIX_SPARE,
    TRIAL_COLUMNS,
    TRIAL_SPARE,
    Block,
    kinds,
    of_mix,
    of_trial,
)

_CLASS_WORDS = {True: "carries", False: "does not carry", None: "cannot tell"}


def show(run: Run) -> None:
    """The verdict in words, then its classes."""
    verdict = run.verdict
    assert verdict is not None, "the caller has looked"
    say("; ".join((_headline(verdict), *kinds()["verdict"].beside(run))))
    say(verdict.reason)
    if verdict.classes:
        show_table(_class_table(verdict))
    if verdict.mixes:
        show_table(_mix_table(verdict))
    if run.replay is not None:
        show_table(_replay_table(run.replay))
    for kind in ("work_window", "consolidation", "failover"):
        show_blocks(_blocks_of(run, kind))
    say_run(run)


def _blocks_of(run: Run, kind: str) -> list[Block]:
    """What is shown of a result beside the verdict, where there is one."""
    shown = kinds()[kind].blocks
    return [] if kind not in run.results or shown is None else shown(run)


def _headline(verdict: Verdict) -> str:
    return _alone(verdict) + ("" if verdict.work is None else f"; {verdict.work}")


def _alone(verdict: Verdict) -> str:
    """Without the work beside it."""
    words = _CLASS_WORDS[verdict.carries].capitalize()
    if verdict.headroom is None:
        return words
    limit = f", limited by {verdict.limiting_class.replace('_', ' ')}" if verdict.limiting_class else ""
    least = "at least " if verdict.is_at_least else ""
    return f"{words}: headroom {least}{format_ratio(verdict.headroom)}{limit}"


def _class_table(verdict: Verdict) -> Shown:
    table = _table("class", "demand per s", "share", "p99 near the line", "limit")
    for io in verdict.classes:
        name = io.name.replace("_", " ")
        table.add_row(
            name,
            format_rate(io.demand_iops),
            format_share(io.share),
            format_us(io.latency_us_p99),
            "–" if io.limit_us is None else format_us(io.limit_us),
        )
    return table


def _mix_table(verdict: Verdict) -> Shown:
    """The mixes that stand for the demand, the one that decides first."""
    table = _table(*MIX_COLUMNS, spare=MIX_SPARE)
    for mix in verdict.mixes:
        table.add_row(*of_mix(mix))
    return table


def _replay_table(replay: Replay) -> Shown:
    """The stretches of the demand that were driven."""
    table = _table(*TRIAL_COLUMNS, spare=TRIAL_SPARE)
    form = moment_form(trial.begin_time for trial in replay.trials)
    for trial in replay.trials:
        table.add_row(*of_trial(trial, form))
    return table
