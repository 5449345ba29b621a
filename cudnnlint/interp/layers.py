"""Layers in the program: created from their spellings, applied to tensors, told to the listeners."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from cudnnlint.events import LayerApplied, LayerCreated, LayerInfo, Rejected, tensors
from cudnnlint.interp.binding import bind_spelling
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.functions import place
from cudnnlint.interp.heap import clock
from cudnnlint.interp.limits import LAYER_STEPS
from cudnnlint.interp.machine import Machine, assume
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import BASE_ARGUMENTS, LAYERS, LayerCall, Policy, Weight
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, is_floating
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim, is_known, product

CONTINUABLE = frozenset({Problem.UNKNOWN_ARGUMENT})
"""Constructor problems after which the layer's shape is still what the rest of the program means."""


OF_THE_CONSTRUCTOR = frozenset({
    Problem.EMPTY_DIM, Problem.GROUPS, Problem.STRIDES_DILATION, Problem.NON_POSITIVE, Problem.OUTPUT_PADDING,
    Problem.UNEQUAL_STRIDES, Problem.INVALID_ARGUMENT, Problem.AXIS, Problem.EPSILON,
})
"""Problems that are reported where the layer was configured, when that is another place than where it is applied."""


def _holds(outer: Span, inner: Span) -> bool:
    return outer.path == inner.path and outer[1:3] <= inner[1:3] and inner[3:] <= outer[3:]


class ObjectV:
    """An object of a library class that is not modelled further: its path and arguments, for rules and handlers."""

    always_true = True

    def __init__(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any], span: Span) -> None:
        self.path, self.args, self.kwargs, self.span = path, args, kwargs, span

    def join_with(self, other: Any) -> Any:
        same = isinstance(other, ObjectV) and other.path == self.path and other.args == self.args
        return self if same and other.kwargs == self.kwargs else Unknown("differs between paths")


class LayerV:
    """A layer: builtin ones have an `op`; for a user's class (`user`) the op is None or the library base's.

    weights    built variables: tuple[Weight, ...], Unknown, or None before the first application
    calls      applications so far as (inputs, outputs)
    """

    always_true = True

    def __init__(self, path: str, name: str, span: Span, op: Any = None, arguments: dict[str, Any] | None = None,
                 given: frozenset[str] = frozenset(), base: dict[str, Any] | None = None,
                 policy: Policy = Policy()) -> None:
        self.born = next(clock)
        self.path, self.name, self.span, self.op = path, name, span, op
        self.arguments = arguments or {}
        self.given, self.base, self.policy = given, base or {}, policy
        self.assumptions: Assumptions = NONE
        self.weights: tuple[Weight, ...] | Unknown | None = None
        self.added: list[Weight] = []
        self.calls: list[tuple[Any, Any]] = []
        self.user: InstanceV | None = None
        self.model: Any = None
        self.built = False
        self.compiled: dict[str, Any] | None = None
        self.extra: dict[str, Any] = {}

    def snapshot(self) -> Any:
        return self.weights, self.built, self.compiled

    def restore(self, state: Any) -> None:
        self.weights, self.built, self.compiled = state

    def merge(self, states: Any) -> None:
        """Built differently on two paths: the variables are not known."""
        weights = [state[0] for state in states]
        same = all(weight == weights[0] for weight in weights)
        self.weights = weights[0] if same else Unknown("built differently between paths")
        self.built = any(state[1] for state in states)
        self.compiled = states[0][2] if all(state[2] is states[0][2] for state in states) else {}

    @property
    def display(self) -> str:
        return self.user.cls.name if self.user is not None else self.path.rpartition(".")[2]

    def info(self) -> LayerInfo:
        return LayerInfo(path="" if self.user is not None else self.path, name=self.display, span=self.span,
                         arguments=self.arguments, given=self.given, op=self.op)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in self.extra:
            return self.extra[name]
        if name == "name":
            return self.name
        if name in self.arguments and not name.startswith("_") and name != "name":
            value = self.arguments[name]
            if isinstance(value, int | float | str | bool | Unknown):
                return value
        return MISSING

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        self.extra[name] = value

    def called(self, c: Call) -> Any:
        return apply_layer(c.machine, self, c.args, c.kwargs, c.span)


