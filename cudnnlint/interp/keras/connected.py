"""The two ends of a functional model: tensors, and inputs that lead to the outputs."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.interp.convert import strip
from cudnnlint.interp.join import JOIN
from cudnnlint.interp.keras.graph_walk import unknowns_in
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import Machine
from cudnnlint.interp.mistakes.nothing import source_of
from cudnnlint.interp.mistakes.unexpected import within
from cudnnlint.interp.refusals import of_line, refuse
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Symbol, Tensor, Unknown, Where

INPUT = "keras.layers.InputLayer"
SEQUENTIAL = "begins a Sequential"
"""Of an Input: `.output` of a Sequential is in Keras 3 that of its first call, from whatever it was called on
(keras/src/ops/operation.py: Operation.output)."""


def tell_of_ends(m: Machine, inputs: Any, outputs: Any, span: Span) -> None:
    """`Model(x, Dense(1))` and `Model(a, f(b))`, as far as all is known."""
    if not (_no_tensors(m, "inputs", inputs, span) or _no_tensors(m, "outputs", outputs, span)):
        _disconnected(m, inputs, outputs, span)


def tell_of_one_end(m: Machine, inputs: Any, outputs: Any, node: ast.AST, span: Span) -> None:
    """`Model(x)`: tensors at one end, the other not given (keras/src/models/model.py: functional_init_arguments)."""
    given, missing = ("inputs", "outputs") if outputs is None else ("outputs", "inputs")
    ends = tensors(strip(inputs if outputs is None else outputs))
    if not ends or not all(_is_symbolic(tensor) for tensor in ends) or not isinstance(node, ast.Call):
        return
    names = {keyword.arg or "" for keyword in node.keywords}
    if missing in names or "" in names or any(isinstance(arg, ast.Starred) for arg in node.args) \
            or (len(node.args) > 1 and source_of(m, node.args[1]) is not None):
        return
    odd = sorted(names - {given, "name", "trainable", "dtype"})
    refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"a model of {given} without {missing}",
        help=f"{missing}= in place of {odd[0]}=" if len(odd) == 1 else f"pass {missing} as well",
        where=Where(keras=">=3"), error=f'ValueError "Unrecognized keyword arguments passed to Model: {{\'{given}\'"'
        if given in names else 'TypeError "Layer.__init__() takes 1 positional argument but"'), what="Model")


def begins_sequential(tensor: Tensor) -> None:
    if tensor.step is not None and isinstance(tensor.step.maker, LayerV):
        tensor.step.maker.extra[SEQUENTIAL] = True


def _no_tensors(m: Machine, end: str, value: Any, span: Span) -> bool:
    """keras/src/models/functional.py: Functional.__init__; tf_keras/src/engine/functional.py:
    Functional._validate_graph_inputs_and_outputs."""
    if value == [] and m.stack.keras >= (3,):
        first = end == "inputs"
        return refuse(m, span, Mismatch(
            Problem.UNEXPECTED,
            f"{end} of the model: an empty list{', as the .input of an InputLayer is in Keras 3' if first else ''}",
            help="the .output of the InputLayer, or the .input of the model" if first else "", where=Where(keras=">=3"),
            error=f'ValueError "`{end}` argument cannot be empty"'), what="Model")
    real = next((tensor for tensor in tensors(value) if _is_real(m, tensor)), None)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    what = _shape(value) or within(value) or (f"the number {value}" if number else "" if real is None else
                                              f"{'an array' if real.kind == 'numpy' else 'an eager tensor'}, {real}")
    return bool(what) and refuse(m, span, Mismatch(
        Problem.UNEXPECTED, f"{end} of the model: {what}, not a {'symbolic ' * what.startswith('an eager')}tensor",
        help="what a layer gives where it is called" if what.startswith("the layer") else
        "" if real is None else "Input(shape=x.shape[1:])" if end == "inputs" or real.kind == "numpy" else
        "call the layer on what an Input leads to",
        error=f'ValueError "All `{end}` values must be KerasTensors" or "Output tensors of a Functional model must be '
              'the output of a TensorFlow `Layer`"'), what="Model")


def _is_real(m: Machine, tensor: Tensor) -> bool:
    """Whether it holds numbers: in a graph Keras 2 makes a layer of what gave a tensor that no layer did."""
    if tensor.kind == "numpy":
        return True
    known = isinstance(tensor.shape, tuple) and all(type(dim) is int for dim in tensor.shape)
    return tensor.kind == "tf" and known and not isinstance(tensor.dtype, Unknown) and m.stack.keras >= (3,) \
        and tensor.step is not None and not tensor.assumptions and not m.tracing


def _shape(value: Any) -> str:
    if not isinstance(value, tuple) or not value:
        return ""
    return "a shape" if all(dim is None or isinstance(dim, int | Symbol) for dim in value) else ""


def _disconnected(m: Machine, inputs: Any, outputs: Any, span: Span) -> None:
    """An Input that the outputs come from and that is not among the inputs (keras/src/ops/function.py:
    Function._run_through_graph's graph; tf_keras/src/engine/functional.py: _map_graph_network)."""
    given = tensors(inputs)
    if not given or unknowns_in(inputs) or not all(_is_symbolic(tensor) for tensor in given):
        return
    missing = _missing(given, outputs)
    if missing is None or missing.step is None or (m.stack.keras >= (3,) and SEQUENTIAL in missing.step.maker.extra):
        return
    refuse(m, span, Mismatch(
        Problem.DISCONNECTED,
        f"the outputs come from the Input{of_line(span, missing.step.span)}, {missing}, which is not among the inputs",
        help="add it to the inputs, or take the outputs of the inputs that there are",
        error='ValueError "Output with path `` is not connected to `inputs`", "Graph disconnected: cannot obtain value '
              'for tensor" or "Found unvisited input tensors that are disconnected from the outputs"'),
        about=(missing,), what="Model", inputs=inputs)


def _is_symbolic(tensor: Tensor) -> bool:
    return tensor.kind == "keras" and tensor.step is not None and not tensor.assumptions and tensor.step.maker != JOIN


def _missing(given: tuple[Tensor, ...], outputs: Any) -> Tensor | None:
    """An Input that is met on the way back to `given` and is none of them."""
    steps = {id(tensor.step) for tensor in given}
    begun = {tensor.step.span for tensor in given if tensor.step is not None and not tensor.step.parents}
    seen: set[int] = set()
    waiting, found = list(tensors(outputs)), None
    while waiting:
        tensor = waiting.pop()
        step = tensor.step
        if step is None or id(step) in steps or id(step) in seen:
            continue
        seen.add(id(step))
        if step.maker == JOIN:
            return None
        if isinstance(step.maker, LayerV) and step.maker.path == INPUT and not step.parents:
            if step.span in begun:  # the same, or that of a copy of the model
                continue
            found = tensor
        waiting.extend(step.parents)
    return found
