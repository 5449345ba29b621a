"""Keras models: sequential chains and functional graphs, called again by replaying how they were made."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import LayerApplied, LayerInfo, ModelBuilt, Rejected, tensors
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.join import JOIN, ChoiceV, join
from cudnnlint.interp.layers import LayerV, apply_layer, count, is_eager, snake
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_dim, as_shape
from cudnnlint.ops.protocol import Weight
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Problem, Shape, Step, Symbol, Tensor, Unknown, is_integer
from cudnnlint.values.dim import Dim, is_known, may_equal


class ModelV:
    """`kind` is "functional", "sequential" or "subclassed" (`instance` set).

    layers    of a sequential model, in order (ListV); a functional model finds its own in its graph
    inputs    structure of symbolic Tensors, or None while a sequential model is deferred
    outputs   structure of Tensors, Unknown or None
    compiled  bound arguments of compile(), or None
    """

    always_true = True

    def __init__(self, kind: str, path: str, name: str, span: Span) -> None:
        self.born = next(clock)
        self.kind, self.path, self.name, self.span = kind, path, name, span
        self.layers = ListV()
        self.inputs: Any = None
        self.outputs: Any = None
        self.compiled: dict[str, Any] | None = None
        self.instance: InstanceV | None = None
        self.extra: dict[str, Any] = {}

    # state that paths may change
    def snapshot(self) -> Any:
        return self.layers.snapshot(), self.inputs, self.outputs, self.compiled

    def restore(self, state: Any) -> None:
        self.layers.restore(state[0])
        self.inputs, self.outputs, self.compiled = state[1:]

    def merge(self, states: Any) -> None:
        self.layers.merge([state[0] for state in states])
        self.inputs = _same([state[1] for state in states])
        self.outputs = join([state[2] if state[2] is not None else Unknown("not built on every path")
                             for state in states])
        self.compiled = states[0][3] if all(state[3] is states[0][3] for state in states) else {}

    @property
    def display(self) -> str:
        return {"sequential": "Sequential", "functional": "Functional"}.get(self.kind, self.path.rpartition(".")[2])

    def info(self) -> LayerInfo:
        return LayerInfo(path="keras.Sequential" if self.kind == "sequential" else "keras.Model", name=self.display,
                         span=self.span)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in self.extra:
            return self.extra[name]
        return self.name if name == "name" else MISSING

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        self.extra[name] = value

    def called(self, c: Call) -> Any:
        return self.apply(c.machine, c.args, c.kwargs, c.span)

    def apply(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        """Call the model on other inputs."""
        from cudnnlint.interp.layers import as_inputs, split_inputs

        first, _, _ = split_inputs(args, kwargs)
        inputs = as_inputs(strip(first))
        if not tensors(inputs):
            return Unknown(f"{self.display} called on unknown inputs")
        if self.kind == "sequential" and self.inputs is None:
            return self._run_chain(m, inputs, span)
        if self.inputs is None or self.outputs is None:
            return Unknown("a model that is not built")
        wanted, given = tensors(self.inputs), _matched(self.inputs, inputs)
        if not is_known_structure(self.inputs) or not is_known_structure(inputs):
            return Unknown("inputs that are not all known")
        if len(wanted) != len(given):
            return self._wrong_count(m, wanted, given, span)
        for want, have in zip(wanted, given, strict=True):
            if (wrong := input_mismatch(want, have, keras_3=m.stack.keras >= (3,))) is not None:
                m.say(Rejected, span, about=given, what=self.display, mismatch=wrong, inputs=inputs)
                return Unknown(f"{self.display} rejects its input")
        given = tuple(conformed(want, have) for want, have in zip(wanted, given, strict=True))
        outputs = self._outputs_for(m, wanted, given, span)
        result = _remade(outputs, Step(span, given, self, (tuple(args), dict(kwargs))),
                         "keras" if any(tensor.kind == "keras" for tensor in given) else "tf")
        m.say(LayerApplied, span, about=given, layer=self.info(), inputs=inputs, output=result,
              eager=is_eager(m, given), params=params_of(self))
        return wrap(result)

    def _wrong_count(self, m: Machine, wanted: Any, given: Any, span: Span) -> Any:
        m.say(Rejected, span, about=given, what=self.display, inputs=list(given),
              mismatch=wrong_count(len(wanted), len(given)))
        return Unknown(f"{self.display} rejects its inputs")

    def _outputs_for(self, m: Machine, wanted: Any, given: Any, span: Span) -> Any:
        """The outputs for inputs that fit: by changing the batch when all else is equal, else by replay."""
        same = all(_same_but_batch(want, have) for want, have in zip(wanted, given, strict=True))
        if same and _batch_first(self.outputs):
            batch = given[0].shape[0] if isinstance(given[0].shape, tuple) and given[0].shape else BATCH
            return _rebatched(self.outputs, batch)
        if self.kind == "sequential":
            return strip(run_chain(m, self.layers, given[0], span))
        return strip(Replay(m, dict(zip(map(id, wanted), given, strict=True)), span).run(self.outputs))

    def _run_chain(self, m: Machine, inputs: Any, span: Span) -> Any:
        """A deferred Sequential: its layers run on the inputs now."""
        if self.layers.unknown:
            return self.layers.unknown
        if m.stack.keras >= (3,) and isinstance(inputs, Tensor) and is_integer(inputs.dtype):
            inputs = inputs.with_(dtype=m.state.get("floatx", "float32"))  # sequential.py: build makes a float Input
        result = strip(run_chain(m, self.layers, inputs, None))
        given = tensors(inputs)
        symbolic = "keras" if any(tensor.kind == "keras" for tensor in given) else "tf"
        result = _remade(result, Step(span, given, self, ((wrap(inputs),), {})), symbolic)
        m.say(LayerApplied, span, about=given, layer=self.info(), inputs=inputs, output=result,
              eager=is_eager(m, given), params=params_of(self))
        return wrap(result)


def conformed(want: Tensor, have: Tensor) -> Tensor:
    """Inputs are cast to the dtype of the model's Input; real ones get or lose an axis of 1 at the end.

    keras/src/models/functional.py: Functional._standardize_inputs, _adjust_input_rank.
    """
    shape = have.shape
    if have.kind != "keras" and isinstance(want.shape, tuple) and isinstance(shape, tuple):
        if len(want.shape) == len(shape) + 1 and want.shape[-1] == 1:
            shape = (*shape, 1)
        elif len(shape) == len(want.shape) + 1 and shape[-1] == 1:
            shape = shape[:-1]
    return have if have.dtype == want.dtype and shape == have.shape else have.with_(dtype=want.dtype, shape=shape)


def is_known_structure(value: Any) -> bool:
    """Whether every leaf of a structure is a Tensor."""
    if isinstance(value, list | tuple):
        return bool(value) and all(is_known_structure(item) for item in value)
    if isinstance(value, dict):
        return bool(value) and all(is_known_structure(item) for item in value.values())
    return isinstance(value, Tensor)


def _same(values: list[Any]) -> Any:
    return values[0] if all(value is values[0] for value in values) else None


def _batch_first(outputs: Any) -> bool:
    found = tensors(outputs)
    return bool(found) and all(isinstance(t.shape, tuple) and t.shape and t.shape[0] == BATCH for t in found)


def _same_but_batch(want: Tensor, have: Tensor) -> bool:
    if isinstance(want.shape, Unknown) or isinstance(have.shape, Unknown) or len(want.shape) != len(have.shape):
        return False
    return want.shape[1:] == have.shape[1:]


def _rebatched(value: Any, batch: Dim) -> Any:
    if isinstance(value, Tensor) and isinstance(value.shape, tuple):
        return value.with_(shape=(batch, *value.shape[1:]))
    if isinstance(value, list | tuple):
        return type(value)(_rebatched(item, batch) for item in value)
    if isinstance(value, dict):
        return {key: _rebatched(item, batch) for key, item in value.items()}
    return value


def _remade(value: Any, step: Step, kind: str, index: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, Tensor):
        found = value.assumptions.union(*(parent.assumptions for parent in step.parents))
        return Tensor(value.shape, value.dtype, kind, None,
                      Step(step.span, step.parents, step.maker, step.arguments, index),
                      found)
    if isinstance(value, list | tuple):
        return type(value)(_remade(item, step, kind, (*index, i)) for i, item in enumerate(value))
    if isinstance(value, dict):
        return {key: _remade(item, step, kind, (*index, key)) for key, item in value.items()}
    return value


def _matched(wanted: Any, given: Any) -> tuple[Tensor, ...]:
    """Given tensors in the order of the model's inputs (a dict is matched by name)."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        return tuple(given[key] for key in wanted if isinstance(given.get(key), Tensor))
    if isinstance(given, dict):
        names = [getattr(tensor.step.maker, "name", None) if tensor.step else None for tensor in tensors(wanted)]
        if all(isinstance(given.get(name), Tensor) for name in names):
            return tuple(given[name] for name in names)
    return tensors(given)


