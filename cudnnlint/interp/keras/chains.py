"""Models on real data that nobody compares with the declared input: the layers decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.interp.keras.application import judge
from cudnnlint.interp.keras.built import clash
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.model_inputs import conformed, input_mismatch, wrong_input
from cudnnlint.interp.keras.replay import Replay, run_chain
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import may_equal
from cudnnlint.values.unknown import Window


def refused_input(m: Machine, model: Any, want: Tensor, have: Tensor, span: Span) -> Mismatch | None:
    """What a model with inputs says to a tensor, or what the layers of a sequential one do.

    keras/src/models/sequential.py: Sequential.call, which goes around the checks of Functional.__call__; the rank is
    compared all the same (Functional._adjust_input_rank).
    """
    wrong = input_mismatch(want, have, keras_3=m.stack.keras >= (3,))
    if wrong is None or m.stack.keras < (3,) or getattr(model, "kind", "") != "sequential" or have.kind == "keras":
        return wrong
    given = conformed(want, have)
    if not isinstance(given.shape, tuple) or not isinstance(want.shape, tuple) or len(given.shape) != len(want.shape):
        return wrong
    refusals = [_refused_by_layers(m, model, each, span) for each in _as_long_as_may_be(given)]
    said = refusals[0]
    if said is None or None in refusals:
        return None
    error = 'ValueError "Negative dimension size"' if said.problem is Problem.EMPTY_DIM else said.error
    return replace(wrong, error=error, facts=(*wrong.facts, ("said", error)))


ANY_SHAPE = Unknown("another one on each path")
"""What a sequential model was built for that was called here or there."""


def refused_again(m: Machine, model: Any, inputs: Any) -> Mismatch | None:
    """What a sequential model of Keras 3 says that has no Input: its first call builds it for the shape that it is
    given, with which symbolic tensors are compared from then on, and of others the rank; layers that are added later
    change nothing about that. Run with Keras 3.0 to 3.15.

    keras/src/models/sequential.py: Sequential.build, _maybe_rebuild;
    keras/src/models/functional.py: Functional._adjust_input_rank.
    """
    if m.stack.keras < (3,) or not isinstance(inputs, Tensor) or not isinstance(inputs.shape, tuple):
        return None
    want = model.first
    if want is None:
        m.heap.touch(model)
        built = inputs.with_(shape=(BATCH, *inputs.shape[1:]))
        model.first = built if all(map(_is_built_with, model.layers.items)) else ANY_SHAPE
        return None
    if isinstance(want, Unknown) or (inputs.kind != "keras" and len(inputs.shape) == len(want.shape)):
        return None
    wrong = input_mismatch(want, inputs)
    return wrong and replace(wrong, help=_wider(want.shape, inputs.shape))


def _wider(first: Any, other: Any) -> str:
    """An Input for both of two shapes."""
    if len(first) != len(other):
        return "make one model for each rank"
    open_ = tuple(a if a == b and isinstance(a, int) else None for a, b in zip(first[1:], other[1:], strict=True))
    return f"begin the model with keras.Input({open_}): its first call builds it for the shape that it is given"


def _is_built_with(layer: Any) -> bool:
    """Whether the model it is in is built at once, as those are not in which something fails to tell a shape."""
    held = plain(layer)
    return isinstance(held, LayerV) and held.op is not None and held.user is None


def _as_long_as_may_be(given: Tensor) -> list[Tensor]:
    """Of what is taken of an axis of which it is not known how long it is: all that is asked for, and the least."""
    assert isinstance(given.shape, tuple)
    if not any(type(dim) is Window for dim in given.shape[1:]):
        return [given]
    return [given.with_(shape=tuple((dim.full if longest else 1) if type(dim) is Window and at else dim
                                    for at, dim in enumerate(given.shape))) for longest in (True, False)]


def refused_rank(m: Machine, model: Any, want: Tensor, have: Tensor, span: Span) -> Mismatch | None:
    """What the layers of a model of Keras 2 say to data of another rank, which nobody compares with the declared input
    (tf_keras/src/engine/input_spec.py: assert_input_compatibility): `predict(x)` of one sample without its batch axis.
    """
    given = conformed(want, have)
    if m.stack.keras >= (3,) or not isinstance(given.shape, tuple) or not isinstance(want.shape, tuple) \
            or len(given.shape) == len(want.shape):
        return None
    sequential = getattr(model, "kind", "") == "sequential"
    said = _refused_by_layers(m, model, given, span) if sequential else _refused_in_graph(m, model, want, given, span)
    if said is None:
        return None
    wrong = wrong_input(want.shape, have.shape if isinstance(have.shape, tuple) else given.shape)
    return replace(wrong, error=said.error, facts=(*wrong.facts, ("said", said.error), ("stacks", "everywhere")))


def misread(m: Machine, model: Any, wanted: Sequence[Tensor], given: Sequence[Tensor], span: Span) -> Mismatch | None:
    """Grey images where a model that is called declares colours, or the reverse: a last axis of 1 is not compared. A
    layer within refuses it; Keras 3 asks none of them as long as the inputs are symbolic."""
    made = [conformed(want, have) for want, have in zip(wanted, given, strict=True)]
    wrong = next((pair for pair in zip(wanted, made, strict=True) if _is_other(*(one.shape for one in pair))), None)
    anew = dict(zip(map(id, wanted), made, strict=True))
    if wrong is None or (said := _first_refusal(m, lambda: _again(m, model, anew, span))) is None:
        return None
    want, have = (one.shape for one in wrong)
    if isinstance(want, Unknown) or isinstance(have, Unknown):
        return None
    found = wrong_input(want, have)
    facts = (*found.facts, ("said", said.error), ("stacks", "everywhere"))
    if m.stack.keras >= (3,) and any(tensor.kind == "keras" for tensor in given):
        facts = (*facts, ("moment", "when the model first runs, before Keras 3 when it is built"))
    return replace(found, error=said.error, facts=facts)


def _is_other(wanted: Any, given: Any) -> bool:
    return isinstance(wanted, tuple) and isinstance(given, tuple) and len(wanted) == len(given) > 2 \
        and all(map(may_equal, wanted[1:-1], given[1:-1])) and not may_equal(wanted[-1], given[-1])


def _again(m: Machine, model: Any, given: dict[int, Tensor], span: Span) -> None:
    if model.kind == "sequential":
        run_chain(m, model.layers, next(iter(given.values())), span)
    else:
        Replay(m, given, span).run(model.outputs)


def _refused_in_graph(m: Machine, model: Any, want: Tensor, given: Tensor, span: Span) -> Mismatch | None:
    """What the layers of a functional model of one input refuse first, if all that comes before is known."""
    if model.inputs is not want and model.inputs != [want]:
        return None
    return _first_refusal(m, lambda: Replay(m, {id(want): given}, span).run(model.outputs))


def _first_refusal(m: Machine, run: Callable[[], object]) -> Mismatch | None:
    """What is told first as `run` follows layers, which leaves no trace."""
    told: list[Any] = []
    emit, m.emit = m.emit, told.append
    m.heap.open()
    try:
        run()
    finally:
        m.heap.undo()
        m.emit = emit
    return next((event.mismatch for event in told if isinstance(event, Rejected)), None)


def _refused_by_layers(m: Machine, model: Any, x: Any, span: Span) -> Mismatch | None:
    """What the first layer says that does not take what is left of the input; None where that is not known."""
    layers = getattr(model, "layers", None)
    for item in getattr(layers, "items", ()):
        layer = plain(item)
        if not isinstance(layer, LayerV) or layer.op is None or layer.user is not None or not isinstance(x, Tensor):
            return None
        outcome, weights = judge(m, layer, x, span)
        if isinstance(outcome, Mismatch):
            return outcome if outcome.where.holds(m.stack) else None
        if (other := clash(layer, weights)) is not None:
            return other
        x = outcome
    return None