def create_layer(m: Machine, path: str, c: Call) -> Any:
    """Run a builtin layer's constructor."""
    made = build_op(m, path, c)
    if made is None:
        return Unknown(f"{path}() fails")
    if isinstance(made, LayerV):
        m.say(LayerCreated, made.span, assumptions=made.assumptions, layer=made.info())
    return made


def build_op(m: Machine, path: str, c: Call, *, shared: bool = False) -> LayerV | Unknown | None:
    """Bind and check constructor arguments; None when the constructor certainly raises.

    shared  other classes follow in the method resolution order and may take the arguments that this one does not know
    """
    spelling = LAYERS[path]
    span = c.span
    m.created += 1
    m.tick(LAYER_STEPS)
    found: set[Any] = set()
    args = [strip(arg, found) for arg in c.args]
    kwargs = {key: strip(value, found) for key, value in c.kwargs.items()}
    bound = bind_spelling(spelling, args, kwargs, m.stack, BASE_ARGUMENTS)
    if isinstance(bound, Unknown):
        return bound
    if bound.arguments.get("data_format", 0) is None:
        bound.arguments["data_format"] = m.state.get("image_data_format")
    info = LayerInfo(path=path, name=path.rpartition(".")[2], span=span, arguments=bound.arguments, given=bound.given)
    problems = tuple(p for p in bound.problems if not (shared and p.problem is Problem.UNKNOWN_ARGUMENT))
    for problem in problems:
        m.say(Rejected, span, about=[], assumptions=frozenset(found), what=info.name, mismatch=problem, layer=info,
              stage="constructor")
    if any(problem.problem not in CONTINUABLE for problem in problems):
        return None
    try:
        op = spelling.builder(**bound.arguments)
        refused = [op] if isinstance(op, Mismatch) else [] if isinstance(op, Unknown) else list(op.check(m.stack))
    except Exception as error:  # our own bug must not end the run
        return m.crash(path, error, span)
    if isinstance(op, Unknown):
        return op
    failed = False
    for problem in refused:
        if problem.where.holds(m.stack):
            failed = failed or problem.otherwise is None
            m.say(Rejected, span, assumptions=frozenset(found), what=info.name, mismatch=problem, layer=info,
                  stage="constructor")
    if failed or isinstance(op, Mismatch):
        return None
    name = bound.base.get("name")
    layer = LayerV(path, name if isinstance(name, str) else m.unique_name(snake(info.name)), span, op, bound.arguments,
                   bound.given, bound.base, policy_of(m, bound.base.get("dtype")))
    layer.assumptions = frozenset(found) | m.frame.control
    return layer


def snake(name: str) -> str:
    """Keras' automatic names (keras/src/utils/naming.py: to_snake_case): Conv2D -> conv2d."""
    import re

    text = re.sub(r"\W+", "", name)
    text = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", text)
    return re.sub("([a-z])([A-Z])", r"\1_\2", text).lower()


POLICIES = {"mixed_float16": Policy("float16", "float32"), "mixed_bfloat16": Policy("bfloat16", "float32")}


def policy_of(m: Machine, dtype: Any) -> Policy:
    """The dtype policy of a layer: its `dtype` argument, else the global policy."""
    if dtype is None:
        policy: Policy = m.state.get("policy") or Policy(m.state.get("floatx", "float32"),
                                                         m.state.get("floatx", "float32"))
        return policy
    if isinstance(dtype, Policy):
        return dtype
    if isinstance(dtype, str):
        return POLICIES.get(dtype, Policy(dtype, dtype))
    held = getattr(dtype, "policy", None)
    unknown: Any = Unknown("dtype policy")
    return held if isinstance(held, Policy) else Policy(unknown, unknown)