def input_mismatch(want: Tensor, have: Tensor, *, keras_3: bool = True) -> Mismatch | None:
    """What is rejected for an input of a functional or sequential model.

    A last axis of 1 is left out of the comparison on either side (keras/src/layers/input_spec.py:
    assert_input_compatibility with allow_last_axis_squeeze): a model for (None, 1) takes (50, 80). Keras 3 also wants
    the rank, up to an axis of 1 that it adds or takes (keras/src/models/functional.py: Functional._adjust_input_rank).
    """
    if isinstance(want.shape, Unknown) or isinstance(have.shape, Unknown):
        return None
    expected, actual = want.shape, have.shape
    longer, shorter = (actual, expected) if len(actual) > len(expected) else (expected, actual)
    squeezed = len(longer) == len(shorter) + 1 and longer[-1] == 1
    if len(expected) != len(actual) and not squeezed and keras_3:
        return wrong_input(expected, actual)
    pairs = list(zip(_unsqueezed(expected), _unsqueezed(actual), strict=False))
    for axis, (a, b) in enumerate(pairs[1:], 1):
        if not may_equal(a, b):
            return wrong_input(expected, actual, axis)
    return None


def _unsqueezed(shape: Shape) -> Shape:
    return shape[:-1] if shape and shape[-1] == 1 else shape


