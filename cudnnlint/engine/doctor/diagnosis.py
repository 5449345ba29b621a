"""All that is wrong with an environment, the worst first."""

from __future__ import annotations

from cudnnlint.engine.doctor.cuda import cuda_problems
from cudnnlint.engine.doctor.describe import Environment
from cudnnlint.engine.doctor.packages import package_problems
from cudnnlint.engine.doctor.problem import Problem
from cudnnlint.engine.doctor.variables import variable_problems
from cudnnlint.finding import Level

ORDER = tuple(Level)


def problems(environment: Environment) -> tuple[Problem, ...]:
    """Errors before warnings before advice; among equals in the order in which a program meets them."""
    found = [*package_problems(environment), *cuda_problems(environment), *variable_problems(environment)]
    return tuple(sorted(found, key=lambda problem: ORDER.index(problem.level)))
