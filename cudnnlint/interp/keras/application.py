"""Layers applied: their output inferred, placed in the program and told to the listeners."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import Any

from cudnnlint.events import LayerApplied, tensors
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.devices import start
from cudnnlint.interp.functions import AUTOCAST, undtyped
from cudnnlint.interp.graphs.bodies import first_built
from cudnnlint.interp.graphs.placeholders import OF_KERAS_3, placeholders
from cudnnlint.interp.keras.activating import activated
from cudnnlint.interp.keras.built import NORMALIZATION, contradiction, widened
from cudnnlint.interp.keras.layer_inputs import as_inputs, split_inputs
from cudnnlint.interp.keras.layers import LayerV, is_eager, phase_of
from cudnnlint.interp.keras.parts import told_params
from cudnnlint.interp.limits import LAYER_STEPS
from cudnnlint.interp.machine import Machine, assume
from cudnnlint.interp.mistakes.unexpected import tell_of_input
from cudnnlint.interp.objects import FunctionV
from cudnnlint.interp.placing import place
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import ancestry
from cudnnlint.interp.torch.compared import compared
from cudnnlint.ops.protocol import LayerCall, Policy
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.dim import Implied
from cudnnlint.values.origins import PLACE

OF_THE_CONSTRUCTOR = frozenset({
    Problem.EMPTY_DIM, Problem.GROUPS, Problem.STRIDES_DILATION, Problem.NON_POSITIVE, Problem.OUTPUT_PADDING,
    Problem.UNEQUAL_STRIDES, Problem.INVALID_ARGUMENT, Problem.AXIS, Problem.EPSILON,
    Problem.CUDNN_RNN,
})
"""Problems that are reported where the layer was configured, when that is another place than where it is applied."""


BUILT_IN_GRAPH = "layers are built in a graph"
"""Where the state says so, the batch under way has the extents that its dataset declares."""
PLAIN = (str, type(None))
"""Activations by name, and none."""


def _holds(outer: Span, inner: Span) -> bool:
    return outer.path == inner.path and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


def autocast(value: Any, policy: Policy) -> Any:
    """Floating inputs are cast to the compute dtype (keras/src/layers/layer.py: Layer.__call__)."""
    if isinstance(value, Tensor):
        floating = is_floating(value.dtype)
        if floating and value.dtype != policy.compute:
            return Tensor(value.shape, policy.compute, value.kind, None, value.step, value.assumptions)
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(autocast(item, policy) for item in value)
    if isinstance(value, dict):
        return {key: autocast(item, policy) for key, item in value.items()}
    return value


APPLYING = ("call", "__call__", "build", "__init__", "compute_output_shape", "compute_output_spec")
"""Methods of layers that decide what they give."""


def _patched(m: Machine, path: str) -> bool:
    """Whether the program put functions of its own in place of a layer's: `layers.Dense.call = ...`."""
    return any(f"{cls}.{name}" in m.overrides for cls in ancestry(path) for name in APPLYING)


def apply_layer(m: Machine, layer: LayerV, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
    """One application of a builtin layer."""
    m.tick(LAYER_STEPS)
    if m.phase == "call":
        m.visited.add(id(layer))
    found: set[Any] = set(layer.assumptions)
    first, rest, named = split_inputs(args, kwargs)
    inputs = as_inputs(strip(first, found))
    freely = AUTOCAST in m.state and layer.path.startswith("torch.")
    if freely:
        inputs = undtyped(inputs)
    more = tuple([strip(arg, found) for arg in rest])
    options = {key: strip(value, found) for key, value in named.items()}
    if layer.op is None and layer.path == "keras.layers.InputLayer" and m.stack.keras < (3,):
        return first  # tf_keras/src/engine/base_layer.py: Layer.call
    if (open_ := _open(m, layer, inputs, span)) is not None:
        return open_
    number = m.begin()
    about = tensors([inputs, *more, *options.values()]) if more or options else tensors(inputs)
    try:
        outcome, weights = _judged(m, layer, inputs, more, options, span)
        if layer.arguments.get("activation").__class__ not in PLAIN:
            weights = activated(m, layer, outcome, weights, about, at_span(span))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError) as error:
        return m.crash(layer.path, error, span)  # our own bug must not end the run
    finally:
        m.applying.pop()
    taken = frozenset(found)
    if layer.path == NORMALIZATION and layer.weights is not None:
        outcome = widened(layer, outcome, weights)
    if not isinstance(outcome, Mismatch) and (other := contradiction(m, layer, inputs, weights)):
        outcome = other
    if isinstance(outcome, Mismatch):
        _refuse(m, layer, outcome, (inputs, more, options), about, taken, span)
        outcome = outcome.otherwise if outcome.otherwise is not None \
            else _mended(layer, _call(m, layer, inputs, more, options, span), outcome)
        if isinstance(outcome, Unknown):
            return outcome
    elif getattr(layer.op, "compares", False):
        weight = None if PLACE in layer.extra else getattr(layer.op, "weight", None)
        compared(m, layer.op.name, inputs, more[0] if more else options.get("target"), span, taken, weight)
    if layer.weights is None and (about or not isinstance(weights, Unknown)):
        _build(m, layer, weights, span)
    outcome = undtyped(outcome) if freely else outcome
    taken |= m.frame.control
    placed = assume(place(layer, outcome, about, as_given(args, kwargs), span, taken, followed(outcome, about)), taken)
    if about:
        layer.note_call(m, inputs, placed)
        _tell(m, layer, inputs, options, placed, about, taken, number, span)
    return wrap(placed)