def wrong_count(wanted: int, given: int) -> Mismatch:
    return Mismatch(Problem.INPUT_COUNT, f"the model has {wanted} input{'s' * (wanted != 1)}, {given} given",
                    error=f'ValueError "expects {wanted} input(s), but it received {given} input tensors"',
                    facts=(("expected", wanted), ("actual", given)))


def wrong_input(expected: Shape, actual: Shape, axis: int | None = None) -> Mismatch:
    return Mismatch(Problem.INPUT_SHAPE, f"the model takes {_axes(expected)}, this input is {_axes(actual)}",
                    error=f'ValueError "expected shape={_python(expected)}, found shape={_python(actual)}"',
                    facts=(("expected", expected), ("actual", actual), ("axis", axis)))


def _axes(shape: tuple[Dim, ...]) -> str:
    from cudnnlint.values import show

    return show(shape)


def _python(shape: tuple[Dim, ...]) -> str:
    return "(" + ", ".join("None" if not is_known(dim) else str(dim) for dim in shape) + ")"


def run_chain(m: Machine, layers: ListV, value: Any, span: Span | None) -> Any:
    """Apply the layers of a sequential model one after the other; each at its constructor."""
    for layer in layers.items:
        value = apply_any(m, layer, value, span)
    return value


def apply_any(m: Machine, layer: Any, value: Any, span: Span | None = None) -> Any:
    """Apply a layer, model or user object at `span` (default: where it was constructed)."""
    held = plain(layer)
    at = span or getattr(held, "span", None)
    if isinstance(held, InstanceV):
        at = span or held.span
    if isinstance(held, LayerV):
        return apply_layer(m, held, [value], {}, at or held.span)
    if isinstance(held, ModelV):
        return held.apply(m, [value], {}, at or held.span)
    if isinstance(held, InstanceV):
        from cudnnlint.interp.subclass import apply_instance, layer_of

        node = ast.Constant(value=None)
        return apply_instance(m, held, layer_of(m, held), [value], {}, node, at or layer_of(m, held).span)
    return held if isinstance(held, Unknown) else Unknown("a layer that is not known")


