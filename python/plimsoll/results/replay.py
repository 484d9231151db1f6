"""A demand's worst stretches driven as they were."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import moment_form
from plimsoll.charts import Table
from plimsoll.facts import Replay, ReplayTrial, Run
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.results._words import TRIAL_COLUMNS, TRIAL_SPARE, of_trial


def _answer(replay: Replay) -> str:
    return replay.reason


def _status(run: Run) -> ExitStatus:
    """1 when the demand missed at its own rates; a verdict beside it says the same in its own words."""
    replay: Replay = run.results["replay"]
    return (
        ExitStatus.ANSWER_IS_NO if any(trial.held is False for trial in replay.as_it_was) else ExitStatus.DONE
    )


def _blocks(run: Run) -> list[Block]:
    """What came of it, and each trial."""
    replay: Replay = run.results["replay"]
    caption = "Stretches of the demand as they were, at other factors, and with several I/Os at once"
    form = moment_form(trial.begin_time for trial in replay.trials)
    rows = tuple(of_trial(trial, form) for trial in replay.trials)
    return [
        Words(f"{replay.reason[0].upper()}{replay.reason[1:]}."),
        Grid(caption, Table(TRIAL_COLUMNS, rows, (False, *(True,) * 8, False), TRIAL_SPARE)),
    ]


def _on_page(run: Run) -> list[Block]:
    """The course of the stretch that decides, and how it is judged."""
    replay: Replay = run.results["replay"]
    figure = [Figure("replay-over-time")] if any(len(one.seconds) >= 3 for one in replay.as_it_was) else []
    return [*figure, Words(_METHOD)]


_METHOD = (
    "The seconds that take most of the storage's time, by the lines that were found, are driven with the rates of each class"
    " in each second; what comes late in one waits into the next. I/Os arrive at random moments within a second unless"
    " several are said to arrive at once. The objective is held against every ten seconds: they miss it where more I/Os are late"
    " than are allowed, which is what the quantile leaves and what chance adds to that in all but one of twenty windows."
)

RESULT = ResultKind(
    fact=Replay,
    rows=(ReplayTrial,),
    rank=35,
    answer=_answer,
    status=_status,
    columns=(RunColumn("replay_headroom", "real", lambda run: run.replay and run.replay.headroom),),
    title="The replay",
    help="The worst stretches of the demand, driven as they were.",
    page_rank=15,
    blocks=_blocks,
    on_page=_on_page,
)
