"""Events as people see them: one moving line on a terminal, sentences at a measured pace in a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from plimsoll.base.printable import printable
from plimsoll.base.units import format_mb, format_rate, format_seconds, format_share, format_us
from plimsoll.cli.output import talk
from plimsoll.ports.clock import Clock

if TYPE_CHECKING:
    # A command that tells nothing on its way loads none of them; they are told apart by their `kind`.
    from plimsoll.facts import Event, Live, Tick

_SENTENCE_EVERY_S = 5.0
_LINES_AROUND = 3
"""Of a terminal, that are left to the moving line and what was typed."""


def words(event: Event) -> str:
    """One event as a sentence."""
    if event.kind == "remark":
        return ("warning: " if event.warning else "") + event.message
    if event.kind == "live":
        return _live_words(event)
    if event.kind == "tick":
        return _tick_words(event)
    left = "" if event.left_s is None or event.finished else f", {format_seconds(event.left_s)} left"
    share = "" if event.share is None or event.finished else f": {format_share(event.share, 0)}"
    return f"{event.message}{share}{left}"


def _live_words(live: Live) -> str:
    left = "" if live.left_s is None else f", {format_seconds(live.left_s)} left"
    asked = "" if live.rate_per_s is None else f" of {format_rate(live.rate_per_s)} asked"
    return f"{format_rate(live.iops)} I/Os per second{asked}{_latency_words(live)}{left}"


def _tick_words(tick: Tick) -> str:
    left = "" if tick.left_s is None else f", {format_seconds(tick.left_s)} left"
    return f"{format_rate(tick.iops)} I/Os per second, {format_mb(tick.mb_per_s)} MB/s{left}"


def _latency_words(live: Live) -> str:
    """Nothing where no latency is measured."""
    if live.latency_us_p50 is None:
        return ""
    return f", p50 {format_us(live.latency_us_p50)}, p99 {format_us(live.latency_us_p99)}"


def in_sentences(clock: Clock) -> Callable[[Event], None]:
    """A listener for logs and pipes: every remark, the start and end of each stage, and a sign of life in between."""
    last_s = clock.monotonic_s()
    latest: dict[str, str] = {}
    stage = ""

    def say(sentence: str) -> None:
        nonlocal last_s
        talk(sentence)
        last_s = clock.monotonic_s()

    def listen(event: Event) -> None:
        nonlocal stage
        if event.kind == "remark":
            say(words(event))
            return
        latest["live" if event.kind in ("live", "tick") else "progress"] = words(event)
        if event.kind == "progress" and (event.finished or event.stage != stage):
            stage = event.stage
            latest.pop("live", None)
            say(words(event))
        elif clock.monotonic_s() - last_s >= _SENTENCE_EVERY_S:
            say("; ".join(latest[key] for key in ("progress", "live") if key in latest))

    return listen


class OnTerminal:
    """A listener for a terminal: remarks scroll by above one line that tells stage, live figures and time left.

    `stop` takes the line away, before results are printed; it may be called again.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live as MovingLine
        from rich.spinner import Spinner

        self._latest: dict[str, str] = {}
        self._rows: tuple[str, ...] = ()
        """Lines of a table beneath the moving one."""
        self._console = Console(stderr=True)
        self._spinner = Spinner("line")
        # Standard output is for results, also while the line moves: rich must not take it over.
        self._line = MovingLine(
            self._spinner, console=self._console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._line.start()

    def __call__(self, event: Event) -> None:
        if event.kind == "remark":
            self._say(words(event), "yellow" if event.warning else None)
            return
        self._latest["live" if event.kind in ("live", "tick") else "stage"] = words(event)
        if event.kind == "tick":
            self._rows = self._table_of(event)
        if event.kind == "progress" and event.finished:
            self._latest.clear()
            self._rows = ()
            self._say(words(event))
        self._show()

    def _show(self) -> None:
        from rich.console import Group
        from rich.text import Text

        shown = "  ".join(self._latest[key] for key in ("stage", "live") if key in self._latest)
        self._spinner.update(text=Text(printable(shown)))
        self._line.update(Group(self._spinner, *map(Text, self._rows)))
        if self._line.is_started:
            self._line.refresh()

    def stop(self) -> None:
        """Takes the moving line away."""
        self._line.stop()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing moves while the block lasts, so that a person can type."""
        self._line.stop()
        try:
            yield
        finally:
            self._line.start()

    def _table_of(self, tick: Tick) -> tuple[str, ...]:
        """As many lines as there is room for beneath the moving one."""
        from plimsoll.cli.tables import filled, lines
        from plimsoll.results.watch import live_table

        figures = live_table(tick)
        width, height = self._console.size
        made = filled(figures.columns, figures.rows, figures.numeric, figures.spare)
        return tuple(lines(made, width))[: max(0, height - _LINES_AROUND)]

    def _say(self, sentence: str, style: str | None = None) -> None:
        self._console.print(printable(sentence), style=style, markup=False, highlight=False)


class OnceTold:
    """A listener for a terminal that begins with the first event: what draws takes its time to load, and a command that is over in
    a moment tells nothing on its way."""

    def __init__(self) -> None:
        self._begun: OnTerminal | None = None
        self._is_stopped = False

    def __call__(self, event: Event) -> None:
        if self._begun is None:
            self._begun = OnTerminal()
            if self._is_stopped:
                self._begun.stop()
        self._begun(event)

    def stop(self) -> None:
        """Takes the moving line away."""
        self._is_stopped = True
        if self._begun is not None:
            self._begun.stop()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing moves while the block lasts, so that a person can type."""
        with nullcontext() if self._begun is None else self._begun.still():
            yield


@contextmanager
def on_terminal() -> Iterator[OnceTold]:
    """A listener for a terminal, whose moving line is gone after."""
    listener = OnceTold()
    try:
        yield listener
    finally:
        listener.stop()