class Replay:
    """Computes outputs again for other inputs, by the recorded makers."""

    def __init__(self, m: Machine, given: dict[int, Tensor], span: Span) -> None:
        self.m, self.memo, self.span = m, dict(given), span
        self.calls: dict[tuple[int, int], Any] = {}
        self.kept: list[Any] = []

    def run(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, ListV):
            return ListV([self.run(item) for item in value.items], value.unknown)
        if isinstance(value, DictV):
            return DictV({key: self.run(item) for key, item in value.items.items()}, value.unknown)
        if isinstance(value, list | tuple):
            return type(value)(self.run(item) for item in value)
        if isinstance(value, dict):
            return {key: self.run(item) for key, item in value.items()}
        return value

    def tensor(self, root: Tensor) -> Any:
        """Iterative over the graph: models may be hundreds of layers deep."""
        stack = [root]
        while stack:
            tensor = stack[-1]
            if id(tensor) in self.memo:
                stack.pop()
                continue
            pending = [parent for parent in tensor.step.parents if id(parent) not in self.memo] if tensor.step else []
            if pending:
                stack.extend(pending)
                continue
            self.kept.append(tensor)
            self.memo[id(tensor)] = self._again(tensor)
            stack.pop()
        return self.memo[id(root)]

    def _again(self, tensor: Tensor) -> Any:
        step = tensor.step
        self.m.tick()
        if step is None or not step.parents:
            return tensor
        if step.maker == JOIN:
            return join([self.memo[id(parent)] for parent in step.parents])
        if step.arguments is None:
            return Unknown("cannot be replayed")
        key = (id(step.maker) if not isinstance(step.maker, str) else hash(step.maker), id(step.arguments[0]))
        if key not in self.calls:
            self.calls[key] = self._call(step)
        result = strip(self.calls[key])
        for part in step.index:
            try:
                result = result[part]
            except (TypeError, LookupError):
                return Unknown("cannot be replayed")
        return result

    def _call(self, step: Step) -> Any:
        args = [self.run(arg) for arg in step.arguments[0]]
        kwargs = {key: self.run(value) for key, value in step.arguments[1].items()}
        maker = step.maker
        if isinstance(maker, str):
            return apply_function(self.m, maker, args, kwargs, _Located(step.span))
        if isinstance(maker, LayerV):
            return apply_layer(self.m, maker, args, kwargs, step.span)
        if isinstance(maker, ModelV):
            return maker.apply(self.m, args, kwargs, step.span)
        if isinstance(maker, InstanceV):
            from cudnnlint.interp.subclass import apply_instance, layer_of

            return apply_instance(self.m, maker, layer_of(self.m, maker), args, kwargs, _Located(step.span), step.span)
        return Unknown("cannot be replayed")


class _Located(ast.Constant):
    """A node that stands at a span, for calls that the machine makes itself."""

    def __init__(self, span: Span) -> None:
        super().__init__(value=None)
        self.lineno, self.col_offset = span.line, span.column
        self.end_lineno, self.end_col_offset = span.end_line, span.end_column