def as_inputs(value: Any) -> Any:
    """Layer inputs as ops take them: numbers and nested lists of numbers become tensors."""
    if isinstance(value, Tensor | Unknown):
        return value
    if isinstance(value, list | tuple):
        if _numbers(value):
            from cudnnlint.ops.functions.convert import as_tensor

            return as_tensor(list(value), "tf")
        return type(value)(as_inputs(item) for item in value)
    if isinstance(value, dict):
        return {key: as_inputs(item) for key, item in value.items()}
    if isinstance(value, int | float):
        from cudnnlint.ops.functions.convert import as_tensor

        return as_tensor(value, "tf")
    return value


def _numbers(value: Any) -> bool:
    """A list of numbers, or of lists of them."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_numbers, value))
    return isinstance(value, int | float)


def autocast(value: Any, policy: Policy) -> Any:
    """Floating inputs are cast to the compute dtype (keras/src/layers/layer.py: Layer.__call__)."""
    if isinstance(value, Tensor):
        floating = is_floating(value.dtype)
        if floating and value.dtype != policy.compute:
            return Tensor(value.shape, policy.compute, value.kind, None, value.step, value.assumptions)
        return value
    if isinstance(value, list | tuple):
        return type(value)(autocast(item, policy) for item in value)
    if isinstance(value, dict):
        return {key: autocast(item, policy) for key, item in value.items()}
    return value


INPUT_NAMES = ("inputs", "input", "x", "sequences", "sequence", "data", "query")


def split_inputs(args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """(inputs, other positional arguments, other keyword arguments) of a layer call."""
    if args:
        return args[0], list(args[1:]), kwargs
    for name in INPUT_NAMES:
        if name in kwargs:
            return kwargs[name], [], {key: value for key, value in kwargs.items() if key != name}
    return Unknown("no inputs"), [], kwargs


def apply_layer(m: Machine, layer: LayerV, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
    """One application of a builtin layer."""
    m.tick(LAYER_STEPS)
    found: set[Any] = set(layer.assumptions)
    first, rest, named = split_inputs(args, kwargs)
    inputs = as_inputs(strip(first, found))
    call = LayerCall(autocast(inputs, layer.policy), tuple(strip(arg, found) for arg in rest),
                     {key: strip(value, found) for key, value in named.items()}, layer.policy, m.stack,
                     _applier(m, span), _weigher(m, span))
    if layer.op is None:
        return Unknown(f"{layer.display} is not modelled")
    try:
        outcome = layer.op.infer(call)
        weights = layer.op.weights(call)
    except Exception as error:  # our own bug must not end the run
        if not isinstance(error,
                          ArithmeticError | AttributeError | LookupError | TypeError | ValueError | AssertionError):
            raise
        return m.crash(layer.path, error, span)
    about = tensors([inputs, *call.args, *call.kwargs.values()])
    taken = frozenset(found)
    if not isinstance(outcome, Mismatch) and (clash := _weights_clash(layer, weights, about)):
        outcome = clash
    if isinstance(outcome, Mismatch):
        # an extent that a real tensor leaves open here is a number when it runs
        open_only = outcome.problem is Problem.FEATURE_UNKNOWN and is_eager(m, about)
        if outcome.where.holds(m.stack) and not open_only:
            at = span if _holds(span, layer.span) or outcome.problem not in OF_THE_CONSTRUCTOR else layer.span
            m.say(Rejected, at, about=about, assumptions=taken, what=layer.display, mismatch=outcome, inputs=inputs,
                  layer=layer.info(), applied_at=None if at is span else span)
        outcome = outcome.otherwise if outcome.otherwise is not None else _mended(layer, call, outcome)
        if isinstance(outcome, Unknown):
            return outcome
    if layer.weights is None:
        m.heap.touch(layer)
        layer.weights, layer.built = weights, True
    placed = assume(place(m, "layer", outcome, args, kwargs, span), taken | m.frame.control)
    placed = _made_by(placed, layer)
    if about:
        layer.calls.append((inputs, placed))
        m.say(LayerApplied, span, about=about, assumptions=taken, layer=layer.info(), inputs=inputs, output=placed,
              phase=phase_of(m, about), eager=is_eager(m, about), training=call.kwargs.get("training", m.training),
              params=count(layer.weights))
    return wrap(placed)


def _mended(layer: LayerV, call: LayerCall, wrong: Mismatch) -> Any:
    """What the layer will give once its input is large enough: the rest of the program is judged by that.

    Only rank, batch and features are sure then.
    """
    x = call.inputs
    if wrong.problem is Problem.EMPTY_DIM and isinstance(x, Tensor) and isinstance(x.shape, tuple) and len(x.shape) > 2:
        open_ = tuple(Unknown("after a layer that fails") for _ in x.shape[1:-1])
        outcome = layer.op.infer(replace(call, inputs=x.with_(shape=(x.shape[0], *open_, x.shape[-1]))))
        if isinstance(outcome, Tensor):
            return outcome
    return Unknown(f"{layer.display} rejects its input")


def _made_by(value: Any, maker: Any) -> Any:
    """Set the maker in the steps of freshly placed tensors."""
    if isinstance(value, Tensor) and value.step is not None:
        step = value.step
        from cudnnlint.values import Step

        return Tensor(value.shape, value.dtype, value.kind, value.content,
                      Step(step.span, step.parents, maker, step.arguments, step.index), value.assumptions)
    if isinstance(value, list | tuple):
        return type(value)(_made_by(item, maker) for item in value)
    if isinstance(value, dict):
        return {key: _made_by(item, maker) for key, item in value.items()}
    return value


def phase_of(m: Machine, about: tuple[Tensor, ...]) -> str:
    if any(tensor.kind == "keras" for tensor in about):
        return "symbolic"
    return "call" if m.phase == "call" else "eager"


def is_eager(m: Machine, about: tuple[Tensor, ...]) -> bool:
    """Whether real tensors flow: not while a model is built from symbolic ones, inside its call() methods too."""
    return not m.symbolic and not any(tensor.kind == "keras" for tensor in about)


def _applier(m: Machine, span: Span) -> Any:
    """call.apply of LayerCall: calls any callable value on plain arguments, gives a plain result."""
    node = ast.Constant(value=None, lineno=span.line, col_offset=span.column, end_lineno=span.end_line,
                        end_col_offset=span.end_column)

    def run(callee: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(callee, LayerV):
            return strip(apply_layer(m, callee, [wrap(arg) for arg in args],
                                     {key: wrap(value) for key, value in kwargs.items()}, span))
        return strip(m.call(callee, [wrap(arg) for arg in args],
                            {key: wrap(value) for key, value in kwargs.items()}, node))

    return run


def _weigher(m: Machine, span: Span) -> Any:
    def run(callee: Any, *args: Any) -> Any:
        from cudnnlint.interp.parts import weights_of

        return weights_of(callee)

    return run


def _weights_clash(layer: LayerV, weights: Any, about: Any) -> Mismatch | None:
    """A layer built for other channels: its variables cannot change shape on a later call."""
    if not isinstance(layer.weights, tuple) or not isinstance(weights, tuple) or len(weights) != len(layer.weights):
        return None
    for old, new in zip(layer.weights, weights, strict=True):
        if len(old.shape) != len(new.shape):
            return None
        for axis, (a, b) in enumerate(zip(old.shape, new.shape, strict=True)):
            if is_known(a) and is_known(b) and a != b:
                return Mismatch(Problem.CHANNELS,
                                f"{layer.display} was built for {a} input features, this input has {b}",
                                help="use a separate layer for each width, or the same number of features",
                                error=f'ValueError "expected axis -1 of input shape to have value {a}"',
                                facts=(("axis", axis), ("built", a), ("actual", b)))
    return None


def count(weights: Any) -> Dim:
    """Number of parameters of a tuple of weights."""
    if weights is None or isinstance(weights, Unknown):
        return Unknown("weights")
    total: Dim = 0
    for weight in weights:
        size = product(weight.shape)
        if not is_known(size) or not is_known(total):
            return Unknown("weights")
        total += size  # type: ignore[operator]
    return total