def _tell(m: Machine, layer: LayerV, inputs: Any, options: dict[str, Any], output: Any, about: tuple[Tensor, ...],
          taken: frozenset[Any], number: int, span: Span) -> None:
    """Tell of application `number`, which rests on `taken`, that it gives `output`."""
    training = options.get("training", m.training) if layer.mode is None else layer.mode
    phase = phase_of(m, about)
    eager = phase != "symbolic" and not m.symbolic
    m.say(LayerApplied, span, about=about, assumptions=taken, layer=layer.info(), inputs=inputs, output=output,
          phase=phase, eager=eager, fixed=eager and not m.any_batch, training=training, fed=m.fed, tested=m.tested,
          params=layer.params() if layer.user is None else told_params(m, layer.user), maker=layer,
          number=number, within=tuple(m.applying))


CHAINED = "torch.chained"
"""Key of where the nn.Sequential was called whose modules are applied, each of which is told of where it was made."""
OF_THE_INPUT = frozenset({Problem.DTYPE, Problem.INTEGER_INPUT})
"""What is wrong with what a chain is given, not with its modules."""


def _refuse(m: Machine, layer: LayerV, wrong: Mismatch, given: tuple[Any, tuple[Any, ...], dict[str, Any]],
            about: tuple[Tensor, ...], taken: frozenset[Any], span: Span) -> None:
    """Tell what the layer refuses of its inputs, of more tensors and of options: `given`.

    An extent that a real tensor leaves open here is a number when it runs, but in the graph that fit() makes.
    """
    if wrong.problem is Problem.FEATURE_UNKNOWN and is_eager(m, about) and not (
            m.state.get(BUILT_IN_GRAPH) and layer.weights is None):
        return
    inputs, more, options = given
    at = span if _holds(span, layer.span) or wrong.problem not in OF_THE_CONSTRUCTOR else layer.span
    if wrong.problem in OF_THE_INPUT and at is span:
        at = span = m.state.get(CHAINED) or span
    refuse(m, at, wrong, about=about, assumptions=taken, what=layer.display, inputs=inputs, layer=layer.info(),
           applied_at=None if at is span else span, args=more, kwargs=options,
           before=layer.calls[0][0] if layer.calls else None)


def _build(m: Machine, layer: LayerV, weights: Any, span: Span) -> None:
    """The first application makes the layer's variables."""
    m.heap.touch(layer)
    if m.bodies:
        first_built(m, layer, weights, span)
    layer.weights, layer.built = weights, True
    if isinstance(weights, tuple) and weights and layer.path.startswith("keras."):
        start(m, span)  # its variables are real ones, even those of a layer that gets symbolic tensors


def _open(m: Machine, layer: LayerV, inputs: Any, span: Span) -> Unknown | None:
    """Why nothing is inferred of an application, if so."""
    if layer.op is None:
        return Unknown(f"{layer.display} is not modelled")
    if m.overrides and _patched(m, layer.path):
        return Unknown(f"the program replaces methods of {layer.display}")
    if not isinstance(inputs, Tensor) and tell_of_input(m, layer, inputs, span):
        return Unknown(f"{layer.display} rejects its input")
    return None


def followed(outcome: Any, about: tuple[Tensor, ...]) -> Any:
    """The outcome, if it was made by following the program: by a Lambda's function, a wrapped layer of the user's."""
    if not any(tensor.step is not None for tensor in tensors(outcome)):
        return None
    given = {id(tensor.step) for tensor in about}
    return outcome if any(tensor.step is not None and id(tensor.step) not in given for tensor in tensors(outcome)) \
        else None


def _judged(m: Machine, layer: LayerV, inputs: Any, more: tuple[Any, ...], options: dict[str, Any],
            span: Span) -> tuple[Any, Any]:
    """(outcome, weights) of an application; equal layers on equal inputs are judged once."""
    key = _key(layer, inputs, more, options) if layer.outcomes is not None else None
    if key is None:
        call = _call(m, layer, inputs, more, options, span)
        return layer.op.infer(call), layer.op.weights(call)
    if m.symbolic:
        key = (*key, "traced")
    known: tuple[Any, Any] | None = layer.outcomes.get(key)  # type: ignore[union-attr]
    if known is None:
        call = _call(m, layer, _bare(inputs), more, options, span)
        known = layer.outcomes[key] = layer.op.infer(call), layer.op.weights(call)  # type: ignore[index]
    return known