def init_model(m: Machine, base: str, c: Call, layer: LayerV) -> ModelV | None:
    """The model part of a user's class that calls super().__init__(inputs, outputs) or is a Sequential."""
    from cudnnlint.interp.registry import ancestry

    if "keras.Sequential" in ancestry(base):
        model = ModelV("sequential", base, layer.name, layer.span)
        layers = c.get(0, "layers")
        if layers is not None:
            add_all(m, model, layers)
        return model
    inputs, outputs = c.get(0, "inputs"), c.get(1, "outputs")
    if inputs is None or outputs is None:
        return None
    return functional(m, inputs, outputs, base, layer.name, layer.span)


def functional(m: Machine, inputs: Any, outputs: Any, path: str, name: str, span: Span) -> ModelV:
    model = ModelV("functional", path, name, span)
    model.inputs, model.outputs = strip(inputs), strip(outputs)
    about = tensors(model.outputs)
    applied = LayerApplied(span=span, stack=m.stack, layer=model.info(), inputs=model.inputs, output=model.outputs,
                           params=params_of(model))
    m.say(ModelBuilt, span, about=about, applied=applied)
    return model


def add_all(m: Machine, model: ModelV, layers: Any) -> None:
    from cudnnlint.interp.iterate import elements

    found = elements(m, layers)
    if isinstance(found, Unknown):
        model.layers.unknown = found
        return
    for layer in found:
        add_layer(m, model, layer)


def add_layer(m: Machine, model: ModelV, layer: Any) -> None:
    """Sequential.add: the chain is built as soon as its input is known."""
    m.heap.touch(model)
    held = plain(layer)
    if isinstance(held, Unknown):
        model.outputs = held
        model.layers.items.append(held)
        return
    if isinstance(held, Tensor) and model.inputs is None:  # keras.Input(...) as the first element
        model.inputs = model.outputs = held
        return
    if isinstance(held, LayerV) and held.path == "keras.layers.InputLayer":
        model.inputs = model.outputs = held.extra.get("tensor", Unknown("input"))
        return
    model.layers.items.append(held)
    if model.inputs is None and len(model.layers.items) == 1:
        model.inputs = model.outputs = declared_input(m, held)
    if model.outputs is not None:
        model.outputs = strip(apply_any(m, held, wrap(model.outputs)))


def declared_input(m: Machine, layer: Any) -> Any:
    """The input that the first layer declares by input_shape= and the like, or a model's own input; else None."""
    base: dict[str, Any] = {}
    if isinstance(layer, LayerV):
        base = {**layer.base, **{k: v for k, v in layer.arguments.items() if k == "input_length" and v is not None}}
    elif isinstance(layer, InstanceV) and isinstance(layer.extra, LayerV):
        base = layer.extra.base
        if layer.extra.model is not None and isinstance(layer.extra.model.inputs, Tensor):
            return layer.extra.model.inputs
    elif isinstance(layer, ModelV):
        return layer.inputs if isinstance(layer.inputs, Tensor) else None
    shape: Any = None
    if base.get("batch_input_shape") is not None:
        shape = as_shape(base["batch_input_shape"])
        if isinstance(shape, tuple) and shape and isinstance(shape[0], Symbol):
            shape = (BATCH, *shape[1:])
    elif (given := base.get("input_shape")) is not None:
        rest = as_shape(given)
        shape = (base["batch_size"] if is_known(base.get("batch_size")) else BATCH, *rest) \
            if isinstance(rest, tuple) else rest
    elif getattr(layer, "path", "") == "keras.layers.Embedding" and m.stack.keras < (3,):
        # tf_keras/src/layers/core/embedding.py: __init__ sets input_shape from input_length
        length = base.get("input_length")
        rest = as_shape(length) if isinstance(length, list | tuple) else (as_dim(length),)
        shape = (BATCH, *rest) if isinstance(rest, tuple) else rest
    elif (width := base.get("input_dim")) is not None and getattr(layer, "path", "") != "keras.layers.Embedding":
        length = base.get("input_length")
        shape = (BATCH, length, width) if is_known(length) else (BATCH, width)
    if shape is None:
        return None
    dtype = "float32" if not isinstance(layer, LayerV) else layer.policy.variable
    span = layer.span or Span(m.linted, 1, 0, 1, 0)
    return Tensor(shape, dtype, "keras", None, Step(span), getattr(layer, "assumptions", frozenset()))


