"""A dtype policy that is set once the layers are made: which models it comes too late for."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cudnnlint.events import Event, PolicyMisplaced
from cudnnlint.frameworks.keras.attributes import PolicyV
from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.heap import DictV, clock
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import Policy
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Unknown

LATE = "dtype policy set"


@record(slots=True)
class Late:
    """The last time that another global policy was set, and the models that were trained before."""

    when: int
    policy: Policy
    event: Event
    trained: dict[int, Any] = field(default_factory=dict)


def policy_set(m: Machine, before: Policy, policy: Policy, span: Span) -> None:
    """The global policy becomes `policy`."""
    known: Late | None = m.state.get(LATE)
    if before == policy or not isinstance(policy.compute, str) or policy.compute == policy.variable:
        m.state.pop(LATE, None)
        return
    event = m.event(PolicyMisplaced, span, policy=f"mixed_{policy.compute}", cause="late")
    trained = dict(known.trained) if known is not None else dict(m.state.get("trained", {}))
    m.state[LATE] = Late(next(clock), policy, event, trained)


def trained(m: Machine, model: Any, span: Span) -> None:
    """A model is trained: its layers have the policy of the time at which each was made."""
    held, known = plain(model), m.state.get(LATE)
    if known is None:
        m.state.setdefault("trained", {})[id(held)] = held
        return
    if id(held) in known.trained or m.uncalled != known.event.uncalled:
        return
    layers = _layers(held)
    early = [layer for layer in layers if layer.born < known.when and layer.policy != known.policy]
    left = [layer for layer in early if layer.base.get("dtype") is None]
    if left and all(layer.base.get("dtype") in (None, "float32") for layer in early):  # an output is kept in float32
        m.say(PolicyMisplaced, known.event.span, policy=known.event.policy, cause="late", early=len(left),
              layers=len(layers), made=left[0].span, used=span)


def _layers(value: Any) -> list[LayerV]:
    """The layers of a model that have variables, however deep; none where they are not all known."""
    found: list[LayerV] = []
    for held in within(value):
        if isinstance(held, Unknown):
            return []
        if (layer := layer_of(held)) is not None and layer.weights and not isinstance(layer.weights, Unknown):
            found.append(layer)
    return found


@FRAMEWORK.on("tensorflow.config.optimizer.set_experimental_options")
def set_options(c: Call) -> None:
    """It takes a dict (tensorflow/python/eager/context.py: Context.set_optimizer_experimental_options)."""
    given = plain(c.get(0, "options"))
    if isinstance(name := _policy(given), str):
        c.machine.say(PolicyMisplaced, c.span, policy=name, cause="options", text=isinstance(given, str))
    for key, value in given.items.items() if isinstance(given, DictV) else ():
        name = _policy(plain(value))
        if isinstance(key, str) and key not in OPTIONS and isinstance(name, str) and name.startswith(MIXED):
            c.machine.say(PolicyMisplaced, c.span, policy=name, cause="options", key=key)


def _policy(given: Any) -> Any:
    """The name of a policy, which may be an object."""
    return given.name() if isinstance(given, PolicyV) else given


MIXED = ("mixed_", "float16", "bfloat16")
OPTIONS = frozenset({
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping", "arithmetic_optimization",
    "dependency_optimization", "loop_optimization", "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector", "auto_mixed_precision",
    "use_plugin_optimizers", "disable_meta_optimizer", "auto_mixed_precision_onednn_bfloat16",
    "auto_mixed_precision_mkl", "min_graph_nodes"})
"""What it knows; anything else is dropped without a word (tensorflow/python/eager/context.py:
Context.config)."""

