"""HiGHS behind one door: linear problems in which some unknowns are whole numbers. Nothing else of the package knows HiGHS.

Everything is counted, not timed, and runs on one thread, so that equal problems have equal answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint

if TYPE_CHECKING:
    import numpy as np

NODES_MAX = 20_000
"""Of a search that does not close."""
_FEASIBLE = 2
Asked = TypeVar("Asked")
Chosen = TypeVar("Chosen")


class Impossible(Exception):
    """No choice satisfies all limits."""


@dataclass(frozen=True)
class Problem:
    """Find the unknowns within `low` and `high` for which `gain` is most and each row lies within its bounds.

    The matrix has `value` at `row` and `column`; `whole` says which unknowns are whole numbers, None: none of them.
    """

    gain: np.ndarray
    low: np.ndarray
    high: np.ndarray
    row: np.ndarray
    column: np.ndarray
    value: np.ndarray
    row_low: np.ndarray
    row_high: np.ndarray
    whole: np.ndarray | None = None


@dataclass(frozen=True)
class Solution:
    """The unknowns, what nothing exceeds, and of a problem without whole numbers what one more of each row would gain."""

    values: np.ndarray
    bound: float
    prices: np.ndarray


def numpy_module() -> Any:
    """NumPy, which comes with HiGHS. Raises WorldError `extra-missing`."""
    _highs_module()
    import numpy

    return numpy


def infinity() -> float:
    """A bound that is none."""
    return _highs_module().kHighsInf


@dataclass(frozen=True)
class Enough:
    """When a search for whole numbers may end: so near to its bound, at so much gain, or after so many nodes of its tree."""

    gap_s: float = 0.0
    gain_s: float | None = None
    nodes: int = NODES_MAX


def solve(problem: Problem, enough: Enough | None = None) -> Solution:
    """The solution. Raises `Impossible`, and WorldError `placement-unsolved`, `extra-missing`."""
    highs = _highs_module()
    numpy = numpy_module()
    scale = float(numpy.abs(problem.gain).max(initial=0.0)) or 1.0
    solver = _quiet(highs)
    is_whole = problem.whole is not None
    for name, value in _settings(enough or Enough(), is_whole, scale).items():
        solver.setOptionValue(name, value)
    solver.passModel(_model(highs, problem, scale))
    solver.run()
    status, info = solver.getModelStatus(), solver.getInfo()
    if status == highs.HighsModelStatus.kInfeasible:
        raise Impossible
    found = is_whole and info.primal_solution_status == _FEASIBLE
    if status != highs.HighsModelStatus.kOptimal and not found:
        message = f"the solver HiGHS ended without a placement: {solver.modelStatusToString(status)}"
        raise WorldError(
            "placement-unsolved", message, "Leave out objects with few reads, or pin some of them."
        )
    least = info.mip_dual_bound if is_whole else info.objective_function_value
    solution = solver.getSolution()
    prices = -numpy.asarray(solution.row_dual) * scale if not is_whole else numpy.zeros(0)
    return Solution(numpy.asarray(solution.col_value), -least * scale, prices)


def unless_unsolved(choose: Callable[[Asked], Chosen], asked: Asked) -> Chosen | None:
    """What `choose` finds; None where the solver gave up, for those who have measured much, and lose it by an error."""
    try:
        return choose(asked)
    except WorldError as error:
        if error.id != "placement-unsolved":
            raise
        return None


def _quiet(highs: Any) -> Any:
    """A solver that never speaks: one greets on standard output as it is made, which is for the answer."""

    class Quiet(highs.Highs):
        def enableCallbacks(self) -> None:  # noqa: N802 - its name in HiGHS
            self.setOptionValue("output_flag", False)
            self.setOptionValue("log_to_console", False)
            super().enableCallbacks()

    return Quiet()


def _settings(enough: Enough, is_whole: bool, scale: float) -> dict[str, Any]:
    common = {"log_to_console": False, "output_flag": False, "threads": 1, "random_seed": 1}
    if not is_whole:
        return {**common, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    target = {} if enough.gain_s is None else {"objective_target": -enough.gain_s / scale}
    return {
        **common,
        **target,
        "mip_max_nodes": enough.nodes,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": max(enough.gap_s / scale, 1e-12),
        "mip_feasibility_tolerance": 1e-9,
    }


def _model(highs: Any, problem: Problem, scale: float) -> Any:
    """As HiGHS takes it: gains turned round, as it looks for the least."""
    numpy, count = numpy_module(), len(problem.gain)
    lp = highs.HighsLp()
    lp.num_col_, lp.num_row_ = count, len(problem.row_low)
    lp.col_cost_ = -problem.gain / scale
    lp.col_lower_, lp.col_upper_ = problem.low, problem.high
    lp.row_lower_, lp.row_upper_ = problem.row_low, problem.row_high
    order = numpy.lexsort((problem.row, problem.column))
    lp.a_matrix_.format_ = highs.MatrixFormat.kColwise
    lp.a_matrix_.start_ = numpy.concatenate(
        [[0], numpy.cumsum(numpy.bincount(problem.column, minlength=count))]
    )
    lp.a_matrix_.index_, lp.a_matrix_.value_ = problem.row[order], problem.value[order]
    if problem.whole is not None:
        kinds = highs.HighsVarType
        lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in problem.whole]
    return lp


def _highs_module() -> Any:
    try:
        import highspy
    except ImportError as error:
        message = "highspy is not installed, which finds the best placement"
        raise WorldError("extra-missing", message, extra_hint("placement")) from error
    return highspy