def sublayers(value: Any, seen: set[int] | None = None) -> list[Any]:
    """Layers and models directly held by a value: attributes, lists, dicts of a user's object; a model's layers."""
    seen = set() if seen is None else seen
    found: list[Any] = []
    held = plain(value)
    if id(held) in seen:
        return found
    seen.add(id(held))
    if isinstance(held, LayerV | ModelV | ChoiceV):
        return [held]
    if isinstance(held, InstanceV):
        base = held.cls.external_base()
        return [held] if base is not None and base.startswith("keras.") else \
            [item for part in held.items.values() for item in sublayers(part, seen)]
    if isinstance(held, ListV):
        parts: Any = held.items
    elif isinstance(held, DictV):
        parts = held.items.values()
    elif isinstance(held, tuple):
        parts = held
    else:
        return found
    for part in parts:
        found += sublayers(part, seen)
    return found


def graph_layers(outputs: Any) -> list[Any] | Unknown:
    """Distinct makers that are layers, models or user objects in the graph that leads to `outputs`, inputs first."""
    order: list[Any] = []
    seen_tensors: set[int] = set()
    seen: set[int] = set()
    stack: list[tuple[Tensor, bool]] = [(tensor, False) for tensor in reversed(tensors(outputs))]
    while stack:
        tensor, done = stack.pop()
        step = tensor.step
        if done:
            if (step is not None and step.maker is not None and not isinstance(step.maker, str)
                    and id(step.maker) not in seen):
                seen.add(id(step.maker))
                order.append(step.maker)
            continue
        if id(tensor) in seen_tensors:
            continue
        seen_tensors.add(id(tensor))
        if step is not None:
            if step.maker == JOIN:
                return Unknown("layers differ between paths")
            stack.append((tensor, True))
            stack.extend((parent, False) for parent in reversed(step.parents))
    return order


def children(value: Any) -> list[Any] | Unknown:
    """The layers one level below a model or user object."""
    held = plain(value)
    if isinstance(held, ModelV):
        if held.kind == "sequential":
            return held.layers.unknown or list(held.layers.items)
        return graph_layers(held.outputs)
    if isinstance(held, InstanceV):
        if held.unknown:
            return held.unknown
        layer = held.extra
        found = [item for part in held.items.values() for item in sublayers(part)]
        if isinstance(layer, LayerV) and layer.model is not None:
            inner = children(layer.model)
            if isinstance(inner, Unknown):
                return inner
            found += inner
        return found
    return []


def weights_of(value: Any, seen: set[int] | None = None) -> tuple[Weight, ...] | Unknown:
    """All variables of a layer, model or user object, each counted once."""
    seen = set() if seen is None else seen
    held = plain(value)
    if id(held) in seen:
        return ()
    seen.add(id(held))
    if isinstance(held, Unknown | ChoiceV):
        return Unknown("layers differ between paths")
    own: tuple[Weight, ...] = ()
    if isinstance(held, LayerV):
        return Unknown("not built") if held.weights is None else held.weights
    if isinstance(held, InstanceV) and isinstance(held.extra, LayerV):
        own = tuple(held.extra.added)
        if held.extra.op is not None:
            if not isinstance(held.extra.weights, tuple):
                return Unknown("not built")
            own += held.extra.weights
    parts = children(held)
    if isinstance(parts, Unknown):
        return parts
    for part in parts:
        more = weights_of(part, seen)
        if isinstance(more, Unknown):
            return more
        own += more
    return own


def params_of(value: Any) -> Dim:
    return count(weights_of(value))


__all__ = ["ModelV", "Replay", "add_layer", "apply_any", "children", "functional", "init_model", "params_of", "snake",
           "weights_of"]
