"""Gym and Gymnasium: the spaces of environments that come with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.machine import Machine, assume, assumptions_of, plain
from cudnnlint.interp.objects import MISSING
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions

Space = int | tuple[int, ...]
"""How many choices there are, or the shape of a box of floats."""
SPACES: dict[str, tuple[Space, Space]] = {
    "CartPole": ((4,), 2), "MountainCar": ((2,), 3), "MountainCarContinuous": ((2,), (1,)), "Acrobot": ((6,), 3),
    "Pendulum": ((3,), (1,)), "LunarLander": ((8,), 4), "LunarLanderContinuous": ((8,), (2,)),
    "BipedalWalker": ((24,), (4,)), "BipedalWalkerHardcore": ((24,), (4,)), "FrozenLake": (16, 4),
    "FrozenLake8x8": (64, 4), "CliffWalking": (48, 4), "Taxi": (500, 6)}
"""What is observed and what is done (gymnasium/envs: classic_control, box2d, toy_text), whatever the version."""
HARMLESS = frozenset({"render_mode", "max_episode_steps", "autoreset", "disable_env_checker", "is_slippery"})


@record(frozen=True, slots=True)
class SpaceV:
    """Of one kind: Discrete(n), or a Box of a shape."""

    space: Space
    span: Span
    assumptions: Assumptions = NONE

    def attribute(self, m: Machine, name: str) -> Any:
        discrete = isinstance(self.space, int)
        if name == "shape":
            return () if discrete else assume(self.space, self.assumptions)
        if name == "n" and discrete:
            return assume(self.space, self.assumptions)
        if name in ("high", "low") and not discrete:
            return Tensor(self.space, "float32", "numpy", None, Step(self.span), self.assumptions)  # type: ignore[arg-type]
        return Unknown(f"{name} of a space")

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, SpaceV) and other.space == self.space
        return replace(self, assumptions=self.assumptions | other.assumptions) if same else \
            Unknown("differs between paths")


@record(frozen=True, slots=True)
class EnvironmentV:
    """What `gym.make` gives: of what it returns nothing more is known."""

    name: str
    span: Span
    assumptions: Assumptions = NONE

    def attribute(self, m: Machine, name: str) -> Any:
        if name in ("observation_space", "action_space"):
            return SpaceV(SPACES[self.name][name == "action_space"], self.span, self.assumptions)
        return self if name == "unwrapped" else MISSING if name == "path" else Unknown(f"{name} of an environment")

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, EnvironmentV) and other.name == self.name
        return replace(self, assumptions=self.assumptions | other.assumptions) if same else \
            Unknown("differs between paths")


@FRAMEWORK.on("gym.make", "gymnasium.make")
def make(c: Call) -> Any:
    given = c.get(0, "id")
    named = plain(given)
    name = named.rpartition("-v")[0] if isinstance(named, str) else ""
    known = name in SPACES and set(c.kwargs) - {"id"} <= HARMLESS and len(c.args) <= 1
    return EnvironmentV(name, c.span, assumptions_of(given)) if known else Unknown("an environment")
