"""Keras models, called again by replaying how they were made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy as shallow
from typing import Any

from cudnnlint.events import LayerApplied, LayerInfo, Rejected, tensors
from cudnnlint.interp.convert import as_given, strip, wrap
from cudnnlint.interp.heap import DictV, ListV, clock
from cudnnlint.interp.join import join
from cudnnlint.interp.keras.added import ended, recalled
from cudnnlint.interp.keras.built import keeps_states
from cudnnlint.interp.keras.chains import ANY_SHAPE, misread, refused_again, refused_input
from cudnnlint.interp.keras.layers import NAMING, LayerV, is_eager, is_fixed, name_of
from cudnnlint.interp.keras.model_inputs import (
    as_built,
    asked_by,
    conformed,
    is_known_structure,
    is_of_dicts,
    missing_inputs,
    taken,
    wrong_count,
)
from cudnnlint.interp.keras.parts import data_pass, set_trainable, told_params
from cudnnlint.interp.keras.rebatched import (
    batch_first,
    is_rebatched,
    rebatched,
    remade,
    same_but_batch,
    shows_more,
    unpacked,
)
from cudnnlint.interp.keras.replay import Replay, asked_for_shapes, run_chain
from cudnnlint.interp.loops.kept import around
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.feature_columns import DenseFeatures
from cudnnlint.ops.functions.select import COUNT
from cudnnlint.source import Span
from cudnnlint.values import BATCH, Mismatch, Step, Tensor, Unknown, is_integer
from cudnnlint.values.dim import PROXY
from cudnnlint.values.tensor import matched


class ModelV:
    """`kind` is "functional", "sequential" or "subclassed" (`instance` set).

    layers    of a sequential model, in order (ListV); a functional model finds its own in its graph
    inputs    structure of symbolic Tensors, or None while a sequential model is deferred
    outputs   structure of Tensors, Unknown or None
    compiled  bound arguments of compile(), or None
    """

    always_true = True
    named = False
    """Whether the program gave it its name, or Keras one that has no number."""

    def __init__(self, kind: str, path: str, name: str, span: Span) -> None:
        self.born = next(clock)
        self.kind, self.path, self.name, self.span = kind, path, name, span
        self.layers = ListV()
        self.inputs: Any = None
        self.outputs: Any = None
        self.compiled: dict[str, Any] | None = None
        self.instance: InstanceV | None = None
        self.extra: dict[str, Any] = {}
        self.ran = self.asked = False
        self.first: Tensor | Unknown | None = None
        """What a sequential model without inputs was first called on: it is built for that."""
        self.node: Any = None
        """(inputs, output) of the first call on symbolic tensors; Unknown where that may have been another one."""
        self.graph: tuple[Any, list[Any] | Unknown, list[Unknown]] | None = None
        """Outputs, and the layers and holes on the way to them; kept by `parts.graph_of`."""
        self.ordered: tuple[list[Any], Any, list[Any] | None] | None = None
        """Those layers, the inputs, and the layers in Keras' order; kept by who asks for `model.layers`."""
        self.inside: tuple[Any, tuple[Any, ...]] | None = None
        """Outputs, and all that they are made of; kept by `parts.within`."""

    # state that paths may change
    def snapshot(self) -> Any:
        return self.layers.snapshot(), self.inputs, self.outputs, self.compiled, self.first

    def restore(self, state: Any) -> None:
        self.layers.restore(state[0])
        self.inputs, self.outputs, self.compiled, self.first = state[1:]

    def of_turns(self, states: Sequence[Any]) -> Sequence[Any]:
        """A sequential model without a shape is built once, too (keras/src/models/sequential.py: Sequential.build)."""
        built = next((state for state in states if state[2] is not None), None)
        if built is None:
            return states
        return [(state[0], *built[1:3], *state[3:]) if state[2] is None and state[0] == built[0] else state
                for state in states]

    def merge(self, states: Any) -> None:
        self.layers.merge([state[0] for state in states])
        self.inputs = _same([state[1] for state in states])
        self.outputs = join([state[2] if state[2] is not None else Unknown("not built on every path")
                             for state in states])
        self.compiled = states[0][3] if all(state[3] is states[0][3] for state in states) else {}
        self.first = states[0][4] if all(state[4] is states[0][4] for state in states) else ANY_SHAPE

    def let_go(self) -> None:
        """Its file has ended."""
        self.node = self.inside = self.graph = self.ordered = None

    def copied(self, copy: Callable[[Any], Any]) -> ModelV:
        """A container of PyTorch with copies of its modules."""
        made = shallow(self)
        made.born, made.ran, made.asked, made.extra = next(clock), False, False, dict(self.extra)
        made.layers = ListV([copy(layer) for layer in self.layers.items], self.layers.unknown)
        return made

    @property
    def display(self) -> str:
        return {"sequential": "Sequential", "functional": "Functional"}.get(self.kind, self.path.rpartition(".")[2])

    def info(self) -> LayerInfo:
        return LayerInfo(path="keras.Sequential" if self.kind == "sequential" else "keras.Model", name=self.display,
                         span=self.span)

    def attribute(self, m: Machine, name: str) -> Any:
        if name in self.extra:
            return self.extra[name]
        return name_of(m, self) if name == "name" else MISSING

    def set_attribute(self, m: Machine, name: str, value: Any) -> None:
        unsure = m.uncertain and name in ("jit_compile", "run_eagerly", *NAMING)
        self.extra[name] = Unknown("set on some paths") if unsure else value
        if name == "trainable":
            set_trainable(m, self, value)

    def called(self, c: Call) -> Any:
        if len(c.args) > 1:
            from cudnnlint.interp.mistakes.misfits import is_given_two, tell_of_positional

            tell_of_positional(c, self)
            if is_given_two(c, self):
                return Unknown(f"{self.display} takes one argument")
        elif c.args and self.instance is None and type(c.args[0]) in (ListV, tuple, DictV):
            from cudnnlint.interp.mistakes.mixed_inputs import tell_of_mixed

            tell_of_mixed(c, self)
        return self.apply(c.machine, c.args, c.kwargs, c.span)

    def apply(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        """Call the model on other inputs; `training` is that of its layers too."""
        outer, told = m.training, plain(kwargs.get("training"))
        m.training = told if isinstance(told, bool) else outer
        try:
            return self._applied(m, args, kwargs, span)
        finally:
            m.training = outer

    def _applied(self, m: Machine, args: list[Any], kwargs: dict[str, Any], span: Span) -> Any:
        from cudnnlint.interp.keras.layer_inputs import as_inputs, split_inputs

        first, _, _ = split_inputs(args, kwargs)
        inputs = as_inputs(strip(first))
        if not tensors(inputs):
            self.asked = True
            if not self.tells_width:
                return Unknown(f"{self.display} called on unknown inputs")
        if self.kind == "sequential" and self.inputs is None:
            if (wrong := refused_again(m, self, built := as_built(self, inputs))) is not None:
                m.say(Rejected, span, about=tensors(built), what=self.display, mismatch=wrong, inputs=built)
                return Unknown(f"{self.display} rejects its input")
            return self._run_chain(m, built, span)
        if self.inputs is None or self.outputs is None:
            return Unknown("a model that is not built")
        if "outputs" in self.extra:
            return Unknown("a model whose outputs were set by hand")
        given = self._fed(m, inputs, span)
        if isinstance(given, Unknown):
            return given
        wanted, keras_3 = tensors(self.inputs), m.stack.keras >= (3,)
        fixed, number, outer = bool(m.tracing) and is_fixed(m, given), m.begin(), m.any_batch
        m.any_batch = True
        try:
            with asked_for_shapes(m) if keras_3 and given[0].kind == "keras" else nullcontext():
                outputs = self._outputs_for(m, wanted, given, span)
        finally:
            m.applying.pop()
            m.any_batch = outer
        body = None if is_rebatched(outputs, self.outputs) else outputs
        symbolic, arguments = any(tensor.kind == "keras" for tensor in given), as_given(args, kwargs)
        result = remade(outputs, Step(span, given, self, arguments, body=body), "keras" if symbolic else "tf")
        if body is None:
            recalled(m, self, self.outputs, result, number, span)
        else:
            ended(m, number, arguments)
        result = unpacked(result) if keras_3 and not symbolic else result
        if symbolic and self.node is None:
            self._note_node(m, inputs, result)
        if not symbolic:
            data_pass(m, self)
        m.say(LayerApplied, span, about=given, layer=self.info(), inputs=inputs, output=result,
              eager=is_eager(m, given), fixed=fixed, params=told_params(m, self), maker=self, around=around(m),
              number=number, within=tuple(m.applying))
        return wrap(result)

    def _fed(self, m: Machine, inputs: Any, span: Span) -> tuple[Tensor, ...] | Unknown:
        """What each Input is given; tells of what the model refuses."""
        wanted, given = tensors(self.inputs), matched(self.inputs, inputs)
        if not is_known_structure(self.inputs) or not is_known_structure(inputs):
            return Unknown("inputs that are not all known")
        if is_of_dicts(self.inputs) or is_of_dicts(inputs):
            return Unknown("inputs by names within names")

        def rejected(wrong: Mismatch, about: Sequence[Tensor], what: str = "input") -> Unknown:
            m.say(Rejected, span, about=about, what=self.display, mismatch=wrong, inputs=inputs)
            return Unknown(f"{self.display} rejects its {what}")

        if isinstance(inputs, dict) and (wrong := missing_inputs(self.inputs, inputs, self.kind)) is not None:
            return rejected(wrong, given, "inputs")
        keras_3 = m.stack.keras >= (3,)
        given = taken(wanted, given, sequential=self.kind == "sequential", keras_3=keras_3)
        if len(wanted) != len(given):
            return self._wrong_count(m, wanted, given, span)
        for want, have in zip(wanted, given, strict=True):
            if not keras_3 and have.kind == "keras":
                continue  # Keras 2 runs the layers again and leaves it to them
            if (wrong := refused_input(m, self, want, have, span)) is not None:
                return rejected(asked_by(wrong, want), (have,))
        if (wrong := misread(m, self, wanted, given, span)) is not None:
            return rejected(wrong, given)
        return tuple(conformed(want, have) for want, have in zip(wanted, given, strict=True))

    def _wrong_count(self, m: Machine, wanted: Any, given: Any, span: Span) -> Unknown:
        m.say(Rejected, span, about=given, what=self.display, inputs=list(given),
              mismatch=wrong_count(len(wanted), len(given)))
        return Unknown(f"{self.display} rejects its inputs")

    def _outputs_for(self, m: Machine, wanted: Any, given: Any, span: Span) -> Any:
        """The outputs for inputs that fit: by changing the batch when all else is equal, else by replay."""
        sizes = {have.shape[0] for have in given if isinstance(have.shape, tuple) and have.shape}
        same = all(same_but_batch(want, have) for want, have in zip(wanted, given, strict=True)) \
            and len([size for size in sizes if isinstance(size, int)]) < 2 and (len(sizes) == 1 or 1 not in sizes)
        batch = given[0].shape[0] if isinstance(given[0].shape, tuple) and given[0].shape else BATCH
        anew = (isinstance(batch, Unknown) and batch.why == COUNT) or (isinstance(batch, int) and (  # layers meet it
            given[0].kind == "keras" or keeps_states(self.layers) or (batch > 0 and batch % PROXY == 0)))
        if same and not anew and batch_first(self.outputs) and not (
                all(have.kind == "tf" for have in given) and shows_more(self.outputs, given)):
            return rebatched(self.outputs, batch)
        if self.kind == "sequential":
            return strip(run_chain(m, self.layers, given[0], span))
        return strip(Replay(m, dict(zip(map(id, wanted), given, strict=True)), span).run(self.outputs))

    def _run_chain(self, m: Machine, inputs: Any, span: Span) -> Any:
        """A deferred Sequential: its layers run on the inputs now."""
        if self.layers.unknown:
            return self.layers.unknown
        if m.stack.keras >= (3,) and isinstance(inputs, Tensor) and is_integer(inputs.dtype):
            floatx = m.state.get("floatx", "float32")
            inputs = inputs.with_(dtype=floatx, content=inputs.content)  # sequential.py: build makes a float Input
        number, given, fed, outer = m.begin(), tensors(inputs), m.fed, m.any_batch
        fixed = bool(m.tracing) and is_fixed(m, given)
        m.any_batch = outer or self.ran  # built for the first batch, its layers run unseen on others
        again, self.ran = self.ran, True
        m.fed = fed or (span, given)
        try:
            result = strip(run_chain(m, self.layers, inputs, span if again else None, span))
        finally:
            m.applying.pop()
            m.any_batch = outer
            m.fed = fed
        symbolic = "keras" if any(tensor.kind == "keras" for tensor in given) else "tf"
        arguments: tuple[tuple[Any, ...], dict[str, Any]] = (wrap(inputs),), {}
        result = remade(result, Step(span, given, self, arguments, body=result), symbolic)
        ended(m, number, arguments)
        if symbolic == "keras" and self.node is None:
            self._note_node(m, inputs, result)
        m.say(LayerApplied, span, about=given or tensors(result), layer=self.info(), inputs=inputs, output=result,
              eager=is_eager(m, given), fixed=fixed, params=told_params(m, self), maker=self, around=around(m),
              number=number, within=tuple(m.applying))
        return wrap(result)

    def _note_node(self, m: Machine, inputs: Any, outputs: Any) -> None:
        self.node = Unknown("called on some paths only") if m.uncertain else (inputs, outputs)
        m.keep(self)

    @property
    def tells_width(self) -> bool:
        """Whether it is built of whatever it is called on: its first layer makes columns that the program describes."""
        first = plain(self.layers.items[0]) if self.kind == "sequential" and self.layers.items else None
        return self.inputs is None and isinstance(first, LayerV) and isinstance(first.op, DenseFeatures)


def _same(values: list[Any]) -> Any:
    return values[0] if all(value is values[0] for value in values) else None