def _key(layer: LayerV, inputs: Any, more: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """All that an op can see of tensors whose extents and dtype are known; None for any other call."""
    if more or (options and (options.keys() != {"training"} or not isinstance(options["training"], bool))):
        return None
    several = isinstance(inputs, (list, tuple))
    seen: list[Any] = [layer.policy, options.get("training"), type(inputs)]
    for tensor in inputs if several else (inputs,):
        if not isinstance(tensor, Tensor) or tensor.content is not None or isinstance(tensor.dtype, Unknown) \
                or isinstance(tensor.shape, Unknown):
            return None
        for dim in tensor.shape:
            if type(dim) is not int and isinstance(dim, (Unknown, Implied)):
                return None
        seen.append((tensor.shape, tensor.dtype, tensor.kind))
    return tuple(seen)


def _bare(inputs: Any) -> Any:
    """Without what is of this tensor alone: where it came from and what it rests on."""
    if isinstance(inputs, Tensor):
        return Tensor(inputs.shape, inputs.dtype, inputs.kind)
    return type(inputs)(map(_bare, inputs))


def judge(m: Machine, layer: LayerV, inputs: Any, span: Span, more: tuple[Any, ...] = (),
          options: dict[str, Any] | None = None) -> tuple[Any, Any]:
    """(outcome, weights) that a layer with an op would have for these inputs; nothing is reported."""
    try:
        return _judged(m, layer, inputs, more, options or {}, span)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError) as error:
        unknown = m.crash(layer.path, error, span)
        return unknown, unknown


def _call(m: Machine, layer: LayerV, inputs: Any, more: tuple[Any, ...], options: dict[str, Any],
          span: Span) -> LayerCall:
    taken = inputs if layer.path.startswith("torch.") else autocast(inputs, layer.policy)
    return LayerCall(taken, more, options, layer.policy, m.stack, _applier(m, layer, span), weigh,
                     partial(_attribute, m), bool(layer.calls), m.symbolic)


def _mended(layer: LayerV, call: LayerCall, wrong: Mismatch) -> Any:
    """What the layer will give once its input is large enough: the rest of the program is judged by that.

    Only rank, batch and features are sure then.
    """
    x = call.inputs
    if layer.path.startswith("torch."):
        return _mended_torch(layer, call, wrong)
    if wrong.problem is Problem.EMPTY_DIM and isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) > 2:
        open_ = tuple(Unknown("after a layer that fails") for _ in x.shape[1:-1])
        outcome = layer.op.infer(replace(call, inputs=x.with_(shape=(x.shape[0], *open_, x.shape[-1]))))
        if isinstance(outcome, Tensor):
            return outcome
    return Unknown(f"{layer.display} rejects its input")


def _mended_torch(layer: LayerV, call: LayerCall, wrong: Mismatch) -> Any:
    """The same with the channels second."""
    x = call.inputs
    if wrong.problem is Problem.EMPTY_DIM and isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) > 2:
        lead = min(len(x.shape) - 1, 2)
        open_ = tuple(Unknown("after a layer that fails") for _ in x.shape[lead:])
        outcome = layer.op.infer(replace(call, inputs=x.with_(shape=(*x.shape[:lead], *open_))))
        if isinstance(outcome, Tensor):
            return outcome
    return Unknown(f"{layer.display} rejects its input")


def _applier(m: Machine, layer: LayerV, span: Span) -> Any:
    """call.apply of LayerCall: calls any callable value on plain arguments, gives a plain result."""
    taken_over = getattr(layer.op, "takes_over", ())

    def run(callee: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(callee, LayerV):
            callee.handed_over = taken_over or callee.handed_over
            return strip(apply_layer(m, callee, [wrap(arg) for arg in args],
                                     {key: wrap(value) for key, value in kwargs.items()}, span))
        symbolic = [tensor for tensor in tensors(args) if tensor.kind == "keras"]
        with placeholders(m, symbolic, OF_KERAS_3):
            return strip(m.call(callee, [wrap(arg) for arg in args],
                                {key: wrap(value) for key, value in kwargs.items()}, at_span(span)))

    return run


def at_span(span: Span) -> ast.AST:
    """A node that stands there."""
    return ast.Constant(value=None, lineno=span.line, col_offset=span.column, end_lineno=span.end_line,
                        end_col_offset=span.end_column)


def _attribute(m: Machine, value: Any, name: str) -> Any:
    """call.attribute of LayerCall; of methods, those that the program's own classes have, or None."""
    from cudnnlint.interp.attributes import get_attribute

    held = getattr(value, "user", None) or value
    if name in METHODS and not isinstance(getattr(held, "cls", None) and held.cls.lookup(name), FunctionV):
        return None
    return strip(get_attribute(m, held, name, ast.Constant(value=None)))


METHODS = frozenset({"get_initial_state"})


def weigh(callee: Any, *args: Any) -> Any:
    """call.weigh of LayerCall."""
    from cudnnlint.interp.keras.parts import weights_of

    return weights_of(callee)
